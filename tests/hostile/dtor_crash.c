/* Crashes when it is closed, and again in a destructor of its file.  The caller has its result by
 * then; the process is gone soon, and another one serves the next call. */
#include <toolhost.h>

#include <unistd.h>

#include "hostile.h"

HOSTILE_DEED static void
misbehave (void)
{
  volatile int *volatile nowhere = NULL;

  *nowhere = 1;
}

__attribute__ ((destructor)) static void
at_unload (void)
{
  misbehave ();
}

static void
at_close (void *self)
{
  (void) self;
  misbehave ();
}

static const char *
definition (void *self)
{
  (void) self;
  return HOSTILE_DEFINITION ("dtor_crash", "Crashes when it is closed.", HOSTILE_NO_ARGUMENTS);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "whole");
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "dtor_crash", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 .close = at_close, TOOLHOST_TOOLS (&tool))
