/* host_table.h - the table of functions a plugin gets, on top of a port. */
#ifndef TOOLHOST_WORKER_HOST_TABLE_H
#define TOOLHOST_WORKER_HOST_TABLE_H

#include <toolhost.h>

#include "base/error.h"

struct call_port;
struct tool_call;

/* Lives as long as the plugin it was given to. */
struct plugin_host {
  toolhost_host table; /* first: all that a plugin sees */
  const struct call_port *port;
  void *ctx;         /* of the port */
  bool call_service; /* its plugin is granted something of it */
};

void plugin_host_init (struct plugin_host *host, const struct call_port *port, void *ctx);

/* What open and builders get.  `said` keeps the last sentence of toolhost_build_error. */
struct opening {
  toolhost_build pub; /* first */
  struct error said;
  /* Of a builder; NULL: nothing can be added. */
  toolhost_status (*add) (void *ctx, const toolhost_tool *tool, void *self);
  void *ctx;
  struct tool_call *call; /* a builder's own (toolhost_build_call); NULL: it has none */
};

#endif
