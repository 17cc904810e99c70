#include "call/stored.h"

#include <stdio.h>

/* ---- writing ---- */

#define AT(member) offsetof (struct usage, member)
static const struct {
  const char *name;
  size_t at;
} figures[] = {
  { "wall_us", AT (wall_us) },     { "queue_us", AT (queue_us) },
  { "run_us", AT (run_us) },       { "bytes_in", AT (bytes_in) },
  { "bytes_out", AT (bytes_out) }, { "http_requests", AT (http_requests) },
  { "http_sent", AT (http_sent) }, { "http_received", AT (http_received) },
  { "rss_peak", AT (rss_peak) },   { "cpu_us", AT (cpu_us) },
};
#undef AT
enum { FIGURES = sizeof figures / sizeof figures[0], CPU = FIGURES - 1 };

static void
put_usage (struct json_writer *w, const struct usage *usage)
{
  jsonw_name (w, "usage");
  jsonw_object (w);
  for (size_t i = 0; i < (usage->told_cpu ? FIGURES : CPU); i++) {
    jsonw_name (w, figures[i].name);
    jsonw_uint (w, *(const uint64_t *) ((const char *) usage + figures[i].at));
  }
  jsonw_end (w);
}

static void
put_raw (struct json_writer *w, const char *name, const char *json, size_t len)
{
  if (json != NULL)
    jsonw_name_raw (w, name, json, len);
}

void
stored_put (struct json_writer *w, const struct result *result)
{
  if (result->error != CALL_OK) {
    jsonw_name_string (w, "error", call_error_info (result->error)->code);
    jsonw_name_string (w, "code", result->code);
  }
  jsonw_name (w, "message");
  jsonw_string_len (w, result->message, result->message_len);
  jsonw_name_raw (w, "content", result->content, result->content_len);
  put_raw (w, "structured", result->structured, result->structured_len);
  put_raw (w, "problems", result->problems, result->problems_len);
  put_raw (w, "repairs", result->repairs, result->repairs_len);
  if (result->links != NULL) {
    jsonw_name (w, "links");
    jsonw_array (w);
    jsonw_raw (w, result->links, result->links_len);
    jsonw_end (w);
  }
  put_usage (w, &result->usage);
}

void
stored_write (struct buf *out, const struct result *result)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  stored_put (&w, result);
  jsonw_end (&w);
}

void
stored_write_too_large (struct buf *out, size_t len)
{
  const struct call_error_info *info = call_error_info (CALL_result_too_large_to_keep);
  char message[128];
  struct result note = { .error = CALL_result_too_large_to_keep,
                         .code = info->code,
                         .message = message,
                         .content = "[]",
                         .content_len = 2 };

  note.message_len =
    (size_t) snprintf (message, sizeof message, "%s It took %zu bytes.", info->text, len);
  stored_write (out, &note);
}

/* ---- reading ---- */

struct reading {
  const struct json_tape *tape;
  struct arena *arena;
  struct result *result;
};

static bool
take_error (const struct reading *r, const struct json_node *value)
{
  for (int i = CALL_OK + 1; i < CALL_ERRORS; i++)
    if (json_equals (r->tape, value, call_error_info ((enum call_error) i)->code)) {
      r->result->error = (enum call_error) i;
      return i != CALL_input_required;
    }
  return false;
}

static bool
take_code (const struct reading *r, const struct json_node *value)
{
  r->result->code = json_cstring (r->tape, value, r->arena);
  return r->result->code != NULL;
}

static bool
take_message (const struct reading *r, const struct json_node *value)
{
  r->result->message = json_string (r->tape, value, r->arena, &r->result->message_len);
  return r->result->message != NULL;
}

static bool
take_list (const struct reading *r, const struct json_node *value, const char **json, size_t *len)
{
  *json = json_raw (r->tape, value, len);
  return json_is (value, JSON_ARRAY);
}

static bool
take_content (const struct reading *r, const struct json_node *value)
{
  return take_list (r, value, &r->result->content, &r->result->content_len);
}

static bool
take_structured (const struct reading *r, const struct json_node *value)
{
  r->result->structured = json_raw (r->tape, value, &r->result->structured_len);
  return true;
}

static bool
take_problems (const struct reading *r, const struct json_node *value)
{
  return take_list (r, value, &r->result->problems, &r->result->problems_len);
}

static bool
take_repairs (const struct reading *r, const struct json_node *value)
{
  return take_list (r, value, &r->result->repairs, &r->result->repairs_len);
}

/* As they were: what stands between the brackets. */
static bool
take_links (const struct reading *r, const struct json_node *value)
{
  if (!take_list (r, value, &r->result->links, &r->result->links_len))
    return false;
  r->result->links++;
  r->result->links_len -= 2;
  return true;
}

static bool
take_usage (const struct reading *r, const struct json_node *value)
{
  struct usage *usage = &r->result->usage;

  for (size_t i = 0; i < FIGURES; i++) {
    const struct json_node *figure = json_member (r->tape, value, figures[i].name);
    int64_t number = 0;
    if (figure == NULL && i == CPU)
      continue;
    if (!json_int64 (r->tape, figure, &number) || number < 0)
      return false;
    *(uint64_t *) ((char *) usage + figures[i].at) = (uint64_t) number;
    usage->told_cpu |= i == CPU;
  }
  return true;
}

static const struct {
  const char *name;
  bool (*take) (const struct reading *r, const struct json_node *value);
} members[] = {
  { "error", take_error },           { "code", take_code },
  { "message", take_message },       { "content", take_content },
  { "structured", take_structured }, { "problems", take_problems },
  { "repairs", take_repairs },       { "links", take_links },
  { "usage", take_usage },
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static bool
take_member (const struct reading *r, const struct json_node *name, const struct json_node *value)
{
  for (size_t i = 0; i < MEMBERS; i++)
    if (json_equals (r->tape, name, members[i].name))
      return members[i].take (r, value);
  return false;
}

bool
stored_read (struct result *result, const char *json, size_t len, struct arena *arena)
{
  const struct json_limits limits = {
    .depth = 512, .nodes = UINT32_MAX, .members = UINT32_MAX, .number_len = UINT32_MAX
  }; /* it was read strictly before */
  struct json_tape tape;
  struct reading r = { .tape = &tape, .arena = arena, .result = result };
  const struct json_node *name, *value;

  *result = (struct result){ .kind = CALL_TOOL };
  if (!json_read (&tape, json, len, &limits, arena) || !json_is (json_root (&tape), JSON_OBJECT))
    return false;
  for (name = json_first (json_root (&tape)); name != json_end (json_root (&tape));
       name = json_next (value)) {
    value = json_next (name);
    if (!take_member (&r, name, value))
      return false;
  }
  return result->content != NULL && result->message != NULL
         && (result->error == CALL_OK) == (result->code == NULL);
}

/* ---- copying ---- */

static void
move_to (char **at, const char **text, size_t len)
{
  if (*text == NULL)
    return;
  memcpy (*at, *text, len);
  *text = *at;
  *at += len;
  *(*at)++ = '\0';
}

void
stored_copy (struct result *copy, const struct result *result, struct buf *room)
{
  const size_t code = result->code != NULL ? strlen (result->code) : 0;
  const size_t size = code + result->message_len + result->name_len + result->content_len
                      + result->structured_len + result->problems_len + result->repairs_len
                      + result->links_len + 8;
  char *at = buf_reserve (room, size);

  *copy = *result;
  copy->room = NULL;
  copy->asking = NULL;
  move_to (&at, &copy->code, code);
  move_to (&at, &copy->message, copy->message_len);
  move_to (&at, &copy->name, copy->name_len);
  move_to (&at, &copy->content, copy->content_len);
  move_to (&at, &copy->structured, copy->structured_len);
  move_to (&at, &copy->problems, copy->problems_len);
  move_to (&at, &copy->repairs, copy->repairs_len);
  move_to (&at, &copy->links, copy->links_len);
}
