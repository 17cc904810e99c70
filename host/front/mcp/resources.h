/* resources.h - resources: lists, reads, and the subscriptions of clients of the handshake.  Loop
 * thread only. */
#ifndef TOOLHOST_FRONT_MCP_RESOURCES_H
#define TOOLHOST_FRONT_MCP_RESOURCES_H

#include "front/mcp/methods.h"

mcp_method mcp_resources_list, mcp_templates_list, mcp_resources_read, mcp_resources_subscribe,
  mcp_resources_unsubscribe;

/* The parameter of all that is about one resource.  False: there is none, and that was answered. */
bool mcp_take_uri (struct mcp_request *r, const struct mcp_message *m, struct slice *uri);

#endif
