/* host.h - the whole daemon in one struct: everything is made, wired and destroyed here, and only
 * here does anything know everything.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_HOST_H
#define TOOLHOST_DAEMON_HOST_H

#include <ev.h>

#include "base/error.h"
#include "call/calls.h"
#include "catalog/catalog.h"
#include "daemon/config.h"

struct host;

/* What the command line says besides the configuration. */
struct host_options {
  struct config config; /* taken over */
  int config_dir;       /* descriptor of the folder with plugins.d; -1: none; taken over */
  int worker;           /* the worker program; taken over */
  bool standard_dirs;   /* look for plugins in the standard folders, too */
  const char *single;   /* serve this one plugin file and nothing else; borrowed */
  bool stdio;           /* serve standard input and output */
  bool quiet;           /* no log */
  /* reads the configuration again for a reload; NULL: only policies are read again */
  bool (*reconfigure) (void *ctx, struct config *config, struct error *err);
  void *reconfigure_ctx;
};

/* Make everything, bind what is to be bound, become the configured user.  NULL: err says why. */
struct host *host_new (struct ev_loop *loop, struct host_options *options, struct error *err);

/* Begin: discovery, describing, serving. */
void host_start (struct host *host);

/* End: no new calls, what runs may finish (config.drain), then everything is stopped; the loop is
 * broken when nothing is left. */
void host_stop (struct host *host);

/* Read policies (and what of the configuration can change while running) again.  False: everything
 * stays as it was. */
bool host_reload (struct host *host, struct error *err);

void host_free (struct host *host);

/* Has it stopped because it could not go on? */
bool host_failed (const struct host *host);
bool host_ready (const struct host *host);
struct catalog *host_catalog (const struct host *host);
struct calls *host_calls (const struct host *host);
/* The internal tool of this name, of the plugin that builds the feature; NULL: there is none.  Good
 * until this turn of the loop ends. */
struct tool *host_internal_tool (const struct host *host, const char *feature, const char *name);
/* { "plugins": […] } */
void host_render_plugins (struct host *host, struct buf *out);

#endif
