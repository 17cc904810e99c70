/* Tools and a prompt that ask before they go on. */
#include "fixtures.h"

#define PERSON                                                                                     \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":"            \
  "\"Your name\"}},\"required\":[\"name\"]}"
#define CONFIRMATION                                                                               \
  "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}"
#define QUESTION(text)                                                                             \
  "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text              \
  "\"}}],\"maxTokens\":100}"

/* One form; the answer is told as JSON. */
static toolhost_status
ask_form (toolhost_call *call, const char *key, const char *message, const char *schema,
          const char *said)
{
  toolhost_value value;

  switch (toolhost_ask_form (call, key, schema, "%s", message)) {
  case TOOLHOST_ANSWERED:
    (void) toolhost_answer (call, key, "", &value);
    return toolhost_textf (call, "%s: action=accept, content=%.*s", said, (int) value.json_len,
                           value.json);
  case TOOLHOST_DECLINED:
    return toolhost_textf (call, "%s: action=decline", said);
  case TOOLHOST_DISMISSED:
  case TOOLHOST_EXPIRED:
    return toolhost_textf (call, "%s: action=cancel", said);
  default: /* open, or nobody can be asked: the host knows which */
    return TOOLHOST_ASKED;
  }
}

/* The caller's model; false: the call can't end yet, or has failed. */
static toolhost_status
ask_model (toolhost_call *call, const char *key, const char *params, const char *said)
{
  toolhost_value text;

  switch (toolhost_ask (call, key, "sampling", params, NULL, NULL)) {
  case TOOLHOST_ANSWERED:
    (void) toolhost_answer (call, key, "/content/text", &text);
    return toolhost_textf (call, "%s: %.*s", said, (int) text.string_len,
                           text.string != NULL ? text.string : "");
  case TOOLHOST_OPEN:
  case TOOLHOST_UNASKABLE:
    return TOOLHOST_ASKED;
  default:
    return toolhost_fail (call, "not_sampled", "The model was not asked.");
  }
}

#define ASKING_TOOL(tool, run, name, description)                                                  \
  DEFINITION (tool##_definition, NO_ARGUMENTS (name, description))                                 \
  const toolhost_tool tool = { TOOLHOST_TOOL, .definition = tool##_definition, .execute = run };

/* ---- the three kinds ---- */

static toolhost_status
run_elicitation (void *self, toolhost_call *call)
{
  (void) self;
  switch (toolhost_ask_form (call, "user_name", PERSON, "What is your name?")) {
  case TOOLHOST_ANSWERED:
    return toolhost_textf (call, "Hello, %s!",
                           toolhost_answer_string (call, "user_name", "name", "?"));
  case TOOLHOST_OPEN:
  case TOOLHOST_UNASKABLE:
    return TOOLHOST_ASKED;
  default:
    return toolhost_text (call, "Hello, whoever you are!");
  }
}
ASKING_TOOL (asks_elicitation, run_elicitation, "test_input_required_result_elicitation",
             "Asks for a name.")
ASKING_TOOL (asks_streaming, run_elicitation, "test_streaming_elicitation", "Asks for a name.")
ASKING_TOOL (asks_tampered, run_elicitation, "test_input_required_result_tampered_state",
             "Asks for a name; its state can't be forged.")

static toolhost_status
run_sampling (void *self, toolhost_call *call)
{
  (void) self;
  return ask_model (call, "capital_question", QUESTION ("What is the capital of France?"),
                    "The model said");
}
ASKING_TOOL (asks_sampling, run_sampling, "test_input_required_result_sampling",
             "Asks the caller's model.")
ASKING_TOOL (missing_capability, run_sampling, "test_missing_capability",
             "Can't do without the caller's model.")

static toolhost_status
run_roots (void *self, toolhost_call *call)
{
  const char *answer;
  size_t len;

  (void) self;
  if (toolhost_ask (call, "client_roots", "roots", "{}", &answer, &len) != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  return toolhost_textf (call, "The client's roots: %.*s", (int) len, answer);
}
ASKING_TOOL (asks_roots, run_roots, "test_input_required_result_list_roots",
             "Asks for the caller's folders.")

/* ---- several at once, and one after the other ---- */

static toolhost_status
run_state (void *self, toolhost_call *call)
{
  size_t len;
  const void *kept = toolhost_kept (call, &len);

  (void) self;
  if (toolhost_ask_form (call, "confirm", CONFIRMATION, "Go on?") != TOOLHOST_ANSWERED) {
    (void) toolhost_keep (call, "begun", 5);
    return TOOLHOST_ASKED;
  }
  if (kept == NULL || len != 5 || memcmp (kept, "begun", len) != 0)
    return toolhost_fail (call, "no_state", "The state did not come back.");
  return toolhost_text (call, "Confirmed, state-ok");
}
ASKING_TOOL (asks_state, run_state, "test_input_required_result_request_state",
             "Asks, and keeps a state until the answer is there.")

static toolhost_status
run_several (void *self, toolhost_call *call)
{
  int32_t name = toolhost_ask_form (call, "user_name", PERSON, "What is your name?");
  int32_t model =
    toolhost_ask (call, "greeting", "sampling", QUESTION ("Write a greeting."), NULL, NULL);
  int32_t roots = toolhost_ask (call, "client_roots", "roots", "{}", NULL, NULL);
  toolhost_value greeting;

  (void) self;
  if (name != TOOLHOST_ANSWERED || model != TOOLHOST_ANSWERED || roots != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  (void) toolhost_answer (call, "greeting", "/content/text", &greeting);
  return toolhost_textf (call, "%.*s (to %s)", (int) greeting.string_len,
                         greeting.string != NULL ? greeting.string : "",
                         toolhost_answer_string (call, "user_name", "name", "?"));
}
ASKING_TOOL (asks_several, run_several, "test_input_required_result_multiple_inputs",
             "Asks a person, the caller's model and for folders at once.")

/* Asks what the caller can be asked. */
static toolhost_status
run_capabilities (void *self, toolhost_call *call)
{
  int32_t name = toolhost_ask_form (call, "user_name", PERSON, "What is your name?");
  int32_t model =
    toolhost_ask (call, "greeting", "sampling", QUESTION ("Write a greeting."), NULL, NULL);

  (void) self;
  if (name == TOOLHOST_ANSWERED || model == TOOLHOST_ANSWERED)
    return toolhost_text (call, "Answered.");
  return TOOLHOST_ASKED;
}
ASKING_TOOL (asks_capabilities, run_capabilities, "test_input_required_result_capabilities",
             "Asks only what its caller can be asked.")

static toolhost_status
run_rounds (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_ask_form (call, "step1", PERSON, "Step 1: what is your name?") != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  if (toolhost_ask_form (call, "step2",
                         "{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\"}},"
                         "\"required\":[\"color\"]}",
                         "Step 2: what is your favourite colour?")
      != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  return toolhost_textf (call, "%s likes %s.", toolhost_answer_string (call, "step1", "name", "?"),
                         toolhost_answer_string (call, "step2", "color", "?"));
}
ASKING_TOOL (asks_rounds, run_rounds, "test_input_required_result_multi_round",
             "Asks twice, one after the other.")

/* ---- what clients of the handshake are asked ---- */

DEFINITION (sampling_definition,
            "{\"name\":\"test_sampling\",\"description\":\"Asks the caller's model.\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\","
            "\"description\":\"What to ask it.\"}},\"required\":[\"prompt\"]}}")

static toolhost_status
sampling_execute (void *self, toolhost_call *call)
{
  char params[4096];
  size_t len;
  const char *prompt = toolhost_arg_json (call, "prompt", &len);

  (void) self;
  snprintf (params, sizeof params,
            "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":%.*s}}],"
            "\"maxTokens\":100}",
            (int) len, prompt);
  return ask_model (call, "sample", params, "LLM response");
}
const toolhost_tool sampling = { TOOLHOST_TOOL, .definition = sampling_definition,
                                 .execute = sampling_execute };

DEFINITION (elicitation_definition,
            "{\"name\":\"test_elicitation\",\"description\":\"Asks for a name and an address.\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\","
            "\"description\":\"What to ask.\"}},\"required\":[\"message\"]}}")

static toolhost_status
elicitation_execute (void *self, toolhost_call *call)
{
  (void) self;
  return ask_form (call, "user", toolhost_arg_string_or (call, "message", "Who are you?"),
                   "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\","
                   "\"description\":\"User's response\"},\"email\":{\"type\":\"string\","
                   "\"description\":\"User's email address\"}},"
                   "\"required\":[\"username\",\"email\"]}",
                   "User response");
}
const toolhost_tool elicitation = { TOOLHOST_TOOL, .definition = elicitation_definition,
                                    .execute = elicitation_execute };

static toolhost_status
run_defaults (void *self, toolhost_call *call)
{
  (void) self;
  return ask_form (
    call, "user", "Please review and update the form fields with defaults", TOOLHOST_JSON ({
      "type" : "object",
      "properties" : {
        "name" : { "type" : "string", "description" : "User name", "default" : "John Doe" },
        "age" : { "type" : "integer", "description" : "User age", "default" : 30 },
        "score" : { "type" : "number", "description" : "User score", "default" : 95.5 },
        "status" : {
          "type" : "string",
          "description" : "User status",
          "enum" : [ "active", "inactive", "pending" ],
          "default" : "active"
        },
        "verified" : { "type" : "boolean", "description" : "Verified", "default" : true }
      },
      "required" : []
    }),
    "Elicitation completed");
}
ASKING_TOOL (elicitation_defaults, run_defaults, "test_elicitation_sep1034_defaults",
             "Asks with a default for every type.")

static toolhost_status
run_enums (void *self, toolhost_call *call)
{
  (void) self;
  return ask_form (
    call, "user", "Please select options from the enum fields", TOOLHOST_JSON ({
      "type" : "object",
      "properties" : {
        "untitledSingle" : { "type" : "string", "enum" : [ "option1", "option2", "option3" ] },
        "titledSingle" : {
          "type" : "string",
          "oneOf" : [
            { "const" : "value1", "title" : "First Option" },
            { "const" : "value2", "title" : "Second Option" },
            { "const" : "value3", "title" : "Third Option" }
          ]
        },
        "legacyEnum" : {
          "type" : "string",
          "enum" : [ "opt1", "opt2", "opt3" ],
          "enumNames" : [ "Option One", "Option Two", "Option Three" ]
        },
        "untitledMulti" : {
          "type" : "array",
          "items" : { "type" : "string", "enum" : [ "option1", "option2", "option3" ] }
        },
        "titledMulti" : {
          "type" : "array",
          "items" : {
            "anyOf" : [
              { "const" : "value1", "title" : "First Choice" },
              { "const" : "value2", "title" : "Second Choice" },
              { "const" : "value3", "title" : "Third Choice" }
            ]
          }
        }
      },
      "required" : []
    }),
    "Elicitation completed");
}
ASKING_TOOL (elicitation_enums, run_enums, "test_elicitation_sep1330_enums",
             "Asks with every kind of choice.")

/* ---- a prompt ---- */

DEFINITION (asking_prompt_definition,
            "{\"name\":\"test_input_required_result_prompt\",\"title\":\"Asking\","
            "\"description\":\"A prompt that asks for its context.\"}")

static toolhost_status
asking_prompt_get (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_ask_form (call, "user_context",
                         "{\"type\":\"object\",\"properties\":{\"context\":{\"type\":\"string\"}},"
                         "\"required\":[\"context\"]}",
                         "What context should the prompt use?")
      != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  return toolhost_textf (call, "Use this context: %s",
                         toolhost_answer_string (call, "user_context", "context", "?"));
}
const toolhost_prompt asking_prompt = { TOOLHOST_PROMPT, .definition = asking_prompt_definition,
                                        .get = asking_prompt_get };
