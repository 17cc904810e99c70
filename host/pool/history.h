/* history.h - what is remembered of a plugin's processes, over all generations of its file: how
 * many there were, how each ended, and the last few ends for people.
 *
 * Shared by the plugin and its units, the old ones too; the last to let go frees it.  Loop thread
 * only. */
#ifndef TOOLHOST_POOL_HISTORY_H
#define TOOLHOST_POOL_HISTORY_H

#include <stdint.h>

#include "pool/reason.h"

enum { HISTORY_ENDS = 8 };

struct past {
  int64_t at_ms; /* since 1970 */
  uint64_t generation;
  int pid; /* 0: there was no process */
  struct end end;
};

struct history {
  unsigned refs;
  uint64_t generations;   /* units, also those that never served */
  uint64_t calls;         /* given to a process */
  uint64_t starts;        /* of processes */
  uint64_t ends[REASONS]; /* of them, and starts that failed */
  unsigned alive;
  double calm_until; /* pool_now: processes that start before it start calm (effort.h) */
  int64_t cpu_ns;    /* processor time of those that have ended, as the kernel says */
  uint64_t rss_peak; /* bytes, the most that one of them had in memory; likewise */
  struct past last[HISTORY_ENDS]; /* a ring; `ended` counts all that went through it */
  uint64_t ended;
};

struct history *history_new (void);
struct history *history_ref (struct history *history);
void history_unref (struct history *history);

void history_add (struct history *history, const struct past *past);

/* The latest is 0; NULL: there were not so many, or it is forgotten. */
const struct past *history_past (const struct history *history, unsigned back);
/* The ends that the plugin is to blame for. */
uint64_t history_crashes (const struct history *history);
/* Of the ends that anybody is to blame for, the most frequent reason; REASON_NONE: there were none.
 */
enum reason history_most_frequent (const struct history *history);

#endif
