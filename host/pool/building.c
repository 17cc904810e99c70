#include "pool/building.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pool/fleet.h"
#include "pool/serving.h"
#include "pool/worker.h"

/* The build as a call: what is asked for is done as for any other. */
struct building {
  struct slot slot;
  struct job job;
};

static struct building *
building_of (struct worker *worker)
{
  struct building *building = worker->building;

  if (building != NULL)
    return building;
  building = xcalloc (1, sizeof *building);
  building->job.deadline_ns =
    clock_ns () + (int64_t) (worker_build_time (worker->pool, worker->policy) * 1e9);
  building->job.worker = worker;
  building->slot =
    (struct slot){ .nonce = FRAME_BUILD_CALL, .job = &building->job, .worker = worker };
  worker->building = building;
  return building;
}

bool
building_take (struct worker *worker, const char *payload, size_t len)
{
  return worker->state == WORKER_STARTING && worker->greeted && worker->fleet->order.feature != NULL
         && serving_take (&building_of (worker)->slot, payload, len);
}

void
building_end (struct worker *worker)
{
  if (worker->building == NULL)
    return;
  serving_end (&worker->building->slot);
  free (worker->building);
  worker->building = NULL;
}

bool
building_waits (const struct policy *policy)
{
  return policy->programs.count != 0 || policy->http.count != 0;
}
