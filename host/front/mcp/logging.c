#include "front/mcp/logging.h"

static const char *const names[] = { "",      "debug",    "info",  "notice",   "warning",
                                     "error", "critical", "alert", "emergency" };

enum mcp_log_level
mcp_log_level_read (const struct json_tape *tape, const struct json_node *node)
{
  for (int i = MCP_LOG_DEBUG; node != NULL && i <= MCP_LOG_EMERGENCY; i++)
    if (json_equals (tape, node, names[i]))
      return (enum mcp_log_level) i;
  return MCP_LOG_NONE;
}

const char *
mcp_log_level_name (enum mcp_log_level level)
{
  return names[level];
}

/* Plugins have gaps between their levels, for levels to come: below the next one counts as this. */
enum mcp_log_level
mcp_log_level_of_tool (int level)
{
  enum { STEP = 1000 };
  int at = level / STEP;

  if (at < MCP_LOG_DEBUG)
    return MCP_LOG_DEBUG;
  return at > MCP_LOG_ERROR ? MCP_LOG_ERROR : (enum mcp_log_level) at;
}
