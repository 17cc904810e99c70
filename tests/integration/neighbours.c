/* neighbours - tools that share a process: one never returns, two only wait; of these one may be
 * run again. */
#include <toolhost.h>

#define WAITING                                                                                    \
  " \"inputSchema\": { \"type\": \"object\","                                                      \
  " \"properties\": { \"ms\": { \"type\": \"integer\" } } } }"

static const char *
stuck_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"stuck\", \"description\": \"Never returns.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static const char *
again_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"again\", \"description\": \"Waits, and may be run again.\","
         " \"toolhost\": { \"idempotent\": true }," WAITING;
}

static const char *
once_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"once\", \"description\": \"Waits, and must not be run again.\"," WAITING;
}

static toolhost_status
spin (void *self, toolhost_call *call)
{
  static volatile unsigned turns;

  (void) self;
  (void) call;
  for (;;)
    turns++;
  return TOOLHOST_FAILED;
}

static toolhost_status
wait_a_while (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return toolhost_fail (call, NULL, "cancelled");
  return toolhost_text (call, "waited");
}

static int64_t
soon (void *self)
{
  (void) self;
  return 200;
}

static const toolhost_tool stuck = { TOOLHOST_TOOL, .definition = stuck_definition, .execute = spin,
                                     .max_time = soon };
static const toolhost_tool again = { TOOLHOST_TOOL, .definition = again_definition,
                                     .execute = wait_a_while };
static const toolhost_tool once = { TOOLHOST_TOOL, .definition = once_definition,
                                    .execute = wait_a_while };

TOOLHOST_PLUGIN (.name = "neighbours", .version = "1", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&stuck, &again, &once))
