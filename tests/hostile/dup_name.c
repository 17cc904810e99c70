/* Two tools of one name. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "dup_name", "description" : "One of two.", "inputSchema" : { "type" : "object" } });
}

static toolhost_status
first (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "first");
}

static toolhost_status
second (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "second");
}

static const toolhost_tool one = { TOOLHOST_TOOL, .definition = definition, .execute = first };
static const toolhost_tool two = { TOOLHOST_TOOL, .definition = definition, .execute = second };

TOOLHOST_PLUGIN (.name = "dup_name", .version = "1.0", TOOLHOST_TOOLS (&one, &two))
