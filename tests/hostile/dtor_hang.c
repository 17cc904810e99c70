/* Never returns when it is closed, and again in a destructor of its file. */
#include <unistd.h>

#include "dtor.h"

static void
misbehave (void)
{
  for (;;)
    (void) pause ();
}

HOSTILE_AT_ITS_END ("dtor_hang", "Never returns when it is closed.")
