/* talk.c - tools of every kind that a conversation knows: "say" is for the user, "sales" takes over
 * and says what event it was called for, "research" goes on in the background. */
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

static toolhost_status
execute_say (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_arg_string_or (call, "text", ""));
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
static const toolhost_tool sales = { TOOLHOST_TOOL, .definition = define_sales,
                                     .execute = execute_sales };
static const toolhost_tool research = { TOOLHOST_TOOL, .definition = define_research,
                                        .execute = execute_research };

TOOLHOST_PLUGIN (.name = "talk", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&say, &sales, &research))
