/* Declares an outputSchema, and gives what it is told to. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "bad_output",
    "description": "Gives the result it is told to.",
    "inputSchema": {
      "type": "object",
      "properties": { "give": {}, "fail": { "type": "boolean" } },
      "additionalProperties": false
    },
    "outputSchema": {
      "type": ["object", "null", "number", "boolean", "string"],
      "properties": { "n": { "type": "integer" }, "key": { "type": "string", "writeOnly": true, "maxLength": 3 } }
    }
  });
  /* clang-format on */
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  size_t len;
  const char *json = toolhost_arg_json (call, "give", &len);

  (void) self;
  if (toolhost_arg_bool (call, "fail", false))
    return toolhost_fail (call, "it_failed", "It failed.");
  (void) toolhost_text (call, "done");
  return json != NULL ? toolhost_json_len (call, json, len) : TOOLHOST_OK;
}

static const toolhost_tool bad_output = { TOOLHOST_TOOL, .definition = definition,
                                          .execute = execute };

TOOLHOST_PLUGIN (.name = "bad_output", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&bad_output))
