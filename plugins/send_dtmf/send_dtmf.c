/* send_dtmf - the agent presses a key of the telephone.
 *
 * The tool is built for each tenant from its feature "send_dtmf".  What presses it is whoever hears
 * the session's events. */
#include <toolhost.h>

#include "../common/voice.h"
#include "../common/voice_tool.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return voice_dtmf (call, toolhost_arg_string_or (call, "button", ""));
}

/* ---- the definition ---- */

static const char description[] = "Presses one key of the telephone, to choose from the menu of "
                                  "the other side or to enter a digit.";

/* clang-format off */
static const char rest_of_definition[] = TOOLHOST_JSON ({
  "title": "Press a key",
  "inputSchema": {
    "type": "object",
    "properties": {
      "button": {
        "type": "string",
        "enum": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "#"],
        "description": "The key to press"
      }
    },
    "required": ["button"],
    "additionalProperties": false
  },
  "annotations": { "openWorldHint": true },
  "toolhost": { "kind": "passthrough" }
});
/* clang-format on */

static struct voice_tool_words
words (const struct voice_tool *tool)
{
  (void) tool;
  return (struct voice_tool_words){ description, rest_of_definition };
}

static bool
read_feature (struct voice_tool *tool, struct settings *s)
{
  return settings_read (
    s, (const struct setting[]){ { "description", settings_text, &tool->description },
                                 { .name = NULL } });
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = voice_tool_definition,
                                    .execute = execute };

static const struct voice_tool_kind kind = { .tool = &tool,
                                             .name = "send_dtmf",
                                             .size = sizeof (struct voice_tool),
                                             .read = read_feature,
                                             .words = words };

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  return voice_tool_build (&kind, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "send_dtmf", .build = build,
                                          .release = voice_tool_release };

TOOLHOST_PLUGIN (.name = "send_dtmf", .version = "1.0",
                 .description = "Lets an agent press the keys of a telephone.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
