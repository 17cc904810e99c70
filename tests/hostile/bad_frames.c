/* Writes rubbish on the socket that belongs to the host. */
#include "hostile.h"

#include <unistd.h>

enum { CONTROL = 3, TIMES = 16 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  unsigned char rubbish[256];

  for (unsigned i = 0; i < sizeof rubbish; i++)
    rubbish[i] = (unsigned char) (i * 37 + 11);
  for (int i = 0; i < TIMES; i++)
    (void) !write (CONTROL, rubbish, sizeof rubbish - (size_t) i * 13);
  return toolhost_text (call, "sent");
}

HOSTILE ("bad_frames", TOOLHOST_PARALLEL, "Writes rubbish on the control socket.",
         HOSTILE_NO_ARGUMENTS)
