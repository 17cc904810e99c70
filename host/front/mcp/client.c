#include "front/mcp/client.h"

/* A capability and what of it; an elicitation that names neither form nor url means forms. */
static const struct {
  const char *name, *part;
  unsigned bit;
} capabilities_known[] = {
  { "elicitation", "form", MCP_CLIENT_ELICITATION },
  { "elicitation", "url", MCP_CLIENT_ELICITATION_URL },
  { "sampling", NULL, MCP_CLIENT_SAMPLING },
  { "sampling", "tools", MCP_CLIENT_SAMPLING_TOOLS },
  { "roots", NULL, MCP_CLIENT_ROOTS },
  { "extensions", "io.modelcontextprotocol/tasks", MCP_CLIENT_TASKS },
};

unsigned
mcp_client_read (const struct json_tape *tape, const struct json_node *capabilities)
{
  const struct json_node *elicitation;
  unsigned can = 0;

  if (capabilities == NULL || capabilities->count == 0)
    return 0;
  elicitation = json_member (tape, capabilities, "elicitation");
  for (size_t i = 0; i < sizeof capabilities_known / sizeof capabilities_known[0]; i++) {
    const struct json_node *node = json_member (tape, capabilities, capabilities_known[i].name);
    if (capabilities_known[i].part != NULL && node != NULL)
      node = json_member (tape, node, capabilities_known[i].part);
    if (json_is (node, JSON_OBJECT))
      can |= capabilities_known[i].bit;
  }
  if (json_is (elicitation, JSON_OBJECT) && (can & MCP_CLIENT_ELICITATION_URL) == 0)
    can |= MCP_CLIENT_ELICITATION;
  return can;
}
