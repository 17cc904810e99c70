/* turns.h - how long the turns of the loop take: from when it has found what there is to do until
 * it waits again.  Meanwhile nobody else is served, so whoever has much to do asks from time to
 * time whether this one is long already, and goes on in the next.
 *
 * A turn may be long because the loop does much, or because the kernel (or the machine below it)
 * lets others run meanwhile.  So of long turns is told, too, how much of them the loop worked: by
 * the thread's processor time, which is read only about once a millisecond, and so at most that
 * much too high. */
#ifndef TOOLHOST_WATCH_TURNS_H
#define TOOLHOST_WATCH_TURNS_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { TURNS_BUCKETS = 9 };

/* Turns by how long they took. */
struct turns_taken {
  uint64_t buckets[TURNS_BUCKETS + 1]; /* the last one: above all bounds */
  int64_t sum;                         /* nanoseconds */
};

struct turns_clock {
  int64_t (*now) (void);    /* nanoseconds of a steady clock */
  int64_t (*worked) (void); /* nanoseconds of a processor that this thread has had */
};

struct turns {
  struct ev_loop *loop; /* NULL: none is watched */
  ev_check begin;
  ev_prepare end;
  struct turns_clock clock;
  int64_t began;
  int64_t worked, worked_at; /* what the thread had had then */
  struct turns_taken all;    /* whole */
  struct turns_taken work;   /* of it, what the loop worked */
};

/* Watch a loop; its watchers keep it from no end. */
void turns_init (struct turns *turns, struct ev_loop *loop, const struct turns_clock *clock);
void turns_clear (struct turns *turns);

/* Has this turn taken so long that what can wait should wait for the next one?  NULL: never. */
bool turns_is_long (const struct turns *turns);

/* Microseconds from the begin of this turn to `now` (of its clock); 0 of NULL. */
uint64_t turns_since (const struct turns *turns, int64_t now);

/* Append the samples of one histogram; `label` is 'name="value"', or empty. */
void turns_put (struct buf *out, const char *name, const char *label,
                const struct turns_taken *taken);
/* Append them as histograms. */
void turns_metrics (const struct turns *turns, struct buf *out);

#endif
