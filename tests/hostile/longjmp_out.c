/* Jumps into a frame that has ended long ago, out of the callback and over the host's own frames.
 * Whatever that does happens in its process: the caller gets tool_crashed, or tool_timeout. */
#include "hostile.h"

#include <setjmp.h>

static jmp_buf ended;

__attribute__ ((noinline)) HOSTILE_DEED static int
remember (void)
{
  volatile char frame[256];

  frame[0] = 0;
  return setjmp (ended) + frame[0];
}

HOSTILE_DEED static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  volatile char other[1024];

  if (remember () == 0) {
    for (unsigned i = 0; i < sizeof other; i++)
      other[i] = 0x5A;
    longjmp (ended, 1);
  }
  return toolhost_text (call, "came back");
}

HOSTILE ("longjmp_out", TOOLHOST_PARALLEL, "Jumps into a frame that has ended.",
         HOSTILE_NO_ARGUMENTS)
