/* What a worker writes into the memory it shares with the daemon, or says by the socket: whatever
 * it is, the daemon takes well-formed frames, tells each call once, and survives.
 *
 * An input is a byte that says by which way (even: the ring) and whether calls run (0, 1) or the
 * worker is starting (2, 3), four of the producer's index for the
 * ring, and the bytes that are there. */
#include "fuzz.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pool/fleet.h"
#include "pool/receive.h"
#include "pool/worker.h"

enum { CALLS = 2 };

struct call {
  struct job job; /* first */
  unsigned ended;
};

/* A worker without a process, made anew for each input. */
struct daemon {
  struct pool pool;
  struct tenants tenants;
  struct queue queue;
  struct fleet fleet;
  struct worker worker;
  struct call calls[CALLS];
  int control; /* the worker's end */
  void *up;    /* mapped for writing */
};

static void
on_progress (struct job *job, double done, double total, const char *text, size_t len)
{
  (void) done;
  (void) total;
  HOLDS (((struct call *) job)->ended == 0);
  HOLDS (utf8_valid (text, len));
}

static void
on_log (struct job *job, int level, const char *text, size_t len)
{
  (void) level;
  HOLDS (((struct call *) job)->ended == 0);
  HOLDS (utf8_valid (text, len));
}

static void
on_emitted (struct job *job, const char *json, size_t len)
{
  HOLDS (((struct call *) job)->ended == 0 && job->in_session);
  HOLDS (utf8_valid (json, len) && len <= FRAME_EMIT_MAX);
}

static enum frame_served_status
on_state (struct job *job, const char *json, size_t len, struct buf *out, size_t *cost)
{
  HOLDS (((struct call *) job)->ended == 0 && job->in_session);
  HOLDS (len <= FRAME_STATE_MAX);
  buf_append (out, json, len);
  *cost = len;
  return (enum frame_served_status) (len % (FRAME_SERVED_NOT_FOUND + 1));
}

static void
on_ended (struct job *job, const struct job_end *end)
{
  HOLDS (++((struct call *) job)->ended == 1);
  HOLDS (end->fate == JOB_RESULT);
  HOLDS (utf8_valid (end->message, end->result->message_len));
  HOLDS (utf8_valid (end->content, end->result->content_len));
  HOLDS ((end->structured_tape != NULL) == (end->result->structured_len != 0));
}

static void
on_overran (struct job *job, uint64_t cpu_ns)
{
  (void) cpu_ns;
  HOLDS (((struct call *) job)->ended == 0);
}

static bool
on_event (struct job *job, int level, const char *text, size_t len, size_t name_len)
{
  (void) job;
  (void) level;
  return text != NULL && name_len <= len;
}

static const struct job_events job_events = { .progress = on_progress,
                                              .log = on_log,
                                              .event = on_event,
                                              .emitted = on_emitted,
                                              .state = on_state,
                                              .overran = on_overran,
                                              .ended = on_ended };

static void
on_worker (struct worker *worker)
{
  (void) worker;
}

static double
on_rest (struct worker *worker)
{
  (void) worker;
  return 60;
}

static void
on_described (struct worker *worker, const char *json, size_t len)
{
  (void) json;
  (void) len;
  worker_set_capacity (worker, CALLS);
}

static const struct worker_events worker_events = { .described = on_described,
                                                    .answered = on_worker,
                                                    .freed = on_worker,
                                                    .condemned = on_worker,
                                                    .rest = on_rest };

static void
on_wake (void *ctx)
{
  (void) ctx;
}

static void
on_channel (struct channel *channel)
{
  (void) channel;
}

static const struct channel_events channel_events = { .ready = on_channel, .writable = on_channel };

/* The worker's end: take the segment it may write out of HELLO. */
static void *
map_up (int control)
{
  _Alignas(struct cmsghdr) char room[CMSG_SPACE (2 * sizeof (int))];
  char data[64];
  struct iovec iov = { data, sizeof data };
  struct msghdr msg = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room
  };
  int fds[2];
  void *up;

  HOLDS (recvmsg (control, &msg, 0) > 0);
  memcpy (fds, CMSG_DATA (CMSG_FIRSTHDR (&msg)), sizeof fds);
  up = mmap (NULL, RING_SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
  HOLDS (up != MAP_FAILED);
  close (fds[0]);
  close (fds[1]);
  return up;
}

static void
give_calls (struct daemon *d)
{
  worker_set_capacity (&d->worker, CALLS);
  for (int i = 0; i < CALLS; i++) {
    struct job *job = &d->calls[i].job;
    *job = (struct job){ .events = &job_events,
                         .args = "{}",
                         .args_len = 2,
                         .meta = "{}",
                         .cpu_ms = 1000,
                         .in_session = i == 0,
                         .result_max = 1000 };
    HOLDS (queue_put (&d->queue, job) == NULL);
    HOLDS (worker_run (&d->worker, job) == WORKER_RUNS);
    worker_count_for (&d->worker, job, queue_take (&d->queue, job));
  }
}

static void
setup (struct daemon *d, struct ev_loop *loop, bool described)
{
  CLEANUP_BUF struct buf hello = { 0 };
  static const struct policy policy = { .memory = 1 << 20 };
  struct pool_settings settings;
  struct error err;
  int ends[2];

  memset (d, 0, sizeof *d);
  pool_settings_default (&settings);
  settings.build = "x";
  queue_init (&d->queue,
              &(struct queue_settings){ .tenants = &d->tenants, .max = CALLS, .wake = on_wake });
  pool_init (&d->pool, loop, NULL, &settings);
  d->worker = (struct worker){ .pool = &d->pool,
                               .fleet = &d->fleet,
                               .events = &worker_events,
                               .name = "fuzz",
                               .proc = { .pidfd = -1, .status = -1, .output = -1, .events = -1 },
                               .state = described ? WORKER_READY : WORKER_STARTING,
                               .greeted = described,
                               .policy = &policy };
  ev_timer_init (&d->worker.timer, NULL, 0, 0);
  buf_puts (&hello, "{}");
  HOLDS (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  HOLDS (
    channel_open (&d->worker.channel, loop, &channel_events, &d->worker, ends[0], &hello, &err));
  d->control = ends[1];
  d->up = map_up (d->control);
  if (described)
    give_calls (d);
}

static void
teardown (struct daemon *d)
{
  struct worker *worker = &d->worker;

  ev_timer_stop (d->pool.loop, &worker->timer);
  d->pool.unsent = NULL;
  channel_close (&worker->channel);
  close (d->control);
  munmap (d->up, RING_SEGMENT);
  for (unsigned i = 0; i < worker->slots_count; i++) {
    if (worker->slots[i].nonce != 0)
      (void) worker_free_slot (worker, &worker->slots[i]);
    buf_free (&worker->slots[i].body);
  }
  queue_clear (&d->queue);
  tenants_clear (&d->tenants);
  free (worker->slots);
  buf_free (&worker->description);
  free (worker->guarantees);
  free (worker->words);
  free (worker->claim);
  free (worker->signal);
  free (worker->backtrace);
  pool_clear (&d->pool);
}

static void
say (struct daemon *d, const uint8_t *data, size_t size)
{
  struct ring_side *side = d->up;
  uint32_t produced;

  if (data[0] % 2 != 0) {
    HOLDS (send (d->control, data + 1, size - 1, 0) >= 0);
    return;
  }
  memcpy (&produced, data + 1, sizeof produced);
  memcpy ((char *) d->up + RING_HEAD, data + 5, size - 5);
  side->produced = produced;
  side->origin = data[0] & 8 ? produced : 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static struct ev_loop *loop;
  struct daemon d;

  if (size < 5 || size > FRAME_MAX)
    return 0;
  if (loop == NULL)
    loop = ev_loop_new (EVFLAG_AUTO);
  setup (&d, loop, data[0] % 4 < 2);
  say (&d, data, size);
  (void) worker_receive (&d.worker);
  HOLDS (d.worker.state != WORKER_KILLED || d.worker.decided == REASON_PROTOCOL);
  teardown (&d);
  return 0;
}
