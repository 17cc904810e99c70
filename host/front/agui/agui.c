#include "front/agui/agui.h"

#include <stdlib.h>

#include "base/clock.h"
#include "front/agui/run.h"
#include "front/asked.h"
#include "front/encode.h"
#include "front/traced.h"

#define LINES_TYPE "application/jsonl"

/* An exchange's, from its request to the end of its answer. */
struct agui_stream {
  struct agui_front *front;
  struct agui_stream *next, **prev;
  struct http_exchange *x;
  struct agui_run *run;
  struct asked asked;
  struct span *span; /* of the request; NULL: it is not sampled */
  bool lines;        /* no server-sent events */
};

void
agui_init (struct agui_front *front, const struct front_env *env, struct rest_asks *asks)
{
  *front = (struct agui_front){ .env = env, .asks = asks, .limits = json_default_limits };
  front->limits.depth = env->json_depth;
}

static void
leave (struct agui_stream *s)
{
  *s->prev = s->next;
  if (s->next != NULL)
    s->next->prev = s->prev;
  agui_run_free (s->run);
  free (s);
}

static void
on_gone (void *data)
{
  struct agui_stream *s = data;
  struct span *span = s->span;

  leave (s);
  traced_end (span, 0);
}

/* ---- what a run wants ---- */

static struct toolset *
toolset (void *ctx)
{
  const struct agui_stream *s = ctx;

  return catalog_meant (front_catalog (s->front->env, http_request (s->x)->peer->tenant),
                        &s->asked.filter);
}

static int64_t
now_ms (void *ctx)
{
  (void) ctx;
  return clock_wall_ms ();
}

static void
say (void *ctx, const char *json, size_t len)
{
  const struct agui_stream *s = ctx;
  CLEANUP_BUF struct buf out = { 0 };

  if (!s->lines)
    buf_puts (&out, "data: ");
  buf_append (&out, json, len);
  buf_puts (&out, s->lines ? "\n" : "\n\n");
  (void) http_stream_write (s->x, out.data, out.len); /* if that fails, on_gone has come */
}

static void
over (void *ctx)
{
  struct agui_stream *s = ctx;
  struct http_exchange *x = s->x;

  http_on_gone (x, NULL);
  traced_end (s->span, 200);
  leave (s);
  http_stream_end (x);
}

/* ---- requests ---- */

/* Is the body a RunAgentInput?  Events have a type. */
static bool
is_input (const struct json_tape *tape)
{
  const struct json_node *root = json_root (tape);

  return json_is (root, JSON_OBJECT) && json_member (tape, root, "type") == NULL
         && json_is (json_member (tape, root, "messages"), JSON_ARRAY)
         && json_is (json_member (tape, root, "threadId"), JSON_STRING)
         && json_is (json_member (tape, root, "runId"), JSON_STRING);
}

static struct agui_stream *
open_stream (struct agui_front *front, struct http_exchange *x)
{
  const struct front_peer *peer = http_request (x)->peer;
  const struct slice accept = http_header (x, "accept");
  struct agui_stream *s = xcalloc (1, sizeof *s);
  const char *traceparent = NULL, *tracestate = NULL;
  struct trace_parent parent;

  if (traced_parent (x, &parent)) {
    struct arena *arena = http_request (x)->arena;
    traceparent = arena_strndup (arena, http_header (x, "traceparent").data, TRACEPARENT_LEN);
    if (parent.state != NULL)
      tracestate = arena_strndup (arena, parent.state, parent.state_len);
  }
  s->front = front;
  s->x = x;
  s->span = traced_begin (front->env, x, "/v1/agui", (struct slice){ NULL, 0 });
  s->lines = media_named (accept, LINES_TYPE) || media_named (accept, "application/x-ndjson");
  (void) asked_read (front->env, x, &s->asked); /* what it discloses concerns lists only */
  s->next = front->streams;
  s->prev = &front->streams;
  if (s->next != NULL)
    s->next->prev = &s->next;
  front->streams = s;
  s->run =
    agui_run_new (&(struct agui_settings){ .env = front->env,
                                           .asks = front->asks,
                                           .principal = peer->principal,
                                           .tenant = peer->tenant,
                                           .traceparent = traceparent,
                                           .tracestate = tracestate,
                                           .traced = front->env->tracer != NULL,
                                           .span = s->span,
                                           .may_approve = (peer->roles & ROLE_APPROVE) != 0,
                                           .limits = &front->limits,
                                           .verify = !slice_is (http_query (x, "verify"), "false"),
                                           .toolset = toolset,
                                           .now_ms = now_ms,
                                           .say = say,
                                           .over = over,
                                           .ctx = s });
  http_set_data (x, s);
  http_on_gone (x, on_gone);
  http_stream_begin (x, 200, s->lines ? LINES_TYPE : SSE_TYPE, SSE_HEADERS);
  return s;
}

void
agui_post (struct agui_front *front, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  const struct slice body = request->body;
  struct json_tape tape;
  struct agui_run *run;

  if (body.len == 0)
    return http_reply_error (x, 400, "bad_request",
                             "expected AG-UI's events (one a line, or server-sent) or a "
                             "RunAgentInput");
  if (json_read (&tape, body.data, body.len, &front->limits, request->arena) && is_input (&tape)) {
    agui_run_input (open_stream (front, x)->run, &tape, json_root (&tape));
    return;
  }
  run = open_stream (front, x)->run;
  agui_run_feed (run, body.data, body.len, true);
}

void
agui_drain (struct agui_front *front)
{
  for (struct agui_stream *s; (s = front->streams) != NULL;)
    over (s);
}
