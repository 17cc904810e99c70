/* top_show.c - a view of top_view.h as lines and as JSON. */
#include <string.h>

#include "base/json_write.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"
#include "cli/top_view.h"

static const struct table_column tool_columns[] = {
  { .title = "TOOL", .cut = true },       { .title = "PLUGIN", .cut = true },
  { .title = "CALLS/S", .right = true },  { .title = "P50", .right = true },
  { .title = "P99", .right = true },      { .title = "RUNNING", .right = true },
  { .title = "FAILED/S", .right = true }, { .title = "REFUSED/S", .right = true },
  { .title = "CALLS", .right = true },
};
static const struct table_column plugin_columns[] = {
  { .title = "PLUGIN", .cut = true },    { .title = "STATE" },
  { .title = "WORKERS", .right = true }, { .title = "RUNNING", .right = true },
  { .title = "QUEUED", .right = true },  { .title = "CPU", .right = true },
  { .title = "MEMORY", .right = true },  { .title = "CRASHES", .right = true },
};
enum {
  TOOL_COLUMNS = sizeof tool_columns / sizeof *tool_columns,
  PLUGIN_COLUMNS = sizeof plugin_columns / sizeof *plugin_columns,
  HEADS = 2
};

/* ---- figures ---- */

static void
add_rate (struct table *table, double rate)
{
  if (rate < 0)
    table_addf (table, "-");
  else
    table_addf (table, rate < 99.95 && rate > 0 ? "%.1f" : "%.0f", rate);
}

static void
add_time (struct table *table, double us)
{
  if (us < 0)
    table_addf (table, "-");
  else if (us < 1000)
    table_addf (table, "%.0f us", us);
  else if (us < 999500)
    table_addf (table, us < 99950 ? "%.1f ms" : "%.0f ms", us / 1000);
  else
    table_addf (table, "%.1f s", us / 1e6);
}

static void
put_bytes (struct buf *out, int64_t bytes)
{
  buf_printf (out, "%.1f MiB", (double) bytes / (1 << 20));
}

static void
add_tool (struct table *table, const struct top_tool *tool)
{
  table_addf (table, "%s", tool->tool);
  table_addf (table, "%s", tool->plugin);
  add_rate (table, tool->rate);
  add_time (table, tool->p50_us);
  add_time (table, tool->p99_us);
  table_addf (table, "%lld", (long long) tool->running);
  add_rate (table, tool->failed);
  add_rate (table, tool->refused);
  table_addf (table, "%lld", (long long) tool->ended);
}

static void
add_plugin (struct table *table, const struct top_plugin *plugin)
{
  CLEANUP_BUF struct buf memory = { 0 };

  put_bytes (&memory, plugin->rss);
  table_addf (table, "%s", plugin->name);
  table_addf (table, "%s", plugin->state);
  table_addf (table, "%lld", (long long) plugin->workers);
  table_addf (table, "%lld", (long long) plugin->running);
  table_addf (table, "%lld", (long long) plugin->queued);
  if (plugin->cpu < 0)
    table_addf (table, "-");
  else
    table_addf (table, "%.0f %%", 100 * plugin->cpu);
  table_addf (table, "%s", plugin->rss != 0 ? buf_cstr (&memory) : "-");
  table_addf (table, "%lld", (long long) plugin->crashes);
}

/* ---- lines ---- */

struct lines {
  void (*line) (void *ctx, enum top_line kind, const char *text, size_t len);
  void *ctx;
};

static int64_t
figure (const struct top_view *view, const char *name)
{
  int64_t value = 0;

  (void) json_int64 (&view->look->tape,
                     json_member (&view->look->tape, json_root (&view->look->tape), name), &value);
  return value;
}

static void
put_uptime (struct buf *out, int64_t seconds)
{
  if (seconds >= 86400)
    buf_printf (out, "%lld d ", (long long) (seconds / 86400));
  buf_printf (out, "%02lld:%02lld:%02lld", (long long) (seconds / 3600 % 24),
              (long long) (seconds / 60 % 60), (long long) (seconds % 60));
}

static void
put_rate (struct buf *out, const char *name, double rate)
{
  if (rate < 0)
    buf_printf (out, "%s -", name);
  else
    buf_printf (out, rate < 99.95 && rate > 0 ? "%s %.1f/s" : "%s %.0f/s", name, rate);
}

static void
head_lines (const struct top_view *view, const struct lines *to)
{
  CLEANUP_BUF struct buf out = { 0 };
  const int64_t max = figure (view, "memory_max_bytes");

  buf_puts (&out, "toolhostd up ");
  put_uptime (&out, figure (view, "uptime_ms") / 1000);
  buf_puts (&out, ", memory ");
  put_bytes (&out, figure (view, "memory_bytes"));
  if (max != 0) {
    buf_puts (&out, " of ");
    put_bytes (&out, max);
  }
  buf_printf (&out, ", tools %lld, workers %lld, connections %lld, sessions %lld",
              (long long) figure (view, "tools"), (long long) figure (view, "workers"),
              (long long) figure (view, "connections"), (long long) figure (view, "sessions"));
  to->line (to->ctx, TOP_HEAD, out.data, out.len);
  out.len = 0;
  put_rate (&out, "calls", view->rate);
  put_rate (&out, ", failed", view->failed);
  put_rate (&out, ", refused", view->refused);
  buf_printf (&out, ", running %lld", (long long) figure (view, "running"));
  to->line (to->ctx, TOP_HEAD, out.data, out.len);
}

static void
table_lines (const struct table *table, unsigned width, const struct lines *to)
{
  CLEANUP_BUF struct buf out = { 0 };
  enum top_line kind = TOP_TITLES;

  table_render (table, width, &out);
  to->line (to->ctx, TOP_ROW, "", 0);
  for (size_t at = 0; at < out.len;) {
    const char *end = memchr (out.data + at, '\n', out.len - at);
    const size_t len = (size_t) (end - out.data) - at;
    to->line (to->ctx, kind, out.data + at, len);
    kind = TOP_ROW;
    at += len + 1;
  }
}

/* How many rows of both tables fit: plugins have at least a third. */
static void
fit (const struct top_view *view, unsigned height, size_t *tools, size_t *plugins)
{
  const size_t around = HEADS + 2 * 2; /* of both tables a blank and the titles */
  const size_t room = height > around ? height - around : 0;

  *tools = view->tools_count;
  *plugins = view->plugins_count;
  if (height == 0 || *tools + *plugins <= room)
    return;
  if (*plugins > room / 3)
    *plugins = *tools < room - room / 3 ? room - *tools : room / 3;
  *tools = room - *plugins;
}

void
top_view_lines (const struct top_view *view, unsigned width, unsigned height,
                void (*line) (void *ctx, enum top_line kind, const char *text, size_t len),
                void *ctx)
{
  struct table tools = { .columns = tool_columns, .columns_count = TOOL_COLUMNS };
  struct table plugins = { .columns = plugin_columns, .columns_count = PLUGIN_COLUMNS };
  const struct lines to = { line, ctx };
  size_t n, m;

  fit (view, height, &n, &m);
  for (size_t i = 0; i < n && i < view->tools_count; i++)
    add_tool (&tools, &view->tools[i]);
  for (size_t i = 0; i < m && i < view->plugins_count; i++)
    add_plugin (&plugins, &view->plugins[i]);
  head_lines (view, &to);
  table_lines (&tools, width, &to);
  table_lines (&plugins, width, &to);
  table_free (&tools);
  table_free (&plugins);
}

/* ---- JSON ---- */

/* null: there was no look before, or nothing ended since. */
static void
put_double (struct json_writer *w, const char *name, double value, double scale)
{
  jsonw_name (w, name);
  if (value < 0)
    jsonw_null (w);
  else
    jsonw_double (w, value * scale);
}

static void
json_tool (struct json_writer *w, const struct top_tool *tool)
{
  jsonw_object (w);
  jsonw_name_string (w, "tool", tool->tool);
  jsonw_name_string (w, "plugin", tool->plugin);
  put_double (w, "calls_per_second", tool->rate, 1);
  put_double (w, "p50_ms", tool->p50_us, 1e-3);
  put_double (w, "p99_ms", tool->p99_us, 1e-3);
  jsonw_name_int (w, "running", tool->running);
  put_double (w, "failed_per_second", tool->failed, 1);
  put_double (w, "refused_per_second", tool->refused, 1);
  jsonw_name_int (w, "calls", tool->ended);
  jsonw_name_int (w, "failed", tool->failures);
  jsonw_name_int (w, "refused", tool->refusals);
  jsonw_end (w);
}

static void
json_plugin (struct json_writer *w, const struct top_plugin *plugin)
{
  jsonw_object (w);
  jsonw_name_string (w, "name", plugin->name);
  jsonw_name_string (w, "state", plugin->state);
  jsonw_name_int (w, "workers", plugin->workers);
  jsonw_name_int (w, "running", plugin->running);
  jsonw_name_int (w, "queued", plugin->queued);
  put_double (w, "cpu", plugin->cpu, 1);
  jsonw_name_int (w, "rss_bytes", plugin->rss);
  jsonw_name_int (w, "crashes", plugin->crashes);
  jsonw_end (w);
}

void
top_view_json (const struct top_view *view, struct buf *out)
{
  static const char *const figures[] = { "uptime_ms",   "memory_bytes", "memory_max_bytes",
                                         "workers",     "connections",  "sessions",
                                         "log_dropped", "running" };
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    jsonw_name_int (&w, figures[i], figure (view, figures[i]));
  jsonw_name (&w, "seconds");
  jsonw_double (&w, view->seconds);
  put_double (&w, "calls_per_second", view->rate, 1);
  put_double (&w, "failed_per_second", view->failed, 1);
  put_double (&w, "refused_per_second", view->refused, 1);
  jsonw_name (&w, "tools");
  jsonw_array (&w);
  for (size_t i = 0; i < view->tools_count; i++)
    json_tool (&w, &view->tools[i]);
  jsonw_end (&w);
  jsonw_name (&w, "plugins");
  jsonw_array (&w);
  for (size_t i = 0; i < view->plugins_count; i++)
    json_plugin (&w, &view->plugins[i]);
  jsonw_end (&w);
  jsonw_end (&w);
}
