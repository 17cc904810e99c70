/* headers.h - what the headers of a POST must say so that they agree with its body (2026-07-28).
 * Used by mcp_http.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_HEADERS_H
#define TOOLHOST_FRONT_MCP_HEADERS_H

#include "catalog/toolset.h"
#include "front/mcp/message.h"

/* Everything that is checked of a request of 2026-07-28 before its method runs, in the order the
 * protocol asks for: envelope, version header, version, Mcp-Method, Mcp-Name, the method, Mcp-Param
 * of the called tool's arguments. */
bool mcp_check_modern (const struct http_exchange *x, const struct mcp_message *m,
                       const struct toolset *set, struct mcp_fault *fault);

/* Does a header value, which may be wrapped as =?base64?…?=, stand for `text`? */
bool mcp_header_equals (struct slice header, struct slice text, struct arena *arena);

#endif
