/* Logs without end until its deadline.  What the host keeps of it is bounded, and others are
 * served meanwhile. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  for (long i = 0; !toolhost_cancelled (call); i++)
    toolhost_log (call, TOOLHOST_ERROR, "line %ld of very many", i);
  return TOOLHOST_FAILED;
}

HOSTILE ("log_flood", TOOLHOST_PARALLEL, "Logs without end.", HOSTILE_NO_ARGUMENTS)
