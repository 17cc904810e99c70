/* Gives a text of as many bytes as asked for. */
#include "hostile.h"

enum { SOME = 64 << 20 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  size_t bytes = (size_t) toolhost_arg_int (call, "bytes", 1 << 20);
  char *text = (char *) calloc (1, bytes + 1); /* beyond SOME there is no need for real memory */
  toolhost_status status;

  if (text == NULL)
    return toolhost_fail (call, "no_memory", "no memory for %zu bytes", bytes);
  memset (text, 'x', bytes < SOME ? bytes : SOME);
  status = toolhost_text_len (call, text, bytes);
  free (text);
  return status == TOOLHOST_OK ? TOOLHOST_OK
                               : toolhost_fail (call, "too_large", "refused with %d", (int) status);
}

HOSTILE ("huge_result", TOOLHOST_PARALLEL, "Gives a text of N bytes.",
         "\"properties\":{\"bytes\":{\"type\":\"integer\",\"minimum\":0}}")
