/* Holds "mib" MiB of touched memory and never returns: how long does it take to get rid of it? */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  size_t size = (size_t) toolhost_arg_int (call, "mib", 64) << 20;
  volatile char *block = malloc (size);

  if (block == NULL)
    return toolhost_fail (call, "no_memory", "%zu bytes were refused", size);
  for (size_t at = 0; at < size; at += 4096)
    block[at] = 1;
  toolhost_progress (call, 1, 1, "holding");
  for (volatile unsigned long turns = 0;; turns++)
    ;
  return TOOLHOST_OK;
}

HOSTILE ("heavy_spin", TOOLHOST_SERIAL, "Holds memory and spins.",
         "\"properties\":{\"mib\":{\"type\":\"integer\"}}")
