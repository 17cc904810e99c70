/* A definition that is not JSON. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"bad_definition\", ";
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "bad_definition", .version = "1.0", TOOLHOST_TOOLS (&tool))
