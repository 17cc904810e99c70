#include "pool/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "pool/queue.h"
#include "pool/worker.h"

struct unit {
  unsigned refs;
  struct pool *pool;
  char *name;
  int plugin_fd;
  struct policy policy;
  unsigned capacity; /* calls a process takes; 0: not described yet */
  char *description; /* as it is known; NULL: not yet */
  size_t description_len;
  struct unit_describer describer;
  struct queue queue;
  struct worker *workers;
  unsigned starting;
  unsigned crashes_in_row;
  ev_timer backoff;
  bool broken; /* its plugin can't be loaded */
  bool quarantined;
  bool ending; /* no new workers */
  char *why;
  char *guarantees;
  uint64_t calls, starts, crashes;
};

static void start_worker (struct unit *unit);

/* ---- queue ---- */

static void
fail_queue (struct unit *unit, const char *why, int64_t retry_after_ms)
{
  struct job_end end = { .fate = JOB_UNAVAILABLE, .text = why, .retry_after_ms = retry_after_ms };
  struct job *job;

  while ((job = queue_any (&unit->queue)) != NULL) {
    queue_remove (&unit->queue, job);
    job->unit = NULL;
    job->events->ended (job, &end);
  }
}

static struct worker *
worker_with_room (const struct unit *unit)
{
  for (struct worker *w = unit->workers; w != NULL; w = w->next)
    if (worker_has_room (w))
      return w;
  return NULL;
}

/* Give the workers what they have room for.  A job that its worker could not take stays where it
 * is; the worker says when it is worth another try. */
static void
dispatch (struct unit *unit)
{
  struct worker *worker;
  struct job *job;

  while ((worker = worker_with_room (unit)) != NULL
         && (job = queue_next (&unit->queue, NULL)) != NULL && worker_run (worker, job)) {
    worker_count_for (worker, job, queue_take (&unit->queue, job));
    unit->calls++;
    job->events->started (job);
  }
}

static void
on_wake (void *ctx)
{
  dispatch (ctx);
}

/* ---- back-off ---- */

static double
backoff_seconds (const struct unit *unit)
{
  double seconds = unit->pool->settings.backoff_min;

  for (unsigned i = 1; i < unit->crashes_in_row; i++) {
    seconds *= 2;
    if (seconds >= unit->pool->settings.backoff_max)
      return unit->pool->settings.backoff_max;
  }
  return seconds;
}

static void
on_backoff (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct unit *unit = timer->data;

  (void) loop;
  (void) revents;
  if (queue_count (&unit->queue) != 0)
    start_worker (unit);
}

static int64_t
backoff_left_ms (const struct unit *unit)
{
  if (!ev_is_active (&unit->backoff))
    return 0;
  return (int64_t) (ev_timer_remaining (unit->pool->loop, (ev_timer *) &unit->backoff) * 1000) + 1;
}

/* ---- workers ---- */

static void
append_paths (struct json_writer *w, const char *name, char *const *paths)
{
  jsonw_name (w, name);
  jsonw_array (w);
  for (; paths != NULL && *paths != NULL; paths++)
    jsonw_string (w, *paths);
  jsonw_end (w);
}

static void
append_sandbox (struct json_writer *w, const struct policy *policy)
{
  jsonw_name (w, "sandbox");
  jsonw_object (w);
  jsonw_name (w, "require");
  jsonw_array (w);
  for (unsigned i = 0; guarantee_names[i] != NULL; i++)
    if (policy->require & 1U << i)
      jsonw_string (w, guarantee_names[i]);
  jsonw_end (w);
  append_paths (w, "read", policy->read);
  append_paths (w, "write", policy->write);
  jsonw_name_int (w, "memory", policy->memory);
  jsonw_name_int (w, "files", policy->files);
  jsonw_name_int (w, "tmp", policy->tmp);
  jsonw_name_int (w, "processes", policy->processes);
  jsonw_end (w);
}

static void
write_hello (const struct unit *unit, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "build", unit->pool->settings.build);
  jsonw_name_string (&w, "plugin", unit->name);
  jsonw_name_int (&w, "threads", unit->policy.threads);
  jsonw_name_raw (&w, "config", unit->policy.config, strlen (unit->policy.config));
  jsonw_name_int (&w, "result_max", unit->policy.result);
  append_sandbox (&w, &unit->policy);
  jsonw_end (&w);
}

static void
tell_describer (struct unit *unit, const char *json, size_t len, const struct error *err)
{
  struct unit_describer describer = unit->describer;

  memset (&unit->describer, 0, sizeof unit->describer);
  if (describer.described != NULL)
    describer.described (describer.ctx, json, len, err);
}

static void
keep_guarantees (struct unit *unit, const struct worker *worker)
{
  if (worker->guarantees == NULL)
    return;
  free (unit->guarantees);
  unit->guarantees = xstrdup (worker->guarantees);
}

static bool
as_known (const struct unit *unit, const char *json, size_t len)
{
  return unit->description == NULL
         || (unit->description_len == len && memcmp (unit->description, json, len) == 0);
}

static void
on_described (struct worker *worker, const char *json, size_t len)
{
  struct unit *unit = unit_ref (worker->unit);
  bool only_to_describe = unit->describer.described != NULL;

  unit->starting--;
  if (!as_known (unit, json, len)) {
    worker_set_capacity (worker, 0);
    worker_kill (worker, REASON_PROTOCOL,
                 "describes its plugin otherwise than before: the file was written over while in "
                 "use");
    unit_unref (unit);
    return;
  }
  keep_guarantees (unit, worker);
  tell_describer (unit, json, len, NULL);
  worker_set_capacity (worker, unit->capacity != 0 ? unit->capacity : 1);
  dispatch (unit);
  if (only_to_describe && worker->running == 0)
    worker_stop (worker, REASON_STOPPED);
  unit_unref (unit);
}

static void
on_freed (struct worker *worker)
{
  worker->unit->crashes_in_row = 0;
  dispatch (worker->unit);
}

static void
on_condemned (struct worker *worker)
{
  start_worker (worker->unit);
}

static void
unlink_worker (struct unit *unit, struct worker *worker)
{
  struct worker **p = &unit->workers;

  while (*p != worker)
    p = &(*p)->next;
  *p = worker->next;
}

static void
set_why (struct unit *unit, const char *why)
{
  free (unit->why);
  unit->why = xstrdup (why);
}

static void
crashed (struct unit *unit)
{
  unit->crashes++;
  unit->crashes_in_row++;
  if (unit->crashes_in_row >= unit->pool->settings.max_crashes) {
    unit->quarantined = true;
    log_event (unit->pool->log, LOG_ERROR, "plugin_quarantined", "plugin", unit->name, "why",
               unit->why, NULL);
    fail_queue (unit, "the plugin crashed too often and is quarantined", 0);
    return;
  }
  ev_timer_stop (unit->pool->loop, &unit->backoff);
  ev_timer_set (&unit->backoff, backoff_seconds (unit), 0);
  ev_timer_start (unit->pool->loop, &unit->backoff);
}

static void
take_blame (struct unit *unit, const struct end *end)
{
  const enum blame blame = reason_blame (end->reason);

  if (blame != BLAME_NOBODY)
    set_why (unit, end->text);
  if (blame == BLAME_PLUGIN || blame == BLAME_SYSTEM)
    crashed (unit);
  if (blame == BLAME_FILE) {
    unit->broken = true;
    fail_queue (unit, "the plugin can't be loaded", 0);
  }
}

static void
on_ended (struct worker *worker, const struct end *end)
{
  struct unit *unit = unit_ref (worker->unit);
  bool was_describing = unit->describer.described != NULL;
  struct error err = { 0 };

  unlink_worker (unit, worker);
  keep_guarantees (unit, worker);
  if (worker->slots == NULL && unit->starting > 0)
    unit->starting--;
  take_blame (unit, end);
  if (was_describing) {
    error_set (&err, "%s%s", reason_blame (end->reason) == BLAME_FILE ? "" : "its process ",
               end->text);
    tell_describer (unit, NULL, 0, &err);
  }
  if (queue_count (&unit->queue) != 0 && !ev_is_active (&unit->backoff))
    start_worker (unit);
  unit_unref (unit);
}

static const struct worker_events worker_events = {
  .described = on_described, .freed = on_freed, .condemned = on_condemned, .ended = on_ended
};

static unsigned
usable_workers (const struct unit *unit)
{
  unsigned count = 0;

  for (const struct worker *w = unit->workers; w != NULL; w = w->next)
    count += w->state == WORKER_STARTING || w->state == WORKER_READY;
  return count;
}

/* Unless one is usable or starting already, or it is not the time. */
static void
start_worker (struct unit *unit)
{
  CLEANUP_BUF struct buf hello = { 0 };
  struct error err = { 0 };
  struct worker *worker;

  if (unit->broken || unit->quarantined || unit->ending || ev_is_active (&unit->backoff)
      || usable_workers (unit) != 0)
    return;
  write_hello (unit, &hello);
  worker = worker_new (unit->pool, unit, &worker_events, unit->name, unit->plugin_fd, &unit->policy,
                       &hello, &err);
  if (worker == NULL) {
    set_why (unit, err.text);
    log_event (unit->pool->log, LOG_ERROR, "worker_start_failed", "plugin", unit->name, "why",
               err.text, NULL);
    crashed (unit);
    tell_describer (unit, NULL, 0, &err);
    return;
  }
  unit->starts++;
  unit->starting++;
  worker->next = unit->workers;
  unit->workers = worker;
}

/* ---- the unit ---- */

struct unit *
unit_new (struct pool *pool, const char *name, int plugin_fd, const struct policy *policy)
{
  struct unit *unit = xcalloc (1, sizeof *unit);

  unit->refs = 1;
  unit->pool = pool;
  unit->name = xstrdup (name);
  unit->plugin_fd = plugin_fd;
  policy_copy (&unit->policy, policy);
  queue_init (&unit->queue, &(struct queue_settings){ .tenants = &pool->tenants,
                                                      .max = (unsigned) policy->queue,
                                                      .per_tenant = (unsigned) policy->per_tenant,
                                                      .wake = on_wake,
                                                      .ctx = unit });
  ev_timer_init (&unit->backoff, on_backoff, 0, 0);
  unit->backoff.data = unit;
  return unit;
}

struct unit *
unit_ref (struct unit *unit)
{
  unit->refs++;
  return unit;
}

static void
stop_workers (struct unit *unit, enum reason reason)
{
  for (struct worker *w = unit->workers; w != NULL; w = w->next)
    worker_stop (w, reason);
}

void
unit_unref (struct unit *unit)
{
  if (unit == NULL || --unit->refs != 0)
    return;
  unit->ending = true;
  unit_forget_describer (unit);
  if (unit->workers != NULL) {
    stop_workers (unit, REASON_REPLACED);
    return; /* the end of the last worker comes back here */
  }
  ev_timer_stop (unit->pool->loop, &unit->backoff);
  (void) close (unit->plugin_fd);
  queue_clear (&unit->queue);
  policy_free (&unit->policy);
  free (unit->name);
  free (unit->description);
  free (unit->why);
  free (unit->guarantees);
  free (unit);
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
  start_worker (unit);
}

void
unit_set_description (struct unit *unit, const char *json, size_t len)
{
  free (unit->description);
  unit->description = xstrndup (json, len);
  unit->description_len = len;
}

void
unit_set_capacity (struct unit *unit, unsigned calls)
{
  unit->capacity = calls;
}

static const char *
refusal_reason (const struct unit *unit)
{
  if (unit->broken)
    return "the plugin can't be loaded";
  if (unit->quarantined)
    return "the plugin crashed too often and is quarantined";
  if (unit->ending)
    return "the host is shutting down";
  return NULL;
}

static struct unit_answer
unavailable (const char *why, int64_t retry_after_ms)
{
  return (struct unit_answer){ .refusal = UNIT_UNAVAILABLE,
                               .why = why,
                               .retry_after_ms = retry_after_ms };
}

/* The one that has no place in a full queue is told; false when it is the newcomer. */
static bool
enqueue (struct unit *unit, struct job *job)
{
  struct job_end end = { .fate = JOB_OVERLOADED,
                         .text = "lost its place in the queue to a caller with fewer calls",
                         .retry_after_ms = queue_retry_ms (&unit->queue) };
  struct job *loser = queue_put (&unit->queue, job);

  if (loser == job)
    return false;
  job->unit = unit;
  if (loser != NULL) {
    loser->unit = NULL;
    loser->events->ended (loser, &end);
  }
  return true;
}

struct unit_answer
unit_submit (struct unit *unit, struct job *job)
{
  const char *why;
  int64_t wait_ms;

  start_worker (unit);
  why = refusal_reason (unit);
  wait_ms = backoff_left_ms (unit);
  if (why != NULL)
    return unavailable (why, 0);
  if (wait_ms * 1000000 > job->deadline_ns - clock_ns ())
    return unavailable ("the plugin crashed and is not started again yet", wait_ms);
  if (!enqueue (unit, job))
    return (struct unit_answer){ .refusal = UNIT_QUEUE_FULL,
                                 .why = "too many calls are waiting for the plugin",
                                 .retry_after_ms = queue_retry_ms (&unit->queue) };
  dispatch (unit);
  return (struct unit_answer){ .refusal = UNIT_TAKEN };
}

void
job_cancel (struct job *job, enum frame_cancel_reason reason)
{
  if (job->worker != NULL)
    worker_cancel (job->worker, job, reason);
  else if (job->unit != NULL)
    queue_remove (&job->unit->queue, job);
  job->unit = NULL;
}

void
unit_release (struct unit *unit)
{
  unit->quarantined = false;
  unit->broken = false;
  unit->crashes_in_row = 0;
  ev_timer_stop (unit->pool->loop, &unit->backoff);
}

void
unit_shutdown (struct unit *unit)
{
  unit->ending = true;
  fail_queue (unit, "the host is shutting down", 0);
  stop_workers (unit, REASON_SHUTDOWN);
}

const struct policy *
unit_policy (const struct unit *unit)
{
  return &unit->policy;
}

static const char *
state_name (const struct unit *unit)
{
  if (unit->broken)
    return "broken";
  if (unit->quarantined)
    return "quarantined";
  if (ev_is_active (&unit->backoff))
    return "back-off";
  if (unit->starting != 0)
    return "starting";
  return unit->workers != NULL ? "running" : "idle";
}

void
unit_status (const struct unit *unit, struct unit_status *status)
{
  *status = (struct unit_status){ .state = state_name (unit),
                                  .why = unit->why,
                                  .queued = queue_count (&unit->queue),
                                  .crashes_in_row = unit->crashes_in_row,
                                  .calls = unit->calls,
                                  .starts = unit->starts,
                                  .crashes = unit->crashes,
                                  .guarantees = unit->guarantees };
  for (const struct worker *w = unit->workers; w != NULL; w = w->next) {
    status->workers++;
    status->running += w->running;
  }
}
