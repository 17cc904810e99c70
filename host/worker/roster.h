/* roster.h - the calls of a worker: which are alive, which wait for a thread, which records are
 * free for the next.  Knows no threads; everything under the lock of its owner (crew.h). */
#ifndef TOOLHOST_WORKER_ROSTER_H
#define TOOLHOST_WORKER_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/tool_call.h"

struct crew_call {
  struct tool_call call;       /* first */
  struct crew_call *next;      /* in the queue, or among the unused */
  struct crew_call *same_hash; /* among the live */
  void *mapped;                /* arguments that came as a memfd */
  size_t mapped_len;
  int64_t nag_until; /* a cancelled one's thread gets signals until then */
  uint32_t cpu_ms;   /* of processor time, 0: any (cpu.h) */
  bool overran;      /* it has used that up, and the daemon was told */
  bool queued;
};

enum { ROSTER_BUCKETS = 256 };

struct roster {
  struct crew_call *first, **last;         /* the queue */
  size_t queued;                           /* calls in it */
  uint64_t added, taken;                   /* ever, to and from the queue */
  struct crew_call *unused, **unused_last; /* oldest first */
  size_t unused_count;
  struct crew_call *live[ROSTER_BUCKETS]; /* from CALL to RESULT */
  size_t live_count;
};

void roster_init (struct roster *roster);
/* A record to be filled in, then given to roster_add or roster_rest. */
struct crew_call *roster_new (struct roster *roster);
/* Give a record back that is not among the live. */
void roster_rest (struct roster *roster, struct crew_call *call);

/* It lives, and waits for a thread. */
void roster_add (struct roster *roster, struct crew_call *call);
/* The first that waits; there is one. */
struct crew_call *roster_take (struct roster *roster);
/* Take one out of its turn. */
void roster_dequeue (struct roster *roster, struct crew_call *call);
/* NULL: no such call lives. */
struct crew_call *roster_find (struct roster *roster, uint64_t id);
/* It has ended.  A stray one is never used again: the plugin may still hold it. */
void roster_remove (struct roster *roster, struct crew_call *call);

#endif
