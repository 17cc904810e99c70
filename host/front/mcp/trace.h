/* trace.h - the trace context a client sends in _meta (W3C: traceparent, tracestate, baggage), for
 * the tool's metadata; and the
 * span of a request, with the names of OpenTelemetry's conventions for MCP.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_TRACE_H
#define TOOLHOST_FRONT_MCP_TRACE_H

#include "front/mcp/message.h"
#include "watch/trace.h"

struct mcp_request;
struct result;

/* As a JSON object in the message's arena; data NULL when there is none.  What is no trace context
 * is left out: a wrong traceparent must not cost the call. */
struct slice mcp_trace (const struct mcp_message *m);

/* Begin the span of a request that is dispatched now, if it is sampled: part of what _meta names,
 * else of what its carrier says; of both, the latter is linked to.  `method`: NULL: unknown. */
void mcp_trace_begin (struct mcp_request *r, const struct mcp_message *m, const char *method);
/* It is answered with an error, … */
void mcp_trace_refused (const struct mcp_request *r, const struct mcp_fault *fault);
/* … or its call has ended so. */
void mcp_trace_result (const struct mcp_request *r, const struct result *result);

/* Begin the span of a request of ours to its client, if it is sampled, … */
struct span *mcp_trace_upcall (const struct mcp_request *r, const char *method, struct slice id);
/* … tell the client of it in the request's parameters (an object, or data NULL), made in `room`, …
 */
void mcp_trace_params (const struct span *span, struct slice *params, struct buf *room);
/* … and end it, with a result, with an error (NULL: what came is no answer) or without an answer.
 * NULL is fine. */
void mcp_trace_answered (struct span *span);
void mcp_trace_declined (struct span *span, const struct json_tape *tape,
                         const struct json_node *error);
void mcp_trace_unanswered (struct span *span);

#endif
