/* Crashes while it is loaded. */
#include "hostile.h"

HOSTILE_DEED __attribute__ ((constructor)) static void
at_load (void)
{
  volatile int *volatile nowhere = NULL;

  *nowhere = 1;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

HOSTILE ("ctor_crash", TOOLHOST_PARALLEL, "Crashes while it is loaded.", HOSTILE_NO_ARGUMENTS)
