/* mcp.h - the Model Context Protocol: one decoder for all its revisions and carriers.
 *
 * Served: 2026-07-28 (stateless, envelope in _meta) and the handshake of 2025-11-25, 2025-06-18,
 * 2025-03-26 (with batches) and, on stdio, 2024-11-05.  The body of a message decides its era;
 * headers only cross-check.
 *
 *   message, batch      reading             core, methods, tools, listen, upcall   what is done
 *   headers             cross-checks        reply, lists                           what is said
 *   mcp_http, post, stream, replay, sessions, and ../stdio                         carriers
 *
 * Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_H
#define TOOLHOST_FRONT_MCP_H

#include "front/front.h"
#include "front/http/http.h"

struct mcp_http;

struct mcp_http *mcp_http_new (const struct front_env *env);
/* A request whose path is /mcp: any method. */
void mcp_http_handle (struct mcp_http *mcp, struct http_exchange *x);
/* The daemon stops: end every stream that has no end of its own, and begin no other. */
void mcp_http_drain (struct mcp_http *mcp);
void mcp_http_free (struct mcp_http *mcp);

#endif
