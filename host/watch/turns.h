/* turns.h - how long the turns of the loop take: from when it has found what there is to do until
 * it waits again.  Meanwhile nobody else is served, so whoever has much to do asks from time to
 * time whether this one is long already, and goes on in the next. */
#ifndef TOOLHOST_WATCH_TURNS_H
#define TOOLHOST_WATCH_TURNS_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { TURNS_BUCKETS = 9 };

struct turns {
  struct ev_loop *loop; /* NULL: none is watched */
  ev_check begin;
  ev_prepare end;
  int64_t (*now) (void); /* nanoseconds */
  int64_t began;
  uint64_t buckets[TURNS_BUCKETS + 1]; /* the last one: above all bounds */
  int64_t sum;
};

/* Watch a loop; its watchers keep it from no end.  `now` is a steady clock. */
void turns_init (struct turns *turns, struct ev_loop *loop, int64_t (*now) (void));
void turns_clear (struct turns *turns);

/* Has this turn taken so long that what can wait should wait for the next one?  NULL: never. */
bool turns_is_long (const struct turns *turns);

/* Append them as a histogram. */
void turns_metrics (const struct turns *turns, struct buf *out);

#endif
