/* chatter.h - how much of what a worker says beside its results is listened to: a flood of log
 * lines and progress costs the daemon a bounded part of its time.  What is too much stays in the
 * ring, which fills, and then the worker waits.  A result behind it waits as well, at most until
 * what a worker puts there of them (worker/outbox.c) has been read at this pace, some tenths of a
 * second.  Pure; the clock is the caller's.
 */
#ifndef TOOLHOST_POOL_CHATTER_H
#define TOOLHOST_POOL_CHATTER_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CHATTER_LOG = 1,      /* what a frame of it costs */
  CHATTER_PROGRESS = 4, /* an event for the caller is made of it */
  CHATTER_PER_PERIOD = 512
};
static const double CHATTER_PERIOD = 0.01; /* seconds */

/* Zero at first. */
struct chatter {
  double since; /* when the period began */
  unsigned used;
};

/* A frame was taken.  How many seconds to listen to no more; 0: go on. */
static inline double
chatter_spend (struct chatter *chatter, double now, unsigned cost)
{
  if (now - chatter->since >= CHATTER_PERIOD || now < chatter->since)
    *chatter = (struct chatter){ .since = now };
  chatter->used += cost;
  return chatter->used < CHATTER_PER_PERIOD ? 0 : chatter->since + CHATTER_PERIOD - now;
}

/* A frame made so much work besides; it counts when the next is spent. */
static inline void
chatter_charge (struct chatter *chatter, size_t bytes)
{
  enum { BYTES_EACH = 512 };

  chatter->used += (unsigned) (bytes / BYTES_EACH);
}

#endif
