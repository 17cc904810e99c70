/* send_dtmf - the agent presses a key of the telephone.
 *
 * The tool is built for each tenant from its feature "send_dtmf".  What presses it is whoever hears
 * the session's events. */
#include <stdlib.h>
#include <toolhost.h>

#include "../common/built.h"
#include "../common/settings.h"
#include "../common/voice.h"

struct send_dtmf {
  struct text description; /* for the model; empty: ours */
  struct text definition;
};

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

static void
define (struct send_dtmf *tool)
{
  struct text *out = &tool->definition;

  json_open (out, '{');
  json_name_string (out, "name", "send_dtmf");
  json_name_string (out, "description",
                    tool->description.len != 0 ? text_get (&tool->description) : description);
  text_add (out, ",");
  text_add (out, rest_of_definition + 1); /* the members, and the bracket that closes */
}

static const char *
definition (void *self)
{
  return text_get (&((struct send_dtmf *) self)->definition);
}

static const toolhost_tool send_dtmf = { TOOLHOST_TOOL, .definition = definition,
                                         .execute = execute };

/* ---- the builder ---- */

static void
release (void *self)
{
  struct send_dtmf *tool = self;

  text_free (&tool->description);
  text_free (&tool->definition);
  free (tool);
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  struct send_dtmf *tool = calloc (1, sizeof *tool);

  if (tool == NULL)
    return built_nothing (build);
  if (!settings_read (
        &s, (const struct setting[]){ { "description", settings_text, &tool->description },
                                      { .name = NULL } })) {
    release (tool);
    return TOOLHOST_FAILED;
  }
  define (tool);
  return built_add (build, &send_dtmf, tool, &tool->definition, release);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "send_dtmf", .build = build,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "send_dtmf", .version = "1.0",
                 .description = "Lets an agent press the keys of a telephone.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
