#include "worker/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ring.h"
#include "worker/control.h"

/* Out of the way of the places that are to be filled. */
static int
lift (int fd)
{
  int high = fd < 0 ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, FD_UP + 1);

  if (fd >= 0)
    (void) close (fd);
  return high;
}

bool
segments_keep (struct datagram *hello)
{
  int down = lift (datagram_take_fd (hello));
  int up = lift (datagram_take_fd (hello));
  bool good = down >= 0 && up >= 0 && dup2 (down, FD_DOWN) == FD_DOWN && dup2 (up, FD_UP) == FD_UP;

  (void) close (down);
  (void) close (up);
  return good;
}

static void *
map (int fd, int protection)
{
  void *at = mmap (NULL, RING_SEGMENT, protection, MAP_SHARED, fd, 0);
  return at != MAP_FAILED ? at : NULL;
}

bool
segments_map (struct segments *segments, struct error *err)
{
  segments->down = map (FD_DOWN, PROT_READ);
  segments->up = map (FD_UP, PROT_READ | PROT_WRITE);
  /* Pages that a plugin punches out would be the daemon's to find memory for again. */
  if (segments->down == NULL || segments->up == NULL
      || fcntl (FD_UP, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0)
    return error_set (err, "cannot map the memory shared with the daemon: %s", strerror (errno));
  (void) close (FD_DOWN);
  (void) close (FD_UP);
  return true;
}
