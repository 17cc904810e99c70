/* trace.h - the trace context a client sends in _meta (W3C: traceparent, tracestate, baggage), for
 * the tool's metadata.  Pure functions. */
#ifndef TOOLHOST_FRONT_MCP_TRACE_H
#define TOOLHOST_FRONT_MCP_TRACE_H

#include "front/mcp/message.h"

/* As a JSON object in the message's arena; data NULL when there is none.  What is no trace context
 * is left out: a wrong traceparent must not cost the call. */
struct slice mcp_trace (const struct mcp_message *m);

#endif
