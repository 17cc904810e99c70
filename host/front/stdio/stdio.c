#include "front/stdio/stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "front/mcp/batch.h"
#include "front/mcp/methods.h"
#include "front/mcp/reply.h"
#include "front/mcp/upcall.h"

enum {
  READ_SIZE = 64 * 1024,
  BACKLOG_PAUSE = 1024 * 1024,   /* unwritten bytes from which no more input is read */
  BACKLOG_RESUME = 256 * 1024,   /* … and below which it is again */
  BACKLOG_MAX = 8 * 1024 * 1024, /* … above which progress is not told any more */
  KEEP = 64 * 1024               /* bytes of idle buffers kept */
};

struct stdio_front {
  struct mcp_core core;
  struct mcp_peer peer;
  struct ev_io in, out;
  int in_flags, out_flags; /* as they were found */
  struct buf input;        /* from the begin of a line */
  size_t scanned;          /* of it, known to hold no end of line */
  bool skipping;           /* the rest of a line that was too long */
  bool in_ended;
  struct buf backlog; /* to be written */
  size_t written;     /* of it */
  bool out_broken;
  struct arena arena; /* of the message being read */
  void (*ended) (void *ctx);
  void *ctx;
};

/* Answers that are sent as one line when all are there. */
struct line_batch {
  unsigned due;
  struct mcp_answers answers;
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

/* ---- output ---- */

static size_t
unwritten (const struct stdio_front *front)
{
  return front->backlog.len - front->written;
}

/* Written at the end of this turn of the loop, together with what else comes up in it. */
static void
wake_output (struct stdio_front *front)
{
  if (!ev_is_active (&front->out))
    ev_feed_event (front->core.env->loop, &front->out, EV_WRITE);
}

static void
send_line (struct stdio_front *front, const struct buf *message)
{
  if (front->out_broken)
    return;
  buf_append (&front->backlog, message->data, message->len);
  buf_putc (&front->backlog, '\n');
  wake_output (front);
}

static void release (struct stdio_front *front, struct mcp_request *r);

static void
drop_requests (struct stdio_front *front)
{
  for (struct mcp_request *r; (r = front->peer.requests) != NULL;) {
    mcp_request_drop (r);
    release (front, r);
  }
}

/* Nobody reads the answers: what is running has no caller any more. */
static void
output_broken (struct stdio_front *front)
{
  front->out_broken = true;
  front->in_ended = true;
  front->written = 0;
  buf_reset (&front->backlog, 0);
  ev_io_stop (front->core.env->loop, &front->in);
  drop_requests (front);
}

static void
write_backlog (struct stdio_front *front)
{
  while (unwritten (front) != 0) {
    ssize_t n = write (front->out.fd, front->backlog.data + front->written, unwritten (front));
    if (n >= 0)
      front->written += (size_t) n;
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      return;
    else if (errno != EINTR)
      return output_broken (front);
  }
  front->written = 0;
  buf_reset (&front->backlog, KEEP);
}

static void
watch_output (struct stdio_front *front)
{
  struct ev_loop *loop = front->core.env->loop;

  if (unwritten (front) != 0)
    ev_io_start (loop, &front->out);
  else
    ev_io_stop (loop, &front->out);
  if (!front->in_ended && unwritten (front) < BACKLOG_RESUME)
    ev_io_start (loop, &front->in);
}

static void
on_writable (struct ev_loop *loop, struct ev_io *watcher, int events)
{
  struct stdio_front *front = watcher->data;

  (void) loop;
  (void) events;
  if (!front->out_broken)
    write_backlog (front);
  watch_output (front);
  if (front->in_ended && front->peer.requests == NULL && unwritten (front) == 0
      && front->ended != NULL) {
    void (*ended) (void *ctx) = front->ended;
    front->ended = NULL;
    ended (front->ctx); /* may free the front */
  }
}

/* ---- the carrier's functions ---- */

static bool
send_message (struct mcp_request *r, const struct buf *message)
{
  struct stdio_front *front = front_of (r->core);

  if (front->out_broken || unwritten (front) >= BACKLOG_MAX)
    return false;
  send_line (front, message);
  return true;
}

static bool
tell_peer (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message)
{
  struct stdio_front *front = front_of (core);

  if (!peer->initialized || front->in_ended || unwritten (front) >= BACKLOG_MAX)
    return false;
  send_line (front, message);
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
    send_line (front, line);
  mcp_answers_free (&batch->answers);
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
  wake_output (front); /* it may have been the last one due */
}

static void
answer (struct mcp_request *r, int status, struct buf *message)
{
  struct line_request *l = (struct line_request *) r;

  (void) status;
  if (l->batch != NULL)
    mcp_answers_add (&l->batch->answers, message);
  else
    send_line (front_of (r->core), message);
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
  struct buf *out = &front->core.scratch;

  buf_reset (out, KEEP);
  mcp_put_error (out, id, fault);
  send_line (front, out);
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

  l->batch = batch;
  l->r.principal = "stdio";
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
  while (mcp_batch_next (&walk, &m, &fault))
    take_item (front, batch, &m, &fault);
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

/* ---- input ---- */

static void
too_long (struct stdio_front *front)
{
  struct mcp_fault fault;

  (void) mcp_fault_set (&fault, MCP_INVALID_REQUEST, 413,
                        "Invalid Request: a line has more than %zu bytes",
                        front->core.env->body_max);
  refuse (front, (struct slice){ NULL, 0 }, &fault);
}

/* Take the complete lines of the input. */
static void
take_lines (struct stdio_front *front)
{
  struct buf *input = &front->input;
  size_t max = front->core.env->body_max;
  size_t begin = 0;
  const char *end;

  while (input->len > begin + front->scanned
         && (end = memchr (input->data + begin + front->scanned, '\n',
                           input->len - begin - front->scanned))
              != NULL) {
    size_t len = (size_t) (end - input->data) - begin;
    front->scanned = 0;
    if (front->skipping)
      front->skipping = false;
    else if (len > max)
      too_long (front);
    else
      take_line (front, input->data + begin, len);
    begin += len + 1;
  }
  buf_consume (input, begin);
  front->scanned = input->len;
  if (input->len == 0)
    buf_reset (input, 2 * READ_SIZE);
}

/* A line that will be too long is told of at once and thrown away as it comes. */
static void
skip_excess (struct stdio_front *front)
{
  if (!front->skipping && front->input.len <= front->core.env->body_max)
    return;
  if (!front->skipping)
    too_long (front);
  front->skipping = true;
  front->scanned = 0;
  buf_reset (&front->input, KEEP);
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
    buf_reset (&front->core.scratch, KEEP);
    mcp_put_cancelled (&front->core.scratch, r->id);
    send_line (front, &front->core.scratch);
    mcp_request_drop (r);
    release (front, r);
  }
}

/* What was asked before the end is still answered. */
static void
input_ended (struct stdio_front *front)
{
  if (front->input.len != 0 && !front->skipping)
    take_line (front, front->input.data, front->input.len);
  front->in_ended = true;
  ev_io_stop (front->core.env->loop, &front->in);
  end_listening (front);
  end_asking (front);
  wake_output (front);
}

static void
on_readable (struct ev_loop *loop, struct ev_io *watcher, int events)
{
  struct stdio_front *front = watcher->data;
  ssize_t n = read (watcher->fd, buf_reserve (&front->input, READ_SIZE), READ_SIZE);

  (void) events;
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return;
  if (n <= 0)
    return input_ended (front);
  front->input.len += (size_t) n;
  take_lines (front);
  skip_excess (front);
  if (unwritten (front) > BACKLOG_PAUSE)
    ev_io_stop (loop, &front->in);
}

/* ---- all together ---- */

static int
set_nonblocking (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags >= 0)
    (void) fcntl (fd, F_SETFL, flags | O_NONBLOCK);
  return flags;
}

static void
restore_flags (int fd, int flags)
{
  if (flags >= 0)
    (void) fcntl (fd, F_SETFL, flags);
}

struct stdio_front *
stdio_front_new (const struct front_env *env, int in, int out, void (*ended) (void *ctx), void *ctx)
{
  struct stdio_front *front = xcalloc (1, sizeof *front);

  mcp_core_init (&front->core, env, &carrier);
  front->ended = ended;
  front->ctx = ctx;
  front->in_flags = set_nonblocking (in);
  front->out_flags = set_nonblocking (out);
  ev_io_init (&front->in, on_readable, in, EV_READ);
  ev_io_init (&front->out, on_writable, out, EV_WRITE);
  front->in.data = front->out.data = front;
  mcp_peer_add (&front->core, &front->peer);
  ev_io_start (env->loop, &front->in);
  return front;
}

void
stdio_front_free (struct stdio_front *front)
{
  if (front == NULL)
    return;
  end_listening (front);
  mcp_peer_remove (&front->core, &front->peer, "The daemon is stopping");
  if (!front->out_broken)
    write_backlog (front);
  ev_io_stop (front->core.env->loop, &front->in);
  ev_io_stop (front->core.env->loop, &front->out);
  /* In reverse: the two may share one open file. */
  restore_flags (front->out.fd, front->out_flags);
  restore_flags (front->in.fd, front->in_flags);
  mcp_core_free (&front->core);
  buf_free (&front->input);
  buf_free (&front->backlog);
  arena_free (&front->arena);
  free (front);
}
