/* prompts.h - prompts, and the completion of arguments of prompts and of templates.  Loop thread
 * only.
 */
#ifndef TOOLHOST_FRONT_MCP_PROMPTS_H
#define TOOLHOST_FRONT_MCP_PROMPTS_H

#include "front/mcp/methods.h"

mcp_method mcp_prompts_list, mcp_prompts_get, mcp_complete;

#endif
