/* listen.h - telling clients what has changed: subscriptions of 2026-07-28 (subscriptions/listen),
 * and notifications to clients of the handshake.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_LISTEN_H
#define TOOLHOST_FRONT_MCP_LISTEN_H

#include "front/mcp/core.h"

/* Lists have changed (a set of enum mcp_listed): of what this catalog shows, NULL: of all. */
void mcp_changed (struct mcp_core *core, const struct catalog *of, unsigned lists);
/* A resource has changed: those that subscribed to its URI are told. */
void mcp_resource_updated (struct mcp_core *core, struct slice uri);

/* A task is in another state: `members` are what is told of it, JSON members on one line. */
void mcp_task_changed (struct mcp_core *core, struct slice id, struct slice members);

/* For carriers: the peer can be told now (again): what of the lists it missed, it hears. */
void mcp_tell_missed (struct mcp_core *core, struct mcp_peer *peer);

/* The method. */
void mcp_listen (struct mcp_request *r, const struct mcp_message *m);
/* For core.c: the daemon ends a subscription; it is gone when this returns. */
void mcp_listen_stop (struct mcp_request *r);
/* … all of a peer. */
void mcp_listen_stop_all (struct mcp_peer *peer);

#endif
