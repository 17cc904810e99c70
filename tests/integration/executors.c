/* executors.c - the examples of AG-UI's page on ToolExecutor, as a plugin: what it validates, how
 * it fails, what it returns. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>
#include <unistd.h>

#define DEFINE(name, properties, more)                                                             \
  static const char *name##_definition (void *self)                                                \
  {                                                                                                \
    (void) self;                                                                                   \
    return "{ \"name\": \"" #name "\", \"description\": \"An example.\", " more                    \
           "\"inputSchema\": { \"type\": \"object\", \"properties\": {" properties "} } }";        \
  }
#define STRING(name) "\"" name "\": { \"type\": \"string\" }"

/* ---- a calculator: "2 + 3" ---- */

DEFINE (compute, STRING ("expression"), "")
static toolhost_status
compute (void *self, toolhost_call *call)
{
  const char *expression = toolhost_arg_string_or (call, "expression", NULL);
  double a, b;
  char sign, rest, json[64];

  (void) self;
  if (expression == NULL)
    return toolhost_fail (call, NULL, "Missing expression");
  if (sscanf (expression, "%lf %c %lf%c", &a, &sign, &b, &rest) != 3)
    return toolhost_fail (call, NULL, "Calculation error: can't parse %s", expression);
  if (sign == '/' && b == 0)
    return toolhost_fail (call, NULL, "Calculation error: Cannot divide by zero");
  double result = sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
  (void) snprintf (json, sizeof json, "%.1f", result);
  toolhost_textf (call, "%s = %s", expression, json);
  return toolhost_json (call, json);
}

/* ---- the calculator of its tests: {operation, a, b} ---- */

DEFINE (calculate,
        STRING ("operation") ",\"a\": { \"type\": \"number\" }, \"b\": { \"type\": \"number\" }",
        "")
static toolhost_status
calculate (void *self, toolhost_call *call)
{
  const char *operation = toolhost_arg_string_or (call, "operation", "add");
  double a = toolhost_arg_double (call, "a", 0), b = toolhost_arg_double (call, "b", 0);
  char json[64];

  (void) self;
  if (strcmp (operation, "divide") == 0 && b == 0)
    return toolhost_fail (call, NULL, "Cannot divide by zero");
  (void) snprintf (json, sizeof json, "%.1f", strcmp (operation, "divide") == 0 ? a / b : a + b);
  toolhost_textf (call, "%.1f %s %.1f = %s", a, operation, b, json);
  return toolhost_json (call, json);
}

DEFINE (echo_message, STRING ("message"), "")
static toolhost_status
echo_message (void *self, toolhost_call *call)
{
  char json[256];

  (void) self;
  (void) snprintf (json, sizeof json, "{\"echo\":\"%s\"}",
                   toolhost_arg_string_or (call, "message", ""));
  toolhost_text (call, "Message echoed successfully");
  return toolhost_json (call, json);
}

/* ---- weather ---- */

DEFINE (weather, "\"location\": {}", "")
static toolhost_status
weather_validate (void *self, toolhost_call *call)
{
  const char *location = toolhost_arg_string_or (call, "location", "");

  (void) self;
  if (!toolhost_has_arg (call, "location"))
    return toolhost_invalid (call, "", "Missing required parameter: location");
  if (location[strspn (location, " \t\n")] == '\0')
    return toolhost_invalid (call, "/location", "Location cannot be empty");
  return TOOLHOST_OK;
}
static toolhost_status
weather (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_json (call, "{\"temperature\":21.5,\"condition\":\"sunny\"}");
}

/* ---- all that is wrong ---- */

DEFINE (registered, "\"required_param\": {}, \"number\": {}, \"email\": {}", "")
static toolhost_status
registered_validate (void *self, toolhost_call *call)
{
  (void) self;
  if (!toolhost_has_arg (call, "required_param"))
    toolhost_invalid (call, "", "Missing required parameter: required_param");
  if (toolhost_arg_double (call, "number", 0) < 0)
    toolhost_invalid (call, "/number", "Number must be non-negative");
  if (strchr (toolhost_arg_string_or (call, "email", "@"), '@') == NULL)
    toolhost_invalid (call, "/email", "Invalid email format");
  return TOOLHOST_OK;
}
static bool
registered_can_execute (void *self, toolhost_call *call)
{
  (void) self;
  if (strcmp (toolhost_arg_string_or (call, "required_param", ""), "secret") != 0)
    return true;
  toolhost_why (call, "You lack the permission.");
  return false;
}
static toolhost_status
registered (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

/* ---- location ---- */

DEFINE (location, STRING ("location") "," STRING ("units"), "")
static toolhost_status
location (void *self, toolhost_call *call)
{
  const char *where = toolhost_arg_string_or (call, "location", NULL);

  (void) self;
  if (where == NULL)
    return toolhost_fail (call, "invalid_input", "Missing location parameter");
  if (strcmp (where, "forbidden") == 0)
    return toolhost_fail (call, NULL, "Location permission required");
  toolhost_text (call, toolhost_arg_string_or (call, "units", "metric"));
  return toolhost_json (call, "{\"latitude\":52.5,\"longitude\":13.4}");
}

/* ---- a file, always closed ---- */

DEFINE (read_text, STRING ("filename"), "")
static int64_t
read_text_max_time (void *self)
{
  (void) self;
  return 10000;
}
static toolhost_status
read_text (void *self, toolhost_call *call)
{
  char text[64];
  int fd = open (toolhost_arg_string_or (call, "filename", ""), O_RDONLY | O_CLOEXEC);
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text) : -1;
  int error = errno;

  (void) self;
  if (fd >= 0)
    close (fd);
  if (len < 0)
    return toolhost_fail (call, NULL, "File error: %s", strerror (error));
  return toolhost_text_len (call, text, (size_t) len);
}

/* ---- each kind of failure ---- */

DEFINE (risky, STRING ("kind"), "")
static toolhost_status
risky (void *self, toolhost_call *call)
{
  const char *kind = toolhost_arg_string_or (call, "kind", "");

  (void) self;
  if (strcmp (kind, "argument") == 0)
    return toolhost_fail (call, "invalid_input", "not that");
  if (strcmp (kind, "io") == 0)
    return toolhost_fail (call, "network_error", "no route");
  if (strcmp (kind, "security") == 0)
    return toolhost_fail (call, "permission_denied", "not you");
  if (strcmp (kind, "crash") == 0)
    abort ();
  return 4242; /* nothing that a tool may return */
}

/* ---- time ---- */

DEFINE (slow, "", "")
static int64_t
slow_max_time (void *self)
{
  (void) self;
  return 10;
}
DEFINE (patient, "", "")
static int64_t
patient_max_time (void *self)
{
  (void) self;
  return TOOLHOST_NO_LIMIT;
}
static toolhost_status
wait_long (void *self, toolhost_call *call)
{
  (void) self;
  (void) toolhost_sleep (call, 60000);
  return toolhost_fail (call, NULL, "woken up");
}
static toolhost_status
time_left (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_time_left (call) > 86400000 ? "no limit" : "a limit");
}

/* ---- who calls ---- */

DEFINE (who, "", "")
static toolhost_status
who (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "%s %s %s", toolhost_thread_id (call), toolhost_run_id (call),
                         toolhost_metadata (call));
}

/* ---- the builder's ---- */

static const char *
data_query_definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "query_data",
    "description" : "Query data with filters and sorting",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "query" : { "type" : "string", "description" : "Search query" },
        "filters" : {
          "type" : "object",
          "properties" : {
            "category" : { "type" : "string", "enum" : [ "books", "movies", "music" ] },
            "minRating" : { "type" : "number", "minimum" : 0, "maximum" : 5 }
          }
        },
        "sortBy" : { "type" : "string", "enum" : [ "name", "rating", "date" ] }
      },
      "required" : ["query"]
    }
  });
}
static toolhost_status
fail_always (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_fail (call, NULL, "This tool always fails");
}

#define TOOL(name, run, ...)                                                                       \
  static const toolhost_tool name##_tool = { TOOLHOST_TOOL, .definition = name##_definition,       \
                                             .execute = run, __VA_ARGS__ };
TOOL (compute, compute, )
TOOL (calculate, calculate, )
TOOL (echo_message, echo_message, )
TOOL (weather, weather, .validate = weather_validate)
TOOL (registered, registered, .validate = registered_validate,
      .can_execute = registered_can_execute)
TOOL (location, location, )
TOOL (read_text, read_text, .max_time = read_text_max_time)
TOOL (risky, risky, )
TOOL (slow, wait_long, .max_time = slow_max_time)
TOOL (patient, time_left, .max_time = patient_max_time)
TOOL (who, who, )
TOOL (data_query, fail_always, )

TOOLHOST_PLUGIN (.name = "executors", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&compute_tool, &calculate_tool, &echo_message_tool, &weather_tool,
                                 &registered_tool, &location_tool, &read_text_tool, &risky_tool,
                                 &slow_tool, &patient_tool, &who_tool, &data_query_tool))
