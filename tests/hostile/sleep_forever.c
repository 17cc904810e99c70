/* Blocks every signal and sleeps. */
#include "hostile.h"

#include <signal.h>
#include <unistd.h>

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  sigset_t all;

  (void) call;
  sigfillset (&all);
  (void) sigprocmask (SIG_BLOCK, &all, NULL);
  for (;;)
    (void) pause ();
  return TOOLHOST_OK;
}

HOSTILE ("sleep_forever", TOOLHOST_PARALLEL, "Sleeps with all signals blocked.",
         HOSTILE_NO_ARGUMENTS)
