/* methods.h - which methods there are, and the notifications that clients send.  Loop thread only.
 */
#ifndef TOOLHOST_FRONT_MCP_METHODS_H
#define TOOLHOST_FRONT_MCP_METHODS_H

#include "front/mcp/core.h"

/* Serve a request.  It may be gone when this returns. */
typedef void mcp_method (struct mcp_request *r, const struct mcp_message *m);
mcp_method mcp_dispatch;

/* A notification of this peer. */
void mcp_notified (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m);

/* Is there such a method in this era? */
bool mcp_check_method (enum mcp_era era, struct slice method, struct mcp_fault *fault);
/* The role that a caller needs for it: ROLE_…; of a method there is not, that for looking around.
 */
unsigned mcp_method_role (struct slice method);
/* Is `name` a method of this era, and does its request name a thing in params (as Mcp-Name repeats
 * it)?  The member's name, or NULL. */
const char *mcp_named_by (enum mcp_era era, struct slice method);

#endif
