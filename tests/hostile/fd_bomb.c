/* Opens as many descriptors as it can, and tells how many that were. */
#include "hostile.h"

#include <unistd.h>

enum { TRIES = 100000 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static int fds[TRIES];
  int count = 0;

  while (count < TRIES && (fds[count] = dup (0)) >= 0)
    count++;
  for (int i = 0; i < count; i++)
    (void) close (fds[i]);
  return toolhost_textf (call, "%d", count);
}

HOSTILE ("fd_bomb", TOOLHOST_SERIAL, "Opens descriptors without end.", HOSTILE_NO_ARGUMENTS)
