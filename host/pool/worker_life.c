#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/probe.h"
#include "pool/building.h"
#include "pool/fleet.h"
#include "pool/program.h"
#include "pool/receive.h"
#include "pool/worker_parts.h"

enum { PRINTED_PER_EVENT = 64 * 1024 /* as much as the pipe holds */ };

/* Seconds between the end of the control socket and that of the process, on a busy machine too. */
static const double DEATH_DUE = 0.5;

/* Seconds until more is read of what is dropped anyway: a plugin that prints without end waits at
 * its pipe, and costs no time here. */
static const double PRINTED_PACE = 0.02;

/* ---- what the plugin prints ---- */

static void
on_output (struct ev_loop *loop, ev_io *io, int revents)
{
  struct worker *worker = io->data;
  char data[PRINTED_PER_EVENT];
  ssize_t n = read (io->fd, data, sizeof data);

  (void) revents;
  if (n == 0 || (n < 0 && errno != EAGAIN))
    ev_io_stop (loop, io);
  else if (n > 0 && !output_print (&worker->printed, ev_now (loop), data, (size_t) n)) {
    ev_io_stop (loop, io);
    ev_timer_start (loop, &worker->pace);
  }
}

static void
on_pace (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct worker *worker = timer->data;

  (void) revents;
  ev_timer_stop (loop, timer);
  ev_timer_set (timer, PRINTED_PACE, 0);
  ev_io_start (loop, &worker->output);
}

/* ---- its channel ---- */

static void
on_ready (struct channel *channel)
{
  struct worker *worker = channel->owner;

  if (!worker_receive (worker)) {
    channel_be_deaf (channel);
    worker->closed = true;
    if (worker->state != WORKER_STOPPING && worker->state != WORKER_KILLED)
      worker_set_timer (worker, DEATH_DUE);
  }
  if (channel->stuck)
    worker_flush (worker); /* it may have made room */
}

static void
on_writable (struct channel *channel)
{
  worker_flush (channel->owner);
}

static const struct channel_events channel_events = { .ready = on_ready, .writable = on_writable };

/* ---- its end ---- */

/* What init told, whole; the pipe holds it all, but a read may end early. */
static bool
read_status (int fd, struct frame_status *status)
{
  char *at = (char *) status, *end = at + sizeof *status;
  ssize_t n;

  while (at < end && ((n = read (fd, at, (size_t) (end - at))) > 0 || (n < 0 && errno == EINTR)))
    at += n > 0 ? n : 0;
  return at == end;
}

static void
conclude (struct worker *worker, struct end *end)
{
  struct end_facts facts = { .decided = worker->decided,
                             .words = worker->words,
                             .killed = worker->state == WORKER_KILLED,
                             .described = worker->described,
                             .unanswered = worker_is_answering (worker),
                             .oom = spawned_used_up_memory (&worker->proc),
                             .claim = worker->claim };

  facts.told = read_status (worker->proc.status, &facts.status);
  if (facts.told)
    watched_ended (&worker->watched, (uint64_t) facts.status.peak_rss_kib << 10,
                   facts.status.cpu_us * 1000);
  end_conclude (end, &facts);
}

static void
unlink_unsent (struct worker *worker)
{
  struct worker **p = &worker->pool->unsent;

  if (!worker->unsent)
    return;
  while (*p != worker)
    p = &(*p)->next_unsent;
  *p = worker->next_unsent;
}

static void
worker_free (struct worker *worker)
{
  struct ev_loop *loop = worker->pool->loop;

  building_end (worker);
  programs_abandon (worker);
  unlink_unsent (worker);
  watchdog_remove (&worker->watched);
  ev_io_stop (loop, &worker->output);
  ev_io_stop (loop, &worker->gone);
  ev_timer_stop (loop, &worker->timer);
  ev_timer_stop (loop, &worker->pace);
  channel_close (&worker->channel);
  spawned_end (worker->pool->settings.spawner, &worker->proc);
  for (unsigned i = 0; i < worker->slots_count; i++)
    buf_free (&worker->slots[i].body);
  free (worker->slots);
  buf_wipe (&worker->hello);
  buf_free (&worker->description);
  output_free (&worker->printed);
  free (worker->guarantees);
  free (worker->words);
  free (worker->claim);
  free (worker->signal);
  free (worker->backtrace);
  worker->pool->workers--;
  free (worker);
}

static bool
is_crash (const struct end *end)
{
  return reason_blame (end->reason) == BLAME_PLUGIN || reason_blame (end->reason) == BLAME_FILE;
}

static void
log_end (const struct worker *worker, const struct end *end)
{
  log_event (worker->pool->log, is_crash (end) ? LOG_ERROR : LOG_INFO,
             is_crash (end) ? "worker_crashed" : "worker_ended", "plugin", worker->name, "pid",
             LOG_INT (worker->proc.pid), "reason", reason_code (end->reason), "why", end->text,
             "signal", worker->signal, "backtrace", worker->backtrace, NULL);
}

/* The process is gone: take what it still said, then tell everybody. */
static void
on_gone (struct ev_loop *loop, ev_io *io, int revents)
{
  struct worker *worker = io->data;
  struct end end;

  (void) revents;
  worker->dead = true;
  worker->channel.rests = false; /* what is there is all */
  while (worker_receive (worker) && worker->channel.received)
    ;
  on_output (loop, &worker->output, EV_READ);
  output_end (&worker->printed);
  conclude (worker, &end);
  PROBE3 (worker__end, worker->name, worker->proc.pid, end.text);
  worker->pool->crashed += is_crash (&end);
  log_end (worker, &end);
  worker->state = WORKER_KILLED; /* it is dead: takes no calls, whoever asks from here on */
  worker->events->ended (worker, &end);
  worker_free (worker);
}

/* ---- its birth ---- */

static void
on_never_there (struct worker *worker, const char *why)
{
  struct end end;

  end_set (&end, REASON_SPAWN_FAILED, why);
  log_event (worker->pool->log, LOG_ERROR, "worker_start_failed", "plugin", worker->name, "reason",
             reason_code (end.reason), "why", why, NULL);
  worker->state = WORKER_KILLED;
  worker->events->ended (worker, &end);
  worker_free (worker);
}

static void
on_started (struct spawned *proc, const char *why)
{
  struct worker *worker = (struct worker *) ((char *) proc - offsetof (struct worker, proc));
  struct error failed = { { 0 } };

  if (why != NULL) {
    on_never_there (worker, why);
    return;
  }
  PROBE2 (worker__start, worker->name, proc->pid);
  log_event (worker->pool->log, LOG_INFO, "worker_started", "plugin", worker->name, "pid",
             LOG_INT (proc->pid), "uid", LOG_INT (proc->uid), NULL);
  ev_io_set (&worker->gone, proc->pidfd, EV_READ);
  ev_io_start (worker->pool->loop, &worker->gone);
  if (worker->state == WORKER_KILLED)
    return;
  if (!channel_open (&worker->channel, worker->pool->loop, &channel_events, worker, proc->control,
                     &worker->hello, &failed))
    worker_kill (worker, REASON_SPAWN_FAILED, failed.text);
  proc->control = -1; /* the channel's */
  buf_wipe (&worker->hello);
}

static void
watch (struct worker *worker)
{
  struct ev_loop *loop = worker->pool->loop;

  ev_io_init (&worker->output, on_output, worker->proc.output, EV_READ);
  ev_init (&worker->gone, on_gone);
  ev_timer_init (&worker->timer, worker_on_timer, 0, 0);
  ev_timer_init (&worker->pace, on_pace, PRINTED_PACE, 0);
  worker->output.data = worker->gone.data = worker->timer.data = worker->pace.data = worker;
  ev_io_start (loop, &worker->output);
}

double
worker_build_time (const struct pool *pool, const struct policy *policy)
{
  return building_waits (policy) ? pool->settings.build_timeout : pool->settings.start_timeout;
}

struct worker *
worker_new (const struct worker_needs *needs, struct error *err)
{
  struct pool *pool = needs->pool;
  const struct policy *policy = needs->policy;
  const struct spawn_order order = {
    .plugin_fd = needs->plugin_fd, .name = needs->name, .policy = policy, .started = on_started
  };
  struct worker *worker = xcalloc (1, sizeof *worker);

  if (!worker_spawn (pool->settings.spawner, &order, &worker->proc, err)) {
    free (worker);
    return NULL;
  }
  worker->pool = pool;
  worker->fleet = needs->fleet;
  worker->events = needs->events;
  worker->name = needs->name;
  output_init (&worker->printed, pool->log, worker->name);
  worker->policy = policy;
  worker->watched.over = worker_on_over;
  worker->watched.effort_changed = worker_on_effort_changed;
  worker->calm = needs->calm;
  worker->programs = policy->exec != NULL && policy->exec[0] != NULL;
  worker->nonces = (pool->nonce_seed + pool->started * 0x9E3779B97F4A7C15U) >> 16;
  worker->born = worker->last_used = pool_now ();
  pool->workers++;
  pool->started++;
  watch (worker);
  worker_set_timer (worker, pool->settings.start_timeout
                              + (needs->fleet->order.feature != NULL && building_waits (policy)
                                   ? worker_build_time (pool, policy)
                                   : 0));
  buf_append (&worker->hello, needs->hello->data, needs->hello->len);
  return worker;
}
