/* Not hostile, but slow: returns "text" after "ms" milliseconds, tells how far it is, and stops
 * when it is cancelled. */
#include "hostile.h"

enum { STEPS = 10 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int64_t ms = toolhost_arg_int (call, "ms", 1000);

  for (int i = 0; i < STEPS; i++) {
    toolhost_progress (call, i, STEPS, "step %d", i);
    if (toolhost_sleep (call, ms / STEPS) != TOOLHOST_OK)
      return toolhost_fail (call, "interrupted", "stopped at step %d", i);
  }
  return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
}

HOSTILE ("slow_echo", TOOLHOST_PARALLEL, "Returns a text, slowly.",
         "\"properties\":{\"ms\":{\"type\":\"integer\"},\"text\":{\"type\":\"string\"}}")
