#include "call/budgets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct budget {
  int64_t invocations, exceptions;
  int64_t *taken; /* when the last ones came, a ring; NULL: there is no rate */
  unsigned room, first, count;
  UT_hash_handle hh;
  char key[];
};

struct budgets {
  struct budget *by_key; /* the one longest not used first */
};

static void
budget_free (struct budgets *all, struct budget *b)
{
  HASH_DEL (all->by_key, b);
  free (b->taken);
  free (b);
}

static struct budget *
find (struct budgets *all, const char *key)
{
  struct budget *b = NULL;

  if (all != NULL)
    HASH_FIND_STR (all->by_key, key, b);
  return b;
}

/* Made when new; now the one used last. */
static struct budget *
use (struct budgets *all, const char *key)
{
  const size_t len = strlen (key);
  struct budget *b = find (all, key);

  if (b != NULL)
    HASH_DEL (all->by_key, b);
  else {
    if (HASH_COUNT (all->by_key) >= BUDGETS_MAX)
      budget_free (all, all->by_key);
    b = xcalloc (1, sizeof *b + len + 1);
    memcpy (b->key, key, len);
  }
  HASH_ADD_KEYPTR (hh, all->by_key, b->key, len, b);
  return b;
}

/* ---- the rate ---- */

/* The ring has room for as many as a window may have; of what is in it the newest stay. */
static void
fit_ring (struct budget *b, unsigned room)
{
  int64_t *taken;
  unsigned kept = b->count < room ? b->count : room;

  if (b->room == room)
    return;
  taken = xcalloc (room, sizeof *taken);
  for (unsigned i = 0; i < kept; i++)
    taken[i] = b->taken[(b->first + b->count - kept + i) % b->room];
  free (b->taken);
  b->taken = taken;
  b->room = room;
  b->first = 0;
  b->count = kept;
}

static bool
rate_has_room (struct budget *b, const struct budget_rule *rule, int64_t now_ms,
               int64_t *retry_after_ms)
{
  fit_ring (b, (unsigned) rule->max);
  while (b->count != 0 && now_ms - b->taken[b->first] >= rule->window_ms) {
    b->first = (b->first + 1) % b->room;
    b->count--;
  }
  if (b->count < b->room)
    return true;
  *retry_after_ms = b->taken[b->first] + rule->window_ms - now_ms;
  return false;
}

/* ---- all of it ---- */

enum budget_verdict
budgets_take (struct budgets **budgets, const struct budget_rule *rule, const char *key,
              int64_t now_ms, int64_t *retry_after_ms)
{
  struct budget *b;

  if (*budgets == NULL)
    *budgets = xcalloc (1, sizeof **budgets);
  b = use (*budgets, key);
  if (rule->max_invocations != 0 && b->invocations >= rule->max_invocations)
    return BUDGET_INVOCATIONS;
  if (rule->max_exceptions != 0 && b->exceptions >= rule->max_exceptions)
    return BUDGET_EXCEPTIONS;
  if (rule->max != 0) {
    if (!rate_has_room (b, rule, now_ms, retry_after_ms))
      return BUDGET_RATE;
    b->taken[(b->first + b->count++) % b->room] = now_ms;
  }
  b->invocations++;
  return BUDGET_LEFT;
}

void
budgets_give_back (struct budgets *budgets, const char *key)
{
  struct budget *b = find (budgets, key);

  if (b == NULL)
    return;
  if (b->invocations != 0)
    b->invocations--;
  if (b->count != 0)
    b->count--;
}

void
budgets_ended (struct budgets *budgets, const char *key, bool failed)
{
  struct budget *b = find (budgets, key);

  if (b != NULL)
    b->exceptions = failed ? b->exceptions + 1 : 0;
}

size_t
budgets_count (const struct budgets *budgets)
{
  return budgets != NULL ? HASH_COUNT (budgets->by_key) : 0;
}

void
budgets_free (struct budgets *budgets)
{
  if (budgets == NULL)
    return;
  while (budgets->by_key != NULL)
    budget_free (budgets, budgets->by_key);
  free (budgets);
}

void
budgets_write_refusal (enum budget_verdict verdict, const struct budget_rule *rule,
                       const char *tool, struct buf *out)
{
  switch (verdict) {
  case BUDGET_INVOCATIONS:
    buf_printf (
      out,
      "Function '%s' has reached its maximum invocation limit, you can no longer use this "
      "tool.",
      tool);
    break;
  case BUDGET_EXCEPTIONS:
    buf_printf (out,
                "Function '%s' has reached its maximum exception limit, you tried to use this tool "
                "too many times and it kept failing.",
                tool);
    break;
  default:
    buf_printf (out,
                "Tool '%s' was called %" PRId64 " times within %" PRId64
                " s, which is as often as it may be; try again later.",
                tool, rule->max, (rule->window_ms + 999) / 1000);
  }
}
