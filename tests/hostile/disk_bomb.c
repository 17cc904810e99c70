/* Writes to /tmp until nothing fits any more, and tells how many KiB that were. */
#include "hostile.h"

#include <fcntl.h>
#include <unistd.h>

enum { KIB = 1024, MOST = 1 << 20 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static const char block[KIB];
  int fd = open ("/tmp/fill", O_CREAT | O_WRONLY, 0600);
  int written = 0;

  if (fd < 0)
    return toolhost_fail (call, "no_tmp", "there is no /tmp");
  while (written < MOST && write (fd, block, sizeof block) == (ssize_t) sizeof block)
    written++;
  (void) close (fd);
  (void) unlink ("/tmp/fill");
  return toolhost_textf (call, "%d", written);
}

HOSTILE ("disk_bomb", TOOLHOST_SERIAL, "Fills /tmp.", HOSTILE_NO_ARGUMENTS)
