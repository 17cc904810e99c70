/* fragile.c - a plugin whose tool crashes when it is asked to, and works otherwise. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"fragile\", \"description\": \"Crashes when asked to.\","
         " \"inputSchema\": { \"type\": \"object\","
         " \"properties\": { \"crash\": { \"type\": \"boolean\" } } } }";
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_arg_bool (call, "crash", false))
    abort ();
  return toolhost_text (call, "whole");
}

static const toolhost_tool fragile = { TOOLHOST_TOOL, .definition = definition,
                                       .execute = execute };

TOOLHOST_PLUGIN (.name = "fragile", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&fragile))
