#include <stdlib.h>

#include "front/realtime/bridge_parts.h"

/* ---- a parting ---- */

void
parting_free (struct parting *parting)
{
  if (parting == NULL)
    return;
  free (parting->argument);
  free (parting->call_id);
  free (parting->output);
  free (parting);
}

static void
part_now (struct realtime_bridge *b)
{
  struct parting *parting = b->parting;

  b->parting = NULL;
  b->owner.act (b->owner.ctx, parting->action, parting->argument, parting->call_id, parting->output,
                parting->output != NULL ? strlen (parting->output) : 0);
  parting_free (parting);
}

/* A4-3 */
void
bridge_part_if_silent (struct realtime_bridge *b)
{
  if (b->parting != NULL && !b->playing && sequencer_idle (&b->sequencer))
    part_now (b);
}

void
bridge_part (struct realtime_bridge *b, enum realtime_action action, const char *argument,
             const char *call_id, const char *output, size_t len)
{
  if (b->parting != NULL)
    return;
  b->parting = xcalloc (1, sizeof *b->parting);
  *b->parting = (struct parting){ .action = action,
                                  .argument = xstrdup (argument),
                                  .call_id = call_id != NULL ? xstrdup (call_id) : NULL,
                                  .output = output != NULL ? xstrndup (output, len) : NULL,
                                  .by = b->owner.now (b->owner.ctx) + b->hangup_after };
  bridge_part_if_silent (b);
}

void
realtime_bridge_hang_up (struct realtime_bridge *b, const char *reason)
{
  bridge_part (b, REALTIME_HANGUP, reason, NULL, NULL, 0);
  bridge_set_wake (b);
}

static void
part_if_late (struct realtime_bridge *b)
{
  if (b->parting == NULL || b->owner.now (b->owner.ctx) < b->parting->by)
    return;
  log_event (b->log, LOG_WARNING, "realtime_hangup_waited_too_long", "call_id", b->call_id, NULL);
  part_now (b);
}

/* ---- a response.create that is not answered ---- */

static void
ask_again_if_late (struct realtime_bridge *b)
{
  char event_id[SEQUENCER_ID];
  const unsigned tries = sequencer_tick (&b->sequencer, event_id);

  if (tries == 0)
    return;
  log_event (b->log, LOG_WARNING, "realtime_response_unanswered", "call_id", b->call_id, "event_id",
             event_id, "tries", LOG_INT (tries), "next",
             tries < SEQUENCER_TRIES ? "it is sent again" : "it is given up", NULL);
  if (tries == SEQUENCER_TRIES && b->owner.unanswered != NULL)
    b->owner.unanswered (b->owner.ctx, event_id);
}

/* ---- the time of both ---- */

void
bridge_set_wake (struct realtime_bridge *b)
{
  const double answer = sequencer_due (&b->sequencer);
  const double part = b->parting != NULL ? b->parting->by : 0;
  const double at = answer == 0 || (part != 0 && part < answer) ? part : answer;

  if (at == b->wake)
    return;
  b->wake = at;
  b->owner.wake (b->owner.ctx, at);
}

void
realtime_bridge_tick (struct realtime_bridge *b)
{
  b->wake = 0;
  ask_again_if_late (b);
  part_if_late (b);
  bridge_part_if_silent (b);
  bridge_set_wake (b);
}
