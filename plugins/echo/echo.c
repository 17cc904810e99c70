/* echo.c - the tool that gives back what it gets: to see that the way to a tool works. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "echo",
    "title": "Echo",
    "description": "Return the text you send, unchanged. Use it to check that tools can be reached.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "What to return, any Unicode text."
        }
      },
      "required": ["text"],
      "additionalProperties": false,
      "examples": [{ "text": "Hello" }]
    },
    "annotations": {
      "title": "Echo",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "toolhost": { "strict": true }
  });
  /* clang-format on */
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  size_t len;
  const char *text = toolhost_arg_string_len (call, "text", &len);

  (void) self;
  return toolhost_text_len (call, text, len);
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 10000;
}

static const toolhost_tool echo = { TOOLHOST_TOOL, .definition = definition, .execute = execute,
                                    .max_time = max_time };

TOOLHOST_PLUGIN (.name = "echo", .version = "1.0", .description = "Gives back what it gets.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&echo))
