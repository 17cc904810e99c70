#include "worker/roster.h"

#include <string.h>

/* So many ended calls rest before one is used again, so that a plugin that completes a call twice
 * is caught instead of ending another call. */
enum { RESTING = 16 };

void
roster_init (struct roster *roster)
{
  memset (roster, 0, sizeof *roster);
  roster->last = &roster->first;
  roster->unused_last = &roster->unused;
}

/* ---- records ---------------------------------------------------------------------------- */

static struct crew_call *
wake_up_oldest (struct roster *roster)
{
  struct crew_call *call = roster->unused;

  if (roster->unused_count <= RESTING)
    return NULL;
  roster->unused = call->next;
  roster->unused_count--;
  return call;
}

struct crew_call *
roster_new (struct roster *roster)
{
  struct crew_call *call = wake_up_oldest (roster);

  if (call == NULL) {
    call = xcalloc (1, sizeof *call);
    tool_call_init (&call->call);
  }
  call->nag_until = 0;
  call->overran = false;
  call->mapped = NULL;
  return call;
}

void
roster_rest (struct roster *roster, struct crew_call *call)
{
  call->next = NULL;
  *roster->unused_last = call;
  roster->unused_last = &call->next;
  roster->unused_count++;
}

/* ---- the queue -------------------------------------------------------------------------- */

static struct crew_call **
bucket (struct roster *roster, uint64_t id)
{
  return &roster->live[(id ^ id >> 16) % ROSTER_BUCKETS];
}

void
roster_add (struct roster *roster, struct crew_call *call)
{
  struct crew_call **at = bucket (roster, call->call.id);

  call->same_hash = *at;
  *at = call;
  roster->live_count++;
  call->next = NULL;
  call->queued = true;
  *roster->last = call;
  roster->last = &call->next;
  roster->queued++;
  roster->added++;
}

void
roster_dequeue (struct roster *roster, struct crew_call *call)
{
  struct crew_call **at = &roster->first;

  while (*at != call)
    at = &(*at)->next;
  *at = call->next;
  if (roster->last == &call->next)
    roster->last = at;
  call->queued = false;
  roster->queued--;
  roster->taken++;
}

struct crew_call *
roster_take (struct roster *roster)
{
  struct crew_call *call = roster->first;

  roster_dequeue (roster, call);
  return call;
}

/* ---- the living ------------------------------------------------------------------------- */

struct crew_call *
roster_find (struct roster *roster, uint64_t id)
{
  struct crew_call *call = *bucket (roster, id);

  while (call != NULL && call->call.id != id)
    call = call->same_hash;
  return call;
}

void
roster_remove (struct roster *roster, struct crew_call *call)
{
  struct crew_call **at = bucket (roster, call->call.id);

  while (*at != call)
    at = &(*at)->same_hash;
  *at = call->same_hash;
  roster->live_count--;
  if (!call->call.stray)
    roster_rest (roster, call);
}
