#include "front/rest/stats.h"

#include "base/json_write.h"
#include "call/circuits.h"
#include "watch/metrics.h"

static void
put_ms (struct json_writer *w, const char *name, uint64_t us, uint64_t count)
{
  jsonw_name (w, name);
  jsonw_double (w, count != 0 ? (double) us / (double) count / 1000 : 0);
}

static void
put_tool (struct json_writer *w, const struct tool *tool)
{
  const struct tool_stats *stats = tool->stats;
  const struct tool_record none = { 0 };
  const struct tool_record *r = stats != NULL ? &stats->record : &none;

  jsonw_object (w);
  jsonw_name_string (w, "name", tool->name);
  jsonw_name_string (w, "plugin", tool->plugin);
  jsonw_name_int (w, "executions", (int64_t) r->executions);
  jsonw_name_int (w, "successes", (int64_t) r->successes);
  jsonw_name_int (w, "failures", (int64_t) r->failures);
  jsonw_name (w, "success_rate");
  jsonw_double (w, r->executions != 0 ? (double) r->successes / (double) r->executions : 0);
  put_ms (w, "total_ms", r->total_us, 1);
  put_ms (w, "average_ms", r->total_us, r->executions);
  jsonw_end (w);
}

/* ---- circuits ---- */

struct seen {
  struct json_writer *w;
  const struct toolset *set;
};

static bool
was_exchanged (const struct seen *seen, const struct circuit_view *view)
{
  const struct tool *tool = toolset_find (seen->set, view->tool, strlen (view->tool));
  const char *plugin = tool != NULL && tool->plugin != NULL ? tool->plugin : "";

  return tool != NULL && strcmp (plugin, view->plugin) == 0
         && strcmp (tool->digest, view->digest) != 0;
}

static void
put_circuit (void *ctx, const struct circuit_view *view)
{
  static const char *const states[] = {
    [CIRCUIT_IS_CLOSED] = "closed", [CIRCUIT_IS_OPEN] = "open", [CIRCUIT_IS_HALF_OPEN] = "half_open"
  };
  const struct seen *seen = ctx;
  struct json_writer *w = seen->w;

  if (was_exchanged (seen, view))
    return;
  jsonw_object (w);
  jsonw_name_string (w, "tool", view->tool);
  jsonw_name_string (w, "plugin", view->plugin);
  jsonw_name_string (w, "tenant", view->tenant);
  jsonw_name_string (w, "state", states[view->state]);
  if (view->state == CIRCUIT_IS_CLOSED)
    jsonw_name_int (w, "failures", view->failures);
  if (view->retry_after_ms != 0)
    jsonw_name_int (w, "retry_after_ms", view->retry_after_ms);
  jsonw_end (w);
}

void
stats_put (struct buf *out, const struct toolset *set, struct calls *calls, const char *tenant)
{
  struct json_writer w = { .out = out };
  struct seen seen = { .w = &w, .set = set };

  jsonw_object (&w);
  jsonw_name (&w, "tools");
  jsonw_array (&w);
  for (size_t i = 0; i < set->count; i++)
    put_tool (&w, set->tools[i]);
  jsonw_end (&w);
  jsonw_name (&w, "circuits");
  jsonw_array (&w);
  calls_see_circuits (calls, tenant, put_circuit, &seen);
  jsonw_end (&w);
  jsonw_end (&w);
}

void
stats_clear (const struct toolset *set)
{
  for (size_t i = 0; i < set->count; i++) {
    struct tool_stats *stats = set->tools[i]->stats;
    if (stats != NULL)
      stats->record = (struct tool_record){ 0 };
  }
}
