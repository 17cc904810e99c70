/* Reads what the host sends to the worker before the worker can, and throws it away: other calls of
 * the plugin, and the order to stop.  All of them get tool_timeout and the process is killed. */
#include "hostile.h"

#include <poll.h>
#include <unistd.h>

enum { CONTROL = 3 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  static char stolen[64 * 1024];
  struct pollfd control = { .fd = CONTROL, .events = POLLIN };

  for (;;)
    if (poll (&control, 1, -1) > 0)
      (void) !read (CONTROL, stolen, sizeof stolen);
  return TOOLHOST_OK;
}

HOSTILE ("frame_thief", TOOLHOST_PARALLEL, "Reads the host's frames.", HOSTILE_NO_ARGUMENTS)
