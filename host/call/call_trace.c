#include "call/call_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "call/guarding.h"
#include "call/resolve.h"

struct call_trace {
  struct span *call;
  struct span *queue, *worker, *approval; /* NULL: not now */
  unsigned tries;
  bool ended; /* what came of it is told */
};

/* ---- where it stands -------------------------------------------------------------------- */

/* Part of what its front has begun, else of what its caller has. */
static struct span *
begin (struct calls *calls, const struct call_request *request, int64_t now)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct trace_parent front = span_context (request->span);
  struct trace_parent parent;
  struct span *span;

  if (request->traced)
    return span_child (request->span, SPAN_INTERNAL, now);
  parent = trace_parent_in (request->metadata, request->metadata_len, &arena);
  span = span_root (calls->settings.tracer, &parent, SPAN_INTERNAL, now);
  span_link (span, &front);
  return span;
}

static void
put_name (struct span *span, enum call_kind kind, const char *name, size_t len)
{
  const int shown = len < 128 ? (int) len : 128;

  switch (kind) {
  case CALL_TOOL:
    span_name (span, "execute_tool %.*s", shown, name);
    span_text (span, "gen_ai.operation.name", "execute_tool");
    span_text_len (span, "gen_ai.tool.name", name, len);
    span_text (span, "gen_ai.tool.type", "function");
    break;
  case CALL_PROMPT:
  case CALL_COMPLETE_PROMPT:
    span_name (span, "%s %.*s", call_kind_word (kind), shown, name);
    span_text_len (span, "gen_ai.prompt.name", name, len);
    break;
  default: /* there are as many URIs as there are things */
    span_name (span, "%s", call_kind_word (kind));
    span_text_len (span, "mcp.resource.uri", name, len);
  }
}

static void
put_caller (struct span *span, const char *front, const char *tenant, const char *session)
{
  span_text (span, "toolhost.front", front);
  span_text (span, "toolhost.tenant", tenant != NULL ? tenant : TENANT_DEFAULT);
  span_text (span, "gen_ai.conversation.id", session);
}

void
call_trace_begin (struct call *call, const struct call_request *request)
{
  struct calls *calls = call->calls;
  struct span *span;

  if (calls->settings.tracer == NULL)
    return;
  span = begin (calls, request, call->started_ns);
  if (span == NULL)
    return;
  call->trace = xcalloc (1, sizeof *call->trace);
  call->trace->call = span;
  put_name (span, call->kind, call->uri != NULL ? call->uri : call->tool->name,
            strlen (call->uri != NULL ? call->uri : call->tool->name));
  span_text (span, "gen_ai.tool.call.id", call->kind == CALL_TOOL ? call->id : NULL);
  span_text (span, "toolhost.plugin", call->tool->plugin);
  put_caller (span, call->front, call->tenant, call->session_id);
}

const char *
call_trace_id (const struct call *call, char room[2 * TRACE_ID + 1])
{
  if (call->trace == NULL || call->trace->call == NULL)
    return NULL;
  span_trace_id (call->trace->call, room);
  return room;
}

/* ---- what its tool is told -------------------------------------------------------------- */

static void
copy_members (struct json_writer *w, const struct call_request *request, struct arena *arena)
{
  struct json_tape tape;
  const struct json_node *root;

  if (request->metadata == NULL
      || !json_read (&tape, request->metadata, request->metadata_len, &json_default_limits, arena))
    return;
  root = json_root (&tape);
  for (const struct json_node *n = json_first (root); n != json_end (root);) {
    const struct json_node *value = json_next (n);
    size_t name_len, len;
    const char *name = json_string (&tape, n, arena, &name_len);
    const char *text = json_raw (&tape, value, &len);
    const struct json_node *name_node = n;
    n = json_next (value);
    if (json_equals (&tape, name_node, "traceparent")
        || json_equals (&tape, name_node, "tracestate"))
      continue;
    jsonw_name_len (w, name, name_len);
    jsonw_raw (w, text, len);
  }
}

void
call_trace_meta (const struct call *call, const struct call_request *request, struct json_writer *w)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  char traceparent[TRACEPARENT_LEN + 1];
  const char *state;

  jsonw_name (w, "metadata");
  jsonw_object (w);
  copy_members (w, request, &arena);
  span_traceparent (call->trace->call, traceparent);
  jsonw_name_string (w, "traceparent", traceparent);
  state = span_tracestate (call->trace->call);
  if (state != NULL)
    jsonw_name_string (w, "tracestate", state);
  jsonw_end (w);
}

/* ---- its stages ------------------------------------------------------------------------- */

static void
end_one (struct span **span, int64_t end_ns)
{
  span_end (*span, end_ns);
  *span = NULL;
}

void
call_trace_queued (struct call *call)
{
  if (call->trace == NULL)
    return;
  call->trace->queue = span_child (call->trace->call, SPAN_INTERNAL, clock_ns ());
  span_name (call->trace->queue, "queue");
}

void
call_trace_started (struct call *call)
{
  if (call->trace == NULL)
    return;
  end_one (&call->trace->queue, call->sent_ns);
  call->trace->worker = span_child (call->trace->call, SPAN_INTERNAL, call->sent_ns);
  span_name (call->trace->worker, "worker");
  span_text (call->trace->worker, "toolhost.plugin", call->tool->plugin);
  if (++call->trace->tries != 1)
    span_int (call->trace->worker, "toolhost.try", call->trace->tries);
  call->job.span = call->trace->worker;
}

void
call_trace_stopped (struct call *call, const char *why)
{
  if (call->trace == NULL)
    return;
  if (why != NULL)
    span_fail (call->trace->worker, why, NULL);
  call->job.span = NULL;
  end_one (&call->trace->queue, 0);
  end_one (&call->trace->worker, call->job.ended_ns);
}

void
call_trace_asks (struct call *call)
{
  if (call->trace == NULL)
    return;
  call->trace->approval = span_child (call->trace->call, SPAN_INTERNAL, clock_ns ());
  span_name (call->trace->approval, "approval");
}

void
call_trace_decided (struct call *call, const char *decision)
{
  if (call->trace == NULL)
    return;
  span_text (call->trace->approval, "toolhost.approval.decision", decision);
  end_one (&call->trace->approval, 0);
}

void
call_trace_guard (const struct call *call, const char *guard, const char *stage,
                  const char *verdict, uint64_t us)
{
  const int64_t now = call->trace != NULL ? clock_ns () : 0;
  struct span *span;

  if (call->trace == NULL)
    return;
  span = span_child (call->trace->call, SPAN_INTERNAL, now - (int64_t) us * 1000);
  span_name (span, "guard %s", guard);
  span_text (span, "toolhost.guard.name", guard);
  span_text (span, "toolhost.guard.stage", stage);
  span_text (span, "toolhost.guard.verdict", verdict);
  span_end (span, now);
}

/* ---- its end ---------------------------------------------------------------------------- */

/* Only where the operator wants it, and without what guards redact. */
static void
put_content (const struct call *call, struct span *span, const struct result *result)
{
  CLEANUP_BUF struct buf args = { 0 }, content = { 0 };
  const bool is_structured = result->structured != NULL;
  const char *json;
  size_t len = call->args_len;

  if (!tracer_tells_content (call->calls->settings.tracer) || call->kind != CALL_TOOL)
    return;
  json = call_redact_json (call, call->args.data, &len, &args);
  span_content (span, "gen_ai.tool.call.arguments", json, len);
  if (result->error != CALL_OK)
    return;
  len = is_structured ? result->structured_len : result->content_len;
  json =
    call_redact_json (call, is_structured ? result->structured : result->content, &len, &content);
  span_content (span, "gen_ai.tool.call.result", json, len);
}

/* The registry's words: what a tool says may quote what it was given. */
static void
put_error (struct span *span, const struct result *result)
{
  const struct call_error_info *info = call_error_info (result->error);

  if (result->error == CALL_OK)
    return;
  span_text (span, "toolhost.outcome", info->code);
  if (result->error != CALL_input_required)
    span_fail (span, result->code != NULL ? result->code : info->code, info->text);
}

/* Is it the worker that has failed?  NULL: not by this code. */
static const char *
fault_of_worker (const struct result *result)
{
  switch (result->error) {
  case CALL_OK:
  case CALL_input_required:
  case CALL_guardrail_rejected:
  case CALL_guardrail_failed:
    return NULL;
  default:
    return result->code != NULL ? result->code : call_error_info (result->error)->code;
  }
}

void
call_trace_end (struct call *call, const struct result *result)
{
  struct span *span = call->trace != NULL ? call->trace->call : NULL;

  if (span == NULL)
    return;
  call_trace_stopped (call, fault_of_worker (result));
  call->trace->ended = true;
  put_error (span, result);
  span_text (span, "toolhost.replayed", result->replayed ? "true" : NULL);
  if (result->usage.told_cpu)
    span_int (span, "toolhost.cpu_us", (int64_t) result->usage.cpu_us);
  put_content (call, span, result);
}

void
call_trace_told (struct call *call, const struct result *result)
{
  if (call->trace == NULL)
    return;
  if (!call->trace->ended)
    call_trace_end (call, result);
  end_one (&call->trace->call, 0);
}

void
call_trace_drop (struct call *call)
{
  struct call_trace *trace = call->trace;

  if (trace == NULL)
    return;
  call_trace_stopped (call, NULL);
  end_one (&trace->approval, 0);
  end_one (&trace->call, 0);
  free (trace);
  call->trace = NULL;
}

void
call_trace_refused (struct calls *calls, const struct call_request *request,
                    const struct result *result)
{
  struct span *span;

  if (calls->settings.tracer == NULL)
    return;
  span = begin (calls, request, clock_ns ());
  if (span == NULL)
    return;
  if (result->tool != NULL)
    put_name (span, request->kind, request->name, request->name_len);
  else { /* anybody may make up names */
    span_name (span, "%s",
               request->kind == CALL_TOOL ? "execute_tool" : call_kind_word (request->kind));
    span_text_len (span, "gen_ai.tool.name", request->name, request->name_len);
  }
  put_caller (span, request->front, request->tenant, request->session_id);
  put_error (span, result);
  span_end (span, 0);
}
