/* Writes through a null pointer. */
#include "hostile.h"

HOSTILE_DEED static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  volatile int *volatile nowhere = NULL;

  (void) call;
  *nowhere = 1;
  return TOOLHOST_OK;
}

HOSTILE ("null_deref", TOOLHOST_PARALLEL, "Writes through a null pointer.", HOSTILE_NO_ARGUMENTS)
