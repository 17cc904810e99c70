/* oneshot.h - a private daemon core in this process for one plugin file: what `toolhost call
 * --plugin` and `toolhost check` run on.  The same units, workers, sandbox and pipeline as in
 * toolhostd; no fronts, no configuration.  One thread. */
#ifndef TOOLHOST_DAEMON_ONESHOT_H
#define TOOLHOST_DAEMON_ONESHOT_H

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"

struct oneshot;

/* Load the plugin and wait until it has said what it offers.  Started as root, the process becomes
 * an ordinary user for good.  NULL: err says why it can't be used. */
struct oneshot *oneshot_open (const char *plugin_file, struct error *err);

/* … of a plugin that may have no tools of its own. */
struct oneshot *oneshot_open_builder (const char *plugin_file, struct error *err);

/* Run a call to its end; `request->toolset` is filled in. */
void oneshot_call (struct oneshot *oneshot, struct call_request *request,
                   const struct call_events *events, void *ctx);
/* As oneshot_call, of a tool that is in no toolset: an internal one of the plugin, which builds
 * this feature.  False: it has none of this name. */
bool oneshot_call_internal (struct oneshot *oneshot, const char *feature,
                            struct call_request *request, const struct call_events *events,
                            void *ctx);
/* From a signal handler: cancel what oneshot_call runs. */
void oneshot_interrupt (struct oneshot *oneshot);

struct toolset *oneshot_toolset (struct oneshot *oneshot);
/* The plugin as /v1/plugins shows it: { "plugins": [ … ] }. */
void oneshot_describe (struct oneshot *oneshot, struct buf *out);

void oneshot_close (struct oneshot *oneshot);

#endif
