#include "pool/worker.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/probe.h"
#include "pool/building.h"
#include "pool/checking.h"
#include "pool/receive.h"
#include "pool/sealed.h"
#include "pool/serving.h"
#include "pool/worker_parts.h"

enum { INLINE_ARGS_MAX = FRAME_MAX - 4096 /* larger arguments travel in a memfd */ };

/* ---- sending ---- */

void
worker_flush (struct worker *worker)
{
  bool was_stuck = worker->channel.stuck;

  if (!channel_flush (&worker->channel))
    worker_kill (worker, REASON_PROTOCOL, worker->channel.problem);
  else if (was_stuck && !worker->channel.stuck && worker->state == WORKER_READY)
    worker->events->freed (worker);
}

static void
put (struct worker *worker, enum frame_kind kind, uint64_t call, const void *a, size_t a_len,
     const void *b, size_t b_len, const void *c, size_t c_len)
{
  channel_put (&worker->channel, kind, call, a, a_len, b, b_len, c, c_len);
  if (!worker->unsent) {
    worker->unsent = true;
    worker->next_unsent = worker->pool->unsent;
    worker->pool->unsent = worker;
  }
}

static enum worker_run
send_large (struct worker *worker, const struct job *job, const struct frame_call *head)
{
  CLEANUP_FD int fd = sealed_file ("toolhost-args", job->args, job->args_len);

  if (fd < 0)
    return WORKER_RUNS_NEVER;
  return channel_put_large (&worker->channel, job->nonce, head, job->meta, fd) ? WORKER_RUNS
                                                                               : WORKER_RUNS_LATER;
}

bool
worker_has_room (const struct worker *worker)
{
  return worker->state == WORKER_READY && worker->free_slots != NULL
         && !channel_is_full (&worker->channel);
}

enum worker_run
worker_run (struct worker *worker, struct job *job)
{
  struct slot *slot = worker->free_slots;
  struct frame_call head = { .deadline_ns = job->deadline_ns,
                             .tool = job->tool,
                             .args_len = (uint32_t) job->args_len,
                             .meta_len = (uint32_t) job->meta_len,
                             .answers_len = job->answers_len,
                             .kept_len = job->kept_len,
                             .flags = (job->wants_progress ? FRAME_CALL_PROGRESS : 0U)
                                      | (job->content == FRAME_VALUES ? FRAME_CALL_COMPLETE : 0U)
                                      | (job->content == FRAME_LISTED ? FRAME_CALL_LIST : 0U)
                                      | (job->in_session ? FRAME_CALL_SESSION : 0U)
                                      | (job->on_error ? FRAME_CALL_ON_ERROR : 0U)
                                      | job->askable << FRAME_CALL_ASKS_SHIFT,
                             .cpu_ms = job->cpu_ms,
                             .result_max = (uint32_t) job->result_max };

  job->nonce = ++worker->nonces << 16 | (uint64_t) (slot - worker->slots);
  if (job->args_len + job->meta_len > INLINE_ARGS_MAX) {
    enum worker_run sent = send_large (worker, job, &head);
    if (sent != WORKER_RUNS)
      return sent;
  }
  else
    put (worker, FRAME_CALL, job->nonce, &head, sizeof head, job->args, job->args_len, job->meta,
         job->meta_len);
  worker->free_slots = slot->next_free;
  slot->nonce = job->nonce;
  slot->job = job;
  slot->result_max = job->result_max;
  slot->emitted = 0;
  slot->cpu_ms = job->cpu_ms;
  job->worker = worker;
  worker->running++;
  watched_begin (&worker->watched, job->cpu_ms);
  return WORKER_RUNS;
}

void
worker_count_for (struct worker *worker, struct job *job, struct flow *flow)
{
  struct slot *slot = &worker->slots[job->nonce & 0xFFFF];

  slot->flow = flow;
  slot->since_ns = job->sent_ns = clock_ns ();
}

/* ---- cancel, condemn, kill ---- */

bool
worker_is_answering (const struct worker *worker)
{
  for (unsigned i = 0; i < worker->slots_count; i++)
    if (worker->slots[i].job != NULL && worker->slots[i].checking == NULL)
      return true;
  return false;
}

void
worker_set_timer (struct worker *worker, double seconds)
{
  ev_timer_stop (worker->pool->loop, &worker->timer);
  ev_timer_set (&worker->timer, seconds, 0);
  ev_timer_start (worker->pool->loop, &worker->timer);
}

static void
decide (struct worker *worker, enum reason reason, const char *words)
{
  worker->decided = reason;
  free (worker->words);
  worker->words = xstrdup (words != NULL ? words : reason_words (reason));
}

void
worker_kill (struct worker *worker, enum reason reason, const char *words)
{
  if (worker->state == WORKER_KILLED)
    return;
  worker->state = WORKER_KILLED;
  watched_serves (&worker->watched, false);
  worker->pool->killed++;
  ev_timer_stop (worker->pool->loop, &worker->timer);
  decide (worker, reason, words);
  PROBE3 (worker__kill, worker->name, worker->proc.pid, worker->words);
  spawned_kill (worker->pool->settings.spawner, &worker->proc);
}

static void
condemn (struct worker *worker)
{
  if (worker->state != WORKER_READY && worker->state != WORKER_RETIRING
      && worker->state != WORKER_STOPPING)
    return;
  worker->state = WORKER_CONDEMNED;
  watched_serves (&worker->watched, false);
  log_event (worker->pool->log, LOG_WARNING, "worker_condemned", "plugin", worker->name, "pid",
             LOG_INT (worker->proc.pid), "why", reason_words (REASON_DEADLINE), NULL);
  worker->events->condemned (worker);
  if (worker_is_answering (worker))
    worker_set_timer (worker, worker->pool->settings.drain);
  else
    worker_kill (worker, REASON_DEADLINE, NULL);
}

static void
on_grace (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct slot *slot = timer->data;

  (void) loop;
  (void) revents;
  condemn (slot->worker);
}

void
worker_put_served (struct worker *worker, uint64_t nonce, const struct frame_served *served,
                   const char *a, size_t a_len, const char *b, size_t b_len)
{
  put (worker, FRAME_SERVED, nonce, served, sizeof *served, a, a_len, b, b_len);
}

void
worker_put_program (struct worker *worker, const struct frame_program_said *said, const char *code,
                    const char *text)
{
  put (worker, FRAME_PROGRAM_SAID, 0, said, sizeof *said, code, strlen (code), text, strlen (text));
}

bool
worker_send_pipes (struct worker *worker, const struct frame_program_said *said, const int fds[2])
{
  return channel_send_with_fds (&worker->channel, FRAME_PROGRAM_SAID, said, sizeof *said, fds, 2);
}

static void
put_cancel (struct worker *worker, const struct job *job, enum frame_cancel_reason reason)
{
  const struct frame_cancel cancel = { .reason = reason,
                                       .grace_ms =
                                         (uint32_t) (worker->pool->settings.grace * 1000) };

  put (worker, FRAME_CANCEL, job->nonce, &cancel, sizeof cancel, NULL, 0, NULL, 0);
}

void
worker_interrupt (struct worker *worker, const struct job *job)
{
  put_cancel (worker, job, FRAME_CANCEL_CALLER);
}

void
worker_cancel (struct worker *worker, struct job *job, enum frame_cancel_reason reason)
{
  struct slot *slot = &worker->slots[job->nonce & 0xFFFF];

  serving_end (slot);
  put_cancel (worker, job, reason);
  slot->job = NULL;
  job->worker = NULL;
  watched_cancel (&worker->watched);
  if (worker->state == WORKER_CONDEMNED && !worker_is_answering (worker)) {
    worker_kill (worker, REASON_DEADLINE, NULL);
    return;
  }
  ev_timer_set (&slot->grace, worker->pool->settings.grace, 0);
  ev_timer_start (worker->pool->loop, &slot->grace);
}

void
worker_stop (struct worker *worker, enum reason reason)
{
  if (worker->state != WORKER_READY && worker->state != WORKER_STARTING
      && worker->state != WORKER_RETIRING)
    return;
  if (worker->proc.pid == 0) { /* there is nobody yet to be told */
    worker_kill (worker, reason, NULL);
    return;
  }
  worker->state = WORKER_STOPPING;
  watched_serves (&worker->watched, false);
  decide (worker, reason, NULL);
  put (worker, FRAME_BYE, 0, NULL, 0, NULL, 0, NULL, 0);
  worker_set_timer (worker, worker->pool->settings.stop_timeout);
}

void
worker_retire (struct worker *worker, enum reason reason)
{
  if (worker->state != WORKER_READY && worker->state != WORKER_STARTING)
    return;
  if (worker->running == 0) {
    worker_stop (worker, reason);
    return;
  }
  worker->state = WORKER_RETIRING;
  ev_timer_stop (worker->pool->loop, &worker->timer);
  decide (worker, reason, NULL);
}

/* Its end of the control socket is closed, and it is still there. */
static void
on_lingering (struct worker *worker)
{
  CLEANUP_BUF struct buf words = { 0 };

  if (worker->signal != NULL)
    buf_printf (&words, "was ended by %s%s", worker->signal,
                worker->described ? "" : " while the plugin was loaded");
  if (worker->claimed == REASON_NONE)
    worker_kill (worker, REASON_PROTOCOL, "closed its control socket and lived on");
  else /* it has said why, and takes its time */
    worker_kill (worker, worker->claimed, words.len != 0 ? buf_cstr (&words) : worker->claim);
}

/* Nothing may follow: it may have been stopped. */
static void
look_again (struct worker *worker)
{
  const double seconds = worker->events->rest (worker);

  if (seconds > 0 && worker->state == WORKER_READY)
    worker_set_timer (worker, seconds);
}

static void
on_stop_overdue (struct worker *worker)
{
  CLEANUP_BUF struct buf words = { 0 };

  buf_printf (&words, "%s; %s did not return in time, and it was killed", worker->words,
              worker->running == 0 ? "its plugin's close" : "a call");
  worker_kill (worker, REASON_STOP_TIMEOUT, buf_cstr (&words));
}

/* One timer, by state: start, idle, drain, stop. */
void
worker_on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct worker *worker = timer->data;

  (void) loop;
  (void) revents;
  if (worker->closed && worker->state != WORKER_STOPPING) {
    on_lingering (worker);
    return;
  }
  switch (worker->state) {
  case WORKER_STARTING:
    worker_kill (worker, REASON_START_TIMEOUT, NULL);
    break;
  case WORKER_READY:
    look_again (worker);
    break;
  case WORKER_RETIRING:
    break; /* its calls have their own deadlines */
  case WORKER_CONDEMNED:
    worker_kill (worker, REASON_DEADLINE, NULL);
    break;
  case WORKER_STOPPING:
    on_stop_overdue (worker);
    break;
  case WORKER_KILLED:
    break;
  }
}

/* ---- what receive.c reports ---- */

struct slot *
worker_slot (struct worker *worker, uint64_t nonce)
{
  unsigned index = (unsigned) (nonce & 0xFFFF);

  if (nonce == 0 || index >= worker->slots_count || worker->slots[index].nonce != nonce
      || worker->slots[index].checking != NULL)
    return NULL;
  return &worker->slots[index];
}

struct job *
worker_free_slot (struct worker *worker, struct slot *slot)
{
  struct job *job = slot->job;
  struct flow *flow = slot->flow;
  const bool given_up = job == NULL && slot->checking == NULL;
  int64_t now = clock_ns ();

  serving_end (slot);
  worker->abandoned |= worker->programs && given_up;
  ev_timer_stop (worker->pool->loop, &slot->grace);
  buf_reset (&slot->body, 0);
  slot->nonce = 0;
  slot->job = NULL;
  slot->checking = NULL;
  slot->flow = NULL;
  slot->next_free = worker->free_slots;
  worker->free_slots = slot;
  worker->running--;
  watched_end (&worker->watched, slot->cpu_ms, given_up);
  worker->last_used = (double) now / 1e9; /* as pool_now */
  if (job != NULL) {
    job->worker = NULL;
    job->ended_ns = now;
  }
  flow_ended (flow, now - slot->since_ns);
  return job;
}

void
worker_slot_was_freed (struct worker *worker)
{
  worker->events->answered (worker);
  if (worker
        ->abandoned) /* the tool came back from a call that was given up, its programs did not */
    condemn (worker);
  if (worker->state == WORKER_CONDEMNED && !worker_is_answering (worker))
    worker_kill (worker, REASON_DEADLINE, NULL);
  else if (worker->state == WORKER_RETIRING && worker->running == 0)
    worker_stop (worker, worker->decided);
  else if (worker->state == WORKER_READY)
    worker->events->freed (worker);
}

static struct worker *
of_watched (struct watched *watched)
{
  return (struct worker *) ((char *) watched - offsetof (struct worker, watched));
}

void
worker_on_over (struct watched *watched, enum reason reason, const char *words)
{
  worker_kill (of_watched (watched), reason, words);
}

void
worker_on_effort_changed (struct watched *watched)
{
  struct worker *worker = of_watched (watched);

  spawned_calm (worker->pool->settings.spawner, &worker->proc, watched->effort.heavy);
}

bool
worker_was_heavy (const struct worker *worker)
{
  return worker->watched.effort.heavy;
}

/* A limit that only the watchdog can enforce, and an operator has written down, is no comment. */
static void
do_without_watchdog (struct worker *worker)
{
  const char *key = policy_needs_watching (worker->policy, worker->proc.events >= 0);
  CLEANUP_BUF struct buf words = { 0 };

  log_event (worker->pool->log, LOG_NOTICE, "worker_not_watched", "plugin", worker->name, "pid",
             LOG_INT (worker->proc.pid), "why", "/proc says nothing of it", NULL);
  if (key == NULL)
    return;
  buf_printf (&words,
              "%s of its policy can't be enforced here: it takes a /proc in which the daemon sees "
              "its workers (mounted without hidepid)",
              key);
  worker_kill (worker, REASON_SANDBOX_REFUSED, buf_cstr (&words));
}

void
worker_is_greeted (struct worker *worker)
{
  const struct watch_limits limits = { .memory = (uint64_t) worker->policy->memory,
                                       .cpu = policy_limits_cpu (worker->policy) };

  worker->greeted = true;
  if (!watchdog_add (&worker->pool->watchdog, &worker->watched, worker->proc.pid, &limits,
                     worker->calm))
    do_without_watchdog (worker);
}

void
worker_is_described (struct worker *worker)
{
  if (worker->state != WORKER_STARTING)
    return;
  worker->state = WORKER_READY;
  watched_serves (&worker->watched, true);
  worker->described = true;
  building_end (worker);
  if (worker->watched.effort.heavy) /* not before: a start that others keep waiting holds up more */
    worker_on_effort_changed (&worker->watched);
  worker->last_used = pool_now ();
  ev_timer_stop (worker->pool->loop, &worker->timer);
  worker->events->described (worker, worker->description.data, worker->description.len);
  if (worker->state == WORKER_READY)
    look_again (worker);
}

void
worker_set_capacity (struct worker *worker, unsigned calls)
{
  worker->slots = xcalloc (calls, sizeof *worker->slots);
  worker->slots_count = calls;
  for (unsigned i = calls; i-- > 0;) {
    struct slot *slot = &worker->slots[i];
    slot->worker = worker;
    ev_timer_init (&slot->grace, on_grace, 0, 0);
    slot->grace.data = slot;
    slot->next_free = worker->free_slots;
    worker->free_slots = slot;
  }
}

/* ---- the end of its calls ---- */

/* A crash is told as such; the other calls of a process that had to go for another's sake are
 * lost. */
void
worker_end_jobs (struct worker *worker, const struct end *end)
{
  const bool crash = reason_blame (end->reason) == BLAME_PLUGIN;
  struct job_end result = { .fate = crash ? JOB_CRASHED : JOB_LOST,
                            .text = end->text,
                            .reason = end->reason,
                            .rss_peak = worker->watched.rss_peak };

  worker->state = WORKER_KILLED; /* it takes no calls, whoever is woken now */
  for (unsigned i = 0; i < worker->slots_count; i++) {
    struct checking *checking = worker->slots[i].checking;
    if (worker->slots[i].nonce == 0)
      continue;
    struct job *job = worker_free_slot (worker, &worker->slots[i]);
    if (checking != NULL)
      checking_leave (checking);
    else if (job != NULL) {
      job->unit = NULL;
      job->events->ended (job, &result);
    }
  }
}
