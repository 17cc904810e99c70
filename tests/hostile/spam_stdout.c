/* Prints without end, and tells when it got through. */
#include "hostile.h"

enum { MIB = 1 << 20, LINE = 64 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int64_t mib = toolhost_arg_int (call, "mib", 16);

  for (int64_t i = 0; i < mib * (MIB / LINE) && !toolhost_cancelled (call); i++)
    (void) puts ("spam spam spam spam spam spam spam spam spam spam spam spam spa");
  return toolhost_text (call, "done");
}

HOSTILE ("spam_stdout", TOOLHOST_PARALLEL, "Prints without end.",
         "\"properties\":{\"mib\":{\"type\":\"integer\"}}")
