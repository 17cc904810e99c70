/* end_call - the agent ends the call of its user.
 *
 * The tool is built for each tenant from its feature "end_call".  What ends the call is whoever
 * hears the session's events. */
#include <stdlib.h>
#include <toolhost.h>

#include "../common/built.h"
#include "../common/settings.h"
#include "../common/voice.h"

struct end_call {
  struct text description; /* for the model; empty: ours */
  struct text message;     /* said when the model gives none; empty: nothing is said */
  bool interruptible;
  struct text definition;
};

/* Said before the end, it must be heard: nobody is there afterwards who could say it again. */
static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct end_call *tool = self;
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

static void
define (struct end_call *tool)
{
  struct text *out = &tool->definition;

  json_open (out, '{');
  json_name_string (out, "name", "end_call");
  json_name_string (out, "description",
                    tool->description.len != 0 ? text_get (&tool->description) : description);
  text_add (out, ",");
  text_add (out, rest_of_definition + 1); /* the members, and the bracket that closes */
}

static const char *
definition (void *self)
{
  return text_get (&((struct end_call *) self)->definition);
}

static const toolhost_tool end_call = { TOOLHOST_TOOL, .definition = definition,
                                        .execute = execute };

/* ---- the builder ---- */

static void
release (void *self)
{
  struct end_call *tool = self;

  text_free (&tool->description);
  text_free (&tool->message);
  text_free (&tool->definition);
  free (tool);
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  struct end_call *tool = calloc (1, sizeof *tool);

  if (tool == NULL)
    return built_nothing (build);
  tool->interruptible = true;
  if (!settings_read (
        &s, (const struct setting[]){ { "description", settings_text, &tool->description },
                                      { "message", settings_text, &tool->message },
                                      { "interruptible", settings_bool, &tool->interruptible },
                                      { .name = NULL } })) {
    release (tool);
    return TOOLHOST_FAILED;
  }
  define (tool);
  return built_add (build, &end_call, tool, &tool->definition, release);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "end_call", .build = build,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "end_call", .version = "1.0",
                 .description = "Lets an agent end the call of its user.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
