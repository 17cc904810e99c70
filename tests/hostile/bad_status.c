/* Returns the status it is told to, whatever that means. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_text (call, "never to be seen");
  return (toolhost_status) toolhost_arg_int (call, "status", 4711);
}

HOSTILE ("bad_status", TOOLHOST_PARALLEL, "Returns a status of its own.",
         "\"properties\":{\"status\":{\"type\":\"integer\"}}")
