/* Never returns, and never looks whether it should. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_log (call, TOOLHOST_INFO, "spinning");
  for (volatile unsigned long turns = 0;; turns++)
    ;
  return TOOLHOST_OK;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 200;
}

HOSTILE ("spin", TOOLHOST_PARALLEL, "Never returns.", HOSTILE_NO_ARGUMENTS, .max_time = max_time)
