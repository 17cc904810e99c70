/* Crashes when it is closed, and again in a destructor of its file. */
#include "dtor.h"

HOSTILE_DEED static void
misbehave (void)
{
  volatile int *volatile nowhere = NULL;

  *nowhere = 1;
}

HOSTILE_AT_ITS_END ("dtor_crash", "Crashes when it is closed.")
