/* Ends the process in the middle of a call, with a status that looks like success. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  exit (0);
}

HOSTILE ("exit0", TOOLHOST_PARALLEL, "Exits with status 0.", HOSTILE_NO_ARGUMENTS)
