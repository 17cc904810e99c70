/* mcp_http_parts.h - the HTTP carrier's own state.  Between mcp_http.c and post.c. */
#ifndef TOOLHOST_FRONT_MCP_MCP_HTTP_PARTS_H
#define TOOLHOST_FRONT_MCP_MCP_HTTP_PARTS_H

#include "front/mcp/mcp.h"
#include "front/mcp/sessions.h"

struct mcp_http {
  struct mcp_core core;      /* first: the carrier's functions know only this */
  struct mcp_peer stateless; /* all clients of 2026-07-28, and handshakes while they are made */
  struct mcp_sessions *sessions;
  struct mcp_streams streams;
  /* of the message that is being taken: the tools it is about */
  struct toolset *set;
  bool search;
  const struct trace_parent *ambient; /* what its headers say of a trace; NULL: nothing */
  int64_t came_ns;                    /* of its request, as http.h has it */
  struct ev_timer tick;
};

extern const struct mcp_carrier mcp_http_carrier;

/* Answer with an error and its status. */
void mcp_http_refuse (struct mcp_http *mcp, struct http_exchange *x, struct slice id,
                      const struct mcp_fault *fault);
/* The session that Mcp-Session-Id names, when MCP-Protocol-Version may stand beside it; NULL: the
 * fault says why not. */
struct mcp_session *mcp_http_session (struct mcp_http *mcp, struct http_exchange *x,
                                      struct mcp_fault *fault);

void mcp_http_post (struct mcp_http *mcp, struct http_exchange *x);

/* What happens every MCP_TICK seconds. */
enum { MCP_TICK = 10 };
void mcp_http_tick (struct mcp_http *mcp, double now);
/* Signs of life on the streams of all clients of 2026-07-28. */
void mcp_http_tick_posts (struct mcp_http *mcp);

#endif
