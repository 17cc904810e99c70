/* Keeps a call, and a thread of the plugin's ends it: not hostile, the counterpart of later_never.
 * With "how" it breaks the rules of that, too. */
#include "hostile.h"

#include <pthread.h>

static void *
finish (void *data)
{
  toolhost_call *call = (toolhost_call *) data;

  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    toolhost_fail (call, "gone", "nobody waits any more");
  else
    toolhost_textf (call, "later");
  toolhost_complete (call, toolhost_cancelled (call) ? TOOLHOST_FAILED : TOOLHOST_OK);
  return NULL;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  const char *how = toolhost_arg_string_or (call, "how", "");
  pthread_t thread;

  if (strcmp (how, "not retained") == 0)
    return TOOLHOST_LATER;
  toolhost_retain (call);
  if (strcmp (how, "not later") == 0)
    return TOOLHOST_OK;
  if (strcmp (how, "twice") == 0) {
    toolhost_complete (call, TOOLHOST_OK);
    toolhost_complete (call, TOOLHOST_OK);
    return TOOLHOST_LATER;
  }
  if (pthread_create (&thread, NULL, finish, call) != 0) {
    toolhost_complete (call, toolhost_fail (call, NULL, "no thread"));
    return TOOLHOST_LATER;
  }
  pthread_detach (thread);
  return TOOLHOST_LATER;
}

HOSTILE ("later_ok", TOOLHOST_EVENTED, "Answers later.",
         "\"properties\":{\"ms\":{\"type\":\"integer\"},\"how\":{\"type\":\"string\"}}")
