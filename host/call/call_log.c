#include "call/call_log.h"

#include <string.h>

#include "base/json_write.h"
#include "call/call_trace.h"
#include "call/guarding.h"
#include "call/resolve.h"
#include "pool/said.h"

/* Is there room for one more of the lines that come as often as somebody calls? */
static bool
room_for_line (struct calls *calls, enum log_level level)
{
  ev_tstamp now = ev_now (calls->loop);

  if (!log_wants (calls->log, level))
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

/* Lines about calls that went well, or were too many, are limited; every other one is written. */
static bool
line_wanted (struct calls *calls, const struct result *result)
{
  enum log_level level = (enum log_level) call_error_info (result->error)->level;

  if (result->error == CALL_OK || result->error == CALL_tool_overloaded
      || result->error == CALL_input_required)
    return room_for_line (calls, level);
  return log_wants (calls->log, level);
}

static const char *
event_of (enum call_error error)
{
  if (error == CALL_input_required)
    return "tool_call_asked";
  return error == CALL_OK ? "tool_call_finished" : "tool_call_failed";
}

/* A copy of a text about a call, without what its guards redact. */
static char *
redacted (const struct call *call, const char *tool, const char *text, size_t len)
{
  CLEANUP_BUF struct buf copy = { 0 };

  buf_append (&copy, text, len);
  call_redact_buf (call, tool, &copy);
  return xstrndup (copy.len != 0 ? copy.data : "", copy.len);
}

void
call_log_end (struct calls *calls, const struct call *call, const char *tool,
              const struct result *result, const char *cause)
{
  CLEANUP_FREE char *message = NULL, *because = NULL;
  char trace[2 * TRACE_ID + 1];

  if (!line_wanted (calls, result))
    return;
  if (result->error != CALL_OK)
    message = redacted (call, tool, result->message, result->message_len);
  if (cause != NULL)
    cause = because = redacted (call, tool, cause, strlen (cause));
  log_event (
    calls->log, (enum log_level) call_error_info (result->error)->level, event_of (result->error),
    "tool", tool, "kind", call_kind_word (call->kind), "call", call->id, "tenant", call->tenant,
    "session", call->session_id, "front", call->front, "trace_id", call_trace_id (call, trace),
    "invoked_by", call->outer != NULL ? call->outer->id : NULL, "code", result->code, "message",
    message, "cause", cause, "replayed", result->replayed ? "true" : NULL, "wall_us",
    LOG_INT (result->usage.wall_us), "queue_us", LOG_INT (result->usage.queue_us), "bytes_in",
    LOG_INT (result->usage.bytes_in), "bytes_out", LOG_INT (result->usage.bytes_out),
    "http_requests",
    result->usage.http_requests != 0 ? LOG_INT (result->usage.http_requests) : NULL, "http_sent",
    result->usage.http_requests != 0 ? LOG_INT (result->usage.http_sent) : NULL, "http_received",
    result->usage.http_requests != 0 ? LOG_INT (result->usage.http_received) : NULL,
    "worker_cpu_us", result->usage.told_cpu ? LOG_INT (result->usage.cpu_us) : NULL,
    "kernel_rss_peak", result->usage.rss_peak != 0 ? LOG_INT (result->usage.rss_peak) : NULL, NULL);
}

void
call_log_start (const struct call *call)
{
  if (log_wants (call->calls->log, LOG_DEBUG))
    log_event (call->calls->log, LOG_DEBUG, "tool_call_started", "tool", call->tool->name, "kind",
               call_kind_word (call->kind), "call", call->id, "tenant", call->tenant, "session",
               call->session_id, "front", call->front, NULL);
}

void
call_log_held (const struct call *call)
{
  if (room_for_line (call->calls, LOG_INFO))
    log_event (call->calls->log, LOG_INFO, "tool_call_held", "tool", call->tool->name, "call",
               call->id, "tenant", call->tenant, "session", call->session_id, "front", call->front,
               NULL);
}

void
call_log_repairs (const struct call *call, const struct repaired *repaired)
{
  CLEANUP_BUF struct buf where = { 0 };

  if (!room_for_line (call->calls, LOG_INFO))
    return;
  for (size_t i = 0; i < repaired->count; i++)
    buf_printf (&where, "%s%s %s", i != 0 ? ", " : "", repair_rule_name (repaired->list[i].rule),
                *repaired->list[i].pointer != '\0' ? repaired->list[i].pointer : "arguments");
  call_redact_buf (call, call->tool->name, &where);
  log_event (call->calls->log, LOG_INFO, "tool_args_repaired", "tool", call->tool->name, "call",
             call->id, "tenant", call->tenant, "front", call->front, "repairs", buf_cstr (&where),
             NULL);
}

void
call_log_text (const struct call *call, int level, const char *text, size_t len)
{
  enum log_level as = said_level (level);
  CLEANUP_FREE char *copy = NULL;

  if (!log_wants (call->calls->log, as))
    return;
  copy = xstrndup (text, len);
  log_event (call->calls->log, as, "tool_log", "tool", call->tool->name, "call", call->id, "tenant",
             call->tenant, "text", copy, NULL);
}

bool
call_log_event (const struct call *call, int level, const char *text, size_t len, size_t name_len)
{
  CLEANUP_BUF struct buf known = { 0 };
  struct json_writer w = { .out = &known };

  jsonw_object (&w);
  jsonw_name_string (&w, "plugin", call->tool->plugin);
  jsonw_name_string (&w, "tool", call->tool->name);
  jsonw_name_string (&w, "call", call->id);
  jsonw_name_string (&w, "tenant_id", call->tenant != NULL ? call->tenant : TENANT_DEFAULT);
  if (call->session_id != NULL)
    jsonw_name_string (&w, "session", call->session_id);
  jsonw_end (&w);
  return said_event (call->calls->log, level, text, len, name_len, &known);
}
