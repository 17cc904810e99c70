#include "pool/sealed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int
sealed_file (const char *name, const char *data, size_t len)
{
  int fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

  while (fd >= 0 && len > 0) {
    ssize_t n = write (fd, data, len);
    if (n <= 0) {
      (void) close (fd);
      return -1;
    }
    data += n;
    len -= (size_t) n;
  }
  if (fd >= 0)
    (void) fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return fd;
}
