/* resilience.h - what is done about something that fails: tried again after a while, or left alone
 * by a circuit breaker.  Pure: time and chance are the caller's; times are milliseconds of one
 * steady clock.
 *
 *   closed     calls go on; `failures` failures in a row open the circuit
 *   open       none do, until more than `recovery_ms` have passed
 *   half-open  at most `successes` at once do: as many that work close it, one that fails opens it
 */
#ifndef TOOLHOST_BASE_RESILIENCE_H
#define TOOLHOST_BASE_RESILIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* What kind of failure it was. */
enum failure {
  FAILURE_NONE,
  FAILURE_TIMEOUT,
  FAILURE_NETWORK,
  FAILURE_RESOURCE,      /* it lacked something that it may have later */
  FAILURE_SECURITY,      /* it may not */
  FAILURE_INPUT,         /* what it was given is wrong */
  FAILURE_CONFIGURATION, /* it is not there */
  FAILURE_UNKNOWN
};

enum retry_growth { RETRY_FIXED, RETRY_LINEAR, RETRY_EXPONENTIAL, RETRY_JITTER };
extern const char *const retry_growth_names[]; /* in that order, ends with NULL */

struct retry_rule {
  int64_t tries; /* in all, the first one counted */
  int64_t base_ms, max_ms;
  enum retry_growth growth;
  bool resources, unknown; /* whether failures of these kinds are worth another try */
};
/* Three tries, after 1 s doubling to 30 s, with jitter; resources, but nothing unknown. */
extern const struct retry_rule retry_defaults;

/* Is there to be another try after the failure of try number `tried` (1 and up)? */
bool retry_wanted (const struct retry_rule *rule, enum failure failure, unsigned tried);
/* Milliseconds between try number `tried` and the next.  Fixed, linear and exponential ones are
 * never longer than max_ms; with jitter up to a tenth is added, by `random` from 0 up to 1. */
int64_t retry_delay (const struct retry_rule *rule, unsigned tried, double random);

struct circuit_rule {
  int64_t failures; /* 0: it never opens */
  int64_t recovery_ms;
  int64_t successes;
};
/* 5 failures, 60 s, 2 successes. */
extern const struct circuit_rule circuit_defaults;

enum circuit_state { CIRCUIT_IS_CLOSED, CIRCUIT_IS_OPEN, CIRCUIT_IS_HALF_OPEN };

/* Zero-initialise: closed. */
struct circuit_breaker {
  enum circuit_state state;
  int64_t failures, successes; /* in a row; while half-open */
  int64_t probing;             /* let through while half-open, and not ended */
  int64_t opened_ms;
};

/* Is it open now?  One whose time has passed is half-open from here on. */
bool circuit_is_open (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms);
/* A call has come.  0: it may go on, and its end is told below.  Else the milliseconds after which
 * another try is worth while. */
int64_t circuit_admit (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms);
void circuit_succeeded (struct circuit_breaker *c, const struct circuit_rule *rule);
/* True: that opened it. */
bool circuit_failed (struct circuit_breaker *c, const struct circuit_rule *rule, int64_t now_ms);
/* It ended, and nobody knows more than before. */
void circuit_undecided (struct circuit_breaker *c);

#endif
