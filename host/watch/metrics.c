#include "watch/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

struct entry {
  char *key; /* plugin, NUL, tool */
  const char *tool;
  struct tool_stats stats;
  UT_hash_handle hh;
};

struct guard_entry {
  struct guard_stats stats;
  UT_hash_handle hh;
  char labels[]; /* as they are shown, and its key */
};

struct metrics {
  struct entry *tools;
  struct guard_entry *guards;
};

static const uint64_t bounds_us[METRICS_BUCKETS] = { 50,      100,     250,      500,     1000,
                                                     2500,    5000,    10000,    50000,   250000,
                                                     1000000, 5000000, 30000000, 60000000 };
static const char *const bound_names[METRICS_BUCKETS] = { "0.00005", "0.0001", "0.00025", "0.0005",
                                                          "0.001",   "0.0025", "0.005",   "0.01",
                                                          "0.05",    "0.25",   "1",       "5",
                                                          "30",      "60" };
static const char *const stage_names[STAGES] = { "front", "queue", "run", "total" };

struct metrics *
metrics_new (void)
{
  return xcalloc (1, sizeof (struct metrics));
}

void
metrics_free (struct metrics *metrics)
{
  struct entry *e, *next;
  struct guard_entry *g, *next_guard;

  if (metrics == NULL)
    return;
  HASH_ITER (hh, metrics->guards, g, next_guard)
  {
    HASH_DEL (metrics->guards, g);
    histogram_clear (&g->stats.time);
    free (g);
  }
  HASH_ITER (hh, metrics->tools, e, next)
  {
    HASH_DEL (metrics->tools, e);
    for (int stage = 0; stage < STAGES; stage++)
      histogram_clear (&e->stats.stages[stage]);
    free (e->key);
    free (e);
  }
  free (metrics);
}

void
tool_record_add (struct tool_record *record, int success, uint64_t us)
{
  record->executions++;
  if (success)
    record->successes++;
  else
    record->failures++;
  record->total_us += us;
}

static size_t
bucket_of (uint64_t us)
{
  size_t i = 0;

  while (i < METRICS_BUCKETS && us > bounds_us[i])
    i++;
  return i;
}

void
histogram_add (struct histogram *h, uint64_t us)
{
  h->buckets[bucket_of (us)]++;
  h->count++;
  h->sum_us += us;
}

void
histogram_add_traced (struct histogram *h, uint64_t us, const char *trace)
{
  struct exemplar *exemplar;

  histogram_add (h, us);
  if (trace == NULL)
    return;
  if (h->exemplars == NULL)
    h->exemplars = xcalloc (METRICS_BUCKETS + 1, sizeof *h->exemplars);
  exemplar = &h->exemplars[bucket_of (us)];
  (void) snprintf (exemplar->trace, sizeof exemplar->trace, "%s", trace);
  exemplar->us = us;
  exemplar->wall_ms = clock_wall_ms ();
}

void
histogram_clear (struct histogram *h)
{
  free (h->exemplars);
  h->exemplars = NULL;
}

struct tool_stats *
metrics_tool (struct metrics *metrics, const char *plugin, const char *tool)
{
  size_t plugin_len = strlen (plugin) + 1, tool_len = strlen (tool) + 1;
  CLEANUP_FREE char *key = xmalloc (plugin_len + tool_len);
  struct entry *e;

  memcpy (key, plugin, plugin_len);
  memcpy (key + plugin_len, tool, tool_len);
  HASH_FIND (hh, metrics->tools, key, plugin_len + tool_len, e);
  if (e == NULL) {
    e = xcalloc (1, sizeof *e);
    e->key = key;
    e->tool = key + plugin_len;
    key = NULL;
    HASH_ADD_KEYPTR (hh, metrics->tools, e->key, plugin_len + tool_len, e);
  }
  return &e->stats;
}

void
metrics_each_tool (const struct metrics *metrics,
                   void (*each) (void *ctx, const char *plugin, const char *tool,
                                 const struct tool_stats *stats),
                   void *ctx)
{
  for (const struct entry *e = metrics->tools; e != NULL; e = e->hh.next)
    each (ctx, e->key, e->tool, &e->stats);
}

uint64_t
metrics_bound_us (size_t bucket)
{
  return bounds_us[bucket];
}

void
metrics_head (struct buf *out, const char *name, const char *type, const char *help)
{
  buf_printf (out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
metrics_sample (struct buf *out, const char *name, const char *labels, double value)
{
  if (labels != NULL)
    buf_printf (out, "%s{%s} %.17g\n", name, labels, value);
  else
    buf_printf (out, "%s %.17g\n", name, value);
}

void
metrics_label (struct buf *out, const char *value)
{
  for (; *value != '\0'; value++) {
    if (*value == '\n') {
      buf_puts (out, "\\n");
      continue;
    }
    if (*value == '"' || *value == '\\')
      buf_putc (out, '\\');
    buf_putc (out, *value);
  }
}

static void
tool_labels (const struct entry *e, struct buf *labels)
{
  labels->len = 0;
  buf_puts (labels, "plugin=\"");
  metrics_label (labels, e->key);
  buf_puts (labels, "\",tool=\"");
  metrics_label (labels, e->tool);
  buf_putc (labels, '"');
  (void) buf_cstr (labels);
}

/* A line for each of the numbers that was counted. */
static void
render_counts (const char *metric, const char *labels, const char *label, const uint64_t *counts,
               unsigned size, const char *(*name) (unsigned number), struct buf *out)
{
  for (unsigned i = 0; i < size; i++)
    if (counts[i] != 0)
      buf_printf (out, "%s{%s,%s=\"%s\"} %" PRIu64 "\n", metric, labels, label, name (i),
                  counts[i]);
}

/* The end of a bucket's line. */
static void
end_bucket (const struct histogram *h, size_t bucket, bool exemplars, struct buf *out)
{
  const struct exemplar *e = exemplars && h->exemplars != NULL ? &h->exemplars[bucket] : NULL;

  if (e != NULL && e->trace[0] != '\0')
    buf_printf (out, " # {trace_id=\"%s\"} %.6f %.3f", e->trace, (double) e->us / 1e6,
                (double) e->wall_ms / 1e3);
  buf_putc (out, '\n');
}

void
histogram_render (const struct histogram *h, const char *name, const char *labels, bool exemplars,
                  struct buf *out)
{
  const char *comma = labels != NULL ? "," : "", *open = labels != NULL ? "{" : "";
  const char *close = labels != NULL ? "}" : "";
  uint64_t sum = 0;

  labels = labels != NULL ? labels : "";
  for (size_t i = 0; i < METRICS_BUCKETS; i++) {
    sum += h->buckets[i];
    buf_printf (out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64, name, labels, comma, bound_names[i], sum);
    end_bucket (h, i, exemplars, out);
  }
  buf_printf (out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64, name, labels, comma, h->count);
  end_bucket (h, METRICS_BUCKETS, exemplars, out);
  buf_printf (out, "%s_sum%s%s%s %.6f\n%s_count%s%s%s %" PRIu64 "\n", name, open, labels, close,
              (double) h->sum_us / 1e6, name, open, labels, close, h->count);
}

static void
render_stage (const struct entry *e, int stage, const char *labels, bool exemplars, struct buf *out)
{
  CLEANUP_BUF struct buf all = { 0 };

  buf_printf (&all, "%s,stage=\"%s\"", labels, stage_names[stage]);
  histogram_render (&e->stats.stages[stage], "toolhost_call_seconds", buf_cstr (&all), exemplars,
                    out);
}

struct guard_stats *
metrics_guard (struct metrics *metrics, const char *guard, const char *tool, const char *stage)
{
  CLEANUP_BUF struct buf labels = { 0 };
  struct guard_entry *g = NULL;

  buf_puts (&labels, "guard=\"");
  metrics_label (&labels, guard);
  buf_puts (&labels, "\",tool=\"");
  metrics_label (&labels, tool);
  buf_printf (&labels, "\",stage=\"%s\"", stage);
  HASH_FIND (hh, metrics->guards, labels.data, labels.len, g);
  if (g != NULL)
    return &g->stats;
  g = xcalloc (1, sizeof *g + labels.len + 1);
  memcpy (g->labels, labels.data, labels.len);
  HASH_ADD_KEYPTR (hh, metrics->guards, g->labels, labels.len, g);
  return &g->stats;
}

const char *
metrics_verdict_word (enum metrics_verdict verdict)
{
  static const char *const words[VERDICTS] = { "allow", "replace", "reject", "fail", "no_answer" };

  return words[verdict];
}

static void
render_guards (const struct metrics *metrics, struct buf *out)
{
  if (metrics->guards == NULL)
    return;
  metrics_head (out, "toolhost_guard_verdicts_total", "counter", "What guards said of calls.");
  for (const struct guard_entry *g = metrics->guards; g != NULL; g = g->hh.next)
    for (size_t i = 0; i < VERDICTS; i++)
      if (g->stats.verdicts[i] != 0)
        buf_printf (out, "toolhost_guard_verdicts_total{%s,verdict=\"%s\"} %" PRIu64 "\n",
                    g->labels, metrics_verdict_word ((enum metrics_verdict) i),
                    g->stats.verdicts[i]);
  metrics_head (out, "toolhost_guard_seconds", "histogram", "Time of the checks of guards.");
  for (const struct guard_entry *g = metrics->guards; g != NULL; g = g->hh.next)
    histogram_render (&g->stats.time, "toolhost_guard_seconds", g->labels, false, out);
}

static bool
was_called (const struct entry *e)
{
  for (unsigned i = 0; i < METRICS_OUTCOMES; i++)
    if (e->stats.outcomes[i] != 0)
      return true;
  return false;
}

/* HTTP requests that were made for a tool's calls. */
struct http_texts {
  struct buf requests, bytes;
};

static void
begin_http (struct http_texts *http)
{
  metrics_head (&http->requests, "toolhost_call_http_requests_total", "counter",
                "HTTP requests that were made for calls.");
  metrics_head (&http->bytes, "toolhost_call_http_bytes_total", "counter",
                "Bytes of the bodies of HTTP requests and of their answers.");
}

static void
render_http (const struct tool_stats *stats, const char *labels, struct http_texts *http)
{
  if (stats->http_requests == 0)
    return;
  buf_printf (&http->requests, "toolhost_call_http_requests_total{%s} %" PRIu64 "\n", labels,
              stats->http_requests);
  buf_printf (&http->bytes,
              "toolhost_call_http_bytes_total{%s,direction=\"sent\"} %" PRIu64 "\n"
              "toolhost_call_http_bytes_total{%s,direction=\"received\"} %" PRIu64 "\n",
              labels, stats->http_sent, labels, stats->http_received);
}

static void
end_http (struct http_texts *http, struct buf *out)
{
  buf_append (out, http->requests.data, http->requests.len);
  buf_append (out, http->bytes.data, http->bytes.len);
  buf_free (&http->requests);
  buf_free (&http->bytes);
}

void
metrics_render (struct metrics *metrics, const struct metrics_names *names, bool exemplars,
                struct buf *out)
{
  CLEANUP_BUF struct buf labels = { 0 };
  CLEANUP_BUF struct buf seconds = { 0 };
  CLEANUP_BUF struct buf bytes = { 0 };
  CLEANUP_BUF struct buf cpu = { 0 };
  CLEANUP_BUF struct buf repairs = { 0 };
  struct http_texts http = { { 0 }, { 0 } };

  begin_http (&http);
  metrics_head (out, "toolhost_calls_total", "counter", "Calls that ended, by outcome.");
  metrics_head (&seconds, "toolhost_call_seconds", "histogram", "Time of calls, by stage.");
  metrics_head (&bytes, "toolhost_call_bytes_total", "counter", "Bytes of arguments and results.");
  metrics_head (&cpu, "toolhost_call_cpu_seconds_total", "counter",
                "Processor time of the threads of calls.");
  metrics_head (&repairs, "toolhost_repairs_total", "counter",
                "Arguments that were mended before the call, by rule.");
  for (struct entry *e = metrics->tools; e != NULL; e = e->hh.next) {
    if (!was_called (e))
      continue;
    tool_labels (e, &labels);
    render_counts ("toolhost_calls_total", labels.data, "outcome", e->stats.outcomes,
                   METRICS_OUTCOMES, names->outcome, out);
    render_counts ("toolhost_repairs_total", labels.data, "rule", e->stats.repairs, METRICS_REPAIRS,
                   names->repair, &repairs);
    for (int stage = 0; stage < STAGES; stage++)
      render_stage (e, stage, labels.data, exemplars, &seconds);
    buf_printf (&bytes,
                "toolhost_call_bytes_total{%s,direction=\"in\"} %" PRIu64 "\n"
                "toolhost_call_bytes_total{%s,direction=\"out\"} %" PRIu64 "\n",
                labels.data, e->stats.bytes_in, labels.data, e->stats.bytes_out);
    buf_printf (&cpu, "toolhost_call_cpu_seconds_total{%s,source=\"worker\"} %.6f\n", labels.data,
                (double) e->stats.cpu_us / 1e6);
    render_http (&e->stats, labels.data, &http);
  }
  buf_append (out, seconds.data, seconds.len);
  buf_append (out, bytes.data, bytes.len);
  buf_append (out, cpu.data, cpu.len);
  end_http (&http, out);
  buf_append (out, repairs.data, repairs.len);
  render_guards (metrics, out);
}

/* ---- OpenMetrics ---- */

/* "# TYPE toolhost_x_total counter" without "_total", and its "# HELP" likewise. */
static void
copy_head (const char *line, size_t len, struct buf *out)
{
  static const char suffix[] = "_total";
  const size_t suffix_len = sizeof suffix - 1;
  const char *name = line + strlen ("# HELP ");
  const char *end = memchr (name, ' ', len - (size_t) (name - line));
  const bool has = end != NULL && (size_t) (end - name) > suffix_len
                   && memcmp (end - suffix_len, suffix, suffix_len) == 0;

  if (!has) {
    buf_append (out, line, len);
    return;
  }
  buf_append (out, line, (size_t) (end - line) - suffix_len);
  buf_append (out, end, len - (size_t) (end - line));
}

void
metrics_as_openmetrics (struct buf *text)
{
  struct buf out = { 0 };

  for (size_t at = 0, len; at < text->len; at += len) {
    const char *line = text->data + at;
    const char *end = memchr (line, '\n', text->len - at);
    len = end != NULL ? (size_t) (end - line) + 1 : text->len - at;
    if (len > strlen ("# HELP ") && line[0] == '#')
      copy_head (line, len, &out);
    else
      buf_append (&out, line, len);
  }
  buf_puts (&out, "# EOF\n");
  buf_swap (text, &out);
  buf_free (&out);
}
