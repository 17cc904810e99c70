/* circuits.h - the circuit breakers of tools, one for each tenant that calls: what one brings about
 * cuts no other off.  Those that are closed and have seen no failure are not kept.  Loop thread
 * only; times as in base/resilience.h. */
#ifndef TOOLHOST_CALL_CIRCUITS_H
#define TOOLHOST_CALL_CIRCUITS_H

#include "base/resilience.h"
#include "catalog/toolset.h"

enum { CALL_CIRCUITS_MAX = 4096 };

struct call_circuit;

/* Zero-initialise, end with call_circuits_free. */
struct call_circuits {
  struct call_circuit *table; /* those that failed first first */
  unsigned count;
};

/* What came of a call that was let through. */
enum circuit_verdict { CIRCUIT_WORKED, CIRCUIT_BROKE, CIRCUIT_UNDECIDED };

/* 0: the call may go on, else the milliseconds until it is worth while.  `tenant` NULL: "default".
 */
int64_t call_circuits_admit (struct call_circuits *all, const struct tool *tool, const char *tenant,
                             int64_t now_ms);
/* True: that opened the circuit. */
bool call_circuits_report (struct call_circuits *all, const struct tool *tool, const char *tenant,
                           enum circuit_verdict verdict, int64_t now_ms);
void call_circuits_free (struct call_circuits *all);

/* One of them as people are shown it, while `see` runs. */
struct circuit_view {
  const char *tool, *plugin, *digest, *tenant; /* plugin: "" where there is none */
  enum circuit_state state;
  int64_t failures;       /* in a row, while it is closed */
  int64_t retry_after_ms; /* 0: it is not open */
};
/* Show each, those that failed first first; `tenant`: its own alone, NULL: those of all. */
void call_circuits_see (struct call_circuits *all, const char *tenant, int64_t now_ms,
                        void (*see) (void *ctx, const struct circuit_view *view), void *ctx);

#endif
