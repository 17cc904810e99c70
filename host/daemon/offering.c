#include "daemon/offering.h"

#include "catalog/digest.h"

enum { EVENTED_CAPACITY = 256 };

static unsigned
capacity (const struct described *d, const struct policy *policy)
{
  switch (d->threads) {
  case PLUGIN_PARALLEL:
    return (unsigned) policy->threads;
  case PLUGIN_EVENTED:
    return EVENTED_CAPACITY;
  case PLUGIN_SERIAL:
    break;
  }
  return 1;
}

static void
apply_tool_policy (struct tool *tool, const struct policy_tool *policy)
{
  tool->disabled = !policy->enabled;
  tool->limits = (struct tool_limits){ .time_ms = policy->max_time_ms,
                                       .cpu_ms = (uint32_t) policy->cpu_ms,
                                       .result = (size_t) policy->result,
                                       .waiting = (unsigned) policy->queue };
  tool->circuit_set = true;
  tool->circuit = policy->breaker;
  tool->retry = policy->retry;
  tool->repair_set = policy->repair >= 0;
  if (tool->repair_set)
    tool->repair = (enum repair_mode) policy->repair;
}

/* What the operator says of single tools.  A name no tool has is most likely a slip, unless it is
 * that of a tool which is built. */
static void
apply_tool_policies (const struct described *d, const struct unit *unit, const char *plugin,
                     struct log *log)
{
  const struct policy_tools *policies = &unit_policy (unit)->tools;

  for (size_t i = 0; i < policies->count; i++) {
    const struct policy_tool *policy = &policies->list[i];
    struct tool *tool = described_tool (d, policy->name);
    if (tool != NULL)
      apply_tool_policy (tool, policy);
    else if (d->builders_count == 0)
      log_event (log, LOG_WARNING, "policy_of_unknown_tool", "plugin", plugin, "tool", policy->name,
                 NULL);
  }
}

void
offering_settle (struct described *d, struct unit *unit, const char *plugin, const char *hex,
                 struct log *log)
{
  for (size_t i = 0; i < d->tools_count; i++) {
    d->tools[i]->unit = unit_ref (unit);
    d->tools[i]->unit_unref = unit_unref;
    digest_of_tool (&d->tools[i]->mcp, hex, d->tools[i]->digest);
  }
  apply_tool_policies (d, unit, plugin, log);
  for (size_t i = 0; i < d->problems_count; i++)
    log_event (log, LOG_ERROR, "tool_refused", "plugin", plugin, "tenant", unit_tenant (unit),
               "why", d->problems[i], NULL);
  unit_set_capacity (unit, capacity (d, unit_policy (unit)));
}
