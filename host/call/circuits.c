#include "call/circuits.h"

#include <stdlib.h>

#include "base/hash.h"

struct call_circuit {
  struct circuit_breaker breaker;
  struct circuit_rule rule;
  char *tool, *plugin, *digest, *tenant;
  UT_hash_handle hh;
  char key[]; /* plugin, tool, what it is, tenant */
};

static const char *
plugin_of (const struct tool *tool)
{
  return tool->plugin != NULL ? tool->plugin : "";
}

static const char *
known (const char *tenant)
{
  return tenant != NULL ? tenant : "default";
}

/* A new version of a tool begins with a closed circuit. */
static const char *
make_key (const struct tool *tool, const char *tenant, struct buf *key)
{
  buf_printf (key, "%s/%s@%s %s", plugin_of (tool), tool->name, tool->digest, known (tenant));
  return buf_cstr (key);
}

static const struct circuit_rule *
rule_of (const struct tool *tool)
{
  return tool->circuit_set ? &tool->circuit : &circuit_defaults;
}

static void
forget (struct call_circuits *all, struct call_circuit *circuit)
{
  HASH_DEL (all->table, circuit);
  all->count--;
  free (circuit->tool);
  free (circuit->plugin);
  free (circuit->digest);
  free (circuit->tenant);
  free (circuit);
}

static struct call_circuit *
add (struct call_circuits *all, const char *key, const struct tool *tool, const char *tenant)
{
  size_t size = strlen (key) + 1;
  struct call_circuit *circuit = xcalloc (1, sizeof *circuit + size);

  if (all->count == CALL_CIRCUITS_MAX)
    forget (all, all->table);
  circuit->rule = *rule_of (tool);
  circuit->tool = xstrdup (tool->name);
  circuit->plugin = xstrdup (plugin_of (tool));
  circuit->digest = xstrdup (tool->digest);
  circuit->tenant = xstrdup (known (tenant));
  memcpy (circuit->key, key, size);
  HASH_ADD_STR (all->table, key, circuit);
  all->count++;
  return circuit;
}

int64_t
call_circuits_admit (struct call_circuits *all, const struct tool *tool, const char *tenant,
                     int64_t now_ms)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct call_circuit *circuit;

  if (all->table == NULL)
    return 0;
  HASH_FIND_STR (all->table, make_key (tool, tenant, &key), circuit);
  return circuit != NULL ? circuit_admit (&circuit->breaker, rule_of (tool), now_ms) : 0;
}

bool
call_circuits_report (struct call_circuits *all, const struct tool *tool, const char *tenant,
                      enum circuit_verdict verdict, int64_t now_ms)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct call_circuit *circuit;
  bool opened = false;

  if (rule_of (tool)->failures == 0 || (all->table == NULL && verdict != CIRCUIT_BROKE))
    return false;
  HASH_FIND_STR (all->table, make_key (tool, tenant, &key), circuit);
  if (circuit == NULL && verdict != CIRCUIT_BROKE)
    return false;
  if (circuit == NULL)
    circuit = add (all, key.data, tool, tenant);
  if (verdict == CIRCUIT_BROKE)
    opened = circuit_failed (&circuit->breaker, rule_of (tool), now_ms);
  else if (verdict == CIRCUIT_WORKED)
    circuit_succeeded (&circuit->breaker, rule_of (tool));
  else
    circuit_undecided (&circuit->breaker);
  if (circuit->breaker.state == CIRCUIT_IS_CLOSED && circuit->breaker.failures == 0)
    forget (all, circuit);
  return opened;
}

void
call_circuits_free (struct call_circuits *all)
{
  while (all->table != NULL)
    forget (all, all->table);
}

void
call_circuits_see (struct call_circuits *all, const char *tenant, int64_t now_ms,
                   void (*see) (void *ctx, const struct circuit_view *view), void *ctx)
{
  for (struct call_circuit *c = all->table; c != NULL; c = c->hh.next) {
    const bool is_open = circuit_is_open (&c->breaker, &c->rule, now_ms);
    const int64_t left = c->breaker.opened_ms + c->rule.recovery_ms - now_ms + 1;

    if (tenant == NULL || strcmp (tenant, c->tenant) == 0)
      see (ctx, &(struct circuit_view){ .tool = c->tool,
                                        .plugin = c->plugin,
                                        .digest = c->digest,
                                        .tenant = c->tenant,
                                        .state = c->breaker.state,
                                        .failures = c->breaker.failures,
                                        .retry_after_ms = is_open ? left : 0 });
  }
}
