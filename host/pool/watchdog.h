/* watchdog.h - looks at all worker processes every 50 ms while one of them is busy (every second
 * while all rest) and says which use more memory or processor time than their policy gives.
 *
 * What it goes by is the kernel's word (process.h), so that nothing a plugin does to its worker
 * hides what it uses.  Loop thread only. */
#ifndef TOOLHOST_POOL_WATCHDOG_H
#define TOOLHOST_POOL_WATCHDOG_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pool/cpu_credit.h"
#include "pool/effort.h"
#include "pool/process.h"
#include "pool/reason.h"

struct watchdog {
  struct ev_loop *loop;
  ev_timer timer;
  struct watched *first;
  int proc; /* /proc, -1: there is none */
  bool fast;
  int64_t looked; /* when, by clock_ns: the loop's clock follows the wall's */
};

struct watch_limits {
  uint64_t memory; /* bytes */
  bool cpu;        /* calls have limits of processor time */
};

/* One process, in the struct of whoever has started it. */
struct watched {
  struct watchdog *dog; /* NULL: it is not watched */
  struct watched *prev, *next;
  struct process process;
  struct cpu_credit cpu;
  struct effort effort;
  unsigned running;  /* calls */
  uint64_t answered; /* likewise, since the start */
  struct watch_limits limits;
  bool serving;       /* it takes calls; while it starts or ends other clocks run for it */
  unsigned cancelled; /* calls that run on in it; likewise */
  /* what was seen */
  uint64_t rss, rss_peak; /* bytes, as of the last look; the most of all looks */
  int64_t cpu_ns;
  /* It uses too much: `reason` is REASON_OOM or REASON_CPU, `words` go on after "its process ". */
  void (*over) (struct watched *watched, enum reason reason, const char *words);
  /* It computes for long (effort.heavy), or does no longer. */
  void (*effort_changed) (struct watched *watched);
};

/* `proc` is where process information is: "/proc", or something else in tests. */
void watchdog_init (struct watchdog *dog, struct ev_loop *loop, const char *proc);
/* Nothing may be watched any more. */
void watchdog_clear (struct watchdog *dog);

/* Begin to watch the worker below `init`.  `heavy`: it was calmed from the start (effort.h). False:
 * nothing is to be seen of it here. */
bool watchdog_add (struct watchdog *dog, struct watched *watched, pid_t init,
                   const struct watch_limits *limits, bool heavy);
/* The end of it; of one that is not watched, too. */
void watchdog_remove (struct watched *watched);

/* What it had come to when it was collected: more exact than the last look. */
void watched_ended (struct watched *watched, uint64_t rss_peak, int64_t cpu_ns);

/* It takes calls from now on, or no longer. */
void watched_serves (struct watched *watched, bool serves);
/* A call goes to it; was cancelled, and runs on; has left it.  `cpu_ms` is its limit, 0: none. */
void watched_begin (struct watched *watched, uint32_t cpu_ms);
void watched_cancel (struct watched *watched);
void watched_end (struct watched *watched, uint32_t cpu_ms, bool cancelled);

#endif
