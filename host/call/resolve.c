#include "call/resolve.h"

/* What each kind of call is about. */
static const struct kind {
  const char *word;
  enum offer offer; /* CALL_READ: or a template */
  enum call_error absent;
  enum frame_content content;
} kinds[] = {
  [CALL_TOOL] = { NULL, OFFER_TOOL, CALL_tool_not_found, FRAME_BLOCKS },
  [CALL_READ] = { "read", OFFER_RESOURCE, CALL_resource_not_found, FRAME_CONTENTS },
  [CALL_PROMPT] = { "prompt", OFFER_PROMPT, CALL_prompt_not_found, FRAME_MESSAGES },
  [CALL_COMPLETE_PROMPT] = { "completion", OFFER_PROMPT, CALL_prompt_not_found, FRAME_VALUES },
  [CALL_COMPLETE_RESOURCE] = { "completion", OFFER_TEMPLATE, CALL_resource_not_found,
                               FRAME_VALUES },
  [CALL_LIST] = { "list", OFFER_TEMPLATE, CALL_resource_not_found, FRAME_LISTED },
};

const char *
call_kind_word (enum call_kind kind)
{
  return kinds[kind].word;
}

enum frame_content
call_kind_content (enum call_kind kind)
{
  return kinds[kind].content;
}

/* Has the prompt such an argument, as its definition says? */
static bool
has_argument (const struct tool *prompt, const char *name, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *list;
  struct json_tape tape;

  if (!json_read (&tape, prompt->mcp.data, prompt->mcp.len, &json_default_limits, &arena))
    return false;
  list = json_member (&tape, json_root (&tape), "arguments");
  if (list == NULL)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_equals_len (&tape, json_member (&tape, n, "name"), name, len))
      return true;
  return false;
}

static enum call_error
check_completed (const struct call_request *request, const struct tool *tool, struct buf *why)
{
  bool known = tool->offer == OFFER_TEMPLATE
                 ? uri_template_has (tool->uri_template, request->argument, request->argument_len)
                 : has_argument (tool, request->argument, request->argument_len);

  if (known)
    return CALL_OK;
  buf_printf (why, "%s: it has no %s of this name to be completed.", tool->name,
              tool->offer == OFFER_TEMPLATE ? "variable" : "argument");
  return CALL_tool_args_invalid;
}

enum call_error
resolve (const struct call_request *request, struct tool **tool, struct buf *variables,
         struct buf *why)
{
  const struct kind *kind = &kinds[request->kind];

  *tool = request->kind == CALL_READ
            ? toolset_resource (request->toolset, request->name, request->name_len, variables)
            : offers_find (&request->toolset->of[kind->offer], request->name, request->name_len);
  if (*tool == NULL)
    return kind->absent;
  return kind->content == FRAME_VALUES ? check_completed (request, *tool, why) : CALL_OK;
}
