#include "pool/isolate.h"

#include "pool/worker.h"

/* Seconds a tenant keeps a process that others wait for: starting one takes a few milliseconds. */
static const double SLICE = 0.2;

struct worker *
isolate_pick (const struct fleet *fleet, const struct tenant *tenant)
{
  struct worker *best = NULL;

  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (worker_has_room (w) && (w->tenant == NULL || w->tenant == tenant)
        && (best == NULL || w->due < best->due
            || (w->due == best->due && w->running < best->running)))
      best = w;
  return best;
}

void
isolate_given (const struct fleet *fleet, struct worker *worker, const struct tenant *tenant)
{
  if (fleet->policy.isolate == ISOLATE_CALL)
    worker_retire (worker, REASON_RECYCLED);
  if (fleet->policy.isolate != ISOLATE_TENANT || worker->tenant != NULL)
    return;
  worker->tenant = tenant;
  worker->bound = pool_now ();
}

/* The one to go: idle, or long enough its tenant's, and with the least to do. */
static struct worker *
find_victim (const struct fleet *fleet)
{
  const double now = pool_now ();
  struct worker *least = NULL;

  for (struct worker *w = fleet->workers; w != NULL; w = w->next)
    if (w->state == WORKER_READY && w->tenant != NULL
        && (w->running == 0 || now - w->bound >= SLICE)
        && (least == NULL || w->running < least->running))
      least = w;
  return least;
}

void
isolate_make_room (struct fleet *fleet)
{
  struct worker *victim;

  if (fleet_is_full (fleet)) {
    victim = find_victim (fleet);
    if (victim == NULL)
      return;
    worker_retire (victim, REASON_RECYCLED);
  }
  fleet_want_one (fleet);
}
