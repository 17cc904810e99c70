/* Forks as often as it can, and tells how often that was. */
#include "hostile.h"

#include <unistd.h>

enum { TRIES = 1000 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int children = 0;

  for (int i = 0; i < TRIES; i++) {
    pid_t pid = fork ();
    if (pid == 0)
      for (;;)
        (void) pause ();
    children += pid > 0;
  }
  return toolhost_textf (call, "%d", children);
}

HOSTILE ("fork_bomb", TOOLHOST_PARALLEL, "Forks without end.", HOSTILE_NO_ARGUMENTS)
