#include "call/guarding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "call/call_trace.h"
#include "call/guarding_parts.h"
#include "call/tenancy.h"
#include "schema/schema.h"

/* Steps of a check in a thread: about as long as a large result takes to be read and sent. */
static const int64_t THREAD_BUDGET = (int64_t) 64 * GUARD_BUDGET;

/* What the model is told where a guard gives no text. */
static const char UNCHECKED[] = "The call could not be checked, so it was refused.";

const struct json_limits guarding_limits = {
  .depth = 66, .nodes = 4000010, .members = 100000, .number_len = 1024
};

/* ---- the plan ---- */

static void
plan_list (struct guarding *g, bool of_host, enum guarded_at at)
{
  struct guards *set = g->sets[of_host ? 0 : 1];

  for (size_t i = 0; set != NULL && i < set->count[at]; i++) {
    struct guards_entry *entry = &set->list[at][i];
    size_t *end = &g->begins[at + 1];
    if (!guards_entry_means (entry, g->tool))
      continue;
    if (at == GUARDED_ERROR) /* the last one counts */
      *end = g->begins[at];
    g->plan[(*end)++] = (struct planned){ .entry = entry,
                                          .of_host = of_host,
                                          .early = set->before_approval
                                                   || (entry->kind == GUARDS_BUILT_IN
                                                       && guard_redacts (entry->guard)) };
  }
}

static size_t
entries_of (const struct guards *set)
{
  size_t count = 0;

  for (size_t at = 0; set != NULL && at < GUARDED_STAGES; at++)
    count += set->count[at];
  return count;
}

/* The host's first, then the tenant's. */
static void
make_plan (struct guarding *g)
{
  g->plan = xcalloc (entries_of (g->sets[0]) + entries_of (g->sets[1]) + 1, sizeof *g->plan);
  for (enum guarded_at at = GUARDED_INPUT; at < GUARDED_STAGES; at++) {
    g->begins[at + 1] = g->begins[at];
    plan_list (g, true, at);
    plan_list (g, false, at);
  }
}

void
guarding_free (struct guarding *g)
{
  if (g->made != NULL)
    g->maker->drop (g->made);
  guards_unref (g->sets[0]);
  guards_unref (g->sets[1]);
  buf_free (&g->value);
  buf_free (&g->says.text);
  buf_free (&g->says.value);
  buf_free (&g->room);
  buf_free (&g->failed_room);
  buf_free (&g->check.args);
  arena_free (&g->arena);
  free (g->plan);
  free (g->tool);
  free (g);
}

void
call_find_guards (struct call *call)
{
  struct guards *of_host, *of_tenant;
  struct guarding *g;

  if (call->tenancy == NULL || call->kind != CALL_TOOL)
    return;
  tenancy_guards (call->tenancy, &of_host, &of_tenant);
  if (of_host == NULL && of_tenant == NULL)
    return;
  g = xcalloc (1, sizeof *g);
  g->call = call;
  g->sets[0] = guards_ref (of_host);
  g->sets[1] = guards_ref (of_tenant);
  g->tool = xstrdup (call->tool->name);
  g->again = call->ask != NULL;
  make_plan (g);
  if (g->begins[GUARDED_STAGES] == 0)
    guarding_free (g);
  else
    call->guarding = g;
}

/* ---- how it ends ---- */

void
guarding_count (struct guarding *g, struct planned *p)
{
  struct metrics *metrics = g->call->calls->metrics;
  struct guard_stats *stats;

  call_trace_guard (g->call, p->entry->name, guarded_at_word (g->at),
                    metrics_verdict_word (p->verdict), p->us);
  if (metrics == NULL)
    return;
  stats = metrics_guard (metrics, p->entry->name, g->tool, guarded_at_word (g->at));
  stats->verdicts[p->verdict]++;
  histogram_add (&stats->time, p->us);
}

static struct usage
usage_so_far (const struct guarding *g)
{
  const struct job_end end = { .result = &g->head, .rss_peak = g->rss_peak };

  if (g->at != GUARDED_OUTPUT)
    return (struct usage){ 0 };
  return call_usage_of (g->was != NULL ? g->was : &end);
}

enum guarded
guarding_reject (struct guarding *g, const char *text, size_t len, const char *cause)
{
  struct result result = { .error = CALL_guardrail_rejected, .usage = usage_so_far (g) };

  if (g->call->interrupted) /* nobody waits for a reason */
    result.error = CALL_tool_cancelled;
  else {
    result.message = len != 0 ? text : UNCHECKED;
    result.message_len = len != 0 ? len : sizeof UNCHECKED - 1;
  }
  log_event (g->call->calls->log, LOG_INFO, "guard_rejected", "guard", g->plan[g->next].entry->name,
             "stage", guarded_at_word (g->at), "tool", g->tool, "call", g->call->id, "tenant",
             g->call->tenant, NULL);
  call_finish (g->call, &result, cause);
  return GUARDED_ENDED;
}

enum guarded
guarding_fail (struct guarding *g, const char *cause)
{
  struct result result = { .error = CALL_guardrail_failed, .usage = usage_so_far (g) };

  call_finish (g->call, &result, cause);
  return GUARDED_ENDED;
}

enum guarded
guarding_no_answer (struct guarding *g, const char *why)
{
  struct planned *p = &g->plan[g->next];

  p->verdict = VERDICT_NO_ANSWER;
  guarding_count (g, p);
  log_event (g->call->calls->log, LOG_WARNING, "guard_failed", "guard", p->entry->name, "stage",
             guarded_at_word (g->at), "tool", g->tool, "call", g->call->id, "tenant",
             g->call->tenant, "why", why, "then",
             g->at == GUARDED_ERROR ? "the error is told"
             : p->entry->lenient    ? "the call goes on"
                                    : "the call is refused",
             NULL);
  if (g->at == GUARDED_ERROR) {
    (void) call_settle_error (g->call);
    return GUARDED_ENDED;
  }
  if (p->entry->lenient) {
    g->next++;
    return GUARDED_PASSES;
  }
  return guarding_reject (g, UNCHECKED, sizeof UNCHECKED - 1, why);
}

/* ---- built-in guards ---- */

bool
guarding_read (struct guarding *g)
{
  if (!g->is_read) {
    arena_reset (&g->arena);
    g->is_read = json_read (&g->tape, g->value.data, g->value.len, &guarding_limits, &g->arena);
  }
  return g->is_read;
}

void
guarding_replace (struct guarding *g, const char *json, size_t len)
{
  g->value.len = 0;
  buf_append (&g->value, json, len);
  g->is_read = false;
  g->changed = true;
}

/* Any thread.  False: it has not allowed, and says why not. */
static bool
check_built_in (struct guarding *g, struct planned *p)
{
  static const enum metrics_verdict verdicts[] = { [GUARD_ALLOW] = VERDICT_ALLOW,
                                                   [GUARD_REPLACE] = VERDICT_REPLACE,
                                                   [GUARD_REJECT] = VERDICT_REJECT,
                                                   [GUARD_FAIL] = VERDICT_FAIL };
  const int64_t began = clock_ns ();
  struct guard_case one = { .stage = g->at == GUARDED_INPUT ? GUARD_INPUT : GUARD_OUTPUT,
                            .tool = g->tool,
                            .tape = &g->tape,
                            .budget = g->in_thread ? THREAD_BUDGET : GUARD_BUDGET };

  g->says.text.len = g->says.value.len = 0;
  g->says.found = 0;
  g->says.verdict = GUARD_FAIL;
  if (guarding_read (g)) {
    g->says.verdict = GUARD_ALLOW;
    one.value = json_root (&g->tape);
    guard_check (p->entry->guard, &one, &g->says);
  }
  if (g->says.verdict == GUARD_REPLACE) {
    buf_swap (&g->value, &g->says.value);
    g->is_read = false;
    g->changed = true;
  }
  p->verdict = verdicts[g->says.verdict];
  p->us = (uint64_t) (clock_ns () - began) / 1000;
  return g->says.verdict == GUARD_ALLOW || g->says.verdict == GUARD_REPLACE;
}

/* Is the next one built in, and its turn now?  (Before people are asked, some are passed over.) */
static bool
is_built_in (const struct guarding *g)
{
  const struct planned *p = &g->plan[g->next];

  return g->next < g->end && p->entry->kind == GUARDS_BUILT_IN && (p->early || !g->early);
}

/* Any thread: those that follow each other.  Then `next` is the one that did not allow, or what
 * comes after them; of a whole output all is made ready. */
static void
check_run (struct guarding *g)
{
  while (is_built_in (g)) {
    if (!check_built_in (g, &g->plan[g->next]))
      return;
    g->next++;
  }
  if (g->at == GUARDED_OUTPUT && g->next == g->end && g->was == NULL)
    (void) output_prepare (g);
}

/* What the run from `from` on has come to. */
static enum guarded
after_run (struct guarding *g, size_t from)
{
  const bool stopped = g->says.verdict == GUARD_REJECT || g->says.verdict == GUARD_FAIL;
  CLEANUP_FREE char *cause = NULL;

  for (size_t i = from; i < g->next + (is_built_in (g) ? 1 : 0); i++)
    guarding_count (g, &g->plan[i]);
  if (!stopped)
    return GUARDED_PASSES;
  if (g->says.verdict == GUARD_REJECT)
    return guarding_reject (g, g->says.text.data, g->says.text.len, NULL);
  cause = xstrndup (g->says.text.data, g->says.text.len);
  return guarding_fail (g, cause);
}

static void
in_thread (void *ctx, const struct offload_job *job)
{
  (void) job;
  check_run (ctx);
}

static void
on_checked (void *ctx, bool cancelled)
{
  struct guarding *g = ctx;
  size_t from = g->begins[g->at];

  if (g->call == NULL) {
    guarding_free (g);
    return;
  }
  g->thread = NULL;
  g->in_thread = false;
  if (cancelled) {
    call_finish_error (g->call, CALL_tool_cancelled, NULL);
    return;
  }
  while (from < g->next && g->plan[from].verdict == VERDICTS)
    from++;
  if (after_run (g, from) == GUARDED_PASSES)
    guarding_resume (g);
}

/* Would the next guard hold the loop for long? */
static bool
is_long (const struct guarding *g)
{
  const struct guard *guard = g->plan[g->next].entry->guard;

  return g->call->calls->settings.readers != NULL
         && (g->value.len >= GUARDED_LARGE || guard_steps (guard, g->value.len) > GUARD_BUDGET / 8);
}

/* Long work is done by a thread, while the loop serves others. */
static enum guarded
run_in_thread (struct guarding *g)
{
  const struct offload_work work = { .work = in_thread, .done = on_checked, .ctx = g };

  if (g->at == GUARDED_OUTPUT)
    output_keep (g);
  for (size_t i = g->begins[g->at]; i < g->next; i++)
    g->plan[i].verdict = VERDICTS; /* they are counted */
  g->in_thread = true;
  g->thread = offload_submit (g->call->calls->settings.readers, &work);
  return GUARDED_WAITS;
}

/* ---- from guard to guard ---- */

/* The tool gets what the guards have left of its arguments, if it can. */
static enum guarded
adopt_arguments (struct guarding *g)
{
  struct call *call = g->call;
  struct schema_report report = { .count = 0 };
  CLEANUP_ARENA struct arena arena = { 0 };

  if (!g->changed)
    return GUARDED_PASSES;
  g->next--; /* the last one is told of */
  if (!guarding_read (g) || !json_is (json_root (&g->tape), JSON_OBJECT)
      || (call->tool->input != NULL
          && !schema_validate (call->tool->input, &g->tape, json_root (&g->tape), &report, &arena)))
    return guarding_reject (g, UNCHECKED, sizeof UNCHECKED - 1,
                            "the arguments that the guards have left do not fit the tool's schema");
  call->args.len = 0;
  buf_append (&call->args, g->value.data, g->value.len);
  call->args_len = g->value.len;
  call_fill_job (call);
  return GUARDED_PASSES;
}

static enum guarded
go_on (struct guarding *g)
{
  enum guarded so_far = GUARDED_PASSES;

  while (so_far == GUARDED_PASSES && g->next < g->end) {
    struct planned *p = &g->plan[g->next];
    const size_t from = g->next;
    if (g->early && (!p->early || p->entry->kind == GUARDS_BUDGET))
      g->next++;
    else if (p->entry->kind == GUARDS_PLUGIN)
      so_far = check_start (g);
    else if (p->entry->kind == GUARDS_BUDGET) {
      so_far = budget_take (g, p);
      if (so_far == GUARDED_PASSES) /* else it is gone */
        g->next++;
    }
    else if (is_long (g))
      so_far = run_in_thread (g);
    else {
      check_run (g);
      so_far = after_run (g, from);
    }
  }
  if (so_far != GUARDED_PASSES)
    return so_far;
  return g->at == GUARDED_INPUT ? adopt_arguments (g) : output_hand_on (g);
}

void
guarding_resume (struct guarding *g)
{
  struct call *call = g->call;

  if (go_on (g) == GUARDED_PASSES)
    g->passed (call);
}

static enum guarded
begin_input (struct call *call, bool early, void (*passed) (struct call *call))
{
  struct guarding *g = call->guarding;

  g->at = GUARDED_INPUT;
  g->next = 0;
  g->end = g->begins[GUARDED_OUTPUT];
  g->early = early;
  g->passed = passed;
  g->changed = g->is_read = false;
  g->says.verdict = GUARD_ALLOW;
  g->value.len = 0;
  buf_append (&g->value, call->args.data, call->args_len);
  return go_on (g);
}

enum guarded
call_guard_input (struct call *call, void (*passed) (struct call *call))
{
  const struct guarding *g = call->guarding;

  return g != NULL && g->begins[GUARDED_OUTPUT] != 0 ? begin_input (call, false, passed)
                                                     : GUARDED_PASSES;
}

static void
on_early_passed (struct call *call)
{
  struct guarding *g = call->guarding;

  g->asking.waits = false;
  g->asking.passed (g->asking.ctx);
}

enum guarded
call_guard_early (struct call *call, void (*passed) (void *ctx), void (*dropped) (void *ctx),
                  void *ctx)
{
  struct guarding *g = call->guarding;
  enum guarded so_far;

  if (g == NULL || g->begins[GUARDED_OUTPUT] == 0)
    return GUARDED_PASSES;
  g->asking.passed = passed;
  g->asking.dropped = dropped;
  g->asking.ctx = ctx;
  g->asking.waits = true;
  so_far = begin_input (call, true, on_early_passed);
  if (so_far == GUARDED_PASSES) /* else it may be gone */
    g->asking.waits = false;
  return so_far;
}

bool
call_guard_output (struct call *call, const struct job_end *end)
{
  struct guarding *g = call->guarding;
  struct job_end copy = *end;

  if (g == NULL || g->begins[GUARDED_OUTPUT] == g->begins[GUARDED_ERROR] || end->fate != JOB_RESULT)
    return false;
  if (end->made != NULL && *end->made != NULL) { /* it shows what was not looked at */
    call->job.maker->drop (*end->made);
    *end->made = NULL;
  }
  copy.made = NULL;
  g->at = GUARDED_OUTPUT;
  g->next = g->begins[GUARDED_OUTPUT];
  g->end = g->begins[GUARDED_ERROR];
  g->early = g->changed = g->is_read = g->is_prepared = false;
  g->says.verdict = GUARD_ALLOW;
  g->was = &copy;
  if (end->result->outcome != FRAME_OUTCOME_OK && !call->interrupted) {
    output_hand_on_words (g);
    return true;
  }
  g->value.len = 0;
  output_write (end, &g->value);
  (void) go_on (g);
  return true;
}

/* ---- its end ---- */

void
call_stop_guards (struct call *call)
{
  struct guarding *g = call->guarding;

  if (g == NULL)
    return;
  check_stop (g);
  if (g->asking.waits) {
    g->asking.waits = false;
    g->asking.dropped (g->asking.ctx);
  }
  if (g->thread == NULL)
    return;
  offload_cancel (g->thread); /* it frees what it works on */
  g->call = NULL;
  call->guarding = NULL;
}

void
call_forget_guards (struct call *call)
{
  call_stop_guards (call);
  if (call->guarding != NULL)
    guarding_free (call->guarding);
  call->guarding = NULL;
}
