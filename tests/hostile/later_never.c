/* Keeps its calls and never ends them. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_retain (call);
  return TOOLHOST_LATER;
}

HOSTILE ("later_never", TOOLHOST_EVENTED, "Keeps its calls for ever.", HOSTILE_NO_ARGUMENTS)
