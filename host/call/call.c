#include "call/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "call/arguments.h"
#include "call/calls.h"
#include "call/problems.h"
#include "pool/unit.h"
#include "schema/schema.h"

enum { ID_MAX = 128, ARGS_KEPT = 64 * 1024, SPARE_MAX = 256 };

struct calls {
  struct ev_loop *loop;
  struct log *log;
  struct metrics *metrics;
  struct calls_settings settings;
  struct call *by_id; /* running calls */
  struct call *spare; /* call structs to use again */
  unsigned spare_count;
  unsigned running;
  bool draining;
  uint64_t id_seed, ids;
  ev_tstamp second; /* begin of the second whose log lines are counted */
  unsigned lines;
  uint64_t lines_left_out;
};

struct call {
  struct job job; /* first: the pool hands it back */
  struct calls *calls;
  struct tool *tool;
  struct tool_stats *stats;
  const struct call_events *events;
  void *ctx;
  char id[ID_MAX + 1];
  char *principal;
  const char *front;
  char *tenant;
  char *session_id;
  bool indexed;
  bool retried; /* after its process was lost; once, and only when the tool is idempotent */
  ev_timer deadline;
  int64_t started_ns, sent_ns;
  struct buf args;
  struct buf meta;
  struct buf repairs; /* of the arguments, as the result tells them; empty: none */
  struct call *next_spare;
  UT_hash_handle hh;
};

/* ---- the set of calls ---- */

struct calls *
calls_new (struct ev_loop *loop, struct log *log, struct metrics *metrics,
           const struct calls_settings *settings)
{
  struct calls *calls = xcalloc (1, sizeof *calls);

  calls->loop = loop;
  calls->log = log;
  calls->metrics = metrics;
  calls->settings = *settings;
  if (getrandom (&calls->id_seed, sizeof calls->id_seed, GRND_NONBLOCK) < 0)
    calls->id_seed = (uint64_t) clock_ns ();
  return calls;
}

void
calls_free (struct calls *calls)
{
  if (calls == NULL)
    return;
  for (struct call *c = calls->spare, *next; c != NULL; c = next) {
    next = c->next_spare;
    buf_free (&c->args);
    buf_free (&c->meta);
    buf_free (&c->repairs);
    free (c);
  }
  free (calls);
}

void
calls_set_repair (struct calls *calls, enum repair_mode repair)
{
  calls->settings.repair = repair;
}

void
calls_drain (struct calls *calls)
{
  calls->draining = true;
}

unsigned
calls_running (const struct calls *calls)
{
  return calls->running;
}

void
calls_cancel_all (struct calls *calls)
{
  while (calls->by_id != NULL)
    call_cancel (calls->by_id);
}

const char *
calls_outcome_name (unsigned outcome)
{
  return outcome < CALL_ERRORS ? call_error_info ((enum call_error) outcome)->code : "unknown";
}

const char *
calls_repair_name (unsigned rule)
{
  return rule < REPAIR_RULES ? repair_rule_name ((enum repair_rule) rule) : "unknown";
}

/* ---- one call's memory ---- */

static struct call *
call_alloc (struct calls *calls)
{
  struct call *call = calls->spare;
  struct buf args, meta, repairs;

  if (call == NULL)
    return xcalloc (1, sizeof *call);
  calls->spare = call->next_spare;
  calls->spare_count--;
  args = call->args;
  meta = call->meta;
  repairs = call->repairs;
  memset (call, 0, sizeof *call);
  call->args = args;
  call->meta = meta;
  call->repairs = repairs;
  return call;
}

static void
call_release (struct call *call)
{
  struct calls *calls = call->calls;

  ev_timer_stop (calls->loop, &call->deadline);
  if (call->indexed)
    HASH_DEL (calls->by_id, call);
  tool_unref (call->tool);
  free (call->principal);
  free (call->tenant);
  free (call->session_id);
  calls->running--;
  buf_reset (&call->args, ARGS_KEPT);
  buf_reset (&call->meta, ARGS_KEPT);
  buf_reset (&call->repairs, ARGS_KEPT);
  if (calls->spare_count < SPARE_MAX) {
    call->next_spare = calls->spare;
    calls->spare = call;
    calls->spare_count++;
    return;
  }
  buf_free (&call->args);
  buf_free (&call->meta);
  buf_free (&call->repairs);
  free (call);
}

/* ---- how a call ends ---- */

static void
count (struct call *call, const struct result *result)
{
  struct tool_stats *stats = call->stats;

  if (stats == NULL)
    return;
  stats->outcomes[result->error]++;
  histogram_add (&stats->stages[STAGE_QUEUE], result->usage.queue_us);
  histogram_add (&stats->stages[STAGE_RUN], result->usage.run_us);
  histogram_add (&stats->stages[STAGE_TOTAL], result->usage.wall_us);
  stats->bytes_in += result->usage.bytes_in;
  stats->bytes_out += result->usage.bytes_out;
}

/* Is there room for one more line about a call that goes well? */
static bool
room_for_line (struct calls *calls)
{
  ev_tstamp now = ev_now (calls->loop);

  if (!log_wants (calls->log, LOG_INFO))
    return false;
  if (now - calls->second >= 1) {
    if (calls->lines_left_out != 0)
      log_event (calls->log, LOG_INFO, "tool_call_lines_left_out", "lines",
                 LOG_INT (calls->lines_left_out), NULL);
    calls->second = now;
    calls->lines = 0;
    calls->lines_left_out = 0;
  }
  if (++calls->lines <= calls->settings.log_per_second)
    return true;
  calls->lines_left_out++;
  return false;
}

/* Lines about calls that went well are limited; every other one is written. */
static bool
line_wanted (struct calls *calls, const struct result *result)
{
  if (result->error == CALL_OK)
    return room_for_line (calls);
  return log_wants (calls->log, (enum log_level) call_error_info (result->error)->level);
}

static void
log_result (struct calls *calls, const struct call *call, const char *tool,
            const struct result *result, const char *cause)
{
  CLEANUP_FREE char *message = NULL;

  if (!line_wanted (calls, result))
    return;
  if (result->error != CALL_OK)
    message = xstrndup (result->message, result->message_len);
  log_event (calls->log, (enum log_level) call_error_info (result->error)->level,
             result->error == CALL_OK ? "tool_call_finished" : "tool_call_failed", "tool", tool,
             "call", call->id, "tenant", call->tenant, "session", call->session_id, "front",
             call->front, "code", result->code, "message", message, "cause", cause, "wall_us",
             LOG_INT (result->usage.wall_us), "queue_us", LOG_INT (result->usage.queue_us),
             "cpu_us", LOG_INT (result->usage.cpu_us), NULL);
}

static void
fill_usage (const struct call *call, struct result *result)
{
  int64_t now = clock_ns ();
  int64_t sent = call->sent_ns != 0 ? call->sent_ns : now;

  result->usage.wall_us = (uint64_t) (now - call->started_ns) / 1000;
  result->usage.queue_us = (uint64_t) (sent - call->started_ns) / 1000;
  result->usage.run_us = (uint64_t) (now - sent) / 1000;
  result->usage.bytes_in = call->args.len;
  result->usage.bytes_out = result->content_len + result->structured_len + result->message_len;
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

/* Tell the front, count, log, forget.  `events` NULL: the front has gone. */
static void
finish (struct call *call, struct result *result, const char *cause)
{
  const struct call_events *events = call->events;
  void *ctx = call->ctx;

  default_texts (result);
  fill_usage (call, result);
  if (call->repairs.len != 0) {
    result->repairs = call->repairs.data;
    result->repairs_len = call->repairs.len;
  }
  count (call, result);
  log_result (call->calls, call, call->tool->name, result, cause);
  if (call->indexed) {
    HASH_DEL (call->calls->by_id, call);
    call->indexed = false;
  }
  if (events != NULL)
    events->done (ctx, result);
  call_release (call);
}

static void
finish_error (struct call *call, enum call_error error, const char *cause)
{
  struct result result = { .error = error };
  finish (call, &result, cause);
}

static struct tool_stats *
stats_of (const struct calls *calls, struct tool *tool)
{
  if (tool->stats == NULL && calls->metrics != NULL)
    tool->stats = metrics_tool (calls->metrics, tool->plugin, tool->name);
  return tool->stats;
}

/* Refuse what never became a call.  `tool` is NULL when there is none of that name. */
static void
refuse (struct calls *calls, struct tool *tool, const struct call_request *request,
        const struct call_events *events, void *ctx, struct result *result)
{
  struct tool_stats *stats = tool != NULL ? stats_of (calls, tool) : NULL;
  struct call nobody = { .front = request->front };
  CLEANUP_FREE char *name =
    xstrndup (request->name, request->name_len < 128 ? request->name_len : 128);

  (void) snprintf (nobody.id, sizeof nobody.id, "%s",
                   request->call_id != NULL ? request->call_id : "");
  nobody.tenant = (char *) request->tenant;
  nobody.session_id = (char *) request->session_id;
  default_texts (result);
  if (stats != NULL)
    stats->outcomes[result->error]++;
  log_result (calls, &nobody, name, result, NULL);
  events->done (ctx, result);
}

/* ---- what the pool says ---- */

static struct call *
call_of (struct job *job)
{
  return (struct call *) job;
}

static void
on_started (struct job *job)
{
  call_of (job)->sent_ns = clock_ns ();
}

static void
on_progress (struct job *job, double done, double total, const char *text, size_t len)
{
  struct call *call = call_of (job);

  if (call->events->progress != NULL)
    call->events->progress (call->ctx, done, total, text, len);
}

static enum log_level
level_of_tool (int level)
{
  /* TOOLHOST_DEBUG 1000 … TOOLHOST_ERROR 5000, unknown values between them counted down */
  int index = level / 1000 - 1;
  return index < LOG_DEBUG ? LOG_DEBUG : index > LOG_ERROR ? LOG_ERROR : (enum log_level) index;
}

static void
on_log (struct job *job, int level, const char *text, size_t len)
{
  struct call *call = call_of (job);
  enum log_level as = level_of_tool (level);

  if (log_wants (call->calls->log, as)) {
    CLEANUP_FREE char *copy = xstrndup (text, len);
    log_event (call->calls->log, as, "tool_log", "tool", call->tool->name, "call", call->id,
               "tenant", call->tenant, "text", copy, NULL);
  }
  if (call->events->log != NULL)
    call->events->log (call->ctx, level, text, len);
}

/* The tool worked, and its result breaks what it declares: the model is told what is wrong, in the
 * way arguments are, so that it knows that calling again won't help. */
static void
finish_broken (struct call *call, const struct schema_report *report, struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  size_t count = problems_count (report);

  buf_printf (&text,
              "%s: the tool ran, but its result does not fit its outputSchema (%zu error%s). This "
              "is a fault of the tool, not of the arguments.",
              call->tool->name, count, count == 1 ? "" : "s");
  problems_text (report, "result", &text);
  problems_json (report, &problems);
  *result = (struct result){ .error = CALL_tool_output_invalid,
                             .message = text.data,
                             .message_len = text.len,
                             .problems = problems.data,
                             .problems_len = problems.len,
                             .usage = result->usage };
  finish (call, result, NULL);
}

/* Does the structured result fit?  Null is a result, only an absent one is none. */
static bool
output_fits (const struct tool *tool, const struct job_end *end, struct schema_report *report,
             struct arena *arena)
{
  static const struct schema_problem absent = { .pointer = "",
                                                .message = "expected a structured result, got none",
                                                .keyword = "outputSchema",
                                                .expected = "a structured result" };

  if (tool->output == NULL)
    return true;
  if (end->structured_tape != NULL)
    return schema_validate (tool->output, end->structured_tape, json_root (end->structured_tape),
                            report, arena);
  report->problems[report->count++] = absent;
  return false;
}

static void
finish_ok (struct call *call, const struct job_end *end)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };
  struct result result = { .content = end->content,
                           .content_len = end->result->content_len,
                           .structured = end->structured,
                           .structured_len = end->result->structured_len };

  result.usage.cpu_us = end->result->cpu_ns / 1000;
  if (output_fits (call->tool, end, &report, &arena))
    finish (call, &result, NULL);
  else
    finish_broken (call, &report, &result);
}

/* The tool itself said no; its code and message pass. */
static void
finish_no (struct call *call, enum call_error error, const struct job_end *end)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  char code[80];
  struct result result = { .error = error };

  result.usage.cpu_us = end->result->cpu_ns / 1000;
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
  }
  finish (call, &result, NULL);
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
    finish_no (call, CALL_tool_execution_failed, end);
    break;
  default: { /* it broke the ABI's rules: that is for the log, not for the model */
    CLEANUP_FREE char *cause = xstrndup (end->message, end->result->message_len);
    finish_error (call, CALL_tool_execution_failed, cause);
    break;
  }
  }
}

/* An innocent call of an idempotent tool in a process that had to be killed runs once more, within
 * its deadline. */
static bool
retry (struct call *call)
{
  if (call->retried || !call->tool->idempotent)
    return false;
  call->retried = true;
  return unit_submit (call->tool->unit, &call->job).refusal == UNIT_TAKEN;
}

static void
on_ended (struct job *job, const struct job_end *end)
{
  static const enum call_error errors[] = { [JOB_CRASHED] = CALL_tool_crashed,
                                            [JOB_LOST] = CALL_worker_lost,
                                            [JOB_UNAVAILABLE] = CALL_tool_unavailable };
  struct call *call = call_of (job);
  struct result result = { 0 };

  if (end->fate == JOB_RESULT) {
    finish_result (call, end);
    return;
  }
  if (end->fate == JOB_LOST && retry (call))
    return;
  result.error = errors[end->fate];
  result.retry_after_ms = end->retry_after_ms;
  finish (call, &result, end->text);
}

static const struct job_events job_events = {
  .started = on_started, .progress = on_progress, .log = on_log, .ended = on_ended
};

static void
on_deadline (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct call *call = timer->data;

  (void) loop;
  (void) revents;
  job_cancel (&call->job, FRAME_CANCEL_DEADLINE);
  finish_error (call, CALL_tool_timeout, call->sent_ns == 0 ? "it waited for a worker" : NULL);
}

/* ---- the stages before the worker ---- */

static int64_t
time_limit_ms (const struct calls *calls, const struct tool *tool, int64_t wish_ms)
{
  int64_t policy = tool->unit != NULL ? unit_policy (tool->unit)->max_time_ms : 0;
  int64_t limit = tool->max_time_ms != 0 ? tool->max_time_ms : calls->settings.deadline_ms;

  if (policy > 0 && policy < limit)
    limit = policy;
  if (wish_ms > 0 && wish_ms < limit)
    limit = wish_ms;
  return limit;
}

static void
make_id (struct calls *calls, const char *given, char *room, size_t size)
{
  static const char prefix[] = "call_";
  uint64_t n = calls->id_seed ^ (++calls->ids * 0x9E3779B97F4A7C15U);
  char *at = room + sizeof prefix - 1;

  if (given != NULL && *given != '\0') {
    (void) snprintf (room, size, "%s", given);
    return;
  }
  memcpy (room, prefix, sizeof prefix - 1);
  for (int shift = 60; shift >= 0; shift -= 4)
    *at++ = "0123456789abcdef"[n >> shift & 15];
  *at = '\0';
}

static void
write_meta (struct call *call, const struct call_request *request)
{
  struct json_writer w = { .out = &call->meta };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", call->id);
  jsonw_name_string (&w, "tenant", request->tenant != NULL ? request->tenant : "default");
  if (request->session_id != NULL)
    jsonw_name_string (&w, "session_id", request->session_id);
  if (request->metadata != NULL)
    jsonw_name_raw (&w, "metadata", request->metadata, request->metadata_len);
  jsonw_end (&w);
}

static char *
copy_or_null (const char *text)
{
  return text != NULL ? xstrdup (text) : NULL;
}

/* An id that a running call has already is not given a second time: the new call gets one of ours.
 */
static void
index_call (struct calls *calls, struct call *call, const char *wanted)
{
  struct call *same = NULL;

  make_id (calls, wanted, call->id, sizeof call->id);
  HASH_FIND_STR (calls->by_id, call->id, same);
  if (same != NULL) {
    log_event (calls->log, LOG_NOTICE, "tool_call_duplicate_id", "call", call->id, "tool",
               call->tool->name, NULL);
    make_id (calls, NULL, call->id, sizeof call->id);
  }
  HASH_ADD_STR (calls->by_id, id, call);
  call->indexed = true;
}

static struct call *
make_call (struct calls *calls, struct tool *tool, const struct call_request *request,
           const struct arguments *arguments, const struct call_events *events, void *ctx)
{
  struct call *call = call_alloc (calls);
  int64_t limit = time_limit_ms (calls, tool, request->deadline_ms);

  calls->running++;
  call->calls = calls;
  call->tool = tool_ref (tool);
  call->events = events;
  call->ctx = ctx;
  call->front = request->front;
  call->tenant = copy_or_null (request->tenant);
  call->principal = copy_or_null (request->principal);
  call->session_id = copy_or_null (request->session_id);
  call->stats = stats_of (calls, tool);
  call->started_ns = clock_ns ();
  index_call (calls, call, request->call_id);
  buf_append (&call->args, arguments->text, arguments->len);
  arguments_repairs_json (arguments, &call->repairs);
  write_meta (call, request);
  ev_timer_init (&call->deadline, on_deadline, 0, 0);
  call->deadline.data = call;
  call->job = (struct job){ .events = &job_events,
                            .tool = tool->index,
                            .args = call->args.data,
                            .args_len = call->args.len,
                            .meta = call->meta.data,
                            .meta_len = call->meta.len,
                            .deadline_ns = INT64_MAX,
                            .wants_progress = request->wants_progress };
  if (limit != INT64_MAX && limit < INT64_MAX / 2000000) {
    call->job.deadline_ns = call->started_ns + limit * 1000000;
    ev_timer_set (&call->deadline, (double) limit / 1000, 0);
    ev_timer_start (calls->loop, &call->deadline);
  }
  return call;
}

/* Only where somebody wants every detail: the line at a call's end has the same names. */
static void
log_start (const struct call *call)
{
  if (log_wants (call->calls->log, LOG_DEBUG))
    log_event (call->calls->log, LOG_DEBUG, "tool_call_started", "tool", call->tool->name, "call",
               call->id, "tenant", call->tenant, "session", call->session_id, "front", call->front,
               NULL);
}

/* Count what was mended, and log where: never what stood there. */
static void
note_repairs (struct call *call, const struct repaired *repaired)
{
  CLEANUP_BUF struct buf where = { 0 };

  if (repaired == NULL)
    return;
  for (size_t i = 0; call->stats != NULL && i < REPAIR_RULES; i++)
    call->stats->repairs[i] += repaired->by_rule[i];
  if (!room_for_line (call->calls))
    return;
  for (size_t i = 0; i < repaired->count; i++)
    buf_printf (&where, "%s%s %s", i != 0 ? ", " : "", repair_rule_name (repaired->list[i].rule),
                *repaired->list[i].pointer != '\0' ? repaired->list[i].pointer : "arguments");
  log_event (call->calls->log, LOG_INFO, "tool_args_repaired", "tool", call->tool->name, "call",
             call->id, "tenant", call->tenant, "front", call->front, "repairs", buf_cstr (&where),
             NULL);
}

/* NULL when it has ended already. */
static struct call *
start_checked (struct calls *calls, struct tool *tool, const struct call_request *request,
               const struct arguments *arguments, const struct call_events *events, void *ctx)
{
  struct call *call = make_call (calls, tool, request, arguments, events, ctx);
  struct unit_answer answer;
  struct result result = { 0 };

  note_repairs (call, arguments->repaired);
  answer = unit_submit (tool->unit, &call->job);
  if (answer.refusal == UNIT_TAKEN) {
    log_start (call);
    return call;
  }
  result.error = answer.refusal == UNIT_QUEUE_FULL ? CALL_tool_overloaded : CALL_tool_unavailable;
  result.retry_after_ms = answer.retry_after_ms;
  finish (call, &result, answer.why);
  return NULL;
}

/* What is wrong with the arguments, CALL_OK when nothing is (any more). */
static enum call_error
check_arguments (struct calls *calls, const struct tool *tool, const struct call_request *request,
                 struct arguments *arguments, struct buf *problems, struct buf *text)
{
  enum repair_mode repair = tool->repair_set ? tool->repair : calls->settings.repair;

  if (!arguments_parse (arguments, request, calls->settings.json_depth, repair, text))
    return CALL_tool_args_parse_error;
  if (!arguments_check (arguments, tool, repair, problems, text))
    return CALL_tool_args_invalid;
  return CALL_OK;
}

struct call *
call_start (struct calls *calls, const struct call_request *request,
            const struct call_events *events, void *ctx)
{
  __attribute__ ((cleanup (arguments_free))) struct arguments arguments = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  struct tool *tool = toolset_find (request->toolset, request->name, request->name_len);
  struct result result = { 0 };

  if (calls->draining || calls->running >= calls->settings.running_max) {
    result.error = CALL_tool_overloaded;
    result.retry_after_ms = 1000;
  }
  else if (tool == NULL)
    result.error = CALL_tool_not_found;
  else
    result.error = check_arguments (calls, tool, request, &arguments, &problems, &text);
  if (result.error == CALL_OK)
    return start_checked (calls, tool, request, &arguments, events, ctx);
  if (text.len != 0) {
    result.message = text.data;
    result.message_len = text.len;
  }
  if (problems.len != 0) {
    result.problems = problems.data;
    result.problems_len = problems.len;
  }
  refuse (calls, tool, request, events, ctx, &result);
  return NULL;
}

/* ---- what fronts do to a running call ---- */

void
call_cancel (struct call *call)
{
  job_cancel (&call->job, FRAME_CANCEL_CALLER);
  finish_error (call, CALL_tool_cancelled, NULL);
}

void
call_abandon (struct call *call)
{
  call->events = NULL;
  call_cancel (call);
}

const char *
call_id (const struct call *call)
{
  return call->id;
}

struct call *
call_find (struct calls *calls, const char *id, const char *principal)
{
  struct call *call = NULL;

  HASH_FIND_STR (calls->by_id, id, call);
  if (call != NULL && call->principal != NULL && principal != NULL
      && strcmp (call->principal, principal) != 0)
    return NULL;
  return call;
}
