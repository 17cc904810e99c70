#include "front/rest/call_told.h"

#include <math.h>
#include <strings.h>
#include <toolhost.h>

#include "approval/approvals.h"
#include "front/asked.h"
#include "front/encode.h"
#include "front/traced.h"

/* ---- how it is wanted ---- */

/* Is it one of the preferences of a Prefer header (RFC 7240)? */
static bool
prefers (struct slice list, const char *preference)
{
  const size_t len = strlen (preference);

  for (size_t at = 0, end; at < list.len; at = end + 1) {
    for (end = at; end < list.len && list.data[end] != ','; end++)
      ;
    while (at < end && list.data[at] == ' ')
      at++;
    if (end - at >= len && strncasecmp (list.data + at, preference, len) == 0
        && (end - at == len || strchr ("; ", list.data[at + len]) != NULL))
      return true;
  }
  return false;
}

struct told
told_read (struct rest_asks *asks, struct http_exchange *x, enum encoding encoding)
{
  return (struct told){ .asks = asks,
                        .x = x,
                        .encoding = encoding,
                        .events = media_named (http_header (x, "accept"), SSE_TYPE),
                        .async = prefers (http_header (x, "prefer"), "respond-async") };
}

/* A call that was named runs once: of those of its session, or of none. */
static const char *
claimed_in (const struct call_body *body)
{
  if (body->call_id == NULL)
    return NULL;
  return body->session_id != NULL ? body->session_id : "";
}

struct call_request
told_request (const struct front_env *env, struct http_exchange *x, const struct call_body *body)
{
  const struct slice metadata = traced_metadata (x, body->metadata);
  const struct http_request *request = http_request (x);
  const bool written = json_is (body->arguments, JSON_STRING);
  struct slice text = { NULL, 0 };
  struct asked asked;

  (void) asked_read (env, x, &asked); /* what it discloses concerns lists only */
  if (written) /* as providers hand on what a model wrote: function.arguments */
    text.data = json_string (&body->tape, body->arguments, request->arena, &text.len);
  return (struct call_request){
    .toolset = catalog_meant (front_catalog (env, request->peer->tenant), &asked.filter),
    .name = body->name.data,
    .name_len = body->name.len,
    .tape = written ? NULL : &body->tape,
    .args_node = written ? NULL : body->arguments,
    .args = text.data,
    .args_len = text.len,
    .front = "rest",
    .principal = request->peer->principal,
    .tenant = request->peer->tenant,
    .call_id = body->call_id,
    .session_id = body->session_id,
    .claimed_in = claimed_in (body),
    .metadata = metadata.data,
    .metadata_len = metadata.len,
    .deadline_ms = body->deadline_ms,
    .preview = slice_is (http_query (x, "preview"), "true"),
    .asks_approval = slice_is (http_query (x, "approval"), "ask"),
    .may_approve = (request->peer->roles & ROLE_APPROVE) != 0,
    .askable = FRAME_ASK_ALL, /* whoever answers can answer anything */
  };
}

/* ---- its end ---- */

/* There is no room for another call that waits. */
static struct result
too_many (const struct result *result)
{
  static const char message[] = "Too many calls wait for answers; try again later.";

  return (struct result){ .error = CALL_tool_overloaded,
                          .code = call_error_info (CALL_tool_overloaded)->code,
                          .message = message,
                          .message_len = sizeof message - 1,
                          .retry_after_ms = 1000,
                          .usage = result->usage };
}

static int
put_end (const struct told *told, const char *id, const struct result *result, struct buf *out)
{
  if (told->encoding == ENCODING_OWN)
    encode_result (out, id, result);
  else
    encoding_put (out, told->encoding, id, result);
  return encode_has_ended (result) ? 200 : call_error_info (result->error)->http;
}

int
told_end (const struct told *told, const char *id, const struct result *result, struct buf *out)
{
  struct result refusal;
  struct rest_ask *ask;

  if (result->error != CALL_input_required)
    return put_end (told, id, result, out);
  ask = rest_asks_add (told->asks, held_take (result), http_request (told->x)->peer->principal);
  if (ask == NULL) {
    refusal = too_many (result);
    return put_end (told, id, &refusal, out);
  }
  rest_ask_answer (out, ask, &result->usage);
  return call_error_info (CALL_input_required)->http;
}

void
told_waiting (struct buf *out, const struct approval_facts *facts)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", facts->call_id);
  jsonw_name_bool (&w, "ok", false);
  jsonw_name_string (&w, "status", "approval_required");
  jsonw_name (&w, "approval");
  approval_put (&w, facts);
  jsonw_end (&w);
}

/* ---- while it runs ---- */

void
told_progress (struct json_writer *w, double done, double total, const char *text, size_t len)
{
  jsonw_name (w, "done");
  jsonw_double (w, done);
  if (isfinite (total) && total > 0) {
    jsonw_name (w, "total");
    jsonw_double (w, total);
  }
  if (len != 0) {
    jsonw_name (w, "message");
    jsonw_string_len (w, text, len);
  }
}

static const char *
level_name (int level)
{
  static const struct {
    int level;
    const char *name;
  } names[] = {
    { TOOLHOST_ERROR, "error" },
    { TOOLHOST_WARNING, "warning" },
    { TOOLHOST_NOTICE, "notice" },
    { TOOLHOST_INFO, "info" },
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (level >= names[i].level)
      return names[i].name;
  return "debug";
}

void
told_log (struct json_writer *w, int level, const char *text, size_t len)
{
  jsonw_name_string (w, "level", level_name (level));
  jsonw_name (w, "message");
  jsonw_string_len (w, text, len);
}

bool
told_event (struct http_exchange *x, const char *event, const struct buf *json)
{
  CLEANUP_BUF struct buf framed = { 0 };

  sse_event (&framed, event, json->data, json->len);
  return http_stream_write (x, framed.data, framed.len);
}

/* ---- refusals ---- */

void
told_bad_body (struct http_exchange *x, const char *pointer, const struct error *err)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "code", pointer != NULL ? "bad_request" : "bad_json");
  jsonw_name (&w, "message");
  jsonw_stringf (&w, "%s%s%s", pointer != NULL ? pointer : "",
                 pointer != NULL && pointer[0] != '\0' ? ": " : "", err->text);
  if (pointer != NULL)
    jsonw_name_string (&w, "path", pointer);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, 400, NULL, &out);
}
