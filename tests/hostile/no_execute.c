/* A tool without its execute callback. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "no_execute", "description" : "Can't run.", "inputSchema" : { "type" : "object" } });
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition };

TOOLHOST_PLUGIN (.name = "no_execute", .version = "1.0", TOOLHOST_TOOLS (&tool))
