/* transfer_call - the agent transfers its user to another telephone number.
 *
 * The tool is built for each tenant from its feature "transfer_call", which may name the number:
 * then the model does not see it and can't choose another.  What transfers the call is whoever
 * hears the session's events. */
#include <stdlib.h>
#include <toolhost.h>

#include "../common/built.h"
#include "../common/settings.h"
#include "../common/voice.h"
#include "number.h"

struct transfer_call {
  char pinned[NUMBER_SIZE]; /* the only number; empty: the model says it */
  bool nanp;
  struct text message;     /* said before the transfer; empty: nothing is said */
  struct text description; /* for the model; empty: ours */
  bool interruptible;
  struct text definition;
};

/* The user hears of a number that is none; the words are those of the system this behaves like. */
static toolhost_status
say_why (toolhost_call *call, enum number is)
{
  return voice_say (call,
                    is == NUMBER_INVALID
                      ? "I'm sorry, that phone number appears to be invalid."
                      : "I'm sorry, I couldn't understand that phone number format.",
                    true);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct transfer_call *tool = self;
  const char *asked = toolhost_arg_string_or (call, "target_phone_number", "");
  char number[NUMBER_SIZE];
  enum number is = number_read (*tool->pinned != '\0' ? tool->pinned : asked, tool->nanp, number);
  toolhost_status status = TOOLHOST_OK;

  if (is != NUMBER_GOOD)
    return say_why (call, is);
  if (tool->message.len != 0)
    status = voice_say (call, text_get (&tool->message), tool->interruptible);
  return status == TOOLHOST_OK ? voice_transfer (call, number, tool->interruptible) : status;
}

/* ---- the definition ---- */

static const char description[] =
  "Transfers the call to another telephone number. Don't say anything yourself before you call it.";
static const char description_pinned[] =
  "Transfers the call to the person or department it is set up for. Don't say anything yourself "
  "before you call it.";

/* clang-format off */
static const char with_number[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "target_phone_number": {
      "type": "string",
      "maxLength": 64,
      "description": "The destination phone number in E.164 format (e.g., +14155551234)"
    }
  },
  "required": ["target_phone_number"],
  "additionalProperties": false
});
/* clang-format on */

static void
define (struct transfer_call *tool)
{
  const bool pinned = *tool->pinned != '\0';
  struct text *out = &tool->definition;

  json_open (out, '{');
  json_name_string (out, "name", "transfer_call");
  json_name_string (out, "title", "Transfer the call");
  json_name_string (out, "description",
                    tool->description.len != 0 ? text_get (&tool->description)
                    : pinned                   ? description_pinned
                                               : description);
  json_name (out, "inputSchema");
  json_raw (out, pinned ? "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"
                        : with_number);
  json_name (out, "annotations");
  json_raw (out, "{\"destructiveHint\":true,\"openWorldHint\":true}");
  json_name (out, "toolhost");
  json_raw (out, "{\"kind\":\"passthrough\"}");
  json_close (out, '}');
}

static const char *
definition (void *self)
{
  return text_get (&((struct transfer_call *) self)->definition);
}

static const toolhost_tool transfer_call = { TOOLHOST_TOOL, .definition = definition,
                                             .execute = execute };

/* ---- the builder ---- */

static void
release (void *self)
{
  struct transfer_call *tool = self;

  text_free (&tool->message);
  text_free (&tool->description);
  text_free (&tool->definition);
  free (tool);
}

/* What is written there is meant: an empty text does not leave the choice to the model. */
static bool
read_pinned (struct settings *s, const char *name, void *value)
{
  struct transfer_call *tool = value;
  CLEANUP_TEXT struct text number = { 0 };

  return settings_text (s, name, &number)
         && (number_read (text_get (&number), false, tool->pinned) == NUMBER_GOOD
             || settings_wrong (s, name, "a telephone number in E.164, as +14155551234"));
}

static bool
read_feature (struct transfer_call *tool, struct settings *s)
{
  char number[NUMBER_SIZE];
  const struct setting members[] = {
    { "target_phone_number", read_pinned, tool },
    { "message", settings_text, &tool->message },
    { "description", settings_text, &tool->description },
    { "interruptible", settings_bool, &tool->interruptible },
    { "nanp", settings_bool, &tool->nanp },
    { .name = NULL },
  };

  tool->interruptible = tool->nanp = true;
  return settings_read (s, members)
         && (*tool->pinned == '\0' || number_read (tool->pinned, tool->nanp, number) == NUMBER_GOOD
             || settings_wrong (s, "target_phone_number",
                                "ten digits after +1, area code and exchange from 2 on"));
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  struct transfer_call *tool = calloc (1, sizeof *tool);

  if (tool == NULL)
    return built_nothing (build);
  if (!read_feature (tool, &s)) {
    release (tool);
    return TOOLHOST_FAILED;
  }
  define (tool);
  return built_add (build, &transfer_call, tool, &tool->definition, release);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "transfer_call",
                                          .build = build, .release = release };

TOOLHOST_PLUGIN (.name = "transfer_call", .version = "1.0",
                 .description = "Lets an agent transfer its user to another telephone number.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
