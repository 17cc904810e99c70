/* quota.h - how many calls a tenant may bring: so many that wait, so many in any minute.  How many
 * of them run at once is the pool's (pool/tenants.h).  Pure; time is the caller's. */
#ifndef TOOLHOST_CALL_QUOTA_H
#define TOOLHOST_CALL_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { QUOTA_MINUTE_MAX = 100000, QUOTA_MINUTE_MS = 60000 };

/* 0: any number. */
struct quota_limits {
  unsigned queued;     /* calls that wait for a worker, over all plugins */
  unsigned per_minute; /* at most QUOTA_MINUTE_MAX */
};

struct quota {
  unsigned waiting;     /* counted by its owner */
  int64_t *taken;       /* when the last ones came, a ring */
  unsigned room, first; /* of it: its size, and where the oldest is */
  unsigned count;
  uint64_t refused;
};

/* Take a call that comes at `now_ns` (of a clock that does not go back).  False: it is refused,
 * `why` says by what, and *retry_after_ms when one more will be taken, as far as that is known. */
bool quota_take (struct quota *quota, const struct quota_limits *limits, int64_t now_ns,
                 int64_t *retry_after_ms, struct buf *why);
/* How many came in the minute before `now_ns`; counted only where there is a limit. */
unsigned quota_minute (const struct quota *quota, int64_t now_ns);
void quota_free (struct quota *quota);

#endif
