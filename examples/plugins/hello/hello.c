/* hello.c - the smallest plugin of one's own: one tool, no state, no permissions. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "hello",
    "description": "Greet somebody by name.",
    "inputSchema": {
      "type": "object",
      "properties": { "name": { "type": "string", "description": "Who is greeted." } },
      "required": ["name"],
      "additionalProperties": false,
      "examples": [{ "name": "Ada" }]
    }
  });
  /* clang-format on */
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "Hello, %s!", toolhost_arg_string_or (call, "name", "stranger"));
}

static const toolhost_tool hello = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "hello", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&hello))
