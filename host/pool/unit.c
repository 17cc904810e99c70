#include "pool/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/probe.h"
#include "pool/checking.h"
#include "pool/fleet.h"
#include "pool/isolate.h"
#include "pool/queue.h"
#include "pool/worker.h"

enum { WANT_RETRY_MS = 1000 }; /* after which descriptors or memory may be there again */

struct unit {
  struct fleet fleet; /* first */
  unsigned refs;
  struct unit_describer describer;
  struct queue queue;
};

static struct unit *
unit_of (const struct fleet *fleet)
{
  return (struct unit *) fleet;
}

/* ---- queue ---- */

/* A job has left the queue, or come in. */
static void
count_waiting (struct job *job, int change)
{
  if (job->waiting != NULL)
    *job->waiting += (unsigned) change;
}

static void
fail (struct unit *unit, struct job *job, const char *why, int64_t retry_after_ms)
{
  struct job_end end = { .fate = JOB_UNAVAILABLE, .text = why, .retry_after_ms = retry_after_ms };

  queue_remove (&unit->queue, job);
  count_waiting (job, -1);
  job->unit = NULL;
  job->events->ended (job, &end);
}

static void
fail_queue (struct unit *unit, const char *why, int64_t retry_after_ms)
{
  struct job *job;

  while ((job = queue_any (&unit->queue)) != NULL)
    fail (unit, job, why, retry_after_ms);
}

/* True: on with the next one. */
static bool
start (struct unit *unit, struct worker *worker, struct job *job)
{
  const struct tenant *tenant = queue_tenant (job);

  switch (worker_run (worker, job)) {
  case WORKER_RUNS:
    worker_count_for (worker, job, queue_take (&unit->queue, job));
    count_waiting (job, -1);
    PROBE3 (queue__pop, unit->fleet.name, job->id, worker->proc.pid);
    unit->fleet.history->calls++;
    isolate_given (&unit->fleet, worker, tenant);
    job->events->started (job);
    return true;
  case WORKER_RUNS_NEVER:
    fail (unit, job, "there is no descriptor or memory for its arguments", WANT_RETRY_MS);
    return true;
  case WORKER_RUNS_LATER:
    break;
  }
  return false;
}

/* Whose turn it is has no process it may use: those that have one go on meanwhile. */
static void
dispatch_others (struct unit *unit)
{
  struct job *job;

  for (struct worker *w = unit->fleet.workers; w != NULL; w = w->next)
    while (w->tenant != NULL && worker_has_room (w)
           && (job = queue_next (&unit->queue, w->tenant->name)) != NULL && start (unit, w, job))
      ;
  isolate_make_room (&unit->fleet);
}

/* Give the workers what they have room for.  A job that its worker could not take stays where it
 * is; the worker says when it is worth another try. */
static void
dispatch (struct unit *unit)
{
  struct worker *worker;
  struct job *job;

  while ((job = queue_next (&unit->queue, NULL)) != NULL) {
    worker = isolate_pick (&unit->fleet, queue_tenant (job));
    if (worker == NULL && unit->fleet.policy.isolate == ISOLATE_TENANT)
      dispatch_others (unit);
    if (worker == NULL || !start (unit, worker, job))
      return;
  }
}

static void
on_wake (void *ctx)
{
  dispatch (ctx);
}

/* ---- what the fleet asks and reports ---- */

static unsigned
on_waiting (const struct fleet *fleet)
{
  return queue_count (&unit_of (fleet)->queue);
}

static void
on_room (struct fleet *fleet)
{
  dispatch (unit_of (fleet));
}

static void
on_shut (struct fleet *fleet, const char *why, int64_t retry_after_ms)
{
  fail_queue (unit_of (fleet), why, retry_after_ms);
}

static void
on_described (struct fleet *fleet, const char *json, size_t len, const struct error *err)
{
  struct unit *unit = unit_of (fleet);
  struct unit_describer describer = unit->describer;

  unit_forget_describer (unit);
  if (describer.described != NULL)
    describer.described (describer.ctx, json, len, err);
}

static void
unit_free (struct unit *unit)
{
  fleet_clear (&unit->fleet);
  queue_clear (&unit->queue);
  free (unit);
}

static void
on_empty (struct fleet *fleet)
{
  if (unit_of (fleet)->refs == 0)
    unit_free (unit_of (fleet));
}

static const struct fleet_events fleet_events = { .waiting = on_waiting,
                                                  .room = on_room,
                                                  .shut = on_shut,
                                                  .described = on_described,
                                                  .empty = on_empty };

/* ---- the unit ---- */

static struct unit *
make_unit (struct fleet_needs *needs)
{
  struct unit *unit = xcalloc (1, sizeof *unit);
  const struct policy *policy = needs->policy;

  unit->refs = 1;
  needs->events = &fleet_events;
  needs->generation = ++needs->history->generations;
  fleet_init (&unit->fleet, needs);
  queue_init (&unit->queue, &(struct queue_settings){ .tenants = &needs->pool->tenants,
                                                      .max = (unsigned) policy->queue,
                                                      .per_tenant = (unsigned) policy->per_tenant,
                                                      .wake = on_wake,
                                                      .ctx = unit });
  return unit;
}

struct unit *
unit_new (struct pool *pool, const char *name, int plugin_fd, const struct policy *policy,
          struct history *history)
{
  struct fleet_needs needs = {
    .pool = pool, .name = name, .plugin_fd = plugin_fd, .policy = policy, .history = history
  };
  struct unit *unit;

  needs.history = history != NULL ? history_ref (history) : history_new ();
  unit = make_unit (&needs);
  history_unref (needs.history);
  return unit;
}

struct unit *
unit_new_built (const struct unit *of, const struct build_order *order)
{
  const struct fleet *fleet = &of->fleet;
  struct fleet_needs needs = { .pool = fleet->pool,
                               .name = fleet->name,
                               .plugin_fd = fcntl (fleet->plugin_fd, F_DUPFD_CLOEXEC, 3),
                               .policy = &fleet->policy,
                               .order = order,
                               .history = history_new () };
  struct unit *unit = make_unit (&needs);

  history_unref (needs.history);
  return unit;
}

struct unit *
unit_ref (struct unit *unit)
{
  unit->refs++;
  return unit;
}

void
unit_unref (struct unit *unit)
{
  if (unit == NULL || --unit->refs != 0)
    return;
  unit_forget_describer (unit);
  fleet_end (&unit->fleet, REASON_REPLACED);
  if (unit->fleet.workers == NULL)
    unit_free (unit); /* else the end of the last worker does it */
}

void
unit_forget_describer (struct unit *unit)
{
  memset (&unit->describer, 0, sizeof unit->describer);
}

void
unit_describe (struct unit *unit, const struct unit_describer *describer)
{
  unit->describer = *describer;
  fleet_describe (&unit->fleet, describer->warm);
}

void
unit_set_description (struct unit *unit, const char *json, size_t len)
{
  fleet_expect (&unit->fleet, json, len);
}

void
unit_set_capacity (struct unit *unit, unsigned calls)
{
  fleet_set_capacity (&unit->fleet, calls);
}

void
unit_serve (struct unit *unit)
{
  fleet_serve (&unit->fleet);
}

static struct unit_answer
unavailable (const char *why, int64_t retry_after_ms)
{
  return (struct unit_answer){ .refusal = UNIT_UNAVAILABLE,
                               .why = why,
                               .retry_after_ms = retry_after_ms };
}

/* What a tool has no less of than its plugin. */
static void
fill_limits (const struct unit *unit, struct job *job)
{
  if (job->cpu_ms == 0)
    job->cpu_ms = (uint32_t) unit->fleet.policy.cpu_ms;
  if (job->result_max == 0)
    job->result_max = (size_t) unit->fleet.policy.result;
}

/* The one that has no place in a full queue is told; false when it is the newcomer. */
static bool
enqueue (struct unit *unit, struct job *job)
{
  struct job_end end = { .fate = JOB_OVERLOADED,
                         .text = "lost its place in the queue to a caller with fewer calls",
                         .retry_after_ms = queue_retry_ms (&unit->queue) };
  struct job *loser;

  if (job->waiting != NULL && *job->waiting >= job->waiting_max)
    return false;
  loser = queue_put (&unit->queue, job);
  if (loser == job)
    return false;
  job->unit = unit;
  count_waiting (job, 1);
  PROBE2 (queue__push, unit->fleet.name, job->id);
  if (loser != NULL) {
    count_waiting (loser, -1);
    loser->unit = NULL;
    loser->events->ended (loser, &end);
  }
  return true;
}

struct unit_answer
unit_submit (struct unit *unit, struct job *job)
{
  int64_t retry_after_ms;
  const char *why = fleet_admit (&unit->fleet, job->deadline_ns, &retry_after_ms);

  if (why != NULL)
    return unavailable (why, retry_after_ms);
  fill_limits (unit, job);
  job->sent_ns = job->ended_ns = 0;
  if (!enqueue (unit, job))
    return (struct unit_answer){ .refusal = UNIT_QUEUE_FULL,
                                 .why = "too many calls are waiting for the plugin",
                                 .retry_after_ms = queue_retry_ms (&unit->queue) };
  dispatch (unit);
  fleet_want (&unit->fleet);
  return (struct unit_answer){ .refusal = UNIT_TAKEN };
}

void
job_cancel (struct job *job, enum frame_cancel_reason reason)
{
  struct unit *unit = job->unit;

  if (job->checking != NULL)
    checking_forget (job);
  else if (job->worker != NULL)
    worker_cancel (job->worker, job, reason);
  else if (unit != NULL) {
    queue_remove (&unit->queue, job);
    count_waiting (job, -1);
  }
  job->unit = NULL;
  if (unit != NULL)
    fleet_lost_call (&unit->fleet);
}

bool
job_interrupt (struct job *job)
{
  if (job->worker == NULL || job->checking != NULL)
    return false;
  worker_interrupt (job->worker, job);
  return true;
}

void
unit_release (struct unit *unit)
{
  fleet_release (&unit->fleet);
}

void
unit_supersede (struct unit *unit)
{
  fleet_supersede (&unit->fleet);
}

void
unit_shutdown (struct unit *unit)
{
  fail_queue (unit, "the host is shutting down", 0);
  fleet_end (&unit->fleet, REASON_SHUTDOWN);
}

const char *
unit_tenant (const struct unit *unit)
{
  return unit->fleet.order.tenant;
}

bool
unit_may_pass (const struct unit *unit)
{
  const struct past *last = history_past (unit->fleet.history, 0);

  return last != NULL && reason_may_pass (last->end.reason);
}

const struct policy *
unit_policy (const struct unit *unit)
{
  return &unit->fleet.policy;
}

void
unit_status (const struct unit *unit, struct unit_status *status)
{
  const struct history *history = unit->fleet.history;
  struct fleet_status fleet;

  fleet_status (&unit->fleet, &fleet);
  *status =
    (struct unit_status){ .state = fleet.state,
                          .why = unit->fleet.why,
                          .wait_ms = fleet.wait_ms,
                          .generation = unit->fleet.generation,
                          .workers = fleet.workers,
                          .starting = fleet.starting,
                          .running = fleet.running,
                          .idle = fleet.idle,
                          .busy = fleet.busy,
                          .leaving = fleet.leaving,
                          .queued = queue_count (&unit->queue),
                          .rss = fleet.rss,
                          .rss_peak =
                            fleet.rss_peak > history->rss_peak ? fleet.rss_peak : history->rss_peak,
                          .cpu_ns = fleet.cpu_ns + history->cpu_ns,
                          .guarantees = fleet_guarantees (&unit->fleet) };
}
