/* client.h - what a client says it can do: of a request of 2026-07-28 its envelope says it, of a
 * session its initialize.  Pure functions. */
#ifndef TOOLHOST_FRONT_MCP_CLIENT_H
#define TOOLHOST_FRONT_MCP_CLIENT_H

#include "base/json_tape.h"

enum mcp_client {
  MCP_CLIENT_ELICITATION = 1 << 0, /* forms */
  MCP_CLIENT_ELICITATION_URL = 1 << 1,
  MCP_CLIENT_SAMPLING = 1 << 2,
  MCP_CLIENT_SAMPLING_TOOLS = 1 << 3,
  MCP_CLIENT_ROOTS = 1 << 4,
  MCP_CLIENT_TASKS = 1 << 5 /* the extension */
};

/* The set of enum mcp_client in a ClientCapabilities object (NULL: nothing). */
unsigned mcp_client_read (const struct json_tape *tape, const struct json_node *capabilities);

#endif
