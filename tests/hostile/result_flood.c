/* Adds to its result without end, a MiB at a time, and tells in its failure after how many it was
 * refused. */
#include "hostile.h"

enum { MIB = 1 << 20, MOST = 1024 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  char *block = (char *) malloc (MIB);
  int added = 0;

  if (block == NULL)
    return toolhost_fail (call, "no_memory", "no memory for one block");
  memset (block, 'x', MIB);
  while (added < MOST && toolhost_text_len (call, block, MIB) == TOOLHOST_OK)
    added++;
  free (block);
  return toolhost_fail (call, "refused", "%d", added);
}

HOSTILE ("result_flood", TOOLHOST_SERIAL, "Adds to its result without end.", HOSTILE_NO_ARGUMENTS)
