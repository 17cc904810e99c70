/* upcall.h - requests of the daemon to a client of the handshake: elicitation/create,
 * sampling/createMessage, roots/list.  Each is sent with the messages of the request it is for (on
 * the event stream of its POST, or the pipe), and matched to what the client answers by its id.
 *
 * There is no deadline here: whoever asks sets one and cancels.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_UPCALL_H
#define TOOLHOST_FRONT_MCP_UPCALL_H

#include "front/mcp/core.h"

enum mcp_upcall_outcome {
  MCP_UPCALL_RESULT, /* `value`: the result, an object */
  MCP_UPCALL_ERROR,  /* `value`: the error, an object; NULL: it was no valid response */
  MCP_UPCALL_GONE    /* the request it was for has ended, whatever the reason; `value` is NULL */
};

/* Called once, never before mcp_upcall_start returns.  The tape is the client's message and gone
 * when this returns.  With GONE the request must not be touched. */
typedef void mcp_upcall_done (void *ctx, enum mcp_upcall_outcome outcome,
                              const struct json_tape *tape, const struct json_node *value);

/* Ask the client of `r`, which is of the handshake.  `params`: a JSON object on one line, copied;
 * data NULL: none.  NULL: it can't be heard (its connection is lost, or takes no event stream), and
 * `done` will not be called. */
struct mcp_upcall *mcp_upcall_start (struct mcp_request *r, const char *method, struct slice params,
                                     mcp_upcall_done *done, void *ctx);
/* `done` will not be called; the client is told that its answer is not wanted any more. */
void mcp_upcall_cancel (struct mcp_upcall *upcall);

/* For carriers: a response of the peer.  One that nobody waits for is ignored. */
void mcp_upcall_answered (struct mcp_peer *peer, const struct mcp_message *m);
/* For core.c: the request ends. */
void mcp_upcalls_forget (struct mcp_request *r);

#endif
