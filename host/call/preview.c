#include "call/preview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "pool/answer.h"

/* A result while it is cut. */
struct cutting {
  struct preview *preview;
  struct json_tape tape;
  struct arena arena;
  struct json_writer w;
  size_t shown, room; /* bytes: that the model is shown, and what is left of them */
};

/* What of a block is kept, and how that is called. */
struct part {
  const char *what; /* "text", "image", … */
  const char *mime;
  size_t mime_len;
  const char *data;
  size_t len;
  bool text;
};

size_t
preview_cut (const char *text, size_t len, size_t max)
{
  if (len <= max)
    return len;
  while (max != 0 && ((unsigned char) text[max] & 0xc0) == 0x80)
    max--;
  return max;
}

const char *
preview_number (uint64_t number, char room[PREVIEW_NUMBER])
{
  char *at = room + PREVIEW_NUMBER - 1;
  unsigned digits = 0;

  *at = '\0';
  do {
    if (digits != 0 && digits % 3 == 0)
      *--at = ',';
    *--at = (char) ('0' + number % 10);
    digits++;
  } while ((number /= 10) != 0);
  return at;
}

/* ---- what is kept ---- */

/* It becomes a header of HTTP. */
static bool
mime_ok (const char *mime, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (mime[i] < ' ' || mime[i] > '~')
      return false;
  return len <= RESULT_MIME_MAX;
}

/* The place in the results' file; NULL: it can't be kept. */
static const struct result_kept *
keep (struct cutting *c, const struct part *part)
{
  struct preview *p = c->preview;
  struct result_kept *kept = &p->kept[p->count];
  size_t mime_len = mime_ok (part->mime, part->mime_len) ? part->mime_len : 0;

  if (part->len > results_settings (p->results)->bytes_max || p->count == PREVIEW_LINKS_MAX
      || !results_write (p->results, part->data, part->len, &kept->place))
    return NULL;
  p->count++;
  kept->text = part->text;
  results_make_id (kept->id);
  memcpy (kept->mime, part->mime, mime_len);
  kept->mime[mime_len] = '\0';
  return kept;
}

static void
put_link (struct cutting *c, const struct part *part, const struct result_kept *kept)
{
  struct buf *out = &c->preview->links;
  struct json_writer w = { .out = out };
  char number[PREVIEW_NUMBER];

  if (out->len != 0)
    buf_putc (out, ',');
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "resource_link");
  jsonw_name (&w, "uri");
  jsonw_stringf (&w, RESULTS_URI "%s", kept->id);
  jsonw_name (&w, "name");
  jsonw_stringf (&w, "result %.8s", kept->id);
  jsonw_name (&w, "description");
  jsonw_stringf (&w,
                 "The whole %s of the result, %s bytes; a page of it: ?offset=BYTES&limit=BYTES",
                 part->what, preview_number (part->len, number));
  if (kept->mime[0] != '\0')
    jsonw_name_string (&w, "mimeType", kept->mime);
  jsonw_name_int (&w, "size", (int64_t) part->len);
  jsonw_end (&w);
}

static void
put_sentence (struct cutting *c, const struct part *part, size_t shown,
              const struct result_kept *kept)
{
  CLEANUP_BUF struct buf text = { 0 };
  char all[PREVIEW_NUMBER], some[PREVIEW_NUMBER];

  if (shown != 0)
    buf_printf (&text, "[This is the first %s of %s bytes of %s.", preview_number (shown, some),
                preview_number (part->len, all), part->what);
  else
    buf_printf (&text, "[%s bytes of %s are not shown.", preview_number (part->len, all),
                part->what);
  if (kept == NULL)
    buf_puts (&text, " The rest was not kept: ask the tool for less.]");
  else
    buf_printf (&text, " Read %s as the resource " RESULTS_URI "%s?offset=%zu]",
                shown != 0 ? "the rest" : "it", kept->id, shown);
  jsonw_object (&c->w);
  jsonw_name_string (&c->w, "type", "text");
  jsonw_name (&c->w, "text");
  jsonw_string_len (&c->w, text.data, text.len);
  jsonw_end (&c->w);
}

/* Show the first `max` bytes of a part, and keep the whole. */
static void
cut_part (struct cutting *c, const struct part *part, size_t max)
{
  const struct result_kept *kept = keep (c, part);
  size_t shown = part->text ? preview_cut (part->data, part->len, max) : 0;

  if (shown != 0) {
    jsonw_object (&c->w);
    jsonw_name_string (&c->w, "type", "text");
    jsonw_name (&c->w, "text");
    jsonw_string_len (&c->w, part->data, shown);
    jsonw_end (&c->w);
  }
  put_sentence (c, part, shown, kept);
  if (kept != NULL)
    put_link (c, part, kept);
}

/* ---- the parts of blocks ---- */

static bool
read_text (struct cutting *c, const struct json_node *value, const char *mime, struct part *part)
{
  part->data = json_string (&c->tape, value, &c->arena, &part->len);
  part->text = true;
  if (part->mime == NULL) {
    part->mime = mime;
    part->mime_len = strlen (mime);
  }
  return part->data != NULL;
}

/* What is no good Base64 is kept as the text it is. */
static bool
read_bytes (struct cutting *c, const struct json_node *value, struct part *part)
{
  size_t len, decoded;
  const char *text = json_string (&c->tape, value, &c->arena, &len);
  char *bytes;

  if (text == NULL)
    return false;
  bytes = arena_alloc (&c->arena, base64_room (len));
  if (!base64_decode (BASE64_PADDED, text, len, bytes, &decoded)) {
    part->mime = NULL;
    return read_text (c, value, "text/plain", part);
  }
  if (part->mime == NULL) {
    part->mime = "application/octet-stream";
    part->mime_len = strlen (part->mime);
  }
  part->data = bytes;
  part->len = decoded;
  return true;
}

/* What a block holds; false: it is of a kind that can't be cut. */
static bool
read_part (struct cutting *c, const struct json_node *block, struct part *part)
{
  const struct json_tape *tape = &c->tape;
  const struct json_node *type = json_member (tape, block, "type");
  const struct json_node *holder =
    json_equals (tape, type, "resource") ? json_member (tape, block, "resource") : block;
  const struct json_node *text = json_member (tape, holder, "text");

  *part = (struct part){ .what = "text" };
  part->mime =
    json_string (tape, json_member (tape, holder, "mimeType"), &c->arena, &part->mime_len);
  if (json_equals (tape, type, "text"))
    return read_text (c, text, "text/plain", part);
  if (json_equals (tape, type, "image") || json_equals (tape, type, "audio")) {
    part->what = json_equals (tape, type, "image") ? "image" : "audio";
    return read_bytes (c, json_member (tape, block, "data"), part);
  }
  if (holder == block)
    return false;
  part->what = "resource";
  return text != NULL ? read_text (c, text, "text/plain", part)
                      : read_bytes (c, json_member (tape, holder, "blob"), part);
}

/* Everything from `block` on, as JSON. */
static void
cut_rest (struct cutting *c, const struct json_node *block, const struct json_node *end)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct json_writer w = { .out = &json };
  struct part part = { .what = "further parts as JSON", .mime = "application/json", .text = true };

  jsonw_array (&w);
  for (; block != end; block = json_next (block)) {
    size_t len;
    const char *raw = json_raw (&c->tape, block, &len);
    jsonw_raw (&w, raw, len);
  }
  jsonw_end (&w);
  part.mime_len = strlen (part.mime);
  part.data = json.data;
  part.len = json.len;
  cut_part (c, &part, 0);
}

/* Bytes of the blocks that are small enough to be shown. */
static size_t
small_ones (const struct cutting *c, const struct json_node *block, const struct json_node *end)
{
  size_t sum = 0, len;

  for (; block != end; block = json_next (block)) {
    (void) json_raw (&c->tape, block, &len);
    sum += len <= c->shown ? len : 0;
  }
  return sum;
}

/* A large part leaves room for the small ones behind it, but takes half of what there is. */
static void
cut_block (struct cutting *c, const struct json_node *block, const struct json_node *end,
           const struct part *part)
{
  size_t behind = small_ones (c, json_next (block), end);
  size_t max = behind < c->room / 2 ? c->room - behind : c->room - c->room / 2;

  cut_part (c, part, max);
  c->room -= part->text ? max : 0;
}

static void
cut_content (struct cutting *c)
{
  const struct json_node *list = json_root (&c->tape), *end = json_end (list);

  for (const struct json_node *n = json_first (list); n != end; n = json_next (n)) {
    struct part part;
    size_t len;
    const char *raw = json_raw (&c->tape, n, &len);
    if (len <= c->room) {
      jsonw_raw (&c->w, raw, len);
      c->room -= len;
      continue;
    }
    if ((len <= c->shown && json_next (n) != end) || c->preview->count >= PREVIEW_LINKS_MAX - 2
        || !read_part (c, n, &part)) {
      cut_rest (c, n, end);
      return;
    }
    cut_block (c, n, end, &part);
  }
}

static bool
is_empty (const struct json_tape *tape)
{
  return json_first (json_root (tape)) == json_end (json_root (tape));
}

/* Of a result that is only structured the JSON is what the model reads, and its begin is shown. */
static void
cut_structure (struct cutting *c, const struct preview_of *of)
{
  struct part part = { .what = "structured result",
                       .mime = "application/json",
                       .data = of->structured,
                       .len = of->structured_len,
                       .text = true };

  if (of->structured == NULL || of->structured_len <= c->shown)
    return;
  c->preview->hides_structure = !of->promised;
  if (!is_empty (&c->tape) && of->promised)
    return;
  part.mime_len = strlen (part.mime);
  cut_part (c, &part, is_empty (&c->tape) ? c->shown : 0);
}

struct preview *
preview_new (struct results *results, const struct preview_of *of)
{
  size_t shown = results_settings (results)->shown;
  struct cutting c = { .shown = shown, .room = shown };

  if (shown == 0 || (of->content_len <= shown && of->structured_len <= shown))
    return NULL;
  if (!json_read (&c.tape, of->content_len != 0 ? of->content : "[]",
                  of->content_len != 0 ? of->content_len : 2, &answer_json_limits, &c.arena)) {
    arena_free (&c.arena);
    return NULL;
  }
  c.preview = xcalloc (1, sizeof *c.preview);
  c.preview->results = results;
  c.w.out = &c.preview->content;
  jsonw_array (&c.w);
  cut_content (&c);
  cut_structure (&c, of);
  jsonw_end (&c.w);
  arena_free (&c.arena);
  return c.preview;
}

void
preview_keep (struct preview *preview, const char *principal, const char *session, double now)
{
  for (size_t i = 0; i < preview->count; i++)
    results_keep (preview->results, &preview->kept[i], principal, session, now);
  preview->count = 0;
}

void
preview_free (struct preview *preview)
{
  if (preview == NULL)
    return;
  for (size_t i = 0; i < preview->count; i++)
    results_discard (preview->results, &preview->kept[i].place);
  buf_free (&preview->content);
  buf_free (&preview->links);
  free (preview);
}
