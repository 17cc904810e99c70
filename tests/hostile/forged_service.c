/* Asks for services as no worker of the host's would: past the code that keeps the rules, through
 * the port that it uses. */
#include "hostile.h"
#include "inside.h"

#define JSON(text) text, sizeof (text) - 1
#define WHOLE(name, text)                                                                          \
  {                                                                                                \
    name, { FRAME_SERVICE_HTTP, 1, sizeof (text) - 1, 0 }, JSON (text), 1                          \
  }

#define STATE(name, text, times)                                                                   \
  {                                                                                                \
    name, { FRAME_SERVICE_STATE, 1, sizeof (text) - 1, 0 }, JSON (text), times                     \
  }

#define INVOKE(name, text, times)                                                                  \
  {                                                                                                \
    name, { FRAME_SERVICE_INVOKE, 1, sizeof (text) - 1, 0 }, JSON (text), times                    \
  }

static const char url[] = "{\"url\":\"http://127.0.0.1/\"}";

/* A frame: what it says of itself, and what follows. */
struct deed {
  const char *name;
  struct frame_service head;
  const char *data;
  size_t len;
  int times;
};

static const struct deed deeds[] = {
  { "number", { FRAME_SERVICE_HTTP, 7, sizeof url - 1, 0 }, JSON (url), 1 },
  { "twice", { FRAME_SERVICE_HTTP, 1, sizeof url - 1, 10 }, JSON (url), 2 },
  { "long", { FRAME_SERVICE_HTTP, 1, UINT64_MAX, 1 }, JSON (url), 1 },
  { "more", { FRAME_SERVICE_HTTP, 1, 10, 0 }, JSON (url), 1 },
  { "empty", { FRAME_SERVICE_HTTP, 1, 0, 0 }, "", 0, 1 },
  WHOLE ("not_json", "{]x}"),
  WHOLE ("no_url", "{}"),
  WHOLE ("headers", "{\"url\":\"x\",\"headers\":[[\"a\"]]}"),
  WHOLE ("zero", "{\"url\":\"\\u0000a\"}"),
  WHOLE ("negative", "{\"url\":\"x\",\"timeout_ms\":-1}"),
  { "what", { 99, 0, 0, 0 }, "", 0, 1 },
  { "tail", { FRAME_SERVICE_STOP, 0, 0, 0 }, JSON ("x"), 1 },
  /* … of a session */
  STATE ("state", "{\"flag\":\"a\"}", 1),
  { "state_short", { FRAME_SERVICE_STATE, 1, 99, 0 }, JSON ("{\"flag\":\"a\"}"), 1 },
  STATE ("state_again", "{\"flag\":\"a\"}", 2),
  STATE ("state_text", "flag", 1),
  STATE ("state_none", "{}", 1),
  STATE ("state_two", "{\"flag\":\"a\",\"get\":\"user\"}", 1),
  /* … of a telephone */
  { "phone_long", { FRAME_SERVICE_REFER, 1, 99, 0 }, JSON ("+1"), 1 },
  { "phone_key", { FRAME_SERVICE_REFER, 1, 2, 99 }, JSON ("+1k"), 1 },
  { "phone_rest", { FRAME_SERVICE_HANGUP, 1, 0, 0 }, JSON ("x"), 1 },
  { "phone_zero", { FRAME_SERVICE_SAY, 1, 3, 0 }, JSON ("a\0b"), 1 },
  { "phone_utf8", { FRAME_SERVICE_SAY, 1, 2, 0 }, JSON ("\xff\xfe"), 1 },
  { "phone_again", { FRAME_SERVICE_DTMF, 1, 1, 0 }, JSON ("1"), 2 },
  { "phone_number", { FRAME_SERVICE_REFER, 2, 2, 0 }, JSON ("+1"), 1 },
  /* … of other tools */
  INVOKE ("invoke_text", "echo", 1),
  INVOKE ("invoke_object", "{\"tool\":\"echo\",\"args\":\"{}\"}", 1),
  INVOKE ("invoke_none", "[]", 1),
  INVOKE ("invoke_no_tool", "[{\"args\":\"{}\"}]", 1),
  INVOKE ("invoke_zero", "[{\"tool\":\"a\\u0000\",\"args\":\"{}\"}]", 1),
  INVOKE ("invoke_args", "[{\"tool\":\"echo\",\"args\":{}}]", 1),
  INVOKE ("invoke_answers", "[{\"tool\":\"echo\",\"args\":\"{}\",\"answers\":[]}]", 1),
  INVOKE ("invoke_many", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", 1),
  { "invoke_long", { FRAME_SERVICE_INVOKE, 1, UINT64_MAX, 0 }, JSON ("[]"), 1 },
  { "invoke_body", { FRAME_SERVICE_INVOKE, 1, 2, 2 }, JSON ("[][]"), 1 },
  { "invoke_more", { FRAME_SERVICE_INVOKE, 1, 1, 0 }, JSON ("[]"), 1 },
  { "invoke_number", { FRAME_SERVICE_INVOKE, 3, 2, 0 }, JSON ("[]"), 1 },
  { "invoke_again", { FRAME_SERVICE_INVOKE, 1, 9, 0 }, JSON ("[]"), 2 },
  { "tools_text", { FRAME_SERVICE_TOOLS, 1, 2, 0 }, JSON ("{}"), 1 },
  { "tools_bad", { FRAME_SERVICE_TOOLS, 1, 1, 0 }, JSON ("["), 1 },
  /* what is odd, and harms nobody */
  INVOKE ("invoke", "[{\"tool\":\"echo\",\"args\":\"{\\\"text\\\":\\\"x\\\"}\"}]", 1),
  { "invoke_left", { FRAME_SERVICE_INVOKE, 1, 1000, 0 }, JSON ("["), 1 },
  { "tools", { FRAME_SERVICE_TOOLS, 1, 7, 0 }, JSON ("[1,\"a\"]"), 1 },
  { "phone", { FRAME_SERVICE_REFER, 1, 2, 0 }, JSON ("+1"), 1 },
  { "huge", { FRAME_SERVICE_HTTP, 1, sizeof url - 1, UINT64_MAX / 2 }, JSON (url), 1 },
  { "taken", { FRAME_SERVICE_TAKEN, 0, 0, UINT64_MAX }, "", 0, 500 },
  { "stop", { FRAME_SERVICE_STOP, 0, 0, 0 }, "", 0, 500 },
  { "left", { FRAME_SERVICE_HTTP, 1, sizeof url - 1, 1000 }, JSON (url), 1 },
  WHOLE ("asked", url),
};

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct tool_call *inner = (const struct tool_call *) (const void *) call;
  const char *wanted = toolhost_arg_string_or (call, "deed", "");

  (void) self;
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
    for (int n = 0; strcmp (deeds[i].name, wanted) == 0 && n < deeds[i].times; n++)
      inner->host->port->service (inner->host->ctx, (struct tool_call *) (void *) call,
                                  &deeds[i].head, deeds[i].data, deeds[i].len);
  return toolhost_text (call, "asked");
}

HOSTILE ("forged_service", TOOLHOST_PARALLEL, "Asks for services in ways that are none.",
         "\"properties\":{\"deed\":{\"type\":\"string\"}}")
