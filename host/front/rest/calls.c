#include "front/rest/calls.h"

#include <math.h>

#include "approval/approvals.h"
#include "base/json_write.h"
#include "front/encode.h"
#include "front/rest/batch.h"
#include "front/rest/call_told.h"
#include "front/rest/sessions.h"
#include "front/traced.h"

enum { SCRATCH_KEEP = 256 * 1024 };

/* In the exchange's arena: it goes when the exchange goes. */
struct rest_call {
  struct rest_calls *calls;
  struct rest_call *next, **prev;
  struct http_exchange *x;
  struct call *call;
  const char *id; /* the caller's, or the host's once the call has started; NULL: not known */
  struct told told;
  struct span *span; /* of the request; NULL: it is not sampled */
  bool streaming;    /* the event stream has begun */
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
  status = told_end (&c->told, c->id, result, out);
  put_headers (&headers, status, result);
  traced_end (c->span, status);
  http_reply_take (c->x, status, "application/json", headers.len != 0 ? buf_cstr (&headers) : NULL,
                   out);
  buf_reset (out, SCRATCH_KEEP);
}

/* ---- event streams ---- */

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

  traced_end (c->span, 200);
  (void) told_end (&c->told, c->id, result, out);
  if (told_event (x, "result", out))
    http_stream_end (x);
}

/* ---- what the call tells ---- */

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);
  struct json_writer w = { .out = out };

  if (!c->told.events || !isfinite (done))
    return;
  jsonw_object (&w);
  told_progress (&w, done, total, text, len);
  jsonw_end (&w);
  begin_stream (c);
  (void) told_event (c->x, "progress", out);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);
  struct json_writer w = { .out = out };

  if (!c->told.events)
    return;
  jsonw_object (&w);
  told_log (&w, level, text, len);
  jsonw_end (&w);
  begin_stream (c);
  (void) told_event (c->x, "log", out);
}

static bool
on_waits (void *ctx, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf headers = { 0 };
  struct rest_call *c = ctx;
  struct buf *out = scratch (c->calls);

  told_waiting (out, facts);
  if (c->told.events) {
    begin_stream (c);
    (void) told_event (c->x, "approval", out);
    return false;
  }
  if (!c->told.async)
    return false;
  unlink_call (c);
  http_on_gone (c->x, NULL);
  buf_printf (&headers, "Preference-Applied: respond-async\r\nLocation: /v1/approvals/%s\r\n",
              facts->id);
  traced_end (c->span, 202);
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
  traced_end (c->span, 0);
}

/* ---- requests ---- */

static const char *
route_of (enum call_kind kind)
{
  return kind == CALL_TOOL     ? "/v1/tools/{name}/call"
         : kind == CALL_PROMPT ? "/v1/prompts/{name}"
                               : "/v1/resources/read";
}

static void
start (struct rest_call *c, enum call_kind kind, struct slice name, const struct call_body *body)
{
  static const struct call_events events = {
    .progress = on_progress, .log = on_log, .waits = on_waits, .done = on_done
  };
  struct call_request request = told_request (c->calls->env, c->x, body);
  struct call *call;

  request.kind = kind;
  request.name = name.data;
  request.name_len = name.len;
  request.wants_progress = c->told.events;
  request.traced = c->calls->env->tracer != NULL;
  request.span = c->span;
  call = call_start (c->calls->env->calls, &request, &events, c);
  if (call == NULL)
    return; /* answered, and c is gone */
  c->call = call;
  if (c->id == NULL)
    c->id = arena_strndup (http_request (c->x)->arena, call_id (call), strlen (call_id (call)));
  if (c->told.events)
    begin_stream (c);
}

/* Start a call that the exchange waits for. */
static void
begin (struct rest_calls *calls, struct http_exchange *x, enum call_kind kind, struct slice name,
       const struct call_body *body, enum encoding encoding)
{
  struct rest_call *c = arena_alloc (http_request (x)->arena, sizeof *c);

  *c = (struct rest_call){ .calls = calls, .x = x, .id = body->call_id };
  c->told = told_read (calls->asks, x, encoding);
  c->span = traced_begin (calls->env, x, route_of (kind), body->metadata);
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
    return told_bad_body (x, pointer, &err);
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
  rest_batches_free (calls);
  buf_free (&calls->scratch);
}
