/* A plugin of two files: the registration and one tool here, the other tool in two_upper.c. */
#include "two.h"

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "length", "description" : "How long?", "inputSchema" : { "type" : "object" } });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  size_t len;

  (void) self;
  if (toolhost_arg_string_len (call, "text", &len) == NULL)
    return toolhost_fail (call, "missing_text", "there is no text");
  return toolhost_textf (call, "%zu", len);
}

static const toolhost_tool length = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "two", .version = "1.0", .description = "Two files.",
                 TOOLHOST_TOOLS (&length, &upper))
