#include <time.h>

#include "base/json_write.h"
#include "daemon/plugin.h"
#include "pool/program.h"
#include "watch/metrics.h"

/* ---- /v1/plugins ---- */

static const char *
state_of (const struct plugin *p, const struct unit_status *status)
{
  if (!p->policy.enabled)
    return "disabled";
  if (p->unit == NULL)
    return ev_is_active (&p->again)               ? "backing_off"
           : p->next != NULL || p->taking != NULL ? "starting"
                                                  : "broken";
  return status->state;
}

/* The SKILL.md of a skill, which is shown as the skill. */
static bool
is_of_skill (const struct tool *tool)
{
  return tool->offer == OFFER_RESOURCE && tool->skill != NULL;
}

/* Those of one kind; of tools also when there are none. */
static void
render_names (struct json_writer *w, const char *name, const struct plugin *p, enum offer offer)
{
  size_t count = 0;

  for (size_t i = 0; i < p->described.tools_count; i++) {
    const struct tool *tool = p->described.tools[i];
    if (tool->offer != offer || tool->disabled || tool->internal || is_of_skill (tool))
      continue;
    if (count++ == 0) {
      jsonw_name (w, name);
      jsonw_array (w);
    }
    jsonw_string (w, tool->name);
  }
  if (count == 0 && offer != OFFER_TOOL)
    return;
  if (count == 0) {
    jsonw_name (w, name);
    jsonw_array (w);
  }
  jsonw_end (w);
}

static void
render_tools (struct json_writer *w, const struct plugin *p)
{
  render_names (w, "tools", p, OFFER_TOOL);
  render_names (w, "resources", p, OFFER_RESOURCE);
  render_names (w, "templates", p, OFFER_TEMPLATE);
  render_names (w, "prompts", p, OFFER_PROMPT);
  render_names (w, "skills", p, OFFER_SKILL);
  render_names (w, "guards", p, OFFER_GUARD);
  jsonw_name (w, "problems");
  jsonw_array (w);
  if (p->problem != NULL)
    jsonw_string (w, p->problem);
  for (size_t i = 0; i < p->described.problems_count; i++)
    jsonw_string (w, p->described.problems[i]);
  if (p->conflicts != NULL)
    jsonw_string (w, p->conflicts);
  jsonw_end (w);
}

/* What each tool is, to be compared with what it was when somebody looked at it. */
static void
render_digests (struct json_writer *w, const struct plugin *p)
{
  jsonw_name (w, "digests");
  jsonw_object (w);
  for (size_t i = 0; i < p->described.tools_count; i++) {
    const struct tool *tool = p->described.tools[i];
    CLEANUP_BUF struct buf name = { 0 };
    if (is_of_skill (tool))
      continue;
    if (tool->offer != OFFER_TOOL) /* no tool's name holds a blank */
      buf_printf (&name, "%s ", offer_word (tool->offer));
    buf_puts (&name, tool->name);
    jsonw_name_string (w, buf_cstr (&name), tool->digest);
  }
  jsonw_end (w);
}

/* What its tools would like, by tool; shown, never granted. */
static void
render_permissions (struct json_writer *w, const struct plugin *p)
{
  bool any = false;

  for (size_t i = 0; i < p->described.tools_count; i++) {
    const struct tool *tool = p->described.tools[i];
    if (tool->permissions == NULL)
      continue;
    if (!any) {
      jsonw_name (w, "permissions");
      jsonw_object (w);
    }
    any = true;
    jsonw_name_raw (w, tool->name, tool->permissions, strlen (tool->permissions));
  }
  if (any)
    jsonw_end (w);
}

static void
render_time (struct json_writer *w, const char *name, int64_t ms)
{
  const time_t seconds = (time_t) (ms / 1000);
  char text[32];
  struct tm utc;

  (void) gmtime_r (&seconds, &utc);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  jsonw_name_string (w, name, text);
}

static void
render_past (struct json_writer *w, const struct past *past)
{
  jsonw_object (w);
  render_time (w, "at", past->at_ms);
  jsonw_name_string (w, "reason", reason_code (past->end.reason));
  jsonw_name_string (w, "why", past->end.text);
  jsonw_name_int (w, "generation", (int64_t) past->generation);
  if (past->pid != 0)
    jsonw_name_int (w, "pid", past->pid);
  jsonw_end (w);
}

/* How its processes have ended, of all generations. */
static void
render_history (struct json_writer *w, const struct history *history)
{
  const enum reason most = history_most_frequent (history);
  const struct past *past;

  jsonw_name_int (w, "calls", (int64_t) history->calls);
  jsonw_name_int (w, "starts", (int64_t) history->starts);
  jsonw_name_int (w, "crashes", (int64_t) history_crashes (history));
  jsonw_name_int (w, "overdue", (int64_t) history->ends[REASON_DEADLINE]);
  if (most != REASON_NONE)
    jsonw_name_string (w, "most_frequent_failure", reason_code (most));
  jsonw_name (w, "ends");
  jsonw_object (w);
  for (unsigned r = REASON_NONE + 1; r < REASONS; r++)
    if (history->ends[r] != 0)
      jsonw_name_int (w, reason_code (r), (int64_t) history->ends[r]);
  jsonw_end (w);
  jsonw_name (w, "last_ends");
  jsonw_array (w);
  for (unsigned i = 0; (past = history_past (history, i)) != NULL; i++)
    render_past (w, past);
  jsonw_end (w);
}

/* What its processes use, as the kernel says. */
static void
render_cost (struct json_writer *w, const struct unit_status *s)
{
  jsonw_name (w, "usage");
  jsonw_object (w);
  jsonw_name (w, "kernel");
  jsonw_object (w);
  jsonw_name_int (w, "rss_bytes", (int64_t) s->rss);
  jsonw_name_int (w, "rss_peak_bytes", (int64_t) s->rss_peak);
  jsonw_name_int (w, "cpu_ms", s->cpu_ns / 1000000);
  jsonw_end (w);
  jsonw_end (w);
}

static void
render_status (struct json_writer *w, const struct plugin *p, const struct pool *pool,
               const struct unit_status *s)
{
  jsonw_name_int (w, "generation", (int64_t) s->generation);
  jsonw_name_int (w, "workers", s->workers);
  jsonw_name_int (w, "starting", s->starting);
  jsonw_name_int (w, "draining", p->history->alive - s->workers);
  jsonw_name_int (w, "running", s->running);
  jsonw_name_int (w, "queued", s->queued);
  if (s->wait_ms != 0)
    jsonw_name_int (w, "retry_after_ms", s->wait_ms);
  render_cost (w, s);
  render_history (w, p->history);
  if (s->why != NULL)
    jsonw_name_string (w, "last_failure", s->why);
  if (s->guarantees != NULL)
    jsonw_name_raw (w, "guarantees", s->guarantees, strlen (s->guarantees));
  jsonw_name (w, "programs");
  programs_show (pool, p->name, w);
  jsonw_name (w, "policy");
  policy_render (unit_policy (p->unit), w);
}

static void
render_plugin (struct json_writer *w, const struct plugin *p, const struct pool *pool)
{
  static const char *const threads[] = { "serial", "parallel", "evented" };
  struct unit_status status = { 0 };

  if (p->unit != NULL)
    unit_status (p->unit, &status);
  jsonw_object (w);
  jsonw_name_string (w, "name", p->name);
  jsonw_name_string (w, "state", state_of (p, &status));
  jsonw_name_string (w, "file", p->path);
  if (p->unit != NULL) {
    jsonw_name_string (w, "sha256", p->hex);
    jsonw_name_string (w, "declares", p->described.name);
    jsonw_name_string (w, "version", p->described.version);
    if (p->described.description != NULL)
      jsonw_name_string (w, "description", p->described.description);
    jsonw_name_string (w, "threads", threads[p->described.threads]);
  }
  render_tools (w, p);
  render_digests (w, p);
  render_permissions (w, p);
  if (p->suggests != NULL)
    jsonw_name_raw (w, "suggested_policy", p->suggests, strlen (p->suggests));
  if (p->unit != NULL)
    render_status (w, p, pool, &status);
  jsonw_end (w);
}

void
plugins_render (struct plugins *all, struct buf *out)
{
  struct json_writer w = { .out = out };

  plugins_sort (all);
  jsonw_object (&w);
  if (all->needs.sandbox->len != 0)
    jsonw_name_raw (&w, "sandbox", all->needs.sandbox->data, all->needs.sandbox->len);
  jsonw_name (&w, "plugins");
  jsonw_array (&w);
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    render_plugin (&w, p, all->needs.pool);
  jsonw_end (&w);
  jsonw_end (&w);
}

/* ---- /v1/top ---- */

static void
put_top (struct json_writer *w, const struct plugin *p)
{
  struct unit_status s;

  unit_status (p->unit, &s);
  jsonw_object (w);
  jsonw_name_string (w, "name", p->name);
  jsonw_name_string (w, "state", state_of (p, &s));
  jsonw_name_int (w, "workers", s.workers);
  jsonw_name_int (w, "running", s.running);
  jsonw_name_int (w, "queued", s.queued);
  jsonw_name_int (w, "rss_bytes", (int64_t) s.rss);
  jsonw_name_int (w, "cpu_ms", s.cpu_ns / 1000000);
  jsonw_name_int (w, "crashes", (int64_t) history_crashes (p->history));
  jsonw_end (w);
}

void
plugins_put_top (struct plugins *all, struct json_writer *w)
{
  plugins_sort (all);
  jsonw_name (w, "plugins");
  jsonw_array (w);
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    if (p->unit != NULL && p->history->starts != 0)
      put_top (w, p);
  jsonw_end (w);
}

/* ---- metrics ---- */

static void
plugin_label (struct buf *label, const struct plugin *p)
{
  label->len = 0;
  buf_puts (label, "plugin=\"");
  metrics_label (label, p->name);
  buf_putc (label, '"');
}

/* One metric of every plugin that has had a process; `source` is who measures it, NULL: the daemon,
 * as all that is not marked. */
static void
metric (struct plugins *all, struct buf *out, const char *name, const char *type, const char *help,
        const char *source,
        double (*value) (const struct plugin *p, const struct unit_status *status))
{
  CLEANUP_BUF struct buf label = { 0 };

  metrics_head (out, name, type, help);
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    struct unit_status status;
    if (p->unit == NULL || p->history->starts == 0)
      continue;
    unit_status (p->unit, &status);
    plugin_label (&label, p);
    if (source != NULL)
      buf_printf (&label, ",source=\"%s\"", source);
    metrics_sample (out, name, buf_cstr (&label), value (p, &status));
  }
}

static double
queued (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return status->queued;
}

static double
running (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return status->running;
}

static double
is_quarantined (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return strcmp (status->state, "quarantined") == 0;
}

static double
rss (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return (double) status->rss;
}

static double
rss_peak (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return (double) status->rss_peak;
}

static double
cpu_seconds (const struct plugin *p, const struct unit_status *status)
{
  (void) p;
  return (double) status->cpu_ns / 1e9;
}

static double
starts (const struct plugin *p, const struct unit_status *status)
{
  (void) status;
  return (double) p->history->starts;
}

static double
crashes (const struct plugin *p, const struct unit_status *status)
{
  (void) status;
  return (double) history_crashes (p->history);
}

static void
states_metric (struct plugins *all, struct buf *out)
{
  static const char name[] = "toolhost_worker_processes";
  CLEANUP_BUF struct buf label = { 0 };

  metrics_head (out, name, "gauge", "Worker processes, by what they do.");
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    struct unit_status status;
    if (p->unit == NULL || p->history->starts == 0)
      continue;
    unit_status (p->unit, &status);
    const struct {
      const char *name;
      unsigned count;
    } states[] = { { "starting", status.starting },
                   { "idle", status.idle },
                   { "busy", status.busy },
                   { "leaving", status.leaving } };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
      plugin_label (&label, p);
      buf_printf (&label, ",state=\"%s\"", states[i].name);
      metrics_sample (out, name, buf_cstr (&label), states[i].count);
    }
  }
}

static void
ends_metric (struct plugins *all, struct buf *out)
{
  static const char name[] = "toolhost_worker_ends_total";
  CLEANUP_BUF struct buf label = { 0 };

  metrics_head (out, name, "counter", "Worker processes that ended, by reason.");
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    for (unsigned r = REASON_NONE + 1; r < REASONS; r++) {
      if (p->history->ends[r] == 0)
        continue;
      plugin_label (&label, p);
      buf_printf (&label, ",reason=\"%s\"", reason_code (r));
      metrics_sample (out, name, buf_cstr (&label), (double) p->history->ends[r]);
    }
}

void
plugins_metrics (struct plugins *all, struct buf *out)
{
  metric (all, out, "toolhost_queue_depth", "gauge", "Calls that wait for a worker.", NULL, queued);
  metric (all, out, "toolhost_calls_running", "gauge", "Calls a worker has not answered.", NULL,
          running);
  metric (all, out, "toolhost_plugin_quarantined", "gauge", "1 while a plugin is quarantined.",
          NULL, is_quarantined);
  metric (all, out, "toolhost_worker_starts_total", "counter", "Worker processes started.", NULL,
          starts);
  metric (all, out, "toolhost_worker_crashes_total", "counter", "Worker processes that crashed.",
          NULL, crashes);
  metric (all, out, "toolhost_worker_rss_bytes", "gauge", "Memory of worker processes.", "kernel",
          rss);
  metric (all, out, "toolhost_worker_rss_peak_bytes", "gauge",
          "The most memory that one worker process had.", "kernel", rss_peak);
  metric (all, out, "toolhost_worker_cpu_seconds_total", "counter",
          "Processor time of worker processes.", "kernel", cpu_seconds);
  states_metric (all, out);
  ends_metric (all, out);
}
