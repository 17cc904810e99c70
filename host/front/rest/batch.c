#include "front/rest/batch.h"

#include <math.h>

#include "base/json_write.h"
#include "call/batch.h"
#include "front/encode.h"
#include "front/rest/call_told.h"
#include "front/rest/sessions.h"
#include "front/traced.h"
#include "session/session.h"

struct batch_item {
  struct session_waiter waiter; /* first: it is handed back */
  struct rest_batch *batch;
  unsigned index;
  struct call *call; /* NULL: it has not begun, has ended, or is a session's */
  const char *id;    /* the caller's, or the host's once it has started; NULL: not known */
  struct buf answer; /* once it is there; of a stream it is told at once */
  bool answered;
};

/* In the exchange's arena: it goes when the exchange goes. */
struct rest_batch {
  struct rest_calls *calls;
  struct rest_batch *next, **prev;
  struct http_exchange *x;
  struct told told;
  struct span *span; /* of the request; NULL: it is not sampled */
  bool undecided;    /* a call asks, or waits for a person */
  bool left;         /* … and its caller does not */
  unsigned count, due;
  struct batch_item items[];
};

static void
link_batch (struct rest_batch *b)
{
  b->next = b->calls->batches;
  b->prev = &b->calls->batches;
  if (b->next != NULL)
    b->next->prev = &b->next;
  b->calls->batches = b;
}

static void
unlink_batch (struct rest_batch *b)
{
  *b->prev = b->next;
  if (b->next != NULL)
    b->next->prev = b->prev;
}

/* ---- the answer ---- */

static void
reply (struct rest_batch *b)
{
  CLEANUP_BUF struct buf out = { 0 };

  buf_puts (&out, "{\"results\":[");
  for (unsigned i = 0; i < b->count; i++) {
    if (i != 0)
      buf_putc (&out, ',');
    buf_append (&out, b->items[i].answer.data, b->items[i].answer.len);
    buf_free (&b->items[i].answer);
  }
  buf_puts (&out, "]}");
  traced_end (b->span, b->undecided ? 202 : 200);
  http_reply_take (b->x, b->undecided ? 202 : 200, "application/json",
                   b->left ? "Preference-Applied: respond-async\r\n" : NULL, &out);
}

static void
end_stream (struct rest_batch *b)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_int (&w, "calls", b->count);
  jsonw_end (&w);
  traced_end (b->span, 200);
  if (told_event (b->x, "end", &out))
    http_stream_end (b->x);
}

/* One of what is due has come. */
static void
less (struct rest_batch *b)
{
  if (--b->due != 0)
    return;
  unlink_batch (b);
  http_on_gone (b->x, NULL);
  if (b->told.events)
    end_stream (b);
  else
    reply (b);
}

/* Its answer is there. */
static void
answered (struct batch_item *item)
{
  struct rest_batch *b = item->batch;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  item->answered = true;
  item->call = NULL;
  if (b->told.events) {
    jsonw_object (&w);
    jsonw_name_int (&w, "index", item->index);
    jsonw_name_raw (&w, "result", item->answer.data, item->answer.len);
    jsonw_end (&w);
    buf_free (&item->answer);
    (void) told_event (b->x, "result", &out);
  }
  less (b);
}

static void
end_with (struct batch_item *item, const struct result *result)
{
  const int status = told_end (&item->batch->told, item->id, result, &item->answer);

  item->batch->undecided |= status == 202;
  answered (item);
}

/* ---- what a call tells ---- */

static void
begin_event (const struct batch_item *item, struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name_int (w, "index", item->index);
}

static void
end_event (const struct batch_item *item, const char *event, struct json_writer *w)
{
  jsonw_end (w);
  (void) told_event (item->batch->x, event, w->out);
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  const struct batch_item *item = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!item->batch->told.events || !isfinite (done))
    return;
  begin_event (item, &w);
  told_progress (&w, done, total, text, len);
  end_event (item, "progress", &w);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  const struct batch_item *item = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!item->batch->told.events)
    return;
  begin_event (item, &w);
  told_log (&w, level, text, len);
  end_event (item, "log", &w);
}

static void
tell_approval (const struct batch_item *item, const struct buf *waiting)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  begin_event (item, &w);
  jsonw_name_raw (&w, "result", waiting->data, waiting->len);
  end_event (item, "approval", &w);
}

static bool
on_waits (void *ctx, const struct approval_facts *facts)
{
  struct batch_item *item = ctx;
  struct rest_batch *b = item->batch;
  CLEANUP_BUF struct buf waiting = { 0 };

  if (!b->told.events && !b->told.async)
    return false;
  told_waiting (&waiting, facts);
  if (b->told.events) {
    tell_approval (item, &waiting);
    return false;
  }
  b->undecided = b->left = true;
  buf_swap (&item->answer, &waiting);
  answered (item);
  return true;
}

static void
on_done (void *ctx, const struct result *result)
{
  struct batch_item *item = ctx;

  if (result->room != NULL) /* a large result brings the memory for its answer */
    buf_swap (&item->answer, result->room);
  end_with (item, result);
}

static const struct call_events events = {
  .progress = on_progress, .log = on_log, .waits = on_waits, .done = on_done
};

static void
free_answers (struct rest_batch *b)
{
  for (unsigned i = 0; i < b->count; i++)
    buf_free (&b->items[i].answer);
}

/* Nobody waits for the answer.  What is a session's goes on. */
static void
on_gone (void *data)
{
  struct rest_batch *b = data;

  unlink_batch (b);
  for (unsigned i = 0; i < b->count; i++) {
    session_unwait (&b->items[i].waiter);
    if (b->items[i].call != NULL)
      call_abandon (b->items[i].call);
  }
  free_answers (b);
  traced_end (b->span, 0);
}

/* Of each call its metadata may say otherwise. */
static bool
is_traced (const struct rest_batch *b, const struct call_body *body)
{
  return b->calls->env->tracer != NULL
         && !traced_is_told (body->metadata, http_request (b->x)->arena);
}

/* ---- calls in a session ---- */

static void
on_answered (struct session_waiter *waiter, const struct session_answer *answer)
{
  static const char gone[] =
    "The call has run; its answer is not kept any more, and it is not run again";
  struct batch_item *item = (struct batch_item *) waiter;

  if (answer->json == NULL)
    return end_with (item, &(struct result){ .error = CALL_tool_execution_failed,
                                             .code = "answer_gone",
                                             .message = gone,
                                             .message_len = sizeof gone - 1,
                                             .content = "[]",
                                             .content_len = 2 });
  rest_session_answer (&item->answer, item->batch->told.encoding, answer);
  answered (item);
}

static void
refuse (struct batch_item *item, enum call_error error, const char *message)
{
  end_with (item, &(struct result){ .error = error,
                                    .code = call_error_info (error)->code,
                                    .message = message,
                                    .message_len = strlen (message),
                                    .content = "[]",
                                    .content_len = 2 });
}

static void
start_in_session (struct batch_item *item, struct session *session, const struct call_body *body,
                  struct call_batch *batch)
{
  const struct rest_batch *b = item->batch;
  const struct slice metadata = traced_metadata (b->x, body->metadata);
  struct session_call call = rest_session_call_of (body, http_request (b->x)->arena);

  call.batch = batch;
  call.metadata = metadata.data;
  call.metadata_len = metadata.len;
  call.traced = is_traced (b, body);
  call.span = b->span;
  item->waiter.answered = on_answered;
  switch (session_call (session, &call, &item->waiter)) {
  case SESSION_TAKEN:
  case SESSION_PENDING:
  case SESSION_EXECUTED:
    return;
  case SESSION_OTHER:
    return refuse (item, CALL_call_id_reused, REST_SESSION_REUSED);
  case SESSION_FULL:
    return refuse (item, CALL_max_invocations_reached, REST_SESSION_FULL);
  case SESSION_ENDING:
    return refuse (item, CALL_tool_cancelled, "The session has ended.");
  }
}

/* ---- requests ---- */

static void
start (struct batch_item *item, const struct call_body *body, struct call_batch *batch)
{
  const struct rest_batch *b = item->batch;
  struct call_request request = told_request (b->calls->env, b->x, body);
  struct call *call;

  request.kind = CALL_TOOL;
  request.wants_progress = b->told.events;
  request.batch = batch;
  request.traced = is_traced (b, body);
  request.span = b->span;
  call = call_start (b->calls->env->calls, &request, &events, item);
  if (call == NULL)
    return; /* answered */
  item->call = call;
  if (item->id == NULL)
    item->id = arena_strndup (http_request (b->x)->arena, call_id (call), strlen (call_id (call)));
}

static struct rest_batch *
batch_of (struct rest_calls *calls, struct http_exchange *x, const struct batch_body *body,
          enum encoding encoding)
{
  const size_t size = sizeof (struct rest_batch) + body->count * sizeof (struct batch_item);
  struct rest_batch *b = arena_alloc (http_request (x)->arena, size);

  memset (b, 0, size);
  b->calls = calls;
  b->x = x;
  b->told = told_read (calls->asks, x, encoding);
  b->count = (unsigned) body->count;
  b->due = b->count + 1; /* until all were given: it is gone with the last answer */
  b->span = traced_begin (calls->env, x, "/v1/calls", (struct slice){ NULL, 0 });
  span_int (b->span, "toolhost.batch.size", b->count);
  for (unsigned i = 0; i < b->count; i++) {
    b->items[i].batch = b;
    b->items[i].index = i;
    b->items[i].id = body->calls[i].call_id;
  }
  link_batch (b);
  http_set_data (x, b);
  http_on_gone (x, on_gone);
  if (b->told.events)
    http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
  return b;
}

static void
begin (struct rest_calls *calls, struct http_exchange *x, const struct batch_body *body,
       enum encoding encoding)
{
  const bool asks = slice_is (http_query (x, "approval"), "ask");
  struct session *session = NULL;
  struct call_batch *batch;
  struct rest_batch *b;

  if (rest_is_session (calls->env, &body->calls[0])) {
    const char *id = body->calls[0].session_id;
    session = rest_session_find (calls->env, x, (struct slice){ id, strlen (id) });
    if (session == NULL)
      return;
  }
  b = batch_of (calls, x, body, encoding);
  batch = call_batch_new (
    calls->env->calls,
    session == NULL && (asks || (b->told.async && !b->told.events)) ? BATCH_SURFACES : BATCH_HOLDS);
  for (unsigned i = 0; i < b->count; i++)
    if (session != NULL)
      start_in_session (&b->items[i], session, &body->calls[i], batch);
    else
      start (&b->items[i], &body->calls[i], batch);
  call_batch_end (batch);
  less (b);
}

void
rest_batch_post (struct rest_calls *calls, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  const struct slice wanted = http_query (x, "encoding");
  enum encoding encoding = ENCODING_OWN;
  struct batch_body body;
  struct error err = { 0 };
  const char *pointer;

  if (!media_is_json (http_header (x, "content-type")))
    return http_reply_error (x, 415, "unsupported_media_type",
                             "Content-Type must be application/json");
  if (!batch_body_read (&body, request->body, &calls->limits, calls->env->batch_max, request->arena,
                        &pointer, &err))
    return told_bad_body (x, pointer, &err);
  if (!encoding_find (wanted.data, wanted.len, &encoding, &err))
    return http_reply_error (x, 400, "bad_encoding", "%s", err.text);
  begin (calls, x, &body, encoding);
}

void
rest_batches_free (struct rest_calls *calls)
{
  for (struct rest_batch *b; (b = calls->batches) != NULL;) {
    struct http_exchange *x = b->x;
    const bool streaming = b->told.events;
    on_gone (b);
    http_on_gone (x, NULL);
    if (streaming)
      http_stream_end (x);
    else
      http_reply_error (x, 503, "tool_unavailable", "The daemon is stopping");
  }
}
