/* tools.h - tools/list and tools/call: a call of the pipeline, its progress and its log told to the
 * client.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_TOOLS_H
#define TOOLHOST_FRONT_MCP_TOOLS_H

#include "front/mcp/methods.h"

mcp_method mcp_tools_list, mcp_tools_call;

#endif
