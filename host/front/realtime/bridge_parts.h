/* bridge_parts.h - a bridge's own struct, for its three files alone:
 *
 *   bridge.c       what the service says
 *   bridge_tell.c  what the session says
 *   bridge_wait.c  what is waited for, and for how long
 */
#ifndef TOOLHOST_FRONT_REALTIME_BRIDGE_PARTS_H
#define TOOLHOST_FRONT_REALTIME_BRIDGE_PARTS_H

#include "front/realtime/bridge.h"
#include "front/realtime/function_calls.h"
#include "front/realtime/sequencer.h"

struct realtime_bridge {
  struct subscriber subscriber; /* first: it is handed back */
  struct realtime_owner owner;
  struct session *session; /* NULL: it has ended */
  struct log *log;
  const struct providers *providers;
  char *call_id;
  struct toolset *told; /* what the service knows, referred to; or NULL */
  bool item_completed;
  enum output_form output;
  double hangup_after;
  struct sequencer sequencer;
  struct function_calls calls;
  bool playing;            /* the user hears something */
  struct parting *parting; /* when it is silent; or NULL */
  double wake;             /* what the owner was told; 0: nothing */
};

/* What takes the user away from the conversation: what is being said is heard out first. */
struct parting {
  enum realtime_action action;
  char *argument;
  char *call_id, *output; /* or NULL */
  double by;              /* at the latest */
};

/* One event of the service's. */
struct heard {
  struct realtime_bridge *bridge;
  const struct json_tape *tape;
  const struct json_node *event;
  struct arena *arena;
};

static inline const struct json_node *
heard_member (const struct heard *h, const char *name)
{
  return json_member (h->tape, h->event, name);
}

/* ---- bridge.c ---- */

/* Tell the service what tools there are, if it knows others. */
void bridge_tell_tools (struct realtime_bridge *bridge);

/* ---- bridge_tell.c ---- */

/* Listen to the session. */
void bridge_listen (struct realtime_bridge *bridge);
/* It is not as it should be: logged, without a word of what it holds. */
void heard_invalid (const struct heard *h, const char *why);
/* The session's to judge. */
void heard_by_session (const struct heard *h);

/* ---- bridge_wait.c ---- */

/* Do it when all that was to be said has been said and played, once: who goes goes. */
void bridge_part (struct realtime_bridge *bridge, enum realtime_action action, const char *argument,
                  const char *call_id, const char *output, size_t len);
void bridge_part_if_silent (struct realtime_bridge *bridge);
void parting_free (struct parting *parting);
/* Have the owner call realtime_bridge_tick when the next thing is due: at the end of whatever may
 * have changed that. */
void bridge_set_wake (struct realtime_bridge *bridge);

#endif
