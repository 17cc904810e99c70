/* ceiling.h - keeps the daemon below memory_max: measures its resident memory, tells everybody how
 * near it is (watch/pressure.h), and when it gets near has them give back what they keep for speed.
 * Loop thread only. */
#ifndef TOOLHOST_DAEMON_CEILING_H
#define TOOLHOST_DAEMON_CEILING_H

#include <ev.h>

#include "base/buf.h"
#include "watch/log.h"
#include "watch/pressure.h"

struct ceiling {
  struct ev_loop *loop;
  struct log *log;
  struct pressure pressure; /* for all to see, as long as the daemon lives */
  ev_timer timer;
  ev_prepare reserve;          /* looks whether the allocator had to use its reserve */
  int statm;                   /* /proc/self/statm; -1: there is none */
  uint64_t page;               /* bytes */
  ev_tstamp aged;              /* when large blocks that are kept were looked at */
  ev_tstamp trimmed;           /* when the heap was */
  void (*relieve) (void *ctx); /* give back what is not needed */
  void *ctx;
};

/* `max` in bytes.  Measures from now on. */
void ceiling_init (struct ceiling *ceiling, struct ev_loop *loop, struct log *log, uint64_t max,
                   void (*relieve) (void *ctx), void *ctx);
void ceiling_set_max (struct ceiling *ceiling, uint64_t max);
void ceiling_metrics (const struct ceiling *ceiling, struct buf *out);
/* Nothing when it was never set up. */
void ceiling_clear (struct ceiling *ceiling);

#endif
