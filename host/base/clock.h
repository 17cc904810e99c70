/* clock.h - the clock of deadlines: CLOCK_MONOTONIC in nanoseconds, the same in daemon and workers.
 */
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

#endif
