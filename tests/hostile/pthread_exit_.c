/* Ends the host's thread that runs the call, not the process.  The caller gets an error within the
 * deadline, and the process is not used any longer. */
#include "hostile.h"

#include <pthread.h>

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  pthread_exit (NULL);
}

HOSTILE ("pthread_exit_", TOOLHOST_PARALLEL, "Ends its thread.", HOSTILE_NO_ARGUMENTS)
