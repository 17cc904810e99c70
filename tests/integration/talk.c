/* talk.c - tools of every kind that a conversation knows: "say" is for the user, "speak" has events
 * for the user and perhaps a text for the model, "act" does to its session what its arguments say,
 * "sales" takes over and says what event it was called for, "research"
 * goes on in the background.
 */
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

static const char *
define_act (void *self)
{
  (void) self;
  return DEFINE ("act", "{}");
}

static toolhost_status
execute_say (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
}

/* Where it is given a text for the model, events for the user as they stand in the arguments, then,
 * where they are given, a while, and one more text. */
static toolhost_status
execute_speak (void *self, toolhost_call *call)
{
  toolhost_status said = TOOLHOST_OK;
  char where[32];
  const char *event;
  size_t len;

  (void) self;
  event = toolhost_arg_string_or (call, "first", NULL);
  if (event != NULL)
    (void) toolhost_text (call, event);
  for (int i = 0; said == TOOLHOST_OK; i++) {
    snprintf (where, sizeof where, "/events/%d", i);
    event = toolhost_arg_json (call, where, &len);
    if (event == NULL)
      break;
    said = call->host->emit (call, event, len);
  }
  if (said != TOOLHOST_OK)
    return toolhost_fail (call, "not_said", "%d", (int) said);
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return TOOLHOST_CANCELLED;
  event = toolhost_arg_string_or (call, "text", NULL);
  return event != NULL ? toolhost_text (call, event) : TOOLHOST_OK;
}

/* One thing after the other: { "get": path }, { "set": path, "json": text }, …; answers what came
 * of each. */
static toolhost_status
do_one (toolhost_call *call, int i, const char **json)
{
  char where[32];
  const char *path, *value;
  bool set;
  toolhost_status status;

  snprintf (where, sizeof where, "/do/%d/json", i);
  value = toolhost_arg_string_or (call, where, "null");
#define GIVEN(verb)                                                                                \
  (snprintf (where, sizeof where, "/do/%d/" verb, i),                                              \
   (path = toolhost_arg_string_or (call, where, NULL)) != NULL)
  if (GIVEN ("get"))
    return toolhost_context_get (call, path, json, NULL);
  if (GIVEN ("set"))
    return toolhost_context_set (call, path, value);
  if (GIVEN ("append"))
    return toolhost_context_append (call, path, value);
  if (GIVEN ("change"))
    return toolhost_context_change (call, path);
  if (GIVEN ("raise"))
    return toolhost_flag_set (call, path);
  if (GIVEN ("lower"))
    return toolhost_flag_clear (call, path);
  if (GIVEN ("handoff"))
    return toolhost_handoff (call, path);
  if (GIVEN ("flag")) {
    status = toolhost_flag_get (call, path, &set);
    *json = set ? "true" : "false";
    return status;
  }
  return TOOLHOST_FAILED;
}

static toolhost_status
execute_act (void *self, toolhost_call *call)
{
  const int64_t count = toolhost_arg_int (call, "count", 0);

  (void) self;
  for (int i = 0; i < count; i++) {
    const char *json = NULL;
    toolhost_status status = do_one (call, i, &json);
    toolhost_textf (call, "%d %s", (int) status, json != NULL ? json : "-");
  }
  return toolhost_arg_bool (call, "fail", false) ? toolhost_fail (call, "failed", "on purpose")
                                                 : TOOLHOST_OK;
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
static const toolhost_tool act = { TOOLHOST_TOOL, .definition = define_act,
                                   .execute = execute_act };
static const toolhost_tool sales = { TOOLHOST_TOOL, .definition = define_sales,
                                     .execute = execute_sales };
static const toolhost_tool research = { TOOLHOST_TOOL, .definition = define_research,
                                        .execute = execute_research };

TOOLHOST_PLUGIN (.name = "talk", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&say, &speak, &act, &sales, &research))
