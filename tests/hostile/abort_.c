/* Aborts, as a failed assertion would. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  abort ();
}

HOSTILE ("abort_", TOOLHOST_PARALLEL, "Aborts.", HOSTILE_NO_ARGUMENTS)
