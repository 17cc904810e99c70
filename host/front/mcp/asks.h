/* asks.h - calls that ask: of a client of 2026-07-28 the questions are the result of its request,
 * which it sends again with the answers and the sealed state (no memory is kept meanwhile); a
 * client of the handshake is sent the questions as requests (upcall.h) while its own request stays
 * open. Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_ASKS_H
#define TOOLHOST_FRONT_MCP_ASKS_H

#include "front/mcp/core.h"

/* Complete a call's request by what its client can be asked and has answered.  False: the answers
 * or the state can't be taken; the request was refused and is gone. */
bool mcp_asks_read (struct mcp_request *r, const struct mcp_message *m,
                    struct call_request *request);

/* The call of a request has ended in a way that concerns asking: that is answered or on its way to
 * be, and true is returned.  `events` are those the call was started with, its ctx is the request.
 */
bool mcp_asks_done (struct mcp_request *r, const struct result *result,
                    const struct call_events *events);

/* For core.c: the request ends. */
void mcp_asks_forget (struct mcp_request *r);

/* The fault of a client that lacks what must be asked of it (a set of enum mcp_client); its data
 * live in `data`. */
void mcp_fault_capability (struct mcp_fault *fault, unsigned needs, struct buf *data);

#endif
