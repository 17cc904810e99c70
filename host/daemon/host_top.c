#include "base/clock.h"
#include "base/json_write.h"
#include "daemon/host_parts.h"

/* What somebody who looks on wants to see of a running daemon: counters since its start, which are
 * compared with those of the look before. */

static void
put_daemon (const struct host *host, struct json_writer *w)
{
  const struct {
    const char *name;
    uint64_t value;
  } figures[] = {
    { "uptime_ms", (uint64_t) (clock_ns () - host->began_ns) / 1000000 },
    { "memory_bytes", host->ceiling.pressure.bytes },
    { "memory_max_bytes", host->ceiling.pressure.max },
    { "workers", host->pool.workers },
    { "workers_killed", host->pool.killed },
    { "running", calls_running (host->calls) },
    { "tools", catalog_toolset (host->catalog)->count },
    { "connections", host->http != NULL ? http_server_connections (host->http) : 0 },
    { "sessions", host->sessions != NULL ? sessions_count (host->sessions) : 0 },
    { "log_dropped", log_dropped (host->log) },
  };

  jsonw_name_string (w, "version", TOOLHOST_VERSION);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    jsonw_name_int (w, figures[i].name, (int64_t) figures[i].value);
  jsonw_name_bool (w, "draining", host->stopping);
}

/* Those that failed are neither well nor refused, nor did somebody leave or is asked. */
static uint64_t
failures_of (const struct tool_stats *stats)
{
  uint64_t all = 0;

  for (unsigned i = 0; i < METRICS_OUTCOMES; i++)
    if (i != CALL_OK && i != CALL_input_required && i != CALL_tool_cancelled)
      all += stats->outcomes[i];
  return all > stats->refused ? all - stats->refused : 0;
}

static void
put_tool (void *ctx, const char *plugin, const char *tool, const struct tool_stats *stats)
{
  struct json_writer *w = ctx;
  const struct histogram *h = &stats->stages[STAGE_TOTAL];
  uint64_t ended = 0;

  for (unsigned i = 0; i < METRICS_OUTCOMES; i++)
    ended += stats->outcomes[i];
  if (ended == 0 && stats->running == 0)
    return;
  jsonw_object (w);
  jsonw_name_string (w, "plugin", plugin);
  jsonw_name_string (w, "tool", tool);
  jsonw_name_int (w, "running", stats->running);
  jsonw_name_int (w, "ended", (int64_t) ended);
  jsonw_name_int (w, "failed", (int64_t) failures_of (stats));
  jsonw_name_int (w, "refused", (int64_t) stats->refused);
  jsonw_name (w, "buckets");
  jsonw_array (w);
  for (size_t i = 0; i <= METRICS_BUCKETS; i++)
    jsonw_int (w, (int64_t) h->buckets[i]);
  jsonw_end (w);
  jsonw_end (w);
}

void
host_put_top (void *ctx, struct buf *out)
{
  const struct host *host = ctx;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  put_daemon (host, &w);
  jsonw_name (&w, "bounds_us");
  jsonw_array (&w);
  for (size_t i = 0; i < METRICS_BUCKETS; i++)
    jsonw_int (&w, (int64_t) metrics_bound_us (i));
  jsonw_end (&w);
  jsonw_name (&w, "calls");
  jsonw_array (&w);
  metrics_each_tool (host->metrics, put_tool, &w);
  jsonw_end (&w);
  plugins_put_top (host->plugins, &w);
  jsonw_end (&w);
}
