#include "worker/crew.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "worker/building.h"
#include "worker/crash.h"
#include "worker/outbox.h"

enum {
#ifdef TOOLHOST_SANITIZED
  STACK = 1024 * 1024,
#else
  STACK = 256 * 1024,
#endif
  /* Callbacks that take no more processor time are not worth another thread's waking; in real time
   * they may have waited for their turn on a busy processor. */
  QUICK_CPU_NS = 20000,
  QUICK_WALL_NS = 250000,
  SLOW_IN_ROW = 2, /* one may only have been interrupted */
  AWAIT_MS = 50    /* a build looks again whether its time is up */
};

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL

static int64_t
monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* May the next call begin? */
static bool
is_ready (const struct crew *crew)
{
  bool serial = crew->plugin->desc.threads != TOOLHOST_PARALLEL
                && crew->plugin->desc.threads != TOOLHOST_EVENTED;

  return crew->roster.first != NULL && (!serial || crew->running == 0);
}

/* ---- waking ----------------------------------------------------------------------------- */

static void *thread_main (void *arg);

static bool
start_thread (struct tool_thread *thread)
{
  pthread_attr_t attr;
  int failed;

  pthread_attr_init (&attr);
  pthread_attr_setstacksize (&attr, STACK);
  failed = pthread_create (&thread->thread, &attr, thread_main, thread);
  pthread_attr_destroy (&attr);
  errno = failed;
  return failed == 0;
}

/* Under the lock: the thread to wake, or NULL when none should be now.  When all are busy, one that
 * is still to be started. */
struct tool_thread *
crew_pick (struct crew *crew)
{
  struct tool_thread *thread = crew->idle;

  if (crew->waking != 0 || !is_ready (crew))
    return NULL;
  if (thread != NULL)
    crew->idle = thread->next_idle;
  else if (crew->threads_count < crew->threads_max) {
    thread = &crew->threads[crew->threads_count++];
    thread->unborn = true;
  }
  else
    return NULL;
  thread->woken = true;
  crew->waking++;
  return thread;
}

void
crew_wake (struct tool_thread *thread)
{
  if (thread == NULL)
    return;
  if (!thread->unborn)
    pthread_cond_signal (&thread->wake);
  else if (!start_thread (thread)) {
    /* There will be no more than there are; `waking` has kept others from starting one meanwhile.
     */
    struct crew *crew = thread->crew;
    pthread_mutex_lock (&crew->lock);
    crew->waking--;
    crew->threads_max = --crew->threads_count;
    pthread_mutex_unlock (&crew->lock);
  }
}

static void
call_control_thread (const struct crew *crew)
{
  (void) eventfd_write (crew->control_fd, 1);
}

struct tool_thread *
crew_find_leader (struct crew *crew)
{
  struct tool_thread *thread = crew->idle;

  if (crew->led || crew->waking != 0)
    return NULL;
  if (thread == NULL) {
    crew->lead_wanted = true;
    call_control_thread (crew);
    return NULL;
  }
  crew->idle = thread->next_idle;
  thread->woken = true;
  crew->waking++;
  return thread;
}

/* Under the lock: who sees to the daemon while this thread runs a callback? */
static struct tool_thread *
arrange (struct crew *crew)
{
  struct tool_thread *thread = crew->quick ? NULL : crew_pick (crew);

  if (!crew->quick && thread == NULL)
    return crew_find_leader (crew);
  if (crew->quick && !crew->watched) {
    crew->watched = true;
    call_control_thread (crew);
  }
  return thread;
}

/* ---- the end of a call ------------------------------------------------------------------ */

static struct piece_of_frame
piece (struct span span)
{
  return (struct piece_of_frame){ span.text, span.len };
}

/* Put the result into the outbox and let go of what the call held. */
static void
deliver (struct crew *crew, struct crew_call *call)
{
  struct call_answer answer;
  struct frame_result result;

  tool_call_answer (&call->call, &answer);
  result = (struct frame_result){ .outcome = answer.outcome,
                                  .code_len = (uint32_t) answer.code.len,
                                  .message_len = (uint32_t) answer.message.len,
                                  .structured_len = (uint32_t) answer.structured.len,
                                  .content_len = (uint32_t) answer.content.len,
                                  .kept_len = (uint32_t) answer.kept.len,
                                  .wall_ns = (uint64_t) call->call.wall_ns,
                                  .cpu_ns = (uint64_t) call->call.cpu_ns };
  outbox_result (crew->outbox, call->call.id, &result,
                 (struct piece_of_frame[]){ piece (answer.code), piece (answer.message),
                                            piece (answer.structured), piece (answer.content),
                                            piece (answer.kept) },
                 5);
  tool_call_end (&call->call);
  if (call->mapped != NULL)
    (void) munmap (call->mapped, call->mapped_len);
  call->mapped = NULL;
}

/* Under the lock. */
static void
forget (struct crew *crew, struct crew_call *call)
{
  roster_remove (&crew->roster, call);
  if (crew->draining && crew->roster.live_count == 0)
    call_control_thread (crew);
}

/* ---- the port --------------------------------------------------------------------------- */

static int64_t
port_now (void *ctx)
{
  (void) ctx;
  return monotonic ();
}

static void
port_sleep (void *ctx, struct tool_call *call, int64_t until)
{
  struct timespec at = { .tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S };

  (void) ctx;
  pthread_mutex_lock (&call->lock);
  while (!atomic_load (&call->cancelled) && monotonic () < until)
    if (until == INT64_MAX)
      pthread_cond_wait (&call->woken, &call->lock);
    else
      pthread_cond_timedwait (&call->woken, &call->lock, &at);
  pthread_mutex_unlock (&call->lock);
}

/* Somebody else is to see to the daemon, through which comes what this thread waits for. */
bool
crew_attend (struct crew *crew, int ms)
{
  struct tool_thread *leader = NULL;

  pthread_mutex_lock (&crew->lock);
  if (crew->plugin == NULL) {
    pthread_mutex_unlock (&crew->lock);
    return building_listen (crew, ms);
  }
  crew->quick = false;
  if (!crew->led)
    intake_ring (&crew->intake);
  leader = crew_pick (crew);
  if (leader == NULL)
    leader = crew_find_leader (crew);
  pthread_mutex_unlock (&crew->lock);
  crew_wake (leader);
  return false;
}

static void
port_await (void *ctx, struct tool_call *call)
{
  if (!crew_attend (ctx, AWAIT_MS))
    service_wait (call, call->deadline);
}

static const void *
port_extension (void *ctx, const char *id)
{
  (void) ctx;
  return strcmp (id, TOOLHOST_PROCESS_ID) == 0 ? &programs_service : NULL;
}

static void
port_service (void *ctx, struct tool_call *call, const struct frame_service *head, const void *data,
              size_t len)
{
  struct crew *crew = ctx;

  outbox_put (crew->outbox, FRAME_SERVICE, call->id,
              (struct piece_of_frame[]){ { head, sizeof *head }, { data, len } }, 2);
  outbox_flush (crew->outbox);
}

static void
tell_now (struct crew *crew, enum frame_kind kind, const struct tool_call *call, const void *head,
          size_t head_len, const char *text, size_t len)
{
  outbox_put (crew->outbox, kind, call != NULL ? call->id : 0,
              (struct piece_of_frame[]){ { head, head_len }, { text, len } }, 2);
  outbox_flush (crew->outbox);
}

static void
port_progress (void *ctx, struct tool_call *call, double done, double total, const char *text,
               size_t len)
{
  struct frame_progress progress = { .done = done, .total = total };
  tell_now (ctx, FRAME_PROGRESS, call, &progress, sizeof progress, text, len);
}

static void
port_emit (void *ctx, struct tool_call *call, const char *json, size_t len)
{
  struct crew *crew = ctx;

  outbox_put (crew->outbox, FRAME_EVENT, call->id, &(struct piece_of_frame){ json, len }, 1);
  outbox_flush (crew->outbox);
}

static void
port_log (void *ctx, struct tool_call *call, int32_t level, const char *text, size_t len)
{
  struct frame_log log = { .level = level };
  tell_now (ctx, FRAME_LOG, call, &log, sizeof log, text, len);
}

static void
port_event (void *ctx, struct tool_call *call, int32_t level, const char *name, const char *members,
            size_t len)
{
  const struct crew *crew = ctx;
  const size_t name_len = strlen (name);
  const struct frame_log log = { .level = level, .event_len = (uint32_t) name_len };

  outbox_put (
    crew->outbox, FRAME_LOG, call != NULL ? call->id : 0,
    (struct piece_of_frame[]){ { &log, sizeof log }, { name, name_len }, { members, len } }, 3);
  outbox_flush (crew->outbox);
}

static void
port_changed (void *ctx, enum frame_change what, const char *uri)
{
  struct frame_changed changed = { .what = what };
  tell_now (ctx, FRAME_CHANGED, NULL, &changed, sizeof changed, uri, strlen (uri));
}

/* A retained call has ended, on any thread. */
static void
port_ended (void *ctx, struct tool_call *ended)
{
  struct crew *crew = ctx;
  struct crew_call *call = (struct crew_call *) ended;
  struct tool_thread *thread;

  deliver (crew, call);
  outbox_flush (crew->outbox);
  pthread_mutex_lock (&crew->lock);
  crew->running--;
  forget (crew, call);
  thread = crew_pick (crew);
  pthread_mutex_unlock (&crew->lock);
  crew_wake (thread);
}

static const char *
port_secret (void *ctx, const char *name)
{
  const struct crew *crew = ctx;

  for (const char *const *s = crew->secrets; s != NULL && s[0] != NULL; s += 2)
    if (strcmp (s[0], name) == 0)
      return s[1];
  return NULL;
}

static const struct call_port port = {
  .now = port_now,
  .sleep = port_sleep,
  .progress = port_progress,
  .log = port_log,
  .event = port_event,
  .emit = port_emit,
  .changed = port_changed,
  .ended = port_ended,
  .secret = port_secret,
  .service = port_service,
  .await = port_await,
  .extension = port_extension,
};

/* ---- orders of the daemon, under the lock ----------------------------------------------- */

/* A cancelled call that has not begun is answered here: all threads may be busy. */
static void
end_queued (struct crew *crew, struct crew_call *call)
{
  roster_dequeue (&crew->roster, call);
  tool_call_refuse (&call->call);
  deliver (crew, call);
  outbox_flush (crew->outbox);
  forget (crew, call);
}

bool
crew_nag (struct crew *crew)
{
  int64_t now = monotonic ();
  bool any = false;

  for (size_t i = 0; i < crew->threads_count; i++) {
    const struct crew_call *call = crew->threads[i].current;
    if (call == NULL || now >= call->nag_until)
      continue;
    (void) pthread_kill (crew->threads[i].thread, SIGUSR2);
    any = true;
  }
  return any;
}

static void
on_cancel (void *ctx, uint64_t id, uint32_t grace_ms)
{
  struct crew *crew = ctx;
  struct crew_call *call = roster_find (&crew->roster, id);

  if (call == NULL)
    return;
  call->nag_until = monotonic () + grace_ms * NS_PER_MS;
  tool_call_cancel (&call->call);
  if (call->queued)
    end_queued (crew, call);
  else {
    crew->nagging = crew_nag (crew);
    call_control_thread (crew);
  }
}

static void
on_bye (void *ctx)
{
  struct crew *crew = ctx;

  crew->draining = true;
  if (crew->roster.live_count == 0)
    call_control_thread (crew);
}

/* ---- the lead --------------------------------------------------------------------------- */

bool
crew_begin_lead (struct crew *crew)
{
  if (crew->led)
    return false;
  crew->led = ring_listen (&crew->intake.ring);
  if (!crew->led) {
    ring_awake (&crew->intake.ring);
    intake_ring (&crew->intake);
  }
  return crew->led;
}

void
crew_end_lead (struct crew *crew, struct datagram *in)
{
  const struct intake_orders orders = { .ctx = crew, .cancel = on_cancel, .bye = on_bye };

  ring_awake (&crew->intake.ring);
  intake_ring (&crew->intake);
  if (in != NULL)
    intake_datagram (&crew->intake, in, &orders);
  crew->led = false;
}

/* Under the lock, which is given up while it waits. */
static void
lead (struct crew *crew)
{
  bool open;

  if (!crew_begin_lead (crew))
    return;
  pthread_mutex_unlock (&crew->lock);
  open = control_receive (&crew->datagram);
  pthread_mutex_lock (&crew->lock);
  if (!open)
    _exit (WORKER_EXIT_OK);
  crew_end_lead (crew, &crew->datagram);
}

/* ---- tool threads ----------------------------------------------------------------------- */

/* Under the lock: sleep until somebody has work for this thread. */
static void
wait_idle (struct tool_thread *self)
{
  struct crew *crew = self->crew;

  self->woken = false;
  self->next_idle = crew->idle;
  crew->idle = self;
  while (!self->woken)
    pthread_cond_wait (&self->wake, &crew->lock);
  crew->waking--;
}

/* Under the lock: let it go to send what waits. */
static void
flush_unlocked (struct crew *crew)
{
  pthread_mutex_unlock (&crew->lock);
  outbox_flush (crew->outbox);
  pthread_mutex_lock (&crew->lock);
}

/* Under the lock: nothing is to be run by this thread now. */
static void
lead_or_follow (struct tool_thread *self)
{
  struct crew *crew = self->crew;
  bool nobody_leads = !crew->led;

  if (nobody_leads && crew->roster.first == NULL)
    lead (crew);
  else {
    if (nobody_leads)
      crew_wake (crew_find_leader (crew));
    wait_idle (self);
  }
}

/* Under the lock: the next call to run.  Before it may run, whatever waits in the outbox has been
 * sent, or a woken thread is on its way that will send it, or the control thread watches. */
static struct crew_call *
take (struct tool_thread *self)
{
  struct crew *crew = self->crew;
  struct crew_call *call;

  for (;;) {
    bool ready;
    if (!crew->led && crew->roster.first == NULL)
      intake_ring (&crew->intake);
    ready = is_ready (crew);
    if (!outbox_is_empty (crew->outbox) && (!ready || (crew->waking == 0 && !crew->quick)))
      flush_unlocked (crew);
    else if (ready)
      break;
    else
      lead_or_follow (self);
  }
  call = roster_take (&crew->roster);
  if (cpu_expect (&crew->cpu, call->cpu_ms))
    call_control_thread (crew);
  crew->running++;
  crew->busy++;
  self->current = call;
  return call;
}

static void
run (struct tool_thread *self, struct crew_call *call)
{
  struct crew *crew = self->crew;
  bool ended, quick;

  crash_set_call (call->call.id);
  ended = tool_call_run (&call->call, &self->meter);
  crash_set_call (0);
  quick = ended && call->call.cpu_ns < QUICK_CPU_NS && call->call.wall_ns < QUICK_WALL_NS;
  if (ended)
    deliver (crew, call);
  pthread_mutex_lock (&crew->lock);
  self->current = NULL;
  crew->busy--;
  crew->slow = quick ? 0 : crew->slow + 1;
  crew->quick = quick || (crew->quick && crew->slow < SLOW_IN_ROW);
  if (ended) {
    crew->running--;
    forget (crew, call);
  }
}

/* A call has ended its thread, which may have held any lock of the process: nothing more is to be
 * had of it.  Results of others that are ready are sent. */
static void
on_thread_end (void *arg)
{
  struct tool_thread *self = arg;

  outbox_rescue (self->crew->outbox);
  _exit (WORKER_EXIT_THREAD);
}

static void *
thread_main (void *arg)
{
  struct tool_thread *self = arg;
  struct crew *crew = self->crew;

  (void) prctl (PR_SET_NAME, "tool");
  crash_thread_begin ();
  pthread_cleanup_push (on_thread_end, self);
  pthread_mutex_lock (&crew->lock);
  if (self->unborn)
    crew->waking--;
  self->unborn = false;
  for (;;) {
    struct crew_call *call = take (self);
    struct tool_thread *next = arrange (crew);
    pthread_mutex_unlock (&crew->lock);
    crew_wake (next);
    run (self, call);
  }
  pthread_cleanup_pop (0);
  return NULL;
}

/* ---- start ------------------------------------------------------------------------------ */

static void
on_nag (int number)
{
  (void) number;
}

bool
crew_init (struct crew *crew, struct outbox *outbox, const struct segments *segments,
           size_t result_max, struct error *err)
{
  struct sigaction nag = { .sa_handler = on_nag }; /* without SA_RESTART: waiting calls return */

  memset (crew, 0, sizeof *crew);
  crew->outbox = outbox;
  crew->datagram.data = xmalloc (FRAME_MAX);
  programs_init (&crew->programs);
  roster_init (&crew->roster);
  intake_init (&crew->intake, segments);
  crew->intake.roster = &crew->roster;
  crew->intake.host = &crew->host;
  crew->intake.outbox = outbox;
  crew->intake.programs = &crew->programs;
  crew->intake.result_max = result_max;
  pthread_mutex_init (&crew->lock, NULL);
  plugin_host_init (&crew->host, &port, crew);
  (void) sigaction (SIGUSR2, &nag, NULL);
  crew->control_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  return crew->control_fd >= 0 || error_set (err, "cannot make an eventfd: %s", strerror (errno));
}

bool
crew_start (struct crew *crew, const struct plugin *plugin, unsigned threads, struct error *err)
{
  crew->plugin = crew->intake.plugin = plugin;
  crew->threads_max = plugin->desc.threads == TOOLHOST_PARALLEL ? threads : 1;
  crew->threads = xcalloc (crew->threads_max, sizeof *crew->threads);
  for (size_t i = 0; i < crew->threads_max; i++) {
    crew->threads[i].crew = crew;
    pthread_cond_init (&crew->threads[i].wake, NULL);
  }
  crew->threads_count = 1;
  return start_thread (&crew->threads[0])
         || error_set (err, "cannot start a tool thread: %s", strerror (errno));
}
