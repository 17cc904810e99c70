#include <math.h>

#include "front/agui/parts.h"
#include "front/encode.h"
#include "front/encodings.h"

void
agui_say (struct agui_run *run, struct buf *json)
{
  if (!run->dead)
    run->settings.say (run->settings.ctx, json->data, json->len);
}

void
agui_say_event (struct agui_run *run, const struct agui_event *e)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  size_t len;
  const char *raw = json_raw (e->tape, e->event, &len);

  encode_raw (&w, raw, len);
  agui_say (run, &out);
}

static void
begin (struct json_writer *w, const char *type)
{
  jsonw_object (w);
  jsonw_name_string (w, "type", type);
}

/* ---- the end of a run ---- */

static void
put_interrupts (struct json_writer *w, const struct agui_run *run, const struct agui_event *e)
{
  const struct json_node *there = json_member (e->tape, agui_member (e, "outcome"), "interrupts");

  jsonw_name (w, "outcome");
  jsonw_object (w);
  jsonw_name_string (w, "type", "interrupt");
  jsonw_name (w, "interrupts");
  jsonw_array (w);
  if (json_is (there, JSON_ARRAY))
    for (const struct json_node *n = json_first (there); n != json_end (there); n = json_next (n)) {
      size_t len;
      const char *raw = json_raw (e->tape, n, &len);
      encode_raw (w, raw, len);
    }
  jsonw_raw (w, run->interrupts.data, run->interrupts.len);
  jsonw_end (w);
  jsonw_end (w);
}

void
agui_say_finished (struct agui_run *run, const struct agui_event *e)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (run->interrupts.len == 0)
    return agui_say_event (run, e);
  jsonw_object (&w);
  for (const struct json_node *n = json_first (e->event); n != json_end (e->event);
       n = json_next (json_next (n))) {
    size_t name_len, len;
    const char *name = json_string (e->tape, n, e->arena, &name_len);
    const char *raw = json_raw (e->tape, json_next (n), &len);
    if (json_equals (e->tape, n, "outcome"))
      continue;
    jsonw_name_len (&w, name, name_len);
    encode_raw (&w, raw, len);
  }
  put_interrupts (&w, run, e);
  jsonw_end (&w);
  run->interrupts.len = 0;
  agui_say (run, &out);
}

void
agui_say_error (struct agui_run *run, const char *message, size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  begin (&w, "RUN_ERROR");
  jsonw_name (&w, "message");
  jsonw_string_len (&w, message, len);
  jsonw_name_string (&w, "code", "protocol_error");
  jsonw_end (&w);
  agui_say (run, &out);
}

/* ---- calls ---- */

/* By the clock, as AG-UI's own have it, but never the same twice. */
static int64_t
message_number (struct agui_run *run)
{
  int64_t now = run->settings.now_ms (run->settings.ctx);

  run->message_ms = now > run->message_ms ? now : run->message_ms + 1;
  return run->message_ms;
}

void
agui_say_result (struct agui_run *run, const char *call, const struct result *result)
{
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &out };

  if (run->dead)
    return;
  encoding_agui_content (&text, result);
  begin (&w, "TOOL_CALL_RESULT");
  jsonw_name (&w, "messageId");
  jsonw_stringf (&w, "msg_%lld", (long long) message_number (run));
  jsonw_name_string (&w, "toolCallId", call);
  jsonw_name (&w, "content");
  jsonw_string_len (&w, text.data, text.len);
  jsonw_name_string (&w, "role", "tool");
  if (result->error != CALL_OK) {
    text.len = 0;
    (void) encoding_agui_message (&text, result);
    jsonw_name (&w, "error");
    jsonw_string_len (&w, text.data, text.len);
  }
  jsonw_end (&w);
  agui_say (run, &out);
}

static void
begin_status (struct json_writer *w, const char *status, const char *call, const char *name)
{
  begin (w, "CUSTOM");
  jsonw_name_string (w, "name", "tool_execution");
  jsonw_name (w, "value");
  jsonw_object (w);
  jsonw_name_string (w, "status", status);
  jsonw_name_string (w, "toolCallId", call);
  jsonw_name_string (w, "toolCallName", name);
}

static void
end_status (struct agui_run *run, struct json_writer *w)
{
  jsonw_end (w);
  jsonw_end (w);
  agui_say (run, w->out);
}

void
agui_say_status (struct agui_run *run, const char *status, const char *call, const char *name)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  begin_status (&w, status, call, name);
  end_status (run, &w);
}

void
agui_say_progress (struct agui_run *run, const struct agui_execution *x, double done, double total,
                   const char *text, size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!isfinite (done))
    return;
  begin_status (&w, "progress", x->id, x->name);
  jsonw_name (&w, "done");
  jsonw_double (&w, done);
  if (isfinite (total) && total > 0) {
    jsonw_name (&w, "total");
    jsonw_double (&w, total);
  }
  if (len != 0) {
    jsonw_name (&w, "message");
    jsonw_string_len (&w, text, len);
  }
  end_status (run, &w);
}

void
agui_say_succeeded (struct agui_run *run, const char *call, const char *name,
                    const struct result *result)
{
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_BUF struct buf encoded = { 0 };
  struct json_writer w = { .out = &out };

  encoding_put (&encoded, ENCODING_AGUI, NULL, result);
  begin_status (&w, "succeeded", call, name);
  jsonw_name_raw (&w, "result", encoded.data, encoded.len);
  end_status (run, &w);
}

void
agui_say_failed (struct agui_run *run, const char *call, const char *name, const char *error,
                 const struct result *result)
{
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &out };

  if (error != NULL)
    buf_puts (&text, error);
  else
    (void) encoding_agui_message (&text, result);
  begin_status (&w, "failed", call, name);
  jsonw_name (&w, "error");
  jsonw_string_len (&w, text.data, text.len);
  end_status (run, &w);
}
