/* numbered.c - a plugin whose name has a fixed width: a test makes a thousand plugins of it by
 * writing another number into copies of its file. */
#include <toolhost.h>

#define NAME "numbered_0000"

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"" NAME "\", \"description\": \"One of a thousand.\","
         " \"inputSchema\": { \"type\": \"object\", \"properties\": { \"text\": { \"type\": "
         "\"string\" } } } }";
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, NAME);
}

static const toolhost_tool numbered = { TOOLHOST_TOOL, .definition = definition,
                                        .execute = execute };

TOOLHOST_PLUGIN (.name = NAME, .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&numbered))
