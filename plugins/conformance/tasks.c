/* Tools that take their time: calls that become tasks. */
#include "fixtures.h"

#define TASK(name_, description_, properties, background)                                          \
  "{\"name\":\"" name_ "\",\"description\":\"" description_                                        \
  "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties                            \
  "}},\"toolhost\":{\"background\":" background "}}"

static int64_t
minutes (void *self)
{
  (void) self;
  return 5 * 60 * 1000;
}

/* ---- work ---- */

DEFINITION (slow_compute_definition,
            TASK ("slow_compute", "Computes for some seconds.",
                  "\"seconds\":{\"type\":\"number\",\"minimum\":0,\"maximum\":120},"
                  "\"label\":{\"type\":\"string\"}",
                  "true"))

static toolhost_status
slow_compute_execute (void *self, toolhost_call *call)
{
  double seconds = toolhost_arg_double (call, "seconds", 1);

  (void) self;
  if (toolhost_sleep (call, (int64_t) (seconds * 1000)) != TOOLHOST_OK)
    return toolhost_fail (call, "stopped", "It was stopped.");
  return toolhost_textf (call, "Computed %s in %g seconds.",
                         toolhost_arg_string_or (call, "label", "it"), seconds);
}
const toolhost_tool slow_compute = { TOOLHOST_TOOL, .definition = slow_compute_definition,
                                     .execute = slow_compute_execute, .max_time = minutes };

DEFINITION (failing_job_definition,
            TASK ("failing_job", "Fails after a second.", "", "\"required\""))

static toolhost_status
failing_job_execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) toolhost_sleep (call, 1000);
  return toolhost_fail (call, "job_failed", "The job failed.");
}
const toolhost_tool failing_job = { TOOLHOST_TOOL, .definition = failing_job_definition,
                                    .execute = failing_job_execute };

DEFINITION (protocol_error_job_definition,
            TASK ("protocol_error_job", "Ends with an error of the protocol.", "", "true"))

static toolhost_status
protocol_error_job_execute (void *self, toolhost_call *call)
{
  (void) self;
  (void) toolhost_sleep (call, 200);
  return toolhost_fail (call, "internal_error", "The job is broken.");
}
const toolhost_tool protocol_error_job = { TOOLHOST_TOOL,
                                           .definition = protocol_error_job_definition,
                                           .execute = protocol_error_job_execute };

/* ---- tasks that ask ---- */

DEFINITION (confirm_delete_definition, TASK ("confirm_delete", "Deletes a file, if that is wanted.",
                                             "\"filename\":{\"type\":\"string\"}", "true"))

static toolhost_status
confirm_delete_execute (void *self, toolhost_call *call)
{
  const char *name = toolhost_arg_string_or (call, "filename", "the file");

  (void) self;
  switch (toolhost_ask_form (call, "confirm",
                             "{\"type\":\"object\",\"properties\":{\"confirm\":{\"type\":"
                             "\"boolean\"}}}",
                             "Delete %s?", name)) {
  case TOOLHOST_ANSWERED:
    return toolhost_textf (call, "Deleted %s.", name);
  case TOOLHOST_OPEN:
  case TOOLHOST_UNASKABLE:
    return TOOLHOST_ASKED;
  default:
    return toolhost_textf (call, "Kept %s.", name);
  }
}
const toolhost_tool confirm_delete = { TOOLHOST_TOOL, .definition = confirm_delete_definition,
                                       .execute = confirm_delete_execute };

#define PERSON                                                                                     \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":"         \
  "\"integer\"}}}"

DEFINITION (multi_input_definition, TASK ("multi_input", "Asks two questions at once.", "", "true"))

static toolhost_status
multi_input_execute (void *self, toolhost_call *call)
{
  int32_t first = toolhost_ask_form (call, "first", PERSON, "Who is the first?");
  int32_t second = toolhost_ask_form (call, "second", PERSON, "Who is the second?");

  (void) self;
  if (first == TOOLHOST_OPEN || second == TOOLHOST_OPEN || first == TOOLHOST_UNASKABLE)
    return TOOLHOST_ASKED;
  return toolhost_text (call, "Both were answered.");
}
const toolhost_tool multi_input = { TOOLHOST_TOOL, .definition = multi_input_definition,
                                    .execute = multi_input_execute };

DEFINITION (tool_with_task_definition,
            TASK ("test_tool_with_task", "Asks for a name, and then takes its time.", "",
                  "\"answered\""))

static toolhost_status
tool_with_task_execute (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_ask_form (call, "user_name", PERSON, "What is your name?") != TOOLHOST_ANSWERED)
    return TOOLHOST_ASKED;
  (void) toolhost_sleep (call, 200);
  return toolhost_textf (call, "Hello, %s!",
                         toolhost_answer_string (call, "user_name", "name", "?"));
}
const toolhost_tool tool_with_task = { TOOLHOST_TOOL, .definition = tool_with_task_definition,
                                       .execute = tool_with_task_execute };
