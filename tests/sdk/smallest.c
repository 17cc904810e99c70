/* The smallest plugin, as it stands in the manual. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "echo",
    "description" : "Return the text you send; it's the smallest tool.",
    "inputSchema" : {
      "type" : "object",
      "properties" : { "text" : { "type" : "string" } },
      "required" : ["text"],
      "additionalProperties" : false
    }
  });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_text (call, toolhost_arg_string (call, "text"));
  return TOOLHOST_OK;
}

static const toolhost_tool echo = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "echo", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&echo))
