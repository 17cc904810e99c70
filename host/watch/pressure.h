/* pressure.h - how near the daemon is to its memory ceiling, and what that asks of it.  Whoever
 * takes much at once asks here first, in any thread; daemon/ceiling.c measures.
 *
 *   none  everything is served
 *   high  from 80 % on: large requests are refused, connections close after their answer, what is
 *         kept for speed is given back
 *   full  from 95 % on, or when the reserve had to be used: new calls are refused
 *
 * A level ends 5 % below where it began.  What only asks how the daemon is goes on always. */
#ifndef TOOLHOST_WATCH_PRESSURE_H
#define TOOLHOST_WATCH_PRESSURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pressure_level { PRESSURE_NONE, PRESSURE_HIGH, PRESSURE_FULL };
extern const char *const pressure_names[];

struct pressure {
  _Atomic uint64_t max;   /* bytes; 0: there is no ceiling */
  _Atomic uint64_t bytes; /* as last measured, and what was taken since … */
  _Atomic uint64_t taken; /* … which is so much */
  _Atomic uint64_t held;  /* what is promised to threads, which may not have used it yet */
  _Atomic enum pressure_level level;
  _Atomic uint64_t refused; /* times pressure_take said no */
  /* Measures at once, where an outdated figure would refuse; NULL: there is no way. */
  uint64_t (*measure) (void *ctx);
  void *ctx;
};

/* What was measured, and whether the allocator had to use its reserve; for one thread.  True: the
 * level is another than before. */
bool pressure_note (struct pressure *pressure, uint64_t bytes, bool reserve_used);

/* May so many bytes be taken, and used at once?  They are counted then, until the next measurement,
 * which comes before much was taken: it takes more memory than is asked for here.  Of no ceiling
 * (NULL) always. */
bool pressure_take (struct pressure *pressure, size_t bytes);

/* The same for what is used bit by bit while others measure: counted until it is released. */
bool pressure_hold (struct pressure *pressure, size_t bytes);
void pressure_release (struct pressure *pressure, size_t bytes);

static inline bool
pressure_is (const struct pressure *pressure, enum pressure_level level)
{
  return pressure != NULL && pressure->level >= level;
}

#endif
