/* disclosure.h - tools shown when a model looks for them: with disclosure=search the list has two
 * tools of the daemon's own, toolhost_search_tools and toolhost_describe_tool, and all others can
 * be called by their names.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_DISCLOSURE_H
#define TOOLHOST_FRONT_MCP_DISCLOSURE_H

#include "front/mcp/core.h"

/* The list, in the place of tools/list's own. */
void mcp_disclosure_list (struct mcp_request *r);
/* A call of one of the two is answered, and the request is gone; false: of another tool. */
bool mcp_disclosure_call (struct mcp_request *r, const struct mcp_message *m, struct slice name,
                          const struct json_node *arguments);

#endif
