/* talk.c - tools of every kind that a conversation knows: "say" is for the user, "speak" has events
 * for the user and perhaps a text for the model, "sales" takes over and says what event it was
 * called for, "research" goes on in the background. */
#include <stdio.h>
#include <toolhost.h>

#define DEFINE(name, own)                                                                          \
  "{ \"name\": \"" name "\", \"description\": \"Talks.\", \"toolhost\": " own ","                  \
  " \"inputSchema\": { \"type\": \"object\", \"properties\": {"                                    \
  " \"text\": { \"type\": \"string\" }, \"ms\": { \"type\": \"integer\" } } } }"

static const char *
define_say (void *self)
{
  (void) self;
  return DEFINE ("say", "{ \"kind\": \"passthrough\" }");
}

static const char *
define_sales (void *self)
{
  (void) self;
  return DEFINE ("sales", "{ \"kind\": \"handoff\" }");
}

static const char *
define_research (void *self)
{
  (void) self;
  return DEFINE ("research", "{ \"background\": \"required\" }");
}

static const char *
define_speak (void *self)
{
  (void) self;
  return DEFINE ("speak", "{}");
}

static toolhost_status
execute_say (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
}

/* Events for the user as they stand in the arguments, then, where that is given, a while, and a
 * text for the model. */
static toolhost_status
execute_speak (void *self, toolhost_call *call)
{
  toolhost_status said = TOOLHOST_OK;
  char where[32];
  const char *event;
  size_t len;

  (void) self;
  for (int i = 0; said == TOOLHOST_OK; i++) {
    snprintf (where, sizeof where, "/events/%d", i);
    event = toolhost_arg_json (call, where, &len);
    if (event == NULL)
      break;
    said = call->host->emit (call, event, len);
  }
  if (said != TOOLHOST_OK)
    return toolhost_fail (call, "not_said", "%d", (int) said);
  (void) toolhost_sleep (call, toolhost_arg_int (call, "ms", 0));
  event = toolhost_arg_string_or (call, "text", NULL);
  return event != NULL ? toolhost_text (call, event) : TOOLHOST_OK;
}

static toolhost_status
execute_sales (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_metadata (call));
}

static toolhost_status
execute_research (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return toolhost_fail (call, "interrupted", "stopped");
  return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
}

static const toolhost_tool say = { TOOLHOST_TOOL, .definition = define_say,
                                   .execute = execute_say };
static const toolhost_tool speak = { TOOLHOST_TOOL, .definition = define_speak,
                                     .execute = execute_speak };
static const toolhost_tool sales = { TOOLHOST_TOOL, .definition = define_sales,
                                     .execute = execute_sales };
static const toolhost_tool research = { TOOLHOST_TOOL, .definition = define_research,
                                        .execute = execute_research };

TOOLHOST_PLUGIN (.name = "talk", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&say, &speak, &sales, &research))
