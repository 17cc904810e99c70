/* calls.h - a request that is a call of the pipeline: started, its progress and its log told to the
 * client, its end given to the method.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_CALLS_H
#define TOOLHOST_FRONT_MCP_CALLS_H

#include "front/mcp/core.h"

/* Start it.  `request` says what is called and with which arguments; toolset, front, principal,
 * session, trace and progress are filled in here.  `done` comes once, possibly before this returns,
 * and answers. */
void mcp_call (struct mcp_request *r, const struct mcp_message *m, struct call_request *request,
               void (*done) (struct mcp_request *r, const struct result *result));

/* Answer a call that is no tool's with the error that its result is. */
void mcp_refuse_result (struct mcp_request *r, const struct result *result);

#endif
