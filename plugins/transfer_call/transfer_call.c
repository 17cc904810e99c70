/* transfer_call - the agent transfers its user to another telephone number.
 *
 * The tool is built for each tenant from its feature "transfer_call", which may name the number:
 * then the model does not see it and can't choose another.  What transfers the call is whoever
 * hears the session's events. */
#include <toolhost.h>

#include "../common/voice.h"
#include "../common/voice_tool.h"
#include "number.h"

struct transfer_call {
  struct voice_tool voice;  /* first: what all voice tools have */
  char pinned[NUMBER_SIZE]; /* the only number; empty: the model says it */
  bool nanp;
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
  const struct voice_tool *voice = &tool->voice;
  const char *asked = toolhost_arg_string_or (call, "target_phone_number", "");
  char number[NUMBER_SIZE];
  enum number is = number_read (*tool->pinned != '\0' ? tool->pinned : asked, tool->nanp, number);
  toolhost_status status = TOOLHOST_OK;

  if (is != NUMBER_GOOD)
    return say_why (call, is);
  if (voice->message.len != 0)
    status = voice_say (call, text_get (&voice->message), voice->interruptible);
  return status == TOOLHOST_OK ? voice_transfer (call, number, voice->interruptible) : status;
}

/* ---- the definition ---- */

static const char description[] =
  "Transfers the call to another telephone number. Don't say anything yourself before you call it.";
static const char description_pinned[] =
  "Transfers the call to the person or department it is set up for. Don't say anything yourself "
  "before you call it.";

/* clang-format off */
#define REST                                                                                       \
  "\"title\":\"Transfer the call\",\"annotations\":{\"destructiveHint\":true,\"openWorldHint\":true},"  \
  "\"toolhost\":{\"kind\":\"passthrough\"},\"inputSchema\":"
static const char with_number[] = "{" REST TOOLHOST_JSON ({
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
}) "}";
static const char without_number[] =
  "{" REST "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}";
/* clang-format on */

static struct voice_tool_words
words (const struct voice_tool *voice)
{
  return *((const struct transfer_call *) voice)->pinned != '\0'
           ? (struct voice_tool_words){ description_pinned, without_number }
           : (struct voice_tool_words){ description, with_number };
}

/* ---- the builder ---- */

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
read_feature (struct voice_tool *voice, struct settings *s)
{
  struct transfer_call *tool = (struct transfer_call *) voice;
  char number[NUMBER_SIZE];
  const struct setting members[] = {
    { "target_phone_number", read_pinned, tool },
    { "message", settings_text, &voice->message },
    { "description", settings_text, &voice->description },
    { "interruptible", settings_bool, &voice->interruptible },
    { "nanp", settings_bool, &tool->nanp },
    { .name = NULL },
  };

  tool->nanp = true;
  return settings_read (s, members)
         && (*tool->pinned == '\0' || number_read (tool->pinned, tool->nanp, number) == NUMBER_GOOD
             || settings_wrong (s, "target_phone_number",
                                "ten digits after +1, area code and exchange from 2 on"));
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = voice_tool_definition,
                                    .execute = execute };

static const struct voice_tool_kind kind = { .tool = &tool,
                                             .name = "transfer_call",
                                             .size = sizeof (struct transfer_call),
                                             .read = read_feature,
                                             .words = words };

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  return voice_tool_build (&kind, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "transfer_call",
                                          .build = build, .release = voice_tool_release };

TOOLHOST_PLUGIN (.name = "transfer_call", .version = "1.0",
                 .description = "Lets an agent transfer its user to another telephone number.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
