#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/probe.h"
#include "call/call_audit.h"
#include "call/call_log.h"
#include "call/call_trace.h"
#include "call/guarding.h"
#include "call/running.h"

static void
count (struct call *call, const struct result *result)
{
  struct tool_stats *stats = call->stats;
  char room[2 * TRACE_ID + 1];
  const char *trace;

  if (stats == NULL)
    return;
  stats->outcomes[result->error]++;
  if (result->replayed) /* what it cost was counted when it ran */
    return;
  stats->refused += call->sent_ns == 0 && result->error != CALL_OK
                    && result->error != CALL_input_required && result->error != CALL_tool_cancelled;
  if (call->sent_ns != 0 && result->error != CALL_input_required
      && result->error != CALL_tool_cancelled)
    tool_record_add (&stats->record, result->error == CALL_OK, result->usage.wall_us);
  trace = call_trace_id (call, room);
  histogram_add_traced (&stats->stages[STAGE_FRONT], call->front_us, trace);
  histogram_add_traced (&stats->stages[STAGE_QUEUE], result->usage.queue_us, trace);
  histogram_add_traced (&stats->stages[STAGE_RUN], result->usage.run_us, trace);
  histogram_add_traced (&stats->stages[STAGE_TOTAL], result->usage.wall_us, trace);
  stats->bytes_in += result->usage.bytes_in;
  stats->bytes_out += result->usage.bytes_out;
  stats->http_requests += result->usage.http_requests;
  stats->http_sent += result->usage.http_sent;
  stats->http_received += result->usage.http_received;
  stats->cpu_us += result->usage.cpu_us;
}

static void
fill_usage (const struct call *call, struct result *result)
{
  int64_t now = call->job.ended_ns != 0 ? call->job.ended_ns : clock_ns ();
  int64_t sent = call->sent_ns != 0 ? call->sent_ns : now;

  result->usage.wall_us = (uint64_t) (now - call->started_ns) / 1000;
  result->usage.queue_us = (uint64_t) (sent - call->started_ns) / 1000;
  result->usage.run_us = (uint64_t) (now - sent) / 1000;
  result->usage.http_requests = call->job.services.requests;
  result->usage.http_sent = call->job.services.sent;
  result->usage.http_received = call->job.services.received;
  result->usage.bytes_in = call->args.len; /* answers and all */
  if (result->usage.bytes_out == 0)        /* else it was shortened */
    result->usage.bytes_out = result->content_len + result->structured_len + result->message_len;
}

/* The registry's sentence, and why. */
static void
detail (const struct call *call, struct result *result, const char *cause, struct buf *text)
{
  if (result->error == CALL_OK || result->message != NULL || cause == NULL || call->tenancy == NULL
      || !tenancy_terms (call->tenancy)->detailed_errors)
    return;
  buf_printf (text, "%s (%s)", call_error_info (result->error)->text, cause);
  call_redact_buf (call, call->tool->name, text);
  result->message = text->data;
  result->message_len = text->len;
}

static void
default_texts (struct result *result)
{
  const struct call_error_info *info = call_error_info (result->error);

  if (result->error != CALL_OK && result->code == NULL)
    result->code = info->code;
  if (result->message == NULL) {
    result->message = info->text;
    result->message_len = strlen (info->text);
  }
  if (result->content_len == 0) {
    result->content = "[]";
    result->content_len = 2;
  }
  if (result->structured_len == 0)
    result->structured = NULL;
}

void
call_tell (struct call *call, const struct result *result)
{
  const struct call_events *events = call->events;

  call_unindex (call);
  if (call->trace != NULL)
    call_trace_told (call, result);
  if (events != NULL) /* the front may have gone */
    events->done (call->ctx, result);
  call_release (call);
}

/* A call that was named is told of when its end is durable.  One that was not begun may come again,
 * and one that asks is not at its end: false, they are told of now. */
static bool
keep (struct call *call, const struct result *result)
{
  struct claim *claim = call->claim;

  if (claim == NULL || result->error == CALL_input_required)
    return false;
  if (call->sent_ns == 0) {
    call->claim = NULL;
    claim_drop (claim);
    return false;
  }
  call->kept = true;
  call_waits_no_more (call);
  ev_timer_stop (call->calls->loop, &call->deadline);
  claim_finish (claim, result);
  return true;
}

void
call_kept (struct call *call, const struct result *result)
{
  struct result told = *result;

  call->claim = NULL;
  told.kind = call->kind;
  told.tool = call->tool;
  told.name = call->tool->name;
  told.name_len = strlen (told.name);
  default_texts (&told);
  call_tell (call, &told);
}

void
call_finish (struct call *call, struct result *result, const char *cause)
{
  CLEANUP_BUF struct buf detailed = { 0 }, instead = { 0 }, repairs = { 0 };

  call_leave_batch (call);
  detail (call, result, cause, &detailed);
  default_texts (result);
  result->kind = call->kind;
  result->tool = call->tool;
  result->name = call->uri != NULL ? call->uri : call->tool->name;
  result->name_len = strlen (result->name);
  if (!result->replayed)
    fill_usage (call, result);
  if (call->repairs.len != 0) {
    result->repairs_len = call->repairs.len;
    result->repairs = call_redact_json (call, call->repairs.data, &result->repairs_len, &repairs);
    if (result->repairs == NULL)
      result->repairs_len = 0;
  }
  PROBE4 (call__end, call->id, call->tool->name, result->code, result->usage.wall_us);
  count (call, result);
  call_report (call, result);
  call_count_end (call, result);
  call_stop_guards (call);
  call_log_end (call->calls, call, call->tool->name, result, cause);
  call_audit_end (call->calls, call, result->name, result);
  call_trace_end (call, result);
  call_forget_reading (call);
  if (!call_guard_error (call, result, &instead))
    call_settle (call, result);
}

void
call_settle (struct call *call, struct result *result)
{
  default_texts (result);
  if (!keep (call, result))
    call_tell (call, result);
}

void
call_finish_error (struct call *call, enum call_error error, const char *cause)
{
  struct result result = { .error = error };
  call_finish (call, &result, cause);
}

/* What is said of arguments may quote them, and is written down in more places than one. */
static void
redact_refusal (const struct call *nobody, const struct tool *tool, struct result *result,
                struct buf *message, struct buf *problems)
{
  if (tool == NULL || nobody->tenancy == NULL || !call_may_redact (nobody, tool->name))
    return;
  buf_append (message, result->message, result->message_len);
  call_redact_buf (nobody, tool->name, message);
  result->message = message->data;
  result->message_len = message->len;
  if (result->problems_len == 0)
    return;
  buf_append (problems, result->problems, result->problems_len);
  call_redact_buf (nobody, tool->name, problems);
  result->problems = problems->data;
  result->problems_len = problems->len;
}

void
call_refuse (struct calls *calls, struct tool *tool, const struct call_request *request,
             const struct call_events *events, void *ctx, struct result *result)
{
  struct tool_stats *stats = tool != NULL ? calls_stats_of (calls, tool) : NULL;
  struct call nobody = { .front = request->front, .kind = request->kind, .outer = request->outer };
  CLEANUP_BUF struct buf message = { 0 }, problems = { 0 };
  CLEANUP_FREE char *name =
    xstrndup (request->name, request->name_len < 128 ? request->name_len : 128);

  (void) snprintf (nobody.id, sizeof nobody.id, "%s",
                   request->call_id != NULL ? request->call_id : "");
  nobody.tenant = (char *) request->tenant;
  nobody.principal = (char *) request->principal;
  nobody.session_id = (char *) request->session_id;
  if (calls->settings.tenancies != NULL && request->kind == CALL_TOOL)
    nobody.tenancy = tenancies_of (calls->settings.tenancies, request->tenant);
  default_texts (result);
  redact_refusal (&nobody, tool, result, &message, &problems);
  result->kind = request->kind;
  result->tool = tool;
  result->name = request->name;
  result->name_len = request->name_len;
  if (stats != NULL) {
    stats->outcomes[result->error]++;
    stats->refused += result->error != CALL_OK;
  }
  call_log_end (calls, &nobody, name, result, NULL);
  call_audit_end (calls, &nobody, name, result);
  call_trace_refused (calls, request, result);
  events->done (ctx, result);
}
