/* Closes every descriptor it can think of, the host's own among them. */
#include "hostile.h"

#include <unistd.h>

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  for (int fd = 0; fd <= 64; fd++)
    (void) close (fd);
  return toolhost_text (call, "closed");
}

HOSTILE ("close_fds", TOOLHOST_PARALLEL, "Closes descriptors 0 to 64.", HOSTILE_NO_ARGUMENTS)
