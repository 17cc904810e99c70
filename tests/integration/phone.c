/* phone.c - a tool that asks of its session's telephone what it is told to, and says what it was
 * answered: "ok", or a word and a sentence. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "phone",
    "description" : "Asks of the telephone.",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "action" : { "enum" : [ "refer", "hangup", "dtmf", "say", "call_id" ] },
        "text" : { "type" : "string" },
        "key" : { "type" : "string" }
      },
      "required" : ["action"]
    }
  });
}

static const char *
word (toolhost_status status)
{
  switch (status) {
  case TOOLHOST_FAILED:
    return "failed";
  case TOOLHOST_NOT_GRANTED:
    return "not granted";
  case TOOLHOST_BAD_VALUE:
    return "bad value";
  default:
    return "another status";
  }
}

static toolhost_status
act (const toolhost_call_service *service, toolhost_call *call, const char *action,
     const char **why)
{
  const char *text = toolhost_arg_string_or (call, "text", "");
  const char *key = toolhost_arg_string (call, "key");

  if (strcmp (action, "refer") == 0)
    return service->refer (call, text, key, why);
  if (strcmp (action, "hangup") == 0)
    return service->hangup (call, text, key, why);
  if (strcmp (action, "dtmf") == 0)
    return service->dtmf (call, text, key, why);
  return service->say (call, text, key, why);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const toolhost_call_service *service = toolhost_extension (call->host, TOOLHOST_CALL_SERVICE_ID);
  const char *action = toolhost_arg_string_or (call, "action", ""), *why = NULL, *id;
  toolhost_status status;

  (void) self;
  if (service == NULL || !TOOLHOST_CALL_SERVICE_REACHES (service, call_id))
    return toolhost_text (call, "no service");
  if (strcmp (action, "call_id") == 0) {
    id = service->call_id (call);
    return toolhost_text (call, id != NULL ? id : "no telephone");
  }
  status = act (service, call, action, &why);
  if (status == TOOLHOST_OK)
    return toolhost_text (call, why == NULL ? "ok" : why);
  return toolhost_textf (call, "%s: %s", word (status), why);
}

static const toolhost_tool phone = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "phone", .version = "1", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&phone))
