/* function_calls.h - the function calls that a Realtime service has spoken of, from their first
 * mention until they were answered and their response is over.  Pure; owned by a bridge. */
#ifndef TOOLHOST_FRONT_REALTIME_FUNCTION_CALLS_H
#define TOOLHOST_FRONT_REALTIME_FUNCTION_CALLS_H

#include "base/json_tape.h"

/* Calls, and bytes of arguments that wait: what is above belongs to no conversation. */
enum { FUNCTION_CALLS_MAX = 1024, FUNCTION_CALLS_BYTES = 4 << 20 };

struct function_call {
  struct function_call *next;
  char *call_id;
  char *response_id, *item_id, *name; /* or NULL, as long as nobody has said */
  struct buf args;                    /* until it is submitted */
  bool submitted;                     /* the session has it */
  bool completed;                     /* its item is: the conversation has the call */
  bool answered, running;             /* running: more is to come */
  bool closed;                        /* its response is over */
};

/* Zero at first. */
struct function_calls {
  struct function_call *list;
  size_t count, bytes;
};

/* What an event says of a call; each may be absent, or no string. */
struct function_call_said {
  const struct json_node *call_id, *response_id, *item_id, *name;
};

struct function_call *function_calls_find (const struct function_calls *calls,
                                           const struct json_tape *tape,
                                           const struct json_node *call_id);
/* The call, made where there is none, with what is said of it.  NULL: it has no id of 1 to 256
 * bytes, or there are too many. */
struct function_call *function_calls_note (struct function_calls *calls,
                                           const struct json_tape *tape,
                                           const struct function_call_said *said);
/* Keep its arguments; false: they are too much. */
bool function_calls_keep (struct function_calls *calls, struct function_call *call,
                          const char *args, size_t len);
/* They are not needed any more. */
void function_calls_release (struct function_calls *calls, struct function_call *call);
void function_calls_drop (struct function_calls *calls, struct function_call *call);
void function_calls_clear (struct function_calls *calls);

#endif
