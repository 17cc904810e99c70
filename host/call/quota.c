#include "call/quota.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NS_PER_MS = 1000000, QUEUE_RETRY_MS = 1000 };

static const int64_t MINUTE_NS = (int64_t) QUOTA_MINUTE_MS * NS_PER_MS;

/* Of those that are remembered, by age: 0 is the oldest. */
static int64_t
taken_at (const struct quota *q, unsigned index)
{
  return q->taken[(q->first + index) % q->room];
}

static void
forget_old (struct quota *q, int64_t now_ns)
{
  while (q->count != 0 && now_ns - taken_at (q, 0) >= MINUTE_NS) {
    q->first = (q->first + 1) % q->room;
    q->count--;
  }
}

/* The ring gets another size; of what is in it the newest stay. */
static void
resize (struct quota *q, unsigned room)
{
  int64_t *taken = xcalloc (room, sizeof *taken);
  unsigned kept = q->count < room ? q->count : room;

  for (unsigned i = 0; i < kept; i++)
    taken[i] = taken_at (q, q->count - kept + i);
  free (q->taken);
  q->taken = taken;
  q->room = room;
  q->first = 0;
  q->count = kept;
}

/* Is this one too many for a minute?  Then when is one no longer? */
static bool
take_of_minute (struct quota *q, unsigned most, int64_t now_ns, int64_t *retry_after_ms)
{
  if (q->room != most)
    resize (q, most);
  forget_old (q, now_ns);
  if (q->count == most) {
    *retry_after_ms = (taken_at (q, 0) + MINUTE_NS - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return false;
  }
  q->taken[(q->first + q->count++) % q->room] = now_ns;
  return true;
}

bool
quota_take (struct quota *q, const struct quota_limits *limits, int64_t now_ns,
            int64_t *retry_after_ms, struct buf *why)
{
  *retry_after_ms = 0;
  if (limits->queued != 0 && q->waiting >= limits->queued) {
    *retry_after_ms = QUEUE_RETRY_MS;
    buf_printf (why, "The tenant's quota is %u waiting calls, and so many wait; try again later.",
                limits->queued);
  }
  else if (limits->per_minute != 0
           && !take_of_minute (q, limits->per_minute, now_ns, retry_after_ms))
    buf_printf (why,
                "The tenant's quota is %u calls a minute; the next one is taken in %" PRId64 " s.",
                limits->per_minute, (*retry_after_ms + 999) / 1000);
  else
    return true;
  q->refused++;
  return false;
}

unsigned
quota_minute (const struct quota *q, int64_t now_ns)
{
  unsigned old = 0;

  while (old < q->count && now_ns - taken_at (q, old) >= MINUTE_NS)
    old++;
  return q->count - old;
}

void
quota_free (struct quota *q)
{
  free (q->taken);
  *q = (struct quota){ 0 };
}
