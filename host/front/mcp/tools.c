#include "front/mcp/tools.h"

#include "front/mcp/calls.h"
#include "front/mcp/disclosure.h"
#include "front/mcp/reply.h"

/* ---- tools/list ---- */

void
mcp_tools_list (struct mcp_request *r, const struct mcp_message *m)
{
  const struct toolset *set = r->set;
  const struct json_node *cursor = json_member (&m->tape, m->params, "cursor");
  char name[MCP_CURSOR_ROOM];
  size_t len;
  size_t from = 0;

  if (r->search)
    return mcp_disclosure_list (r);
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
answer_call (struct mcp_request *r, const struct result *result)
{
  struct mcp_fault fault;

  if (result->error == CALL_tool_not_found) {
    (void) mcp_fault_set (&fault, MCP_INVALID_PARAMS, 200, "Unknown tool: %.*s", (int) r->name_len,
                          r->name);
    mcp_refuse (r, &fault);
    return;
  }
  mcp_put_result (mcp_scratch_for (r->core, result->room), r, result);
  mcp_answer (r, 200);
}

void
mcp_tools_call (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice name = mcp_text (m, m->name);
  const struct json_node *args = m->arguments;

  if (name.data == NULL)
    return mcp_refuse_params (r, "name: expected a string, the tool's name");
  if (args != NULL && !json_is (args, JSON_OBJECT))
    return mcp_refuse_params (r, "arguments: expected an object");
  if (r->search && mcp_disclosure_call (r, m, name, args))
    return;
  mcp_call (r, m,
            &(struct call_request){ .kind = CALL_TOOL,
                                    .name = name.data,
                                    .name_len = name.len,
                                    .tape = args != NULL ? &m->tape : NULL,
                                    .args_node = args },
            answer_call);
}
