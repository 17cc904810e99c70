#include "worker/parts.h"

#include <string.h>

#include "base/json_tape.h"

enum {
  LONGEST_MESSAGE = 64 * 1024, /* bytes of a reason or a problem */
  LONGEST_CODE = 64
};

void
parts_begin (struct parts *parts, size_t limit, enum frame_content shape)
{
  parts->limit = limit;
  parts->shape = shape;
  parts->uri = "";
  parts->role = "user";
  parts->values = 0;
  parts->content.len = parts->structured.len = parts->problems.len = 0;
  parts->code.len = parts->message.len = parts->why.len = 0;
  parts->has_text = false;
  parts->blocks = (struct json_writer){ .out = &parts->content };
  parts->problem = (struct json_writer){ .out = &parts->problems };
}

void
parts_end (struct parts *parts)
{
  enum { KEEP = 4096 }; /* bytes worth keeping for the next call */

  parts->limit = 0; /* whatever a plugin still adds is over it */
  buf_reset (&parts->content, KEEP);
  buf_reset (&parts->structured, KEEP);
  buf_reset (&parts->code, KEEP);
  buf_reset (&parts->message, KEEP);
  buf_reset (&parts->why, KEEP);
  buf_reset (&parts->problems, KEEP);
}

size_t
utf8_head (const char *text, size_t len, size_t max)
{
  if (len <= max)
    return len;
  while (max > 0 && ((unsigned char) text[max] & 0xC0) == 0x80)
    max--;
  return max;
}

/* Bytes of the character at `text`, or 0 when there is none. */
static size_t
character (const char *text, size_t len)
{
  for (size_t n = 1; n <= 4 && n <= len; n++)
    if (utf8_valid (text, n))
      return n;
  return 0;
}

void
append_text (struct buf *out, const char *text, size_t len, size_t max)
{
  if (text == NULL)
    return;
  len = utf8_head (text, len, max);
  if (utf8_valid (text, len)) {
    buf_append (out, text, len);
    return;
  }
  for (size_t at = 0, n; at < len; at += n) {
    n = character (text + at, len - at);
    if (n != 0)
      buf_append (out, text + at, n);
    else {
      buf_puts (out, "\xEF\xBF\xBD");
      n = 1;
    }
  }
}

static size_t
used (const struct parts *parts)
{
  return parts->content.len + parts->structured.len + parts->problems.len;
}

/* ---- JSON from the plugin --------------------------------------------------------------- */

/* Good JSON without the blanks between its tokens, so that it takes one line. */
static void
append_compact (struct buf *out, const char *json, size_t len)
{
  char *to = buf_reserve (out, len);
  char *start = to;
  bool quoted = false;

  for (size_t i = 0; i < len; i++) {
    char c = json[i];
    if (!quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
      continue;
    *to++ = c;
    if (c == '"')
      quoted = !quoted;
    else if (c == '\\' && quoted && i + 1 < len)
      *to++ = json[++i];
  }
  out->len += (size_t) (to - start);
}

/* Append a JSON text if it is one (and an object, where only that will do). */
static bool
append_json (struct buf *out, const char *json, size_t len, bool object)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (json == NULL || !json_read (&tape, json, len, &json_default_limits, &arena)
      || (object && !json_is (json_root (&tape), JSON_OBJECT)))
    return false;
  append_compact (out, json, len);
  return true;
}

/* NULL is none. */
static bool
append_object (struct buf *out, const char *json)
{
  return json == NULL || append_json (out, json, strlen (json), true);
}

static toolhost_status
set_structured (struct parts *parts, const toolhost_part *part)
{
  size_t others = parts->content.len + parts->problems.len;

  if (parts->shape != FRAME_BLOCKS)
    return TOOLHOST_BAD_VALUE;
  if (part->len > parts->limit || others > parts->limit - part->len)
    return TOOLHOST_CANCELLED;
  CLEANUP_BUF struct buf value = { 0 };
  if (!append_json (&value, (const char *) part->data, part->len, false))
    return TOOLHOST_BAD_VALUE;
  parts->structured.len = 0;
  buf_append (&parts->structured, value.data, value.len);
  return TOOLHOST_OK;
}

/* ---- content blocks --------------------------------------------------------------------- */

enum need {
  NEEDS_TEXT = 1,  /* data is UTF-8 */
  NEEDS_BYTES = 2, /* data goes out as base64 */
  NEEDS_MIME = 4,
  NEEDS_URI = 8,
  NEEDS_NAME = 16,
  EMBEDS = 32 /* the block is an object inside "resource" */
};

static const struct block_kind {
  int32_t kind;
  const char *type;
  const char *data; /* the member the data goes to */
  unsigned needs;
} block_kinds[] = {
  { TOOLHOST_PART_TEXT, "text", "text", NEEDS_TEXT },
  { TOOLHOST_PART_IMAGE, "image", "data", NEEDS_BYTES | NEEDS_MIME },
  { TOOLHOST_PART_AUDIO, "audio", "data", NEEDS_BYTES | NEEDS_MIME },
  { TOOLHOST_PART_RESOURCE, "resource", "text", NEEDS_TEXT | NEEDS_URI | EMBEDS },
  { TOOLHOST_PART_BLOB, "resource", "blob", NEEDS_BYTES | NEEDS_URI | EMBEDS },
  { TOOLHOST_PART_LINK, "resource_link", NULL, NEEDS_URI | NEEDS_NAME },
};

static const struct block_kind *
kind_of (int32_t kind)
{
  for (size_t i = 0; i < sizeof block_kinds / sizeof *block_kinds; i++)
    if (block_kinds[i].kind == kind)
      return &block_kinds[i];
  return NULL;
}

static bool
usable (const char *text, bool needed)
{
  return text != NULL ? utf8_valid (text, strlen (text)) && !(needed && *text == '\0') : !needed;
}

static bool
part_is_complete (const struct block_kind *kind, const toolhost_part *part)
{
  if (part->data == NULL && part->len != 0)
    return false;
  if ((kind->needs & NEEDS_TEXT) && part->len != 0
      && !utf8_valid ((const char *) part->data, part->len))
    return false;
  return usable (part->mime_type, kind->needs & NEEDS_MIME)
         && usable (part->uri, kind->needs & NEEDS_URI)
         && usable (part->name, kind->needs & NEEDS_NAME) && usable (part->title, false)
         && usable (part->description, false);
}

static void
write_known (struct json_writer *w, const char *name, const char *text)
{
  if (text != NULL)
    jsonw_name_string (w, name, text);
}

static void
write_json (struct json_writer *w, const char *name, const struct buf *json)
{
  if (json->len != 0)
    jsonw_name_raw (w, name, json->data, json->len);
}

static void
write_data (struct json_writer *w, const struct block_kind *kind, const toolhost_part *part)
{
  const char *data = part->len != 0 ? (const char *) part->data : "";

  jsonw_name (w, kind->data);
  if (kind->needs & NEEDS_BYTES)
    jsonw_base64 (w, data, part->len);
  else
    jsonw_string_len (w, data, part->len);
}

/* What stands at a URI, as a read gives it. */
static void
write_contents (struct json_writer *w, const struct block_kind *kind, const toolhost_part *part,
                const struct buf *meta)
{
  jsonw_object (w);
  jsonw_name_string (w, "uri", part->uri);
  write_known (w, "mimeType", part->mime_type);
  write_data (w, kind, part);
  write_json (w, "_meta", meta);
  jsonw_end (w);
}

static void
write_block (struct json_writer *w, const struct block_kind *kind, const toolhost_part *part,
             const struct buf *annotations, const struct buf *meta)
{
  jsonw_object (w);
  jsonw_name_string (w, "type", kind->type);
  if (kind->needs & EMBEDS) {
    jsonw_name (w, "resource");
    jsonw_object (w);
  }
  if (kind->needs & NEEDS_URI)
    jsonw_name_string (w, "uri", part->uri);
  if (kind->kind == TOOLHOST_PART_LINK) {
    jsonw_name_string (w, "name", part->name);
    write_known (w, "title", part->title);
    write_known (w, "description", part->description);
  }
  if (kind->kind != TOOLHOST_PART_TEXT)
    write_known (w, "mimeType", part->mime_type);
  if (kind->data != NULL)
    write_data (w, kind, part);
  if (kind->needs & EMBEDS)
    jsonw_end (w);
  write_json (w, "annotations", annotations);
  write_json (w, "_meta", meta);
  jsonw_end (w);
}

static void
write_part (struct parts *parts, const struct block_kind *kind, const toolhost_part *part,
            const struct buf *annotations, const struct buf *meta)
{
  struct json_writer *w = &parts->blocks;

  if (w->depth == 0)
    jsonw_array (w);
  if (parts->shape == FRAME_CONTENTS) {
    write_contents (w, kind, part, meta);
    return;
  }
  if (parts->shape == FRAME_MESSAGES) {
    jsonw_object (w);
    jsonw_name_string (w, "role", parts->role);
    jsonw_name (w, "content");
  }
  write_block (w, kind, part, annotations, meta);
  if (parts->shape == FRAME_MESSAGES)
    jsonw_end (w);
}

/* May there be such parts in what the call gives? */
static bool
fits_shape (const struct parts *parts, const struct block_kind *kind)
{
  if (parts->shape == FRAME_CONTENTS)
    return (kind->needs & EMBEDS) != 0;
  return parts->shape == FRAME_BLOCKS || parts->shape == FRAME_MESSAGES;
}

/* Write, and take it back if it was too much. */
static toolhost_status
add_block (struct parts *parts, const struct block_kind *kind, const toolhost_part *part)
{
  struct json_writer before = parts->blocks;
  size_t len = parts->content.len;
  CLEANUP_BUF struct buf annotations = { 0 };
  CLEANUP_BUF struct buf meta = { 0 };

  if (part->len > parts->limit || used (parts) > parts->limit - part->len)
    return TOOLHOST_CANCELLED;
  if (!fits_shape (parts, kind) || !part_is_complete (kind, part)
      || !append_object (&annotations, part->annotations) || !append_object (&meta, part->meta))
    return TOOLHOST_BAD_VALUE;
  write_part (parts, kind, part, &annotations, &meta);
  if (used (parts) > parts->limit) {
    parts->content.len = len;
    parts->blocks = before;
    return TOOLHOST_CANCELLED;
  }
  parts->has_text |= kind->kind == TOOLHOST_PART_TEXT;
  return TOOLHOST_OK;
}

toolhost_status
parts_add (struct parts *parts, const toolhost_part *given)
{
  toolhost_part part = { 0 };
  const struct block_kind *kind;

  if (given == NULL || given->struct_size < offsetof (toolhost_part, mime_type))
    return TOOLHOST_BAD_VALUE;
  memcpy (&part, given, given->struct_size < sizeof part ? given->struct_size : sizeof part);
  if (part.kind == TOOLHOST_PART_JSON)
    return set_structured (parts, &part);
  if (part.uri == NULL && parts->shape == FRAME_CONTENTS)
    part.uri = parts->uri;
  kind = kind_of (part.kind);
  return kind != NULL ? add_block (parts, kind, &part) : TOOLHOST_BAD_VALUE;
}

toolhost_status
parts_role (struct parts *parts, int32_t role)
{
  if (parts->shape != FRAME_MESSAGES || (role != TOOLHOST_USER && role != TOOLHOST_ASSISTANT))
    return TOOLHOST_BAD_VALUE;
  parts->role = role == TOOLHOST_USER ? "user" : "assistant";
  return TOOLHOST_OK;
}

toolhost_status
parts_suggest (struct parts *parts, const char *value, size_t len)
{
  struct json_writer *w = &parts->blocks;

  if (parts->shape != FRAME_VALUES || value == NULL || !utf8_valid (value, len))
    return TOOLHOST_BAD_VALUE;
  if (parts->values < FRAME_VALUES_MAX) {
    if (len > parts->limit || used (parts) > parts->limit - len)
      return TOOLHOST_CANCELLED;
    if (w->depth == 0)
      jsonw_array (w);
    jsonw_string_len (w, value, len);
  }
  parts->values++;
  return TOOLHOST_OK;
}

toolhost_status
parts_list (struct parts *parts, const char *json, size_t len)
{
  CLEANUP_BUF struct buf definition = { 0 };
  struct json_writer *w = &parts->blocks;

  if (parts->shape != FRAME_LISTED || !append_json (&definition, json, len, true))
    return TOOLHOST_BAD_VALUE;
  if (definition.len > parts->limit || used (parts) > parts->limit - definition.len)
    return TOOLHOST_CANCELLED;
  if (w->depth == 0)
    jsonw_array (w);
  jsonw_raw (w, definition.data, definition.len);
  return TOOLHOST_OK;
}

/* ---- reasons ---------------------------------------------------------------------------- */

static bool
is_code (const char *code)
{
  size_t len = strspn (code, "abcdefghijklmnopqrstuvwxyz0123456789_");
  return len > 0 && len <= LONGEST_CODE && code[len] == '\0';
}

void
parts_fail (struct parts *parts, const char *code, const char *text, size_t len)
{
  parts->code.len = 0;
  parts->message.len = 0;
  if (code != NULL && is_code (code))
    buf_puts (&parts->code, code);
  append_text (&parts->message, text, len, LONGEST_MESSAGE);
}

void
parts_why (struct parts *parts, const char *text, size_t len)
{
  parts->why.len = 0;
  append_text (&parts->why, text, len, LONGEST_MESSAGE);
}

void
parts_invalid (struct parts *parts, const char *pointer, const char *text, size_t len)
{
  struct json_writer *w = &parts->problem;

  if (used (parts) > parts->limit)
    return;
  if (pointer == NULL)
    pointer = "";
  if (w->depth == 0)
    jsonw_array (w);
  jsonw_object (w);
  jsonw_name (w, "pointer");
  jsonw_string_len (w, pointer, utf8_head (pointer, strlen (pointer), LONGEST_MESSAGE));
  jsonw_name (w, "message");
  jsonw_string_len (w, text != NULL ? text : "",
                    text != NULL ? utf8_head (text, len, LONGEST_MESSAGE) : 0);
  jsonw_end (w);
}

/* The values, which stood where content does until now, as a completion has them. */
static void
finish_values (struct parts *parts)
{
  struct json_writer w = { .out = &parts->structured };

  if (parts->blocks.depth == 0)
    jsonw_array (&parts->blocks);
  jsonw_end (&parts->blocks);
  jsonw_object (&w);
  jsonw_name_raw (&w, "values", parts->content.data, parts->content.len);
  jsonw_name_int (&w, "total", (int64_t) parts->values);
  jsonw_name_bool (&w, "hasMore", parts->values > FRAME_VALUES_MAX);
  jsonw_end (&w);
  parts->content.len = 0;
}

void
parts_finish (struct parts *parts)
{
  if (parts->shape == FRAME_VALUES)
    finish_values (parts);
  if (parts->shape == FRAME_BLOCKS && parts->structured.len != 0 && !parts->has_text) {
    toolhost_part text = { .struct_size = sizeof text,
                           .kind = TOOLHOST_PART_TEXT,
                           .data = parts->structured.data,
                           .len = parts->structured.len };
    (void) parts_add (parts, &text);
  }
  if (parts->shape != FRAME_VALUES && parts->blocks.depth != 0)
    jsonw_end (&parts->blocks);
  if (parts->problem.depth != 0)
    jsonw_end (&parts->problem);
}
