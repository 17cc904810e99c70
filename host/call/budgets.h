/* budgets.h - how often the calls of one tenant may run a tool, and how often it may fail: the
 * state of the guards "rate" and "budget".  Bounded; pure, time is the caller's (milliseconds of a
 * clock that does not go back). */
#ifndef TOOLHOST_CALL_BUDGETS_H
#define TOOLHOST_CALL_BUDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
  BUDGETS_MAX = 4096,      /* counters of a tenant; then the one longest not used is forgotten */
  BUDGET_RATE_MAX = 10000, /* calls of a window */
  BUDGET_COUNT_MAX = 1000000000
};

/* Whose calls are counted together, of one tool in one tenant. */
enum budget_per { BUDGET_PER_TENANT, BUDGET_PER_SESSION, BUDGET_PER_PRINCIPAL };

struct budget_rule {
  enum budget_per per;
  int64_t max_invocations; /* ever; 0: any number */
  int64_t max_exceptions;  /* failures in a row; 0: any number */
  int64_t max, window_ms;  /* calls in any window; 0: any number */
};

enum budget_verdict { BUDGET_LEFT, BUDGET_INVOCATIONS, BUDGET_EXCEPTIONS, BUDGET_RATE };

struct budgets; /* of a tenant */

/* Count one call, if the rule lets it; BUDGET_RATE: *retry_after_ms says when it does again.
 * `budgets` is made when it is NULL. */
enum budget_verdict budgets_take (struct budgets **budgets, const struct budget_rule *rule,
                                  const char *key, int64_t now_ms, int64_t *retry_after_ms);
/* It was not run after all. */
void budgets_give_back (struct budgets *budgets, const char *key);
/* It was, and failed, or worked: the failures before it are forgotten. */
void budgets_ended (struct budgets *budgets, const char *key, bool failed);
size_t budgets_count (const struct budgets *budgets);
void budgets_free (struct budgets *budgets);

/* What the caller is told, of the tool of this name. */
void budgets_write_refusal (enum budget_verdict verdict, const struct budget_rule *rule,
                            const char *tool, struct buf *out);

#endif
