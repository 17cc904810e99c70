/* Ends the host's thread that runs the call, not the process.  The worker notices at once: that is
 * a crash. */
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
