/* Recurses until its stack is gone, so that a handler on the same stack could not run. */
#include "hostile.h"

HOSTILE_DEED static unsigned
deeper (volatile unsigned char *above, unsigned depth)
{
  volatile unsigned char here[512];

  here[0] = above[0];
  return depth == 0 ? here[0] : deeper (here, depth - 1) + here[0];
}

HOSTILE_DEED static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  volatile unsigned char start[1] = { 1 };

  return deeper (start, UINT32_MAX) == 0 ? TOOLHOST_OK
                                         : toolhost_fail (call, NULL, "the stack has no end");
}

HOSTILE ("stack_overflow", TOOLHOST_PARALLEL, "Overflows its stack.", HOSTILE_NO_ARGUMENTS)
