#include "front/stdio/stdio.h"

#include <stdlib.h>

#include "base/clock.h"
#include "call/batch.h"
#include "front/mcp/batch.h"
#include "front/mcp/methods.h"
#include "front/mcp/reply.h"
#include "front/mcp/upcall.h"
#include "front/stdio/line_io.h"
#include "watch/trace.h"

struct stdio_front {
  struct mcp_core core;
  struct mcp_peer peer;
  struct line_io lines;
  struct arena arena; /* of the message being read */
  void (*ended) (void *ctx);
  void *ctx;
};

/* Answers that are sent as one line when all are there. */
struct line_batch {
  unsigned due;
  struct mcp_answers answers;
  struct span *span; /* NULL: it is not sampled */
};

struct line_request {
  struct mcp_request r;     /* first: the core knows only this */
  struct line_batch *batch; /* that it came in, or NULL */
};

static struct stdio_front *
front_of (struct mcp_core *core)
{
  return (struct stdio_front *) (void *) ((char *) core - offsetof (struct stdio_front, core));
}

/* ---- the carrier's functions ---- */

static bool
send_message (struct mcp_request *r, const struct buf *message)
{
  struct stdio_front *front = front_of (r->core);

  if (front->lines.out_broken || line_io_behind (&front->lines))
    return false;
  line_io_send (&front->lines, message);
  return true;
}

static bool
tell_peer (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message)
{
  struct stdio_front *front = front_of (core);

  if (!peer->initialized || front->lines.in_ended || line_io_behind (&front->lines))
    return false;
  line_io_send (&front->lines, message);
  return true;
}

/* One of the batch's answers has come, or won't come. */
static void
batch_less (struct stdio_front *front, struct line_batch *batch)
{
  const struct buf *line;

  if (--batch->due != 0)
    return;
  line = mcp_answers_end (&batch->answers);
  if (line != NULL)
    line_io_send (&front->lines, line);
  mcp_answers_free (&batch->answers);
  span_end (batch->span, 0);
  free (batch);
}

/* The request has ended. */
static void
release (struct stdio_front *front, struct mcp_request *r)
{
  struct line_request *l = (struct line_request *) r;

  if (l->batch != NULL)
    batch_less (front, l->batch);
  free (l);
}

static void
silence (struct mcp_request *r)
{
  struct stdio_front *front = front_of (r->core);

  release (front, r);
  line_io_wake (&front->lines); /* it may have been the last one due */
}

static void
answer (struct mcp_request *r, int status, struct buf *message)
{
  struct line_request *l = (struct line_request *) r;

  (void) status;
  if (l->batch != NULL)
    mcp_answers_add (&l->batch->answers, message);
  else
    line_io_send (&front_of (r->core)->lines, message);
  silence (r);
}

static struct mcp_peer *
connect_peer (struct mcp_request *r, const char *version)
{
  (void) version;
  r->peer->initialized = false;
  return r->peer;
}

static const char *const handshake_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26",
                                                  "2024-11-05", NULL };

static const struct mcp_carrier carrier = {
  .front = "stdio",
  .versions = handshake_versions,
  .send = send_message,
  .tell = tell_peer,
  .answer = answer,
  .silence = silence,
  .connect = connect_peer,
};

/* ---- messages ---- */

static void
refuse (struct stdio_front *front, struct slice id, const struct mcp_fault *fault)
{
  struct buf *out = mcp_scratch (&front->core);

  mcp_put_error (out, id, fault);
  line_io_send (&front->lines, out);
}

/* May it be served?  Every message says by itself which era it is of. */
static bool
check_request (const struct stdio_front *front, const struct mcp_message *m,
               struct mcp_fault *fault)
{
  if (m->version != NULL)
    return mcp_check_envelope (m, fault) && mcp_check_version (m, fault);
  if (front->peer.version != NULL || slice_is (m->method, "initialize")
      || slice_is (m->method, "ping"))
    return true;
  return mcp_fault_set (fault, MCP_INVALID_PARAMS, 200,
                        "Invalid params: _meta[\"" MCP_META
                        "protocolVersion\"] is missing; or send initialize first");
}

static void
serve (struct stdio_front *front, const struct mcp_message *m, struct line_batch *batch)
{
  struct line_request *l = xcalloc (1, sizeof *l + mcp_request_room (m));
  struct trace_parent within;

  l->batch = batch;
  if (batch != NULL) {
    within = span_context (batch->span);
    l->r.ambient = &within;
  }
  l->r.principal = "stdio";
  l->r.roles = ~0U; /* whoever started the daemon */
  l->r.tenant = front->core.env->tenant;
  mcp_request_begin (&l->r, &front->core, &front->peer,
                     m->version != NULL ? MCP_MODERN : MCP_LEGACY, m, (char *) (l + 1));
  mcp_dispatch (&l->r, m);
}

static void
take_other (struct stdio_front *front, const struct mcp_message *m)
{
  if (m->kind == MCP_NOTIFICATION)
    mcp_notified (&front->core, &front->peer, m);
  else
    mcp_upcall_answered (&front->peer, m);
}

static void
take_item (struct stdio_front *front, struct line_batch *batch, const struct mcp_message *m,
           const struct mcp_fault *fault)
{
  if (fault->text[0] != '\0') {
    mcp_put_error (mcp_scratch (&front->core), m->id, fault);
    mcp_answers_add (&batch->answers, &front->core.scratch);
    batch_less (front, batch);
  }
  else if (m->kind == MCP_REQUEST)
    serve (front, m, batch);
  else
    take_other (front, m);
}

static void
take_batch (struct stdio_front *front, const struct mcp_message *all)
{
  struct mcp_batch_walk walk = mcp_batch_walk (all);
  struct line_batch *batch;
  struct mcp_message m;
  struct mcp_fault fault;

  if (!mcp_batch_check (all, front->peer.version, &fault))
    return refuse (front, (struct slice){ NULL, 0 }, &fault);
  batch = xcalloc (1, sizeof *batch);
  batch->due = mcp_batch_due (all) + 1; /* until all items have been taken */
  batch->span = span_root (front->core.env->tracer, NULL, SPAN_SERVER, clock_ns ());
  span_name (batch->span, "batch");
  span_text (batch->span, "network.transport", "pipe");
  span_int (batch->span, "toolhost.batch.size", all->root->count);
  front->core.batch = call_batch_new (front->core.env->calls, BATCH_HOLDS);
  while (mcp_batch_next (&walk, &m, &fault))
    take_item (front, batch, &m, &fault);
  mcp_end_batch (&front->core);
  batch_less (front, batch);
}

static bool
is_blank (const char *line, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
      return false;
  return true;
}

static void
take_line (struct stdio_front *front, const char *line, size_t len)
{
  struct mcp_message m;
  struct mcp_fault fault;

  if (is_blank (line, len))
    return;
  if (!mcp_message_read (&m, line, len, &front->core.limits, &front->arena, &fault))
    refuse (front, m.id, &fault);
  else if (m.kind == MCP_BATCH)
    take_batch (front, &m);
  else if (m.kind != MCP_REQUEST)
    take_other (front, &m);
  else if (check_request (front, &m, &fault))
    serve (front, &m, NULL);
  else
    refuse (front, m.id, &fault);
  arena_reset (&front->arena);
}

/* ---- what the lines tell ---- */

static void
on_line (void *ctx, const char *text, size_t len)
{
  take_line (ctx, text, len);
}

static void
on_too_long (void *ctx)
{
  struct stdio_front *front = ctx;
  struct mcp_fault fault;

  (void) mcp_fault_set (&fault, MCP_INVALID_REQUEST, 413,
                        "Invalid Request: a line has more than %zu bytes",
                        front->core.env->body_max);
  refuse (front, (struct slice){ NULL, 0 }, &fault);
}

/* What waits for an answer of the client waits in vain. */
static void
end_asking (struct stdio_front *front)
{
  for (struct mcp_request *r = front->peer.requests, *next; r != NULL; r = next) {
    next = r->next;
    if (r->upcalls != 0)
      mcp_request_stop (r, "The client's output has ended");
  }
}

static void
end_listening (struct stdio_front *front)
{
  for (struct mcp_request *r = front->peer.requests, *next; r != NULL; r = next) {
    next = r->next;
    if (!r->listening)
      continue;
    mcp_put_cancelled (mcp_scratch (&front->core), r->id);
    line_io_send (&front->lines, &front->core.scratch);
    mcp_request_drop (r);
    release (front, r);
  }
}

/* What was asked before the end is still answered. */
static void
on_input_ended (void *ctx)
{
  struct stdio_front *front = ctx;

  end_listening (front);
  end_asking (front);
}

/* Nobody reads the answers: what is running has no caller any more. */
static void
on_broken (void *ctx)
{
  struct stdio_front *front = ctx;

  for (struct mcp_request *r; (r = front->peer.requests) != NULL;) {
    mcp_request_drop (r);
    release (front, r);
  }
}

static void
on_wrote (void *ctx)
{
  struct stdio_front *front = ctx;
  void (*ended) (void *ctx) = front->ended;

  if (!front->lines.in_ended || front->peer.requests != NULL || !line_io_written (&front->lines)
      || ended == NULL)
    return;
  front->ended = NULL;
  ended (front->ctx); /* may free the front */
}

/* ---- all together ---- */

struct stdio_front *
stdio_front_new (const struct front_env *env, int in, int out, void (*ended) (void *ctx), void *ctx)
{
  static const struct line_io_events events = { .line = on_line,
                                                .too_long = on_too_long,
                                                .ended = on_input_ended,
                                                .broken = on_broken,
                                                .wrote = on_wrote };
  struct stdio_front *front = xcalloc (1, sizeof *front);

  mcp_core_init (&front->core, env, &carrier);
  front->ended = ended;
  front->ctx = ctx;
  mcp_peer_add (&front->core, &front->peer);
  front->peer.tenant = env->tenant;
  line_io_open (&front->lines, env->loop, in, out, env->body_max, &events, front);
  return front;
}

void
stdio_front_free (struct stdio_front *front)
{
  if (front == NULL)
    return;
  end_listening (front);
  mcp_peer_remove (&front->core, &front->peer, "The daemon is stopping");
  line_io_close (&front->lines);
  mcp_core_free (&front->core);
  arena_free (&front->arena);
  free (front);
}
