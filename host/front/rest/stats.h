/* stats.h - GET and DELETE /v1/stats: how the executions of each tool went, and that they are
 * counted anew.  Used by rest.c.  Pure but for the counters.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_STATS_H
#define TOOLHOST_FRONT_REST_STATS_H

#include "base/buf.h"
#include "call/call.h"
#include "catalog/toolset.h"

/* Append { "tools": [{ "name", "plugin", "executions", "successes", "failures", "success_rate",
 * "total_ms", "average_ms" }, …], "circuits": [{ "tool", "plugin", "tenant", "state", "failures"?,
 * "retry_after_ms"? }, …] }.  An execution is a call that reached a worker and ended, but for those
 * that were cancelled or ask.  Circuits are those that have seen failures in a row, but for tools
 * that were exchanged since; `tenant`: its own alone, NULL: those of all. */
void stats_put (struct buf *out, const struct toolset *set, struct calls *calls,
                const char *tenant);
/* Of these tools; counters of Prometheus go on. */
void stats_clear (const struct toolset *set);

#endif
