/* leaky.c - a tool that says a telephone number, +14155550123, on every way there is: "how" names
 * them. */
#include <signal.h>
#include <toolhost.h>

#define NUMBER "+14155550123"

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "leak",
    "description" : "Says a telephone number.",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "how" : { "type" : "array", "items" : { "type" : "string" } },
        "text" : { "type" : "string", "maxLength" : 40 },
        "times" : { "type" : "integer" }
      }
    }
  });
}

/* The same with a promise. */
static const char *
promising (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "promise",
    "description" : "Says a telephone number of so many digits.",
    "inputSchema" : { "type" : "object", "properties" : { "how" : { "type" : "array" } } },
    "outputSchema" : {
      "type" : "object",
      "properties" : { "number" : { "type" : "string", "pattern" : "^[+][0-9]+$" } },
      "required" : ["number"]
    }
  });
}

static void
say_much (toolhost_call *call)
{
  const int64_t times = toolhost_arg_int (call, "times", 20000);

  for (int64_t i = 0; i < times; i++)
    (void) toolhost_textf (call, "line %d: call " NUMBER " for more", (int) i);
}

static toolhost_status
say (toolhost_call *call, const char *how)
{
  if (strcmp (how, "text") == 0)
    return toolhost_text (call, "Call " NUMBER ".");
  if (strcmp (how, "json") == 0)
    return toolhost_json (call, "{\"number\":\"" NUMBER "\"}");
  if (strcmp (how, "echo") == 0)
    return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
  if (strcmp (how, "progress") == 0)
    toolhost_progress (call, 1, 2, "dialling " NUMBER);
  else if (strcmp (how, "log") == 0)
    toolhost_log (call, TOOLHOST_WARNING, "dialled %s", NUMBER);
  else if (strcmp (how, "event") == 0)
    (void) toolhost_event (call, TOOLHOST_WARNING, "dialled", "{\"to\":\"" NUMBER "\"}");
  else if (strcmp (how, "emit") == 0)
    return toolhost_emit (call, "{\"type\":\"say\",\"text\":\"Call " NUMBER "\"}");
  else if (strcmp (how, "context") == 0)
    return toolhost_context_set (call, "workflow.number", "\"" NUMBER "\"");
  else if (strcmp (how, "much") == 0)
    say_much (call);
  else if (strcmp (how, "crash") == 0)
    raise (SIGSEGV);
  else if (strcmp (how, "wait") == 0)
    return toolhost_sleep (call, 60000);
  else if (strcmp (how, "fail") == 0)
    return toolhost_fail (call, "busy", "Nobody answers at " NUMBER ".");
  else if (strcmp (how, "code") == 0)
    return toolhost_fail (call, "busy_14155550123", "Nobody answers.");
  else if (strcmp (how, "ask") == 0) {
    if (toolhost_ask_form (call, "sure",
                           "{\"type\":\"object\",\"properties\":{\"yes\":{\"type\":\"boolean\"}}}",
                           "Call " NUMBER "?")
        == TOOLHOST_OPEN)
      return TOOLHOST_ASKED;
    return toolhost_text (call, "asked");
  }
  return TOOLHOST_OK;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  char where[32];

  (void) self;
  toolhost_log (call, TOOLHOST_NOTICE, "leak runs");
  for (int i = 0; i < 16; i++) {
    const char *how;
    toolhost_status status;
    (void) snprintf (where, sizeof where, "/how/%d", i);
    how = toolhost_arg_string (call, where);
    status = how != NULL ? say (call, how) : TOOLHOST_OK;
    if (status != TOOLHOST_OK)
      return status;
  }
  return TOOLHOST_OK;
}

static const toolhost_tool leak = { TOOLHOST_TOOL, .definition = definition, .execute = execute };
static const toolhost_tool promise = { TOOLHOST_TOOL, .definition = promising, .execute = execute };

TOOLHOST_PLUGIN (.name = "leaky", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&leak, &promise))
