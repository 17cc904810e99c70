/* Takes memory that no limit of address space counts: files without a name.  Refused at the first
 * one; tells how many MiB it got. */
#include "hostile.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { MIB = 1 << 20, MOST = 4096 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static const char block[MIB];
  int fd = (int) syscall (SYS_memfd_create, "bomb", 0);
  int secret = (int) syscall (SYS_memfd_secret, 0);
  int written = 0;

  while (fd >= 0 && written < MOST && write (fd, block, sizeof block) == MIB)
    written++;
  return toolhost_textf (call, "%d", written + (secret >= 0 ? MOST : 0));
}

HOSTILE ("memfd_bomb", TOOLHOST_SERIAL, "Fills files without a name.", HOSTILE_NO_ARGUMENTS)
