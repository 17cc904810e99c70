/* cpu_credit.h - how much processor time a process may still use before it can be said that its
 * calls did not stay within their limits, whoever used it and whatever the worker says.
 *
 * Every call that begins brings its limit along; what it leaves over is forgotten when it ends, but
 * for a slack.  A process whose calls each stay within their limit never runs out.  Pure. */
#ifndef TOOLHOST_POOL_CPU_CREDIT_H
#define TOOLHOST_POOL_CPU_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_credit {
  int64_t left_ns;
  int64_t seen_ns;    /* the processor time already taken off */
  int64_t begun_ns;   /* limits of the calls that began since the last look */
  int64_t running_ns; /* of those that run now */
  unsigned unlimited; /* calls that run now and have none */
};

void cpu_credit_init (struct cpu_credit *credit);

/* A call with this limit, 0: none, begins or ends. */
void cpu_credit_begin (struct cpu_credit *credit, int64_t limit_ns);
void cpu_credit_end (struct cpu_credit *credit, int64_t limit_ns);

/* The process has used so much since its start; `passed_ns` of real time have gone since the last
 * look.  False: more than it may. */
bool cpu_credit_take (struct cpu_credit *credit, int64_t cpu_ns, int64_t passed_ns);

#endif
