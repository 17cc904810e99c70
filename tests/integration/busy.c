/* busy.c - work that needs the processor, one call at a time; the plugin remembers how it ended. */
#include <toolhost.h>

#include <time.h>

static const char *ended = "never begun";

static int64_t
used_ms (void)
{
  struct timespec t;

  (void) clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char *
busy_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"busy\", \"description\": \"Uses so much processor time, or until it is"
         " cancelled.\", \"inputSchema\": { \"type\": \"object\", \"properties\": {"
         " \"ms\": { \"type\": \"integer\" } } } }";
}

static toolhost_status
busy (void *self, toolhost_call *call)
{
  int64_t until = used_ms () + toolhost_arg_int (call, "ms", 0);

  (void) self;
  ended = "under way";
  toolhost_progress (call, 0, 1, "begun");
  while (used_ms () < until)
    if (toolhost_cancelled (call)) {
      ended = "stopped";
      return toolhost_fail (call, "stopped", "Nobody wants it any more.");
    }
  ended = "finished";
  return toolhost_text (call, ended);
}

static const char *
ended_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"how_it_ended\", \"description\": \"How the last busy call ended.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static toolhost_status
how_it_ended (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, ended);
}

static const toolhost_tool busy_tool = { TOOLHOST_TOOL, .definition = busy_definition,
                                         .execute = busy };
static const toolhost_tool ended_tool = { TOOLHOST_TOOL, .definition = ended_definition,
                                          .execute = how_it_ended };

TOOLHOST_PLUGIN (.name = "busy", .version = "1.0", .threads = TOOLHOST_SERIAL,
                 TOOLHOST_TOOLS (&busy_tool, &ended_tool))
