/* troubled.c - tools whose surroundings fail: each fails as often as its caller says, in a row, and
 * then works.  What they count lives in their process.  With "say" they speak to the user first. */
#include <stdatomic.h>
#include <toolhost.h>

static atomic_int tries[3];

#define DEFINE(name, own)                                                                          \
  static const char *name##_definition (void *self)                                                \
  {                                                                                                \
    (void) self;                                                                                   \
    return "{ \"name\": \"" #name "\", \"description\": \"Fails at times.\", " own                 \
           "\"inputSchema\": { \"type\": \"object\", \"properties\": { \"fail\": { \"type\": "     \
           "\"integer\" }, \"code\": { \"type\": \"string\" } } } }";                              \
  }

static toolhost_status
run (toolhost_call *call, int which)
{
  const char *code = toolhost_arg_string_or (call, "code", "network_error");
  int tried = atomic_fetch_add (&tries[which], 1) + 1;

  if (toolhost_arg_bool (call, "say", false))
    (void) toolhost_emit (call, "{\"type\":\"say\"}");
  if (tried <= toolhost_arg_int (call, "fail", 0))
    return toolhost_fail (call, code, "try %d failed", tried);
  atomic_store (&tries[which], 0);
  return toolhost_textf (call, "try %d", tried);
}

#define IDEMPOTENT "\"toolhost\": { \"idempotent\": true },"
DEFINE (again, IDEMPOTENT)
static toolhost_status
again (void *self, toolhost_call *call)
{
  (void) self;
  return run (call, 0);
}

DEFINE (once, "")
static toolhost_status
once (void *self, toolhost_call *call)
{
  (void) self;
  return run (call, 1);
}

DEFINE (down, IDEMPOTENT)
static toolhost_status
down (void *self, toolhost_call *call)
{
  (void) self;
  return run (call, 2);
}

#define TOOL(name)                                                                                 \
  static const toolhost_tool name##_tool = { TOOLHOST_TOOL, .definition = name##_definition,       \
                                             .execute = name };
TOOL (again)
TOOL (once)
TOOL (down)

TOOLHOST_PLUGIN (.name = "troubled", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&again_tool, &once_tool, &down_tool))
