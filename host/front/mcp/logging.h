/* logging.h - what tools log, told to clients that want it: to a client of 2026-07-28 when the
 * request asks for it, to one of the handshake after logging/setLevel.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_LOGGING_H
#define TOOLHOST_FRONT_MCP_LOGGING_H

#include "base/json_tape.h"

/* Of syslog.  NONE stands first, so that zeroed memory tells nothing. */
enum mcp_log_level {
  MCP_LOG_NONE,
  MCP_LOG_DEBUG,
  MCP_LOG_INFO,
  MCP_LOG_NOTICE,
  MCP_LOG_WARNING,
  MCP_LOG_ERROR,
  MCP_LOG_CRITICAL,
  MCP_LOG_ALERT,
  MCP_LOG_EMERGENCY
};
#define MCP_LOG_LEVELS "debug, info, notice, warning, error, critical, alert or emergency"

/* MCP_LOG_NONE: it names none. */
enum mcp_log_level mcp_log_level_read (const struct json_tape *tape, const struct json_node *node);
const char *mcp_log_level_name (enum mcp_log_level level);
/* Of a level as plugins have it (TOOLHOST_DEBUG …). */
enum mcp_log_level mcp_log_level_of_tool (int level);

#endif
