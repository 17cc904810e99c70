/* sandboxed.h - what a document means is asked of the plugin that builds it: calls of its internal
 * tools, through the pipeline of all calls, so with a deadline, in a sandbox, logged, and counted
 * as the tenant's.  Loop thread only. */
#ifndef TOOLHOST_MANAGE_SANDBOXED_H
#define TOOLHOST_MANAGE_SANDBOXED_H

#include "base/buf.h"
#include "call/call.h"

struct sandboxed {
  struct calls *calls;
  /* The internal tool of this name, borrowed; NULL: no plugin has it. */
  struct tool *(*tool) (void *ctx, const char *name);
  void *ctx;
};

/* `done` is called once, perhaps before this returns, with what call_events.done has; NULL: there
 * is no such tool.  `arguments` is the text of a JSON object of ours. */
void sandboxed_call (const struct sandboxed *s, const char *tenant, const char *name,
                     const struct buf *arguments,
                     void (*done) (void *ctx, const struct result *result), void *ctx);

#endif
