#include "base/resilience.h"

#include <stddef.h>

/* Until one of those that were let through has ended; nobody knows how long that takes. */
enum { PROBE_MS = 1000 };

const char *const retry_growth_names[] = { "fixed", "linear", "exponential", "exponential-jitter",
                                           NULL };

const struct retry_rule retry_defaults = {
  .tries = 3, .base_ms = 1000, .max_ms = 30000, .growth = RETRY_JITTER, .resources = true
};
const struct circuit_rule circuit_defaults = { .failures = 5,
                                               .recovery_ms = 60000,
                                               .successes = 2 };

bool
retry_wanted (const struct retry_rule *rule, enum failure failure, unsigned tried)
{
  if (tried >= rule->tries)
    return false;
  switch (failure) {
  case FAILURE_TIMEOUT:
  case FAILURE_NETWORK:
    return true;
  case FAILURE_RESOURCE:
    return rule->resources;
  case FAILURE_UNKNOWN:
    return rule->unknown;
  default:
    return false;
  }
}

static int64_t
least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
doubled (const struct retry_rule *rule, unsigned tried)
{
  int64_t wait = rule->base_ms;

  while (--tried > 0 && wait < rule->max_ms)
    wait *= 2;
  return least (wait, rule->max_ms);
}

int64_t
retry_delay (const struct retry_rule *rule, unsigned tried, double random)
{
  int64_t wait;

  switch (rule->growth) {
  case RETRY_FIXED:
    return least (rule->base_ms, rule->max_ms);
  case RETRY_LINEAR:
    return least (rule->base_ms * tried, rule->max_ms);
  case RETRY_EXPONENTIAL:
    return doubled (rule, tried);
  case RETRY_JITTER:
    break;
  }
  wait = doubled (rule, tried);
  return least (wait + (int64_t) ((double) wait / 10 * random), rule->max_ms);
}

/* ---- the circuit ---- */

static void
enter (struct circuit_breaker *c, enum circuit_state state)
{
  *c = (struct circuit_breaker){ .state = state };
}

bool
circuit_is_open (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms)
{
  if (c->state == CIRCUIT_IS_OPEN && now_ms - c->opened_ms > rule->recovery_ms)
    enter (c, CIRCUIT_IS_HALF_OPEN);
  return c->state == CIRCUIT_IS_OPEN;
}

int64_t
circuit_admit (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms)
{
  if (circuit_is_open (c, rule, now_ms))
    return c->opened_ms + rule->recovery_ms - now_ms + 1;
  if (c->state == CIRCUIT_IS_HALF_OPEN) {
    if (c->probing >= rule->successes)
      return PROBE_MS;
    c->probing++;
  }
  return 0;
}

void
circuit_undecided (struct circuit_breaker *c)
{
  if (c->probing > 0)
    c->probing--;
}

void
circuit_succeeded (struct circuit_breaker *c, const struct circuit_rule *rule)
{
  circuit_undecided (c);
  c->failures = 0;
  if (c->state == CIRCUIT_IS_OPEN
      || (c->state == CIRCUIT_IS_HALF_OPEN && ++c->successes >= rule->successes))
    enter (c, CIRCUIT_IS_CLOSED);
}

bool
circuit_failed (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms)
{
  if (c->state == CIRCUIT_IS_OPEN || rule->failures == 0)
    return false;
  if (c->state == CIRCUIT_IS_CLOSED && ++c->failures < rule->failures)
    return false;
  enter (c, CIRCUIT_IS_OPEN);
  c->opened_ms = now_ms;
  return true;
}
