/* Maps a file of /tmp that is larger than /tmp can be, and touches all of it.  The process dies
 * when there is no page left (SIGBUS), before it has taken more than /tmp holds. */
#include "hostile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 48 << 20, PAGE = 4096 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int fd = open ("/tmp/sparse", O_CREAT | O_RDWR, 0600);
  volatile char *map;

  if (fd < 0 || ftruncate (fd, SIZE) < 0)
    return toolhost_fail (call, "refused", "no sparse file of this size");
  map = (volatile char *) mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return toolhost_fail (call, "refused", "no map of this size");
  for (size_t at = 0; at < SIZE; at += PAGE)
    map[at] = 1;
  return toolhost_text (call, "touched all of it");
}

HOSTILE ("sparse_map", TOOLHOST_SERIAL, "Fills /tmp through a map.", HOSTILE_NO_ARGUMENTS)
