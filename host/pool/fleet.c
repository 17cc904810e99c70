#include "pool/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "pool/hello.h"
#include "pool/worker.h"

/* For so long those that follow a heavy one start calm. */
static const double CALM_SECONDS = 10;

static const char QUARANTINED[] = "the plugin crashed too often and is quarantined";
static const char UNLOADABLE[] = "the plugin can't be loaded";

/* ---- how many ---- */

/* The processes by what can be expected of them. */
struct muster {
  unsigned usable;   /* run, or will, and are not due */
  unsigned starting; /* of them */
  unsigned due;      /* serve until their replacement is ready */
  unsigned last;     /* run the only call they were for */
  unsigned ready;    /* described */
  unsigned room;     /* calls that those which run can take now */
  unsigned waiting;  /* of the usable ones, those whose calls all wait for other tools */
};

static struct muster
muster (const struct fleet *fleet)
{
  struct muster m = { 0 };

  for (const struct worker *w = fleet->workers; w != NULL; w = w->next) {
    m.last += w->state == WORKER_RETIRING && fleet->policy.isolate == ISOLATE_CALL;
    if (w->state != WORKER_STARTING && w->state != WORKER_READY)
      continue;
    m.starting += w->state == WORKER_STARTING;
    m.ready += w->state == WORKER_READY;
    m.room += w->slots_count - w->running;
    if (w->due)
      m.due++;
    else {
      m.usable++;
      m.waiting += w->slots_count != 0 && w->invoking == w->slots_count;
    }
  }
  return m;
}

/* Who waits for other tools has no place of a process that they may need: so many more may there be
 * as calls may wait for one another. */
static unsigned
at_most_deep (unsigned waiting)
{
  return waiting < FRAME_INVOKE_DEPTH_MAX ? waiting : FRAME_INVOKE_DEPTH_MAX;
}

static bool
wants_another (const struct fleet *fleet)
{
  const unsigned waiting = fleet->events->waiting (fleet);
  const unsigned capacity = fleet->capacity != 0 ? fleet->capacity : 1;
  const struct muster m = muster (fleet);

  if (m.usable + m.last == 0 && waiting != 0)
    return true;
  if (fleet->breaker.circuit != CIRCUIT_CLOSED)
    return false;
  if (fleet->breaker.backoff != 0 && m.starting != 0)
    return false; /* one at a time until it works again */
  if (m.usable < fleet->ready || (m.due != 0 && m.starting == 0))
    return true;
  if (m.usable + m.last - at_most_deep (m.waiting) >= (unsigned) fleet->policy.workers_max)
    return false;
  return waiting > m.room + m.starting * capacity || (fleet->lacks && m.starting == 0);
}

/* ---- starting ---- */

static void
set_why (struct fleet *fleet, const char *why)
{
  free (fleet->why);
  fleet->why = xstrdup (why);
}

static void
remember (struct fleet *fleet, const struct end *end, int pid)
{
  struct past past = {
    .at_ms = clock_wall_ms (), .generation = fleet->generation, .pid = pid, .end = *end
  };

  history_add (fleet->history, &past);
  if (reason_blame (end->reason) != BLAME_NOBODY)
    set_why (fleet, end->text);
}

static void
tell_described (struct fleet *fleet, const char *json, size_t len, const struct error *err)
{
  if (!fleet->describing)
    return;
  fleet->describing = false;
  if (json == NULL)
    fleet->ready = 0; /* until it is asked again, or serves */
  fleet->events->described (fleet, json, len, err);
}

static const struct worker_events worker_events;

static bool
start_one (struct fleet *fleet, struct error *err)
{
  CLEANUP_BUF struct buf hello = { 0 };
  const struct worker_needs needs = { .pool = fleet->pool,
                                      .fleet = fleet,
                                      .events = &worker_events,
                                      .name = fleet->name,
                                      .plugin_fd = fleet->plugin_fd,
                                      .policy = &fleet->policy,
                                      .hello = &hello,
                                      .calm = pool_now () < fleet->history->calm_until };
  struct worker *worker;
  struct end end;

  hello_write (&hello, fleet->pool->settings.build, fleet->name, &fleet->policy, &fleet->order,
               (int64_t) (worker_build_time (fleet->pool, &fleet->policy) * 1000),
               spawner_means (fleet->pool->settings.spawner)->cgroup == 2);
  worker = worker_new (&needs, err);
  buf_wipe (&hello); /* it may hold secrets */
  if (worker == NULL) {
    end_set (&end, REASON_SPAWN_FAILED, err->text);
    remember (fleet, &end, 0);
    breaker_failed (&fleet->breaker, pool_now (), pool_random (fleet->pool));
    log_event (fleet->pool->log, LOG_ERROR, "worker_start_failed", "plugin", fleet->name, "reason",
               reason_code (end.reason), "why", err->text, NULL);
    return false;
  }
  /* the log heard what it says while it builds from the first */
  worker->repeats = fleet->order.feature != NULL && fleet->description != NULL;
  fleet->lacks = false;
  fleet->history->starts++;
  fleet->history->alive++;
  worker->next = fleet->workers;
  fleet->workers = worker;
  return true;
}

static void
arm_later (struct fleet *fleet, double seconds)
{
  ev_timer_stop (fleet->pool->loop, &fleet->later);
  ev_timer_set (&fleet->later, seconds, 0);
  ev_timer_start (fleet->pool->loop, &fleet->later);
}

/* False: it could not be started, and nothing may follow. */
static bool
start_or_tell (struct fleet *fleet)
{
  struct error err = { 0 };

  if (start_one (fleet, &err) || !fleet->describing)
    return true;
  tell_described (fleet, NULL, 0, &err);
  return false;
}

/* Start what is wanted, as far as the breaker lets it.  A start that fails ends the description of
 * a fleet that has nothing else; nothing may follow this call then. */
static void
top_up (struct fleet *fleet)
{
  double wait;

  while (!fleet->broken && !fleet->ending && wants_another (fleet)) {
    wait = breaker_wait (&fleet->breaker, pool_now ());
    if (wait > 0)
      arm_later (fleet, wait);
    if (wait != 0 || !start_or_tell (fleet))
      return;
  }
}

static void
on_later (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  top_up (timer->data);
}

/* ---- recycling ---- */

static bool
has_served (const struct fleet *fleet, const struct worker *worker, double now)
{
  const struct policy *policy = &fleet->policy;

  return (policy->recycle_calls != 0 && worker->served >= (uint64_t) policy->recycle_calls)
         || (policy->recycle_age_ms != 0
             && (now - worker->born) * 1000 >= (double) policy->recycle_age_ms);
}

/* One has become ready: it takes the place of one that is due. */
static void
relieve (struct fleet *fleet)
{
  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (w->due && w->state == WORKER_READY) {
      worker_retire (w, REASON_RECYCLED);
      return;
    }
}

/* ---- what a worker reports ---- */

static bool
as_known (const struct fleet *fleet, const char *json, size_t len)
{
  return fleet->description == NULL
         || (fleet->description_len == len && memcmp (fleet->description, json, len) == 0);
}

static void
keep_guarantees (struct fleet *fleet, const struct worker *worker)
{
  if (worker->guarantees == NULL)
    return;
  free (fleet->guarantees);
  fleet->guarantees = xstrdup (worker->guarantees);
}

/* Those that became ready before it was known how much they take. */
static void
open_up (struct fleet *fleet)
{
  const unsigned capacity = fleet->capacity != 0 ? fleet->capacity : 1;

  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (w->state == WORKER_READY && w->slots == NULL)
      worker_set_capacity (w, capacity);
}

/* Has it nothing to do that would be a reason to keep it? */
static bool
is_superfluous (const struct fleet *fleet, const struct worker *worker)
{
  return worker->state == WORKER_READY && worker->running == 0
         && fleet->events->waiting (fleet) == 0 && muster (fleet).usable > fleet->ready;
}

/* What a build was made of, a file or a server say, may be another by now: whoever built it builds
 * it anew. */
static void
want_build (struct fleet *fleet)
{
  const struct pool_rebuilder *rebuilder = &fleet->pool->rebuilder;
  const char *feature = fleet->order.feature;

  if (rebuilder->rebuild != NULL)
    rebuilder->rebuild (rebuilder->ctx, fleet->name, fleet->order.tenant, feature,
                        strlen (feature));
}

static void
on_described (struct worker *worker, const char *json, size_t len)
{
  struct fleet *fleet = worker->fleet;
  const bool asked = fleet->describing;

  if (!as_known (fleet, json, len) && fleet->order.feature != NULL) {
    want_build (fleet);
    worker_kill (worker, REASON_SPAWN_FAILED,
                 "builds other tools than before: they are to be built anew");
    return;
  }
  if (!as_known (fleet, json, len)) {
    worker_kill (worker, REASON_PROTOCOL,
                 "describes its plugin otherwise than before: the file was written over while in "
                 "use");
    return;
  }
  keep_guarantees (fleet, worker);
  if (fleet->describing) {
    fleet_expect (fleet, json, len);
    if (muster (fleet).ready < fleet->ready)
      return;         /* the others are still to come */
    fleet->ready = 0; /* until fleet_serve */
    tell_described (fleet, json, len, NULL);
  }
  open_up (fleet);
  relieve (fleet);
  fleet->events->room (fleet);
  if (asked && !fleet->stays && is_superfluous (fleet, worker))
    worker_stop (worker, REASON_STOPPED);
}

static void
on_answered (struct worker *worker)
{
  struct fleet *fleet = worker->fleet;

  worker->served++;
  if (worker->state != WORKER_READY && worker->state != WORKER_RETIRING)
    return;
  breaker_answered (&fleet->breaker);
  worker->due = worker->due || has_served (fleet, worker, worker->last_used); /* just now */
}

static void
on_freed (struct worker *worker)
{
  struct fleet *fleet = worker->fleet;

  fleet->events->room (fleet);
  if (fleet->superseded && is_superfluous (fleet, worker))
    worker_stop (worker, REASON_REPLACED);
  top_up (fleet);
}

static void
on_condemned (struct worker *worker)
{
  struct fleet *fleet = worker->fleet;
  struct error err = { 0 };

  if (!fleet->broken && !fleet->ending && !fleet->superseded && muster (fleet).usable == 0
      && breaker_wait (&fleet->breaker, pool_now ()) == 0)
    (void) start_one (fleet, &err); /* at once: somebody used it a moment ago */
  top_up (fleet);
}

/* How long until it should be looked at again; 0: it was told to stop. */
static double
on_rest (struct worker *worker)
{
  struct fleet *fleet = worker->fleet;
  const double idle_stop = fleet->pool->settings.idle_stop;
  const double age = (double) fleet->policy.recycle_age_ms / 1000, now = pool_now ();
  double left = worker->running != 0 ? idle_stop : idle_stop - (now - worker->last_used);

  if (worker->due)
    return idle_stop;
  if (has_served (fleet, worker, now) || left <= 0) {
    if (is_superfluous (fleet, worker)) {
      worker_stop (worker, left <= 0 ? REASON_IDLE : REASON_RECYCLED);
      return 0;
    }
    worker->due = has_served (fleet, worker, now);
    top_up (fleet);
    left = idle_stop;
  }
  return age != 0 && !worker->due && worker->born + age - now < left ? worker->born + age - now
                                                                     : left;
}

/* ---- what follows from an end ---- */

static void
quarantine (struct fleet *fleet)
{
  const int64_t ms = (int64_t) (fleet->breaker.quarantine * 1000);

  log_event (fleet->pool->log, LOG_ERROR, "plugin_quarantined", "plugin", fleet->name, "why",
             fleet->why, "for_ms", LOG_INT (ms), NULL);
  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    worker_retire (w, REASON_STOPPED);
  fleet->events->shut (fleet, QUARANTINED, ms);
}

static void
take_blame (struct fleet *fleet, const struct end *end)
{
  const double now = pool_now (), random = pool_random (fleet->pool);

  switch (reason_blame (end->reason)) {
  case BLAME_PLUGIN:
    if (breaker_crashed (&fleet->breaker, now, random))
      quarantine (fleet);
    break;
  case BLAME_SYSTEM:
    breaker_failed (&fleet->breaker, now, random);
    break;
  case BLAME_FILE:
    fleet->broken = true;
    fleet->events->shut (fleet, UNLOADABLE, 0);
    break;
  case BLAME_CALL:
  case BLAME_NOBODY:
    break;
  }
}

static void
unlink_worker (struct fleet *fleet, struct worker *worker)
{
  struct worker **p = &fleet->workers;

  while (*p != worker)
    p = &(*p)->next;
  *p = worker->next;
  fleet->history->alive--;
}

/* One that fails at its calls takes others' time with its starts. */
static void
keep_effort (struct history *history, const struct worker *worker, const struct end *end)
{
  if (worker_was_heavy (worker) || reason_blame (end->reason) == BLAME_PLUGIN)
    history->calm_until = pool_now () + CALM_SECONDS;
}

static void
keep_cost (struct history *history, const struct watched *watched)
{
  history->cpu_ns += watched->cpu_ns;
  if (watched->rss_peak > history->rss_peak)
    history->rss_peak = watched->rss_peak;
}

/* The worker stays in the list while others hear of its end, so that the fleet stays as well. */
static void
on_ended (struct worker *worker, const struct end *end)
{
  struct fleet *fleet = worker->fleet;
  struct error err = { 0 };

  keep_guarantees (fleet, worker);
  remember (fleet, end, worker->proc.pid);
  keep_cost (fleet->history, &worker->watched);
  keep_effort (fleet->history, worker, end);
  take_blame (fleet, end);
  worker_end_jobs (worker, end);
  error_set (&err, "%s%s", reason_blame (end->reason) == BLAME_FILE ? "" : "its process ",
             end->text);
  tell_described (fleet, NULL, 0, &err);
  fleet_lost_call (fleet);
  top_up (fleet);
  unlink_worker (fleet, worker);
  if (fleet->workers == NULL)
    fleet->events->empty (fleet);
}

static const struct worker_events worker_events = { .described = on_described,
                                                    .answered = on_answered,
                                                    .freed = on_freed,
                                                    .condemned = on_condemned,
                                                    .rest = on_rest,
                                                    .ended = on_ended };

/* ---- for the unit ---- */

void
fleet_init (struct fleet *fleet, const struct fleet_needs *needs)
{
  *fleet = (struct fleet){ .pool = needs->pool,
                           .events = needs->events,
                           .history = history_ref (needs->history),
                           .name = xstrdup (needs->name),
                           .generation = needs->generation,
                           .plugin_fd = needs->plugin_fd };
  policy_copy (&fleet->policy, needs->policy);
  if (needs->order != NULL)
    fleet->order = (struct build_order){ .tenant = xstrdup (needs->order->tenant),
                                         .feature = xstrdup (needs->order->feature),
                                         .config = xstrdup (needs->order->config) };
  fleet->pool->workers_max +=
    (unsigned) needs->policy->workers_max + granted_at_once (&needs->policy->programs);
  breaker_init (&fleet->breaker, &needs->pool->settings.breaker);
  ev_timer_init (&fleet->later, on_later, 0, 0);
  fleet->later.data = fleet;
}

void
fleet_clear (struct fleet *fleet)
{
  ev_timer_stop (fleet->pool->loop, &fleet->later);
  breaker_clear (&fleet->breaker);
  (void) close (fleet->plugin_fd);
  fleet->pool->workers_max -=
    (unsigned) fleet->policy.workers_max + granted_at_once (&fleet->policy.programs);
  policy_free (&fleet->policy);
  free (fleet->order.tenant);
  free (fleet->order.feature);
  free (fleet->order.config);
  history_unref (fleet->history);
  free (fleet->name);
  free (fleet->description);
  free (fleet->why);
  free (fleet->guarantees);
}

void
fleet_describe (struct fleet *fleet, unsigned warm)
{
  fleet->describing = true;
  fleet->stays = warm != 0;
  fleet->ready = warm != 0 ? warm : 1;
  top_up (fleet);
}

void
fleet_expect (struct fleet *fleet, const char *json, size_t len)
{
  free (fleet->description);
  fleet->description = xstrndup (json, len);
  fleet->description_len = len;
}

void
fleet_set_capacity (struct fleet *fleet, unsigned calls)
{
  fleet->capacity = fleet->policy.isolate == ISOLATE_CALL ? 1 : calls;
}

void
fleet_serve (struct fleet *fleet)
{
  fleet->ready = (unsigned) fleet->policy.workers_ready;
  top_up (fleet);
}

static int64_t
as_ms (double seconds)
{
  return (int64_t) (seconds * 1000) + 1;
}

const char *
fleet_admit (struct fleet *fleet, int64_t deadline_ns, int64_t *retry_after_ms)
{
  double now, wait;

  *retry_after_ms = 0;
  if (fleet->broken)
    return UNLOADABLE;
  if (fleet->ending)
    return "the host is shutting down";
  if (fleet->breaker.circuit == CIRCUIT_CLOSED && muster (fleet).usable != 0)
    return NULL;
  now = pool_now ();
  wait = breaker_admit (&fleet->breaker, now);
  if (wait > 0) {
    *retry_after_ms = as_ms (wait);
    return QUARANTINED;
  }
  wait = breaker_wait (&fleet->breaker, now);
  if (muster (fleet).usable == 0 && as_ms (wait) * 1000000 > deadline_ns - clock_ns ()
      && wait > 0) {
    *retry_after_ms = as_ms (wait);
    return "the plugin crashed and is not started again yet";
  }
  return NULL;
}

void
fleet_want (struct fleet *fleet)
{
  top_up (fleet);
}

bool
fleet_is_full (const struct fleet *fleet)
{
  const struct muster m = muster (fleet);
  return m.usable + m.last >= (unsigned) fleet->policy.workers_max;
}

void
fleet_want_one (struct fleet *fleet)
{
  fleet->lacks = true;
  top_up (fleet);
}

void
fleet_lost_call (struct fleet *fleet)
{
  if (fleet->breaker.circuit != CIRCUIT_HALF_OPEN || fleet->events->waiting (fleet) != 0)
    return;
  for (const struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (worker_is_answering (w))
      return;
  breaker_undecided (&fleet->breaker);
}

void
fleet_release (struct fleet *fleet)
{
  fleet->broken = false;
  ev_timer_stop (fleet->pool->loop, &fleet->later);
  breaker_release (&fleet->breaker);
  top_up (fleet);
}

void
fleet_supersede (struct fleet *fleet)
{
  fleet->superseded = true;
  fleet->ready = 0;
  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (is_superfluous (fleet, w))
      worker_stop (w, REASON_REPLACED);
}

void
fleet_end (struct fleet *fleet, enum reason reason)
{
  fleet->ending = true;
  fleet->describing = false;
  ev_timer_stop (fleet->pool->loop, &fleet->later);
  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    worker_stop (w, reason);
}

/* ---- for people ---- */

static const char *
state_name (const struct fleet *fleet, const struct muster *m, double wait)
{
  if (fleet->broken)
    return "broken";
  if (fleet->ending || fleet->superseded)
    return "draining";
  if (fleet->breaker.circuit == CIRCUIT_OPEN && fleet->breaker.try_at > pool_now ())
    return "quarantined";
  if (fleet->breaker.circuit != CIRCUIT_CLOSED)
    return "half_open";
  if (m->ready != 0)
    return "running";
  if (m->starting != 0)
    return "starting";
  return wait > 0 ? "backing_off" : "idle";
}

const char *
fleet_guarantees (const struct fleet *fleet)
{
  const char *told = fleet->guarantees;

  for (const struct worker *w = fleet->workers; told == NULL && w != NULL; w = w->next)
    told = w->guarantees;
  return told;
}

void
fleet_status (const struct fleet *fleet, struct fleet_status *status)
{
  const double now = pool_now ();
  const struct muster m = muster (fleet);
  const bool open = fleet->breaker.circuit == CIRCUIT_OPEN;
  const double wait = open ? fleet->breaker.try_at - now : breaker_wait (&fleet->breaker, now);

  *status = (struct fleet_status){ .state = state_name (fleet, &m, wait),
                                   .wait_ms = wait > 0 ? as_ms (wait) : 0,
                                   .starting = m.starting };
  for (const struct worker *w = fleet->workers; w != NULL; w = w->next) {
    status->workers++;
    status->running += w->running;
    status->idle += w->state == WORKER_READY && w->running == 0;
    status->busy += w->state == WORKER_READY && w->running != 0;
    status->leaving += w->state > WORKER_READY;
    status->rss += w->watched.rss;
    status->cpu_ns += w->watched.cpu_ns;
    if (w->watched.rss_peak > status->rss_peak)
      status->rss_peak = w->watched.rss_peak;
  }
}
