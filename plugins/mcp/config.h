/* config.h - the feature "mcp" of a tenant: which servers, and what is taken of each.  Read once,
 * by the builder. */
#ifndef TOOLHOST_PLUGINS_MCP_CONFIG_H
#define TOOLHOST_PLUGINS_MCP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <toolhost.h>

#include "../common/text.h"

enum { SERVERS_MAX = 32, PATTERNS_MAX = 256, HEADERS_MAX = 32 };

/* Which revisions a server speaks.  ERA_AUTO: the newest is tried first. */
enum era { ERA_AUTO, ERA_MODERN, ERA_LEGACY };

struct server_config {
  char *name;
  char *process; /* a program by the operator's name for it; NULL: it has a URL */
  char *url;
  char *prefix;   /* of its tools' names; never NULL */
  char **tools;   /* patterns of its own names, NULL-terminated; NULL: all */
  char **headers; /* name, value, …, NULL-terminated; NULL: none */
  enum era era;
  int64_t timeout_ms;  /* of a call */
  int64_t connect_ms;  /* until it is there and has told its tools */
  int64_t grace_ms;    /* after a call was given up, until its program is killed */
  int64_t retry_ms;    /* until a server that could not be reached is tried again */
  int64_t message_max; /* bytes of one message */
};

struct config {
  struct server_config servers[SERVERS_MAX];
  size_t count;
};

/* False: the host was told what is wrong, and where. */
bool config_read (struct config *config, toolhost_build *build, const char *text, size_t len);
void server_config_free (struct server_config *server);

/* Is this tool of the server's wanted? */
bool config_wants (const struct server_config *server, const char *tool);

#endif
