/* relay.c - a tool that invokes others as its arguments say, and says what came of them; a test
 * makes several plugins of its file by writing another number into copies.  With -DONE_AT_A_TIME it
 * is a serial one. */
#include <toolhost.h>

#ifdef ONE_AT_A_TIME
#define NAME "serial_0000"
#define THREADS TOOLHOST_SERIAL
#else
#define NAME "relay_0000"
#define THREADS TOOLHOST_PARALLEL
#endif

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"" NAME "\", \"description\": \"Calls others.\", \"inputSchema\": {"
         " \"type\": \"object\", \"properties\": {"
         " \"tool\": { \"type\": \"string\" }, \"args\": { \"type\": \"string\" },"
         " \"calls\": { \"type\": \"array\", \"items\": { \"type\": \"object\" } },"
         " \"list\": { \"type\": \"array\", \"items\": { \"type\": \"string\" } },"
         " \"secret\": { \"type\": \"string\" }, \"say\": { \"type\": \"string\" },"
         " \"sleep\": { \"type\": \"integer\" }, \"big\": { \"type\": \"integer\" } } } }";
}

static void
say (toolhost_call *call, toolhost_status status, const char *json, size_t len)
{
  toolhost_textf (call, "{\"status\":%d,\"result\":%.*s}", (int) status,
                  json != NULL ? (int) len : 4, json != NULL ? json : "null");
}

static toolhost_status
invoke_one (toolhost_call *call, const char *tool)
{
  const char *result;
  size_t len;
  toolhost_status status =
    toolhost_invoke (call, tool, toolhost_arg_string_or (call, "args", "{}"), &result, &len);

  if (status == TOOLHOST_CANCELLED)
    return TOOLHOST_CANCELLED;
  say (call, status, result, len);
  return TOOLHOST_OK;
}

static const char *
copy (toolhost_call *call, const char *fmt, size_t i)
{
  char where[40];
  toolhost_value value;

  (void) snprintf (where, sizeof where, fmt, i);
  if (toolhost_arg (call, where, &value) != TOOLHOST_OK)
    return NULL;
  return value.type == TOOLHOST_STRING ? strndup (value.string, value.string_len)
                                       : strndup (value.json, value.json_len);
}

static toolhost_status
invoke_all (toolhost_call *call)
{
  toolhost_invocation all[20], *list[20];
  size_t count = 0;
  toolhost_status status;

  for (; count < 20; count++) {
    const char *tool = copy (call, "/calls/%zu/tool", count);
    if (tool == NULL)
      break;
    memset (&all[count], 0, sizeof all[count]);
    list[count] = &all[count];
    all[count].struct_size = (uint32_t) sizeof all[count];
    all[count].tool = tool;
    all[count].args = copy (call, "/calls/%zu/args", count);
    all[count].args_len = all[count].args != NULL ? strlen (all[count].args) : 0;
    all[count].answers = copy (call, "/calls/%zu/answers", count);
  }
  status = toolhost_invoke_all (call, list, count);
  if (status != TOOLHOST_OK)
    say (call, status, NULL, 0);
  for (size_t i = 0; i < count; i++) {
    if (status == TOOLHOST_OK)
      say (call, all[i].status, all[i].result, all[i].result_len);
    free ((char *) all[i].tool);
    free ((char *) all[i].args);
    free ((char *) all[i].answers);
  }
  return TOOLHOST_OK;
}

static toolhost_status
list_tools (toolhost_call *call)
{
  const char *names[20], *json;
  size_t count = 0, len;
  toolhost_status status;

  for (; count < 19; count++) {
    names[count] = copy (call, "/list/%zu", count);
    if (names[count] == NULL)
      break;
  }
  names[count] = NULL;
  status = toolhost_tools (call, names, &json, &len);
  say (call, status, json, len);
  while (count-- > 0)
    free ((char *) names[count]);
  return TOOLHOST_OK;
}

/* As many bytes as it is asked for. */
static toolhost_status
big (toolhost_call *call, size_t len)
{
  char *text = malloc (len);

  if (text == NULL)
    return TOOLHOST_FAILED;
  memset (text, 'x', len);
  toolhost_text_len (call, text, len);
  free (text);
  return TOOLHOST_OK;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *tool = toolhost_arg_string (call, "tool"), *value;
  size_t len;

  (void) self;
  if (tool != NULL)
    return invoke_one (call, tool);
  if (toolhost_has_arg (call, "calls"))
    return invoke_all (call);
  if (toolhost_has_arg (call, "list"))
    return list_tools (call);
  if (toolhost_sleep (call, toolhost_arg_int (call, "sleep", 0)) != TOOLHOST_OK)
    return TOOLHOST_CANCELLED;
  if (toolhost_has_arg (call, "big"))
    return big (call, (size_t) toolhost_arg_int (call, "big", 0));
  if (toolhost_has_arg (call, "secret"))
    return toolhost_secret (call, toolhost_arg_string (call, "secret"), &value, &len) == TOOLHOST_OK
             ? toolhost_textf (call, "%zu bytes, the first is %c", len, *value)
             : toolhost_fail (call, "no_secret", "It is not granted.");
  toolhost_emit (call, "{\"type\":\"relay\"}");
  return toolhost_textf (call, "%s in %s of %s by %s", toolhost_arg_string_or (call, "say", "hm"),
                         toolhost_session_id (call), toolhost_tenant (call),
                         toolhost_metadata (call));
}

/* Secrets are there from the first. */
static toolhost_status
open_plugin (toolhost_build *build, const char *config, size_t len, void **self)
{
  const char *value;

  (void) self;
  if (len > 2 && strstr (config, "need") != NULL
      && toolhost_build_secret (build, "need", &value, NULL) != TOOLHOST_OK)
    return toolhost_build_error (build, "/need", "The secret is not there.");
  return TOOLHOST_OK;
}

static const toolhost_tool relay = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = NAME, .version = "1.0", .threads = THREADS, TOOLHOST_TOOLS (&relay),
                 .open = open_plugin)
