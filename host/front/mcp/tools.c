#include "front/mcp/tools.h"

#include <math.h>

#include "front/mcp/reply.h"
#include "front/mcp/trace.h"

/* ---- tools/list ---- */

void
mcp_tools_list (struct mcp_request *r, const struct mcp_message *m)
{
  const struct toolset *set = catalog_toolset (r->core->env->catalog);
  const struct json_node *cursor = json_member (&m->tape, m->params, "cursor");
  char name[MCP_CURSOR_ROOM];
  size_t len;
  size_t from = 0;

  if (cursor != NULL) {
    if (!mcp_cursor_read (mcp_param_text (m, "cursor"), name, &len))
      return mcp_refuse_params (r, "cursor: expected a nextCursor of tools/list");
    from = toolset_after (set, name, len);
  }
  mcp_put_tools (mcp_scratch (r->core), r, set, from);
  mcp_answer (r, 200);
}

/* ---- tools/call ---- */

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

static void
call_done (void *ctx, const struct result *result)
{
  struct mcp_request *r = ctx;
  struct mcp_fault fault;

  r->call = NULL;
  if (result->error == CALL_tool_not_found) {
    (void) mcp_fault_set (&fault, MCP_INVALID_PARAMS, 200, "Unknown tool: %.*s", (int) r->name_len,
                          r->name);
    mcp_refuse (r, &fault);
    return;
  }
  mcp_put_result (mcp_scratch_for (r->core, result->room), r, result);
  mcp_answer (r, 200);
}

static void
keep_name (struct mcp_request *r, struct slice name)
{
  r->name_len = (unsigned) (name.len < sizeof r->name ? name.len : sizeof r->name);
  memcpy (r->name, name.data, r->name_len);
}

void
mcp_tools_call (struct mcp_request *r, const struct mcp_message *m)
{
  static const struct call_events events = { .progress = call_progress,
                                             .log = call_log,
                                             .done = call_done };
  struct slice name = mcp_param_text (m, "name");
  const struct json_node *args = json_member (&m->tape, m->params, "arguments");
  struct slice trace = mcp_trace (m);
  struct call *call;

  if (name.data == NULL)
    return mcp_refuse_params (r, "name: expected a string, the tool's name");
  if (args != NULL && !json_is (args, JSON_OBJECT))
    return mcp_refuse_params (r, "arguments: expected an object");
  keep_name (r, name);
  call = call_start (r->core->env->calls,
                     &(struct call_request){
                       .toolset = catalog_toolset (r->core->env->catalog),
                       .name = name.data,
                       .name_len = name.len,
                       .tape = args != NULL ? &m->tape : NULL,
                       .args_node = args,
                       .front = r->core->carrier->front,
                       .principal = r->principal,
                       .session_id = r->session,
                       .metadata = trace.data,
                       .metadata_len = trace.len,
                       .wants_progress = r->token.len != 0,
                     },
                     &events, r);
  if (call != NULL)
    r->call = call;
}
