/* checker.c - guards that do as their configuration says, the well behaved and the others: "check"
 * at both stages, "input" at one, "comfort" for errors. */
#include <signal.h>
#include <toolhost.h>

static const char *
define_check (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "check",
    "description" : "Does as it is told.",
    "configSchema" : {
      "type" : "object",
      "properties" : { "does" : { "type" : "string" } },
      "required" : ["does"]
    }
  });
}

static const char *
define_input (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "input", "description" : "Looks at arguments.", "stages" : ["input"] });
}

static const char *
define_comfort (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({ "name" : "comfort", "description" : "Says something of errors." });
}

static void
hang (void)
{
  for (volatile int i = 1; i != 0;)
    ;
}

/* Tell the log what it sees, for tests of the order. */
static void
note (toolhost_call *call)
{
  size_t len = 0;
  const char *result = toolhost_arg_json (call, "/result", &len);

  toolhost_log (call, TOOLHOST_NOTICE, "%s %s %s %s sees %s%.*s",
                toolhost_arg_string_or (call, "/config/as", "note"),
                toolhost_arg_string_or (call, "stage", ""), toolhost_guard_tool (call),
                toolhost_tenant (call), toolhost_arg_string_or (call, "/arguments/text", "-"),
                (int) len, result != NULL ? result : "");
}

static toolhost_status
check (void *self, toolhost_call *call)
{
  const char *does = toolhost_arg_string_or (call, "/config/does", "allow");
  const char *text = toolhost_arg_string_or (call, "/config/text", "no");

  (void) self;
  if (strcmp (does, "note") == 0)
    note (call);
  else if (strcmp (does, "reject") == 0)
    return toolhost_guard_reject (call, "%s", text);
  else if (strcmp (does, "fail") == 0)
    return toolhost_fail (call, "check_broke", "%s", text);
  else if (strcmp (does, "arguments") == 0)
    return toolhost_guard_arguments (call, toolhost_arg_string_or (call, "/config/json", "{}"));
  else if (strcmp (does, "result") == 0)
    return toolhost_text (call, text);
  else if (strcmp (does, "structured") == 0)
    return toolhost_json (call, toolhost_arg_string_or (call, "/config/json", "{}"));
  else if (strcmp (does, "hang") == 0)
    hang ();
  else if (strcmp (does, "sleep") == 0)
    return toolhost_sleep (call, 60000);
  else if (strcmp (does, "crash") == 0)
    raise (SIGSEGV);
  else if (strcmp (does, "odd") == 0)
    return 42;
  else if (strcmp (does, "ask") == 0) {
    (void) toolhost_ask_form (call, "sure", "{\"type\":\"object\",\"properties\":{}}", "Sure?");
    return TOOLHOST_ASKED;
  }
  return TOOLHOST_OK;
}

static toolhost_status
comfort (void *self, toolhost_call *call)
{
  const char *does = toolhost_arg_string_or (call, "/config/does", "");

  (void) self;
  if (strcmp (does, "fail") == 0)
    return toolhost_fail (call, "no_comfort", "There is none.");
  if (strcmp (does, "crash") == 0)
    raise (SIGSEGV);
  if (strcmp (does, "hang") == 0)
    hang ();
  return toolhost_textf (call, "%s failed: %s: %s", toolhost_guard_tool (call),
                         toolhost_arg_string_or (call, "/error/code", ""),
                         toolhost_arg_string_or (call, "/error/message", ""));
}

static const toolhost_guard checks = { TOOLHOST_GUARD, .definition = define_check, .check = check };
static const toolhost_guard inputs = { TOOLHOST_GUARD, .definition = define_input, .check = check };
static const toolhost_guard comforts = { TOOLHOST_GUARD, .definition = define_comfort,
                                         .on_error = comfort };

TOOLHOST_EXTENSIONS (TOOLHOST_GUARDS (&checks, &inputs, &comforts))
TOOLHOST_PLUGIN (.name = "checker", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 .extension = toolhost_extensions)
