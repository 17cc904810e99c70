/* custom.c - a tool as its author would write it from a recipe: a feature with a switch, one
 * parameter that has to be there, failures with codes of its own. */
#include <string.h>
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "custom_tool",
    "description": "Says how long param1 is.",
    "inputSchema": {
      "type": "object",
      "properties": { "param1": { "type": "string", "description": "The first parameter" },
                      "ms": { "type": "integer", "minimum": 0 } },
      "required": ["param1"]
    }
  });
  /* clang-format on */
}

/* The model reads { "error": TEXT }. */
static toolhost_status
refuse (toolhost_call *call, const char *code, const char *text)
{
  toolhost_textf (call, "{\"error\":\"%s\"}", text);
  return toolhost_fail (call, code, "%s", text);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *param1 = toolhost_arg_string_or (call, "param1", "");
  char result[64];

  (void) self;
  if (*param1 == '\0')
    return refuse (call, "missing_param", "param1 is required");
  if (strcmp (param1, "raise") == 0)
    return refuse (call, "execution_failed", "it was told to");
  if (strcmp (param1, "who") == 0)
    return toolhost_json (call, toolhost_extension (call->host, TOOLHOST_CALL_SERVICE_ID) == NULL
                                  ? "{\"service\":null}"
                                  : "{\"service\":{}}");
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return TOOLHOST_FAILED;
  (void) snprintf (result, sizeof result, "{\"result\":%zu}", strlen (param1));
  return toolhost_json (call, result);
}

static const toolhost_tool custom = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  (void) len;
  if (strstr (config, "\"enabled\":true") == NULL)
    return TOOLHOST_OK;
  return toolhost_add_tool (build, &custom, NULL);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "custom", .build = build };

TOOLHOST_PLUGIN (.name = "custom", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_BUILDERS (&builder))
