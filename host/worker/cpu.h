/* cpu.h - the processor time of running calls, watched by the control thread through the clocks of
 * their threads.  A call that has used up its own is told to the daemon, which ends it.
 *
 * A thread can't use more processor time than passes: so the next look is due when what the busiest
 * call has left could have gone, and quick calls are never looked at. */
#ifndef TOOLHOST_WORKER_CPU_H
#define TOOLHOST_WORKER_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct crew;

struct cpu_watch {
  uint32_t least_ms; /* the smallest limit of a call so far; 0: none had one */
  bool wanted;       /* calls with a limit have begun since all had ended */
  int64_t due_ms;    /* of the clock in serve.c; 0: no look is due */
};

/* A call that has used up its processor time; id 0: none has. */
struct cpu_overrun {
  uint64_t id;
  int64_t used_ns;
};

/* Under the crew's lock: a call with this limit, 0: none, begins.  True: the control thread sleeps,
 * and does not know that looks are wanted. */
static inline bool
cpu_expect (struct cpu_watch *watch, uint32_t cpu_ms)
{
  const bool news =
    cpu_ms != 0 && (!watch->wanted || watch->least_ms == 0 || cpu_ms < watch->least_ms);

  if (news) {
    watch->wanted = true;
    watch->least_ms = watch->least_ms == 0 || cpu_ms < watch->least_ms ? cpu_ms : watch->least_ms;
    watch->due_ms = 0;
  }
  return news;
}

/* Under the crew's lock: look when it is time.  How long to wait until the next look, as poll wants
 * it: -1: none is due.  There may be more overruns than the one that is found. */
int cpu_look (struct crew *crew, int64_t now_ms, struct cpu_overrun *overrun);

/* Without the lock. */
void cpu_tell (struct crew *crew, const struct cpu_overrun *overrun);

#endif
