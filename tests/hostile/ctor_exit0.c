/* Ends the process while it is loaded, with a status that looks like success. */
#include "hostile.h"

__attribute__ ((constructor)) static void
at_load (void)
{
  exit (0);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

HOSTILE ("ctor_exit0", TOOLHOST_PARALLEL,
         "Ends the process while it is loaded, with a status that looks like success.",
         HOSTILE_NO_ARGUMENTS)
