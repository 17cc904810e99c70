#include "front/mcp/calls.h"

#include <math.h>

#include "base/json_write.h"
#include "front/encode.h"
#include "front/mcp/asks.h"
#include "front/mcp/reply.h"
#include "front/mcp/tasks.h"
#include "front/mcp/trace.h"

static void
call_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct mcp_request *r = ctx;

  if (r->token.len == 0 || !isfinite (done) || done <= r->progress)
    return;
  r->progress = done;
  mcp_put_progress (mcp_scratch (r->core), r, done, total, text, len);
  (void) r->core->carrier->send (r, &r->core->scratch);
}

static void
call_log (void *ctx, int level, const char *text, size_t len)
{
  struct mcp_request *r = ctx;
  enum mcp_log_level said = mcp_log_level_of_tool (level);

  if (r->log_at == MCP_LOG_NONE || said < r->log_at)
    return;
  mcp_put_log (mcp_scratch (r->core), r, said, text, len);
  (void) r->core->carrier->send (r, &r->core->scratch);
}

static void call_done (void *ctx, const struct result *result);

static const struct call_events call_events = { .progress = call_progress,
                                                .log = call_log,
                                                .done = call_done };

static void
call_done (void *ctx, const struct result *result)
{
  struct mcp_request *r = ctx;

  r->call = NULL;
  mcp_trace_result (r, result);
  if (!mcp_asks_done (r, result, &call_events))
    r->done (r, result);
}

static void
keep_name (struct mcp_request *r, const char *name, size_t len)
{
  r->name_len = (unsigned) (len < sizeof r->name ? len : sizeof r->name);
  memcpy (r->name, name, r->name_len);
}

/* As its tool and its client would have it answered. */
static void
start (struct mcp_request *r, struct call_request *request)
{
  struct mcp_fault fault;
  struct call *call;

  switch (mcp_tasks_how (r, request)) {
  case MCP_AS_RESULT:
    call = call_start (r->core->env->calls, request, &call_events, r);
    if (call != NULL)
      r->call = call;
    break;
  case MCP_AS_TASK:
    mcp_tasks_start (r, request, &call_events);
    break;
  case MCP_AS_NOTHING:
    ask_free (request->ask);
    mcp_tasks_fault (&fault);
    mcp_refuse (r, &fault);
    break;
  }
}

void
mcp_call (struct mcp_request *r, const struct mcp_message *m, struct call_request *request,
          void (*done) (struct mcp_request *r, const struct result *result))
{
  struct slice trace = mcp_trace (m);

  keep_name (r, request->name, request->name_len);
  request->toolset = r->set;
  request->front = r->core->carrier->front;
  request->principal = r->principal;
  request->tenant = r->tenant;
  request->asks_approval = true;
  request->may_approve = (r->roles & ROLE_APPROVE) != 0;
  request->session_id = r->session;
  request->metadata = trace.data;
  request->metadata_len = trace.len;
  request->preview = true;
  request->traced = r->core->env->tracer != NULL;
  request->span = r->span;
  request->wants_progress = r->token.len != 0;
  request->batch = r->core->batch;
  r->done = done;
  if (mcp_asks_read (r, m, request))
    start (r, request);
}

/* ---- errors ---- */

/* { "uri" } of a resource that is not there, as MCP has it; of all others what programs can go by.
 */
static void
put_data (struct buf *out, const struct result *result)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  if (result->error == CALL_resource_not_found) {
    jsonw_name (&w, "uri");
    jsonw_string_len (&w, result->name, result->name_len);
  }
  jsonw_name_string (&w, "code", result->code);
  if (result->retry_after_ms > 0)
    jsonw_name_int (&w, "retryAfterMs", result->retry_after_ms);
  if (result->problems != NULL)
    encode_name_raw (&w, "problems", result->problems, result->problems_len);
  jsonw_end (&w);
}

static enum mcp_code
code_of (const struct mcp_request *r, enum call_error error)
{
  switch (error) {
  case CALL_resource_not_found:
    return r->era == MCP_LEGACY ? MCP_RESOURCE_NOT_FOUND : MCP_INVALID_PARAMS;
  case CALL_prompt_not_found:
  case CALL_tool_args_invalid:
  case CALL_tool_args_parse_error:
    return MCP_INVALID_PARAMS;
  default:
    return MCP_INTERNAL_ERROR;
  }
}

void
mcp_refuse_result (struct mcp_request *r, const struct result *result)
{
  CLEANUP_BUF struct buf data = { 0 };
  struct slice message = encode_message (result);
  struct mcp_fault fault;

  put_data (&data, result);
  (void) mcp_fault_set (&fault, code_of (r, result->error), 200, "%.*s", (int) message.len,
                        message.data);
  fault.data = (struct slice){ data.data, data.len };
  mcp_refuse (r, &fault);
}
