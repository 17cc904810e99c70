/* Tools that say something while they run. */
#include "fixtures.h"

enum { STEP_MS = 50 };

/* ---- progress ---- */

DEFINITION (with_progress_definition,
            NO_ARGUMENTS ("test_tool_with_progress", "Tells its progress in three steps."))

static toolhost_status
with_progress_execute (void *self, toolhost_call *call)
{
  (void) self;
  for (int done = 0; done <= 100; done += 50) {
    toolhost_progress (call, done, 100, "Completed step %d of 100", done);
    if (toolhost_sleep (call, STEP_MS) != TOOLHOST_OK)
      return TOOLHOST_FAILED;
  }
  return toolhost_text (call, "Tool with progress executed.");
}

const toolhost_tool with_progress = { TOOLHOST_TOOL, .definition = with_progress_definition,
                                      .execute = with_progress_execute };

/* ---- logging ---- */

DEFINITION (with_logging_definition,
            NO_ARGUMENTS ("test_tool_with_logging", "Logs three lines while it runs."))
DEFINITION (logging_tool_definition,
            NO_ARGUMENTS ("test_logging_tool", "Logs to who asked for logs in the request."))

static toolhost_status
logging_execute (void *self, toolhost_call *call)
{
  static const char *const lines[] = { "Tool execution started", "Tool processing data",
                                       "Tool execution completed" };

  (void) self;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    toolhost_log (call, TOOLHOST_INFO, "%s", lines[i]);
    if (toolhost_sleep (call, STEP_MS) != TOOLHOST_OK)
      return TOOLHOST_FAILED;
  }
  return toolhost_text (call, "Tool with logging executed.");
}

const toolhost_tool with_logging = { TOOLHOST_TOOL, .definition = with_logging_definition,
                                     .execute = logging_execute };
const toolhost_tool logging_tool = { TOOLHOST_TOOL, .definition = logging_tool_definition,
                                     .execute = logging_execute };

/* ---- a stream that may be lost meanwhile ---- */

DEFINITION (reconnection_definition,
            NO_ARGUMENTS ("test_reconnection", "Takes long enough for its client to come back."))

static toolhost_status
reconnection_execute (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_sleep (call, 10 * STEP_MS) != TOOLHOST_OK)
    return TOOLHOST_FAILED;
  return toolhost_text (call, "Reconnection test completed: the answer found its client.");
}

const toolhost_tool reconnection = { TOOLHOST_TOOL, .definition = reconnection_definition,
                                     .execute = reconnection_execute };

/* ---- changes ---- */

DEFINITION (trigger_tool_change_definition,
            NO_ARGUMENTS ("test_trigger_tool_change", "Says that the tools have changed."))

static toolhost_status
trigger_tool_change_execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_changed (call->host, TOOLHOST_TOOLS_CHANGED, NULL);
  return toolhost_text (call, "Who listens is told that the tools have changed.");
}

const toolhost_tool trigger_tool_change = { TOOLHOST_TOOL,
                                            .definition = trigger_tool_change_definition,
                                            .execute = trigger_tool_change_execute };

DEFINITION (trigger_prompt_change_definition,
            NO_ARGUMENTS ("test_trigger_prompt_change", "Says that the prompts have changed."))

static toolhost_status
trigger_prompt_change_execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_changed (call->host, TOOLHOST_PROMPTS_CHANGED, NULL);
  return toolhost_text (call, "Who listens is told that the prompts have changed.");
}

const toolhost_tool trigger_prompt_change = { TOOLHOST_TOOL,
                                              .definition = trigger_prompt_change_definition,
                                              .execute = trigger_prompt_change_execute };

DEFINITION (trigger_resource_change_definition,
            NO_ARGUMENTS ("test_trigger_resource_change",
                          "Says that the resources and test:\\/\\/watched-resource have changed."))

static toolhost_status
trigger_resource_change_execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_changed (call->host, TOOLHOST_RESOURCES_CHANGED, NULL);
  toolhost_changed (call->host, TOOLHOST_RESOURCE_UPDATED, "test://watched-resource");
  return toolhost_text (call, "Who listens is told that the resources have changed.");
}

const toolhost_tool trigger_resource_change = { TOOLHOST_TOOL,
                                                .definition = trigger_resource_change_definition,
                                                .execute = trigger_resource_change_execute };
