/* Never finishes loading. */
#include "hostile.h"

#include <unistd.h>

__attribute__ ((constructor)) static void
at_load (void)
{
  for (;;)
    (void) pause ();
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

HOSTILE ("ctor_hang", TOOLHOST_PARALLEL, "Never finishes loading.", HOSTILE_NO_ARGUMENTS)
