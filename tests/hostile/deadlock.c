/* Locks a mutex twice and so waits for itself.  The caller gets tool_timeout, the process is
 * killed. */
#include "hostile.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  pthread_mutex_lock (&lock);
  pthread_mutex_lock (&lock);
  return toolhost_text (call, "locked twice");
}

HOSTILE ("deadlock", TOOLHOST_PARALLEL, "Waits for itself.", HOSTILE_NO_ARGUMENTS)
