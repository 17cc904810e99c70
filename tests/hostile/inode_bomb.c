/* Makes files of no size in /tmp until none can be made any more, and tells how many. */
#include "hostile.h"

#include <fcntl.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  char path[32];
  int count = 0, fd;

  do {
    (void) snprintf (path, sizeof path, "/tmp/%d", count);
    fd = open (path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  } while (fd >= 0 && close (fd) == 0 && ++count < MOST);
  return toolhost_textf (call, "%d", count);
}

HOSTILE ("inode_bomb", TOOLHOST_SERIAL, "Makes files without end.", HOSTILE_NO_ARGUMENTS)
