/* Stops its own process, which then takes nothing from the host any more, however much comes.  The
 * caller gets tool_timeout, the process is killed, and the host's loop waits for nothing. */
#include "hostile.h"

#include <signal.h>

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_arg_bool (call, "stop", true))
    (void) raise (SIGSTOP);
  return toolhost_text (call, "runs");
}

HOSTILE ("stop_self", TOOLHOST_PARALLEL, "Stops its process.",
         "\"properties\":{\"stop\":{\"type\":\"boolean\"},\"text\":{\"type\":\"string\"}}")
