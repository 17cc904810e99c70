#include "session/parts.h"

void
say_begin (struct json_writer *w, const char *type, const char *call_id)
{
  jsonw_object (w);
  jsonw_name_string (w, "type", type);
  if (call_id != NULL)
    jsonw_name_string (w, "call_id", call_id);
}

/* Line breaks of others' JSON stand between tokens; an event is one line. */
static void
flatten (struct buf *json)
{
  for (size_t i = 0; i < json->len; i++)
    if (json->data[i] == '\n' || json->data[i] == '\r')
      json->data[i] = ' ';
}

enum feed_taken
say (struct session *session, struct buf *json, const struct buf *instead)
{
  flatten (json);
  return feed_say (&session->feed, json->data, json->len, instead != NULL ? instead->data : NULL,
                   instead != NULL ? instead->len : 0);
}

void
say_end (struct session *session, struct json_writer *w)
{
  jsonw_end (w);
  (void) say (session, w->out, NULL);
}

void
say_output (struct session *session, const char *call_id, const char *json, size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "output", call_id);
  jsonw_name_raw (&w, "output", json, len);
  say_end (session, &w);
}

void
say_parts (struct session *session, const char *call_id, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  size_t len;

  if (result->structured != NULL)
    return say_output (session, call_id, result->structured, result->structured_len);
  if (!json_read (&tape, result->content, result->content_len, &json_default_limits, &arena))
    return;
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (n)) {
    const char *part = json_raw (&tape, n, &len);
    say_output (session, call_id, part, len);
  }
}

void
say_answer_json (struct buf *out, const char *type, const struct work *work,
                 const struct session_answer *answer, const char *error, const char *output,
                 size_t len, bool respond)
{
  struct json_writer w = { .out = out };

  say_begin (&w, type, answer->call_id);
  jsonw_name_string (&w, "name", work->name);
  if (work->response_id != NULL)
    jsonw_name_string (&w, "response_id", work->response_id);
  if (work->item_id != NULL)
    jsonw_name_string (&w, "item_id", work->item_id);
  jsonw_name_bool (&w, "ok", answer->ok);
  if (error != NULL)
    jsonw_name_string (&w, "error", error);
  if (answer->running)
    jsonw_name_bool (&w, "running", true);
  jsonw_name (&w, "output"); /* as a string that holds JSON: what models' services take */
  jsonw_string_len (&w, output, len);
  jsonw_name_bool (&w, "respond", respond);
  if (work->emitted != 0)
    jsonw_name_int (&w, "emitted", work->emitted);
  jsonw_end (&w);
}
