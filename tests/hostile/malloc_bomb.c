/* Takes all memory it can get and touches it: from malloc, or as shared anonymous memory, which
 * counts differently.  Tells how many MiB that were. */
#include "hostile.h"

#include <sys/mman.h>

enum { MIB = 1 << 20, TRIES = 1 << 20 };

static void *
take (bool shared)
{
  void *p = shared ? mmap (NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                   : malloc (MIB);
  return p == MAP_FAILED ? NULL : p;
}

static void
give_back (void *p, bool shared)
{
  if (shared)
    (void) munmap (p, MIB);
  else
    free (p);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  bool shared = toolhost_arg_bool (call, "shared", false);
  void **last = NULL, **block;
  int taken = 0;

  while (taken < TRIES && (block = (void **) take (shared)) != NULL) {
    memset (block, 1, MIB);
    *block = (void *) last;
    last = block;
    taken++;
  }
  while (last != NULL) {
    block = (void **) *last;
    give_back ((void *) last, shared);
    last = block;
  }
  return toolhost_textf (call, "%d", taken);
}

HOSTILE ("malloc_bomb", TOOLHOST_SERIAL, "Takes all memory.",
         "\"properties\":{\"shared\":{\"type\":\"boolean\"}}")
