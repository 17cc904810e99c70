/* end_call - the agent ends the call of its user.
 *
 * The tool is built for each tenant from its feature "end_call".  What ends the call is whoever
 * hears the session's events. */
#include <toolhost.h>

#include "../common/voice.h"
#include "../common/voice_tool.h"

/* Said before the end, it must be heard: nobody is there afterwards who could say it again. */
static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct voice_tool *tool = self;
  const char *message = toolhost_arg_string_or (call, "message", "");
  toolhost_status status = TOOLHOST_OK;

  if (*message == '\0')
    message = text_get (&tool->message);
  if (*message != '\0')
    status = voice_say (call, message, false);
  return status == TOOLHOST_OK ? voice_end_call (call, "agent_ended", tool->interruptible) : status;
}

/* ---- the definition ---- */

static const char description[] = "Ends the call: the user hears `message` and is hung up on. Use "
                                  "it when the user says goodbye, or "
                                  "when everything is done and the user knows it. Don't use it "
                                  "when the user asks to wait, wants to "
                                  "be transferred, or may have more to say. It can't be undone.";

/* clang-format off */
static const char rest_of_definition[] = TOOLHOST_JSON ({
  "title": "End the call",
  "inputSchema": {
    "type": "object",
    "properties": {
      "reason": { "type": "string", "maxLength": 500, "description": "The reason for ending the call" },
      "message": {
        "type": "string",
        "maxLength": 2000,
        "description": "A goodbye that the user hears before the call ends; leave it out if you have said goodbye."
      }
    },
    "required": ["reason"],
    "additionalProperties": false
  },
  "annotations": { "destructiveHint": true, "openWorldHint": true },
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
                                 { "message", settings_text, &tool->message },
                                 { "interruptible", settings_bool, &tool->interruptible },
                                 { .name = NULL } });
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = voice_tool_definition,
                                    .execute = execute };

static const struct voice_tool_kind kind = { .tool = &tool,
                                             .name = "end_call",
                                             .size = sizeof (struct voice_tool),
                                             .read = read_feature,
                                             .words = words };

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  return voice_tool_build (&kind, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "end_call", .build = build,
                                          .release = voice_tool_release };

TOOLHOST_PLUGIN (.name = "end_call", .version = "1.0",
                 .description = "Lets an agent end the call of its user.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
