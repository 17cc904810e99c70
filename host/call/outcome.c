#include <stdio.h>
#include <string.h>

#include "call/arguments.h"
#include "call/call_log.h"
#include "call/call_trace.h"
#include "call/guarding.h"
#include "call/preview.h"
#include "call/problems.h"
#include "call/running.h"
#include "pool/unit.h"
#include "schema/schema.h"

static struct call *
call_of (struct job *job)
{
  return (struct call *) job;
}

static void
on_started (struct job *job)
{
  call_of (job)->sent_ns = job->sent_ns;
  call_trace_started (call_of (job));
  call_waits_no_more (call_of (job));
}

static void
on_progress (struct job *job, double done, double total, const char *text, size_t len)
{
  struct call *call = call_of (job);
  CLEANUP_BUF struct buf room = { 0 };

  if (call->events->progress == NULL)
    return;
  text = call_redact (call, text, &len, &room);
  call->events->progress (call->ctx, done, total, text, len);
}

static void
on_log (struct job *job, int level, const char *text, size_t len)
{
  struct call *call = call_of (job);
  CLEANUP_BUF struct buf room = { 0 };

  text = call_redact (call, text, &len, &room);
  call_log_text (call, level, text, len);
  if (call->events->log != NULL)
    call->events->log (call->ctx, level, text, len);
}

static bool
on_event (struct job *job, int level, const char *text, size_t len, size_t name_len)
{
  const struct call *call = call_of (job);
  CLEANUP_BUF struct buf room = { 0 }, whole = { 0 };
  const char *json = text + name_len;
  size_t json_len = len - name_len;

  if (call->guarding == NULL)
    return call_log_event (call, level, text, len, name_len);
  json = call_redact_json (call, json, &json_len, &room);
  if (json == NULL)
    return true;
  buf_append (&whole, text, name_len);
  buf_append (&whole, json, json_len);
  return call_log_event (call, level, whole.data, whole.len, name_len);
}

static void
on_emitted (struct job *job, const char *json, size_t len)
{
  struct call *call = call_of (job);
  CLEANUP_BUF struct buf room = { 0 };

  call->told = true;
  json = call_redact_event (call, json, &len, &room);
  if (json != NULL)
    call->events->emitted (call->ctx, json, len);
}

static enum frame_served_status
on_state (struct job *job, const char *json, size_t len, struct buf *out, size_t *cost)
{
  struct call *call = call_of (job);
  CLEANUP_BUF struct buf room = { 0 };

  call->told = true;
  json = call_redact_json (call, json, &len, &room);
  if (json == NULL)
    return FRAME_SERVED_BAD_VALUE;
  return call->events->state (call->ctx, json, len, out, cost);
}

struct usage
call_usage_of (const struct job_end *end)
{
  return (struct usage){ .told_cpu = end->result != NULL,
                         .cpu_us = end->result != NULL ? end->result->cpu_ns / 1000 : 0,
                         .rss_peak = end->rss_peak };
}

static void
on_overran (struct job *job, uint64_t cpu_ns)
{
  struct call *call = call_of (job);
  struct result result = { .error = CALL_tool_timeout,
                           .usage = { .told_cpu = true, .cpu_us = cpu_ns / 1000 } };
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "The tool used more processor time than a call may, %u ms, and was stopped.",
              job->cpu_ms);
  result.message = text.data;
  result.message_len = text.len;
  job_cancel (job, FRAME_CANCEL_CPU);
  call_finish (call, &result, "it used up its processor time");
}

/* ---- results ---- */

/* The tool worked, and its result breaks what it declares: the model is told what is wrong, in the
 * way arguments are, so that it knows that calling again won't help. */
static void
finish_broken (struct call *call, const struct job_end *end, const struct schema_report *report)
{
  struct result result;
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  size_t count = problems_count (report);

  buf_printf (&text,
              "%s: the tool ran, but its result does not fit its outputSchema (%zu error%s). This "
              "is a fault of the tool, not of the arguments.",
              call->tool->name, count, count == 1 ? "" : "s");
  problems_text (report, "result", &text);
  problems_json (report, &problems);
  result = (struct result){ .error = CALL_tool_output_invalid,
                            .message = text.data,
                            .message_len = text.len,
                            .problems = problems.data,
                            .problems_len = problems.len,
                            .usage = call_usage_of (end) };
  call_finish (call, &result, NULL);
}

/* Does the structured result fit?  Null is a result, only an absent one is none.  False: it has
 * ended. */
static bool
output_fits (struct call *call, const struct job_end *end)
{
  static const struct schema_problem absent = { .pointer = "",
                                                .message = "expected a structured result, got none",
                                                .keyword = "outputSchema",
                                                .expected = "a structured result" };

  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };

  if (end->structured_tape == NULL)
    report.problems[report.count++] = absent;
  else if (schema_validate (call->tool->output, end->structured_tape,
                            json_root (end->structured_tape), &report, &arena))
    return true;
  finish_broken (call, end, &report);
  return false;
}

static void
finish_ok (struct call *call, const struct job_end *end)
{
  struct result result = { .content = end->content,
                           .content_len = end->result->content_len,
                           .structured = end->structured,
                           .structured_len = end->result->structured_len,
                           .room = end->room };

  if (call->tool->output != NULL && !output_fits (call, end))
    return;
  result.usage = call_usage_of (end);
  CLEANUP_PREVIEW struct preview *preview = call_preview (call, end);
  call_shorten (call, preview, &result);
  call_finish (call, &result, NULL);
}

/* A read whose plugin says that there is nothing. */
static bool
is_absent (const struct call *call, const struct job_end *end)
{
  static const char code[] = "resource_not_found";

  return call->kind == CALL_READ && end->result->code_len == sizeof code - 1
         && memcmp (end->code, code, sizeof code - 1) == 0;
}

/* What failed may fare better another time: true, it is not over yet. */
static bool
try_again (struct call *call, const struct job_end *end)
{
  char code[80];

  (void) snprintf (code, sizeof code, "%.*s", (int) end->result->code_len, end->code);
  return call_try_again (call, CALL_tool_execution_failed, code[0] != '\0' ? code : NULL);
}

/* The tool itself said no; its code and message pass. */
static void
finish_no (struct call *call, enum call_error error, const struct job_end *end)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  CLEANUP_PREVIEW struct preview *preview = NULL;
  char code[80];
  struct result result = { .error = error };

  result.usage = call_usage_of (end);
  if (end->result->code_len != 0) {
    (void) snprintf (code, sizeof code, "%.*s", (int) end->result->code_len, end->code);
    result.code = code;
  }
  if (end->result->message_len != 0) {
    result.message = end->message;
    result.message_len = end->result->message_len;
  }
  if (error == CALL_tool_args_invalid && end->result->structured_len != 0) {
    arguments_refused (call->tool, end->structured, end->result->structured_len, &problems, &text);
    result.problems = problems.data;
    result.problems_len = problems.len;
    result.message = text.data;
    result.message_len = text.len;
  }
  if (error == CALL_tool_execution_failed) {
    result.content = end->content;
    result.content_len = end->result->content_len;
    preview = call_preview (call, end);
    call_shorten (call, preview, &result);
    call_shorten_message (call, &text, &result);
  }
  call_finish (call, &result, NULL);
}

static void
finish_result (struct call *call, const struct job_end *end)
{
  switch (end->result->outcome) {
  case FRAME_OUTCOME_OK:
    finish_ok (call, end);
    break;
  case FRAME_OUTCOME_NOT_ALLOWED:
    finish_no (call, CALL_tool_not_allowed, end);
    break;
  case FRAME_OUTCOME_INVALID:
    finish_no (call, CALL_tool_args_invalid, end);
    break;
  case FRAME_OUTCOME_FAILED:
    if (try_again (call, end))
      break;
    finish_no (call, is_absent (call, end) ? CALL_resource_not_found : CALL_tool_execution_failed,
               end);
    break;
  case FRAME_OUTCOME_ASKED:
    call_asked (call, end, call_usage_of (end));
    break;
  default: { /* it broke the ABI's rules: that is for the log, not for the model */
    CLEANUP_FREE char *cause = xstrndup (end->message, end->result->message_len);
    call_finish_error (call, CALL_tool_execution_failed, cause);
    break;
  }
  }
}

/* The caller does not want it any more, whatever came of it: what there is goes along. */
static void
finish_interrupted (struct call *call, const struct job_end *end)
{
  const bool gave =
    end->fate == JOB_RESULT
    && (end->result->outcome == FRAME_OUTCOME_OK || end->result->outcome == FRAME_OUTCOME_FAILED);
  CLEANUP_PREVIEW struct preview *preview = gave ? call_preview (call, end) : NULL;
  struct result result = { .error = CALL_tool_cancelled };

  if (gave) {
    result.content = end->content;
    result.content_len = end->result->content_len;
    result.structured = end->structured;
    result.structured_len = end->result->structured_len;
    result.room = end->room;
  }
  result.usage = call_usage_of (end);
  call_shorten (call, preview, &result);
  call_finish (call, &result, end->text);
}

/* ---- other ends ---- */

/* An innocent call of an idempotent tool in a process that had to be killed runs once more, within
 * its deadline. */
static bool
retry (struct call *call)
{
  if (call->retried || call->told || !call->tool->idempotent)
    return false;
  call->retried = true;
  call_trace_stopped (call, call_error_info (CALL_worker_lost)->code);
  call_trace_queued (call);
  return unit_submit (call->tool->unit, &call->job).refusal == UNIT_TAKEN;
}

/* It is not "overloaded": who hears that calls again, and the tool has done its work. */
static const char NO_MEMORY[] =
  "The tool ran, but the host had no memory left for its result; ask for less.";

/* What the model can do something about: ask for less.  NULL: what the code says is all it is told.
 */
static const char *
message_of (const struct job_end *end)
{
  if (end->fate == JOB_NO_MEMORY)
    return NO_MEMORY;
  if (end->fate == JOB_CRASHED && end->reason == REASON_OOM)
    return "The tool used up its memory.";
  if (end->fate == JOB_CRASHED && end->reason == REASON_CPU)
    return "The tool used up its processor time.";
  return NULL;
}

/* Its process gave no result. */
static void
finish_without (struct call *call, const struct job_end *end)
{
  static const enum call_error errors[] = { [JOB_NO_MEMORY] = CALL_tool_execution_failed,
                                            [JOB_CRASHED] = CALL_tool_crashed,
                                            [JOB_LOST] = CALL_worker_lost,
                                            [JOB_UNAVAILABLE] = CALL_tool_unavailable,
                                            [JOB_OVERLOADED] = CALL_tool_overloaded };
  struct result result = { 0 };

  result.message = message_of (end);
  if (result.message != NULL)
    result.message_len = strlen (result.message);
  result.error = errors[end->fate];
  result.retry_after_ms = end->retry_after_ms;
  result.usage = call_usage_of (end);
  call_finish (call, &result, end->text);
}

void
call_outcome (struct call *call, const struct job_end *end)
{
  if (call->interrupted)
    finish_interrupted (call, end);
  else if (end->fate == JOB_RESULT)
    finish_result (call, end);
  else if (end->fate != JOB_LOST || !retry (call))
    finish_without (call, end);
}

static void
on_ended (struct job *job, const struct job_end *end)
{
  struct call *call = call_of (job);

  if (!call_guard_output (call, end))
    call_outcome (call, end);
}

const struct job_events call_job_events = { .started = on_started,
                                            .progress = on_progress,
                                            .log = on_log,
                                            .event = on_event,
                                            .emitted = on_emitted,
                                            .state = on_state,
                                            .tools = call_list_tools,
                                            .invoke = call_invoke,
                                            .overran = on_overran,
                                            .ended = on_ended };
