/* What is done about tools that fail: their circuits, and other tries. */
#include <string.h>

#include "base/clock.h"
#include "call/call_trace.h"
#include "pool/unit.h"

static const struct {
  const char *code;
  enum failure failure;
} codes[] = {
  { "network_error", FAILURE_NETWORK },       { "resource_error", FAILURE_RESOURCE },
  { "permission_denied", FAILURE_SECURITY },  { "invalid_input", FAILURE_INPUT },
  { "tool_timeout", FAILURE_TIMEOUT },        { "tool_crashed", FAILURE_UNKNOWN },
  { "tool_args_invalid", FAILURE_INPUT },     { "tool_not_allowed", FAILURE_SECURITY },
  { "tool_output_invalid", FAILURE_UNKNOWN },
};

enum failure
call_failure_of (enum call_error error, const char *code)
{
  if (error == CALL_OK)
    return FAILURE_NONE;
  if (error != CALL_tool_execution_failed || code == NULL)
    code = call_error_info (error)->code;
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (strcmp (codes[i].code, code) == 0)
      return codes[i].failure;
  return FAILURE_UNKNOWN;
}

static int64_t
now_ms (void)
{
  return clock_ns () / 1000000;
}

/* ---- the circuit ---- */

int64_t
call_admit (struct call *call)
{
  int64_t wait;

  if (call->kind != CALL_TOOL)
    return 0;
  wait = call_circuits_admit (&call->calls->circuits, call->tool, call->tenant, now_ms ());
  call->admitted = wait == 0;
  return wait;
}

/* What its surroundings fail in is held against a tool; what it says of its work is not, nor what
 * the pool counts (it crashed), nor a time that was its caller's idea. */
static enum circuit_verdict
verdict_of (const struct call *call, const struct result *result)
{
  switch (call_failure_of (result->error, result->code)) {
  case FAILURE_TIMEOUT:
    return call->hurried || call->sent_ns == 0 ? CIRCUIT_UNDECIDED : CIRCUIT_BROKE;
  case FAILURE_NETWORK:
  case FAILURE_RESOURCE:
    return CIRCUIT_BROKE;
  default:
    return result->error == CALL_OK || result->error == CALL_tool_execution_failed
             ? CIRCUIT_WORKED
             : CIRCUIT_UNDECIDED;
  }
}

void
call_report (struct call *call, const struct result *result)
{
  if (!call->admitted)
    return;
  call->admitted = false;
  if (call_circuits_report (&call->calls->circuits, call->tool, call->tenant,
                            verdict_of (call, result), now_ms ()))
    log_event (call->calls->log, LOG_WARNING, "tool_circuit_opened", "plugin", call->tool->plugin,
               "tool", call->tool->name, "tenant", call->tenant, NULL);
}

/* ---- other tries ---- */

static void
finish_refused (struct call *call, const struct unit_answer *answer)
{
  struct result result = { .error = answer->refusal == UNIT_QUEUE_FULL ? CALL_tool_overloaded
                                                                       : CALL_tool_unavailable,
                           .retry_after_ms = answer->retry_after_ms };

  call_finish (call, &result, answer->why);
}

bool
call_submit (struct call *call)
{
  struct unit_answer answer;

  call_trace_queued (call);
  answer = unit_submit (call->tool->unit, &call->job);
  if (answer.refusal == UNIT_TAKEN)
    return true;
  finish_refused (call, &answer);
  return false;
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct call *call = timer->data;

  (void) loop;
  (void) revents;
  (void) call_submit (call);
}

/* From 0 up to 1. */
static double
chance (struct calls *calls)
{
  uint64_t n = calls->id_seed ^ (++calls->ids * 0x9E3779B97F4A7C15U);

  n = (n ^ n >> 31) * 0xBF58476D1CE4E5B9U;
  return (double) (n >> 11) / 9007199254740992.0;
}

bool
call_try_again (struct call *call, enum call_error error, const char *code)
{
  struct calls *calls = call->calls;
  const struct retry_rule *rule = &call->tool->retry;
  int64_t wait;

  if (call->told || !call->tool->idempotent || call->kind != CALL_TOOL
      || !retry_wanted (rule, call_failure_of (error, code), call->tries + 1))
    return false;
  call_trace_stopped (call, code != NULL ? code : call_error_info (error)->code);
  call->tries++;
  wait = retry_delay (rule, call->tries, chance (calls));
  if (call->job.deadline_ns != INT64_MAX && clock_ns () + wait * 1000000 >= call->job.deadline_ns)
    return false; /* there is no time for it */
  log_event (calls->log, LOG_NOTICE, "tool_call_retried", "call", call->id, "tool",
             call->tool->name, "error", code, "tries", LOG_INT (call->tries), "wait_ms",
             LOG_INT (wait), NULL);
  ev_timer_init (&call->again, on_again, (double) wait / 1000, 0);
  call->again.data = call;
  ev_timer_start (calls->loop, &call->again);
  return true;
}
