/* Ends the process at once in the middle of a call, past atexit, with a status that looks like
 * success.  The caller gets tool_crashed. */
#include "hostile.h"

#include <unistd.h>

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  _exit (0);
}

HOSTILE ("exit_now", TOOLHOST_PARALLEL, "Ends with _exit and status 0.", HOSTILE_NO_ARGUMENTS)
