/* Not hostile, but for large arguments: returns how long "text" is. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  size_t len;

  if (toolhost_arg_string_len (call, "text", &len) == NULL)
    return toolhost_fail (call, "missing_text", "there is no text");
  return toolhost_textf (call, "%zu", len);
}

HOSTILE ("big_args", TOOLHOST_PARALLEL, "Returns the length of a text.",
         "\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]")
