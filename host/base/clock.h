/* clock.h - the clock of deadlines: CLOCK_MONOTONIC in nanoseconds, the same in daemon and workers;
 * and the one on people's walls, and what a thread has had of a processor. */
#ifndef TOOLHOST_BASE_CLOCK_H
#define TOOLHOST_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns (void)
{
  struct timespec now;

  (void) clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Nanoseconds of a processor that this thread has had.  A system call. */
static inline int64_t
clock_thread_ns (void)
{
  struct timespec had;

  (void) clock_gettime (CLOCK_THREAD_CPUTIME_ID, &had);
  return (int64_t) had.tv_sec * 1000000000 + had.tv_nsec;
}

/* Milliseconds since 1970, for what people read: it may be set, so nothing is measured with it. */
static inline int64_t
clock_wall_ms (void)
{
  struct timespec now;

  (void) clock_gettime (CLOCK_REALTIME, &now);
  return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
