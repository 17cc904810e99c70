#include "front/rest/calls.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <toolhost.h>

#include "approval/approvals.h"
#include "base/json_write.h"
#include "front/asked.h"
#include "front/encode.h"
#include "front/encodings.h"
#include "front/rest/body.h"
#include "front/rest/sessions.h"

enum { SCRATCH_KEEP = 256 * 1024 };

/* In the exchange's arena: it goes when the exchange goes. */
struct rest_call {
  struct rest_calls *calls;
  struct rest_call *next, **prev;
  struct http_exchange *x;
  struct call *call;
  const char *id; /* the caller's, or the host's once the call has started; NULL: not known */
  enum encoding encoding;
  bool wants_events; /* the caller asked for an event stream */
  bool streaming;    /* it has begun */
  bool async;        /* it does not wait for people: Prefer: respond-async */
};

void
rest_calls_init (struct rest_calls *calls, const struct front_env *env, struct rest_asks *asks)
{
  *calls = (struct rest_calls){ .env = env, .asks = asks, .limits = json_default_limits };
  calls->limits.depth = env->json_depth;
}

static void
link_call (struct rest_call *c)
{
  c->next = c->calls->running;
  c->prev = &c->calls->running;
  if (c->next != NULL)
    c->next->prev = &c->next;
  c->calls->running = c;
}

static void
unlink_call (struct rest_call *c)
{
  *c->prev = c->next;
  if (c->next != NULL)
    c->next->prev = c->prev;
}

/* ---- answers ---- */

static struct buf *
scratch (struct rest_calls *calls)
{
  buf_reset (&calls->scratch, SCRATCH_KEEP);
  return &calls->scratch;
}

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
encode_end (struct rest_call *c, const struct result *result, struct buf *out)
{
  if (c->encoding == ENCODING_OWN)
    encode_result (out, c->id, result);
  else
    encoding_put (out, c->encoding, c->id, result);
  return encode_has_ended (result) ? 200 : call_error_info (result->error)->http;
}

/* What is told of a call that has ended, or asks, and with which status. */
static int
encode (struct rest_call *c, const struct result *result, struct buf *out)
{
  struct result refusal;
  struct rest_ask *ask;

  if (result->error != CALL_input_required)
    return encode_end (c, result, out);
  ask = rest_asks_add (c->calls->asks, held_take (result), http_request (c->x)->peer->principal);
  if (ask == NULL) {
    refusal = too_many (result);
    return encode_end (c, &refusal, out);
  }
  rest_ask_answer (out, ask, &result->usage);
  return call_error_info (CALL_input_required)->http;
}

static void
put_headers (struct buf *headers, int status, const struct result *result)
{
  const int64_t ms = result->retry_after_ms > 0 ? result->retry_after_ms : 1;

  if (status == 429 || status == 503 || result->error == CALL_call_in_progress)
    buf_printf (headers, "Retry-After: %lld\r\n", (long long) ((ms - 1) / 1000 + 1));
  if (result->replayed)
    buf_puts (headers, "Idempotent-Replayed: true\r\n");
}

static void
reply (struct rest_call *c, const struct result *result)
{
  CLEANUP_BUF struct buf headers = { 0 };
  struct buf *out = scratch (c->calls);
  int status;

  if (result->room != NULL) /* a large result brings the memory for its answer */
    buf_swap (out, result->room);
  status = encode (c, result, out);
  put_headers (&headers, status, result);
  http_reply_take (c->x, status, "application/json", headers.len != 0 ? buf_cstr (&headers) : NULL,
                   out);
  buf_reset (out, SCRATCH_KEEP);
}

/* ---- event streams ---- */

/* False: the connection is given up. */
static bool
send_event (struct http_exchange *x, const char *event, const struct buf *json)
{
  CLEANUP_BUF struct buf framed = { 0 };

  sse_event (&framed, event, json->data, json->len);
  return http_stream_write (x, framed.data, framed.len);
}

static void
begin_stream (struct rest_call *c)
{
  if (c->streaming)
    return;
  c->streaming = true;
  http_stream_begin (c->x, 200, SSE_TYPE, SSE_HEADERS);
}

static void
end_stream (struct rest_call *c, const struct result *result)
{
  struct http_exchange *x = c->x;
  struct buf *out = scratch (c->calls);

  (void) encode (c, result, out);
  if (send_event (x, "result", out))
    http_stream_end (x);
}

/* ---- what the call tells ---- */

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);
  struct json_writer w = { .out = out };

  if (!c->wants_events || !isfinite (done))
    return;
  jsonw_object (&w);
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
  jsonw_end (&w);
  begin_stream (c);
  (void) send_event (c->x, "progress", out);
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

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);
  struct json_writer w = { .out = out };

  if (!c->wants_events)
    return;
  jsonw_object (&w);
  jsonw_name_string (&w, "level", level_name (level));
  jsonw_name (&w, "message");
  jsonw_string_len (&w, text, len);
  jsonw_end (&w);
  begin_stream (c);
  (void) send_event (c->x, "log", out);
}

/* { "call_id", "ok": false, "status": "approval_required", "approval": {…} } */
static void
put_waiting (struct buf *out, const struct approval_facts *facts)
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

static bool
on_waits (void *ctx, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf headers = { 0 };
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);

  put_waiting (out, facts);
  if (c->wants_events) {
    begin_stream (c);
    (void) send_event (c->x, "approval", out);
    return false;
  }
  if (!c->async)
    return false;
  unlink_call (c);
  http_on_gone (c->x, NULL);
  buf_printf (&headers, "Preference-Applied: respond-async\r\nLocation: /v1/approvals/%s\r\n",
              facts->id);
  http_reply (c->x, 202, "application/json", buf_cstr (&headers), out->data, out->len);
  return true;
}

static void
on_done (void *ctx, const struct result *result)
{
  struct rest_call *c = ctx;

  unlink_call (c);
  http_on_gone (c->x, NULL);
  if (c->streaming)
    end_stream (c, result);
  else
    reply (c, result);
}

/* Nobody waits for the answer. */
static void
on_gone (void *data)
{
  struct rest_call *c = data;

  unlink_call (c);
  if (c->call != NULL)
    call_abandon (c->call);
}

/* ---- requests ---- */

static void
refuse_body (struct rest_calls *calls, struct http_exchange *x, const char *pointer,
             const struct error *err)
{
  struct buf *out = scratch (calls);
  struct json_writer w = { .out = out };

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
  http_reply (x, 400, "application/json", NULL, out->data, out->len);
}

/* A call that was named runs once: of those of its session, or of none. */
static const char *
claimed_in (const struct call_body *body)
{
  if (body->call_id == NULL)
    return NULL;
  return body->session_id != NULL ? body->session_id : "";
}

static void
start (struct rest_call *c, enum call_kind kind, struct slice name, const struct call_body *body)
{
  static const struct call_events events = {
    .progress = on_progress, .log = on_log, .waits = on_waits, .done = on_done
  };
  const struct http_request *request = http_request (c->x);
  struct arena *arena = request->arena;
  bool written = json_is (body->arguments, JSON_STRING);
  struct slice text = { NULL, 0 };
  struct asked asked;
  struct call *call;

  (void) asked_read (c->calls->env, c->x, &asked); /* what it discloses concerns lists only */
  if (written) /* as providers hand on what a model wrote: function.arguments */
    text.data = json_string (&body->tape, body->arguments, arena, &text.len);
  call = call_start (c->calls->env->calls,
                     &(struct call_request){
                       .kind = kind,
                       .toolset = catalog_meant (
                         front_catalog (c->calls->env, request->peer->tenant), &asked.filter),
                       .name = name.data,
                       .name_len = name.len,
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
                       .metadata = body->metadata.data,
                       .metadata_len = body->metadata.len,
                       .deadline_ms = body->deadline_ms,
                       .preview = slice_is (http_query (c->x, "preview"), "true"),
                       .wants_progress = c->wants_events,
                       .asks_approval = slice_is (http_query (c->x, "approval"), "ask"),
                       .may_approve = (request->peer->roles & ROLE_APPROVE) != 0,
                       .askable = FRAME_ASK_ALL, /* whoever answers can answer anything */
                     },
                     &events, c);
  if (call == NULL)
    return; /* answered, and c is gone */
  c->call = call;
  if (c->id == NULL)
    c->id = arena_strndup (arena, call_id (call), strlen (call_id (call)));
  if (c->wants_events)
    begin_stream (c);
}

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

/* Start a call that the exchange waits for. */
static void
begin (struct rest_calls *calls, struct http_exchange *x, enum call_kind kind, struct slice name,
       const struct call_body *body, enum encoding encoding)
{
  struct rest_call *c = arena_alloc (http_request (x)->arena, sizeof *c);

  *c = (struct rest_call){ .calls = calls, .x = x, .id = body->call_id, .encoding = encoding };
  c->wants_events = media_named (http_header (x, "accept"), SSE_TYPE);
  c->async = prefers (http_header (x, "prefer"), "respond-async");
  link_call (c);
  http_set_data (x, c);
  http_on_gone (x, on_gone);
  start (c, kind, name, body);
}

void
rest_call_read (struct rest_calls *calls, struct http_exchange *x, struct slice uri)
{
  begin (calls, x, CALL_READ, uri, &(struct call_body){ .call_id = NULL }, ENCODING_OWN);
}

void
rest_call_post (struct rest_calls *calls, struct http_exchange *x, enum call_kind kind,
                struct slice name)
{
  const struct http_request *request = http_request (x);
  const struct slice wanted = http_query (x, "encoding");
  enum encoding encoding = ENCODING_OWN;
  struct call_body body;
  struct error err = { 0 };
  const char *pointer;

  if (request->body.len != 0 && !media_is_json (http_header (x, "content-type")))
    return http_reply_error (x, 415, "unsupported_media_type",
                             "Content-Type must be application/json");
  if (!call_body_read (&body, request->body, &calls->limits, request->arena, &pointer, &err))
    return refuse_body (calls, x, pointer, &err);
  if (kind == CALL_TOOL && !encoding_find (wanted.data, wanted.len, &encoding, &err))
    return http_reply_error (x, 400, "bad_encoding", "%s", err.text);
  if (kind == CALL_TOOL && rest_is_session (calls->env, &body))
    return rest_session_call (calls->env, x, name, &body, encoding);
  begin (calls, x, kind, name, &body, encoding);
}

void
rest_calls_free (struct rest_calls *calls)
{
  for (struct rest_call *c; (c = calls->running) != NULL;) {
    struct http_exchange *x = c->x;
    bool streaming = c->streaming;
    on_gone (c);
    http_on_gone (x, NULL);
    if (streaming)
      http_stream_end (x);
    else
      http_reply_error (x, 503, "tool_unavailable", "The daemon is stopping");
  }
  buf_free (&calls->scratch);
}
