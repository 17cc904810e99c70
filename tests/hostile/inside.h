/* inside.h - for plugins that know the program they run in: the worker's own structs, as it lays
 * them out in memory.  Built with the host's headers, unlike every other plugin. */
#ifndef HOSTILE_INSIDE_H
#define HOSTILE_INSIDE_H

#include "worker/crew.h"
#include "worker/outbox.h"

static inline struct crew *
inside_crew (const toolhost_call *call)
{
  return ((const struct tool_call *) (const void *) call)->host->ctx;
}

/* The number the daemon knows the call by. */
static inline uint64_t
inside_number (const toolhost_call *call)
{
  return ((const struct tool_call *) (const void *) call)->id;
}

/* What the worker says to the daemon, and the memory it is in. */
static inline struct ring_out *
inside_ring (const toolhost_call *call)
{
  return &inside_crew (call)->outbox->ring;
}

#endif
