/* approving.c - one call that waits for a person, or was approved. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "base/clock.h"
#include "call/approving.h"
#include "call/call_trace.h"

struct approving *
approving_new (struct calls *calls, struct call *waiting)
{
  struct approving *a = xcalloc (1, sizeof *a);

  a->calls = calls;
  a->waiting = waiting;
  a->next = calls->approvings;
  a->prev = &calls->approvings;
  if (a->next != NULL)
    a->next->prev = &a->next;
  calls->approvings = a;
  ev_timer_init (&a->again, NULL, 0, 0);
  a->again.data = a;
  return a;
}

void
approving_join (struct approving *a, struct call *call)
{
  a->waiting = call;
  call->approving = a;
  call->calls->unapproved++;
  call_trace_asks (call);
  ev_timer_stop (call->calls->loop, &call->deadline);
}

/* Its call does not wait for it any more. */
struct call *
approving_part (struct approving *a)
{
  struct call *call = a->waiting;

  a->waiting = NULL;
  if (call == NULL)
    return NULL;
  call->approving = NULL;
  call->calls->unapproved--;
  call_trace_decided (call, NULL);
  call->started_ns = clock_ns (); /* what people took is no cost of the call */
  return call;
}

void
approving_free (struct approving *a)
{
  (void) approving_part (a);
  ev_timer_stop (a->calls->loop, &a->again);
  *a->prev = a->next;
  if (a->next != NULL)
    a->next->prev = a->prev;
  arena_free (&a->arena);
  free (a);
}

/* It is over; whoever waits is told this. */
void
approving_end (struct approving *a, enum call_error error, const char *message,
               int64_t retry_after_ms)
{
  CLEANUP_FREE char *copy = message != NULL ? xstrdup (message) : NULL;
  struct call *call;
  struct result result = { .error = error,
                           .message = copy,
                           .message_len = copy != NULL ? strlen (copy) : 0,
                           .retry_after_ms = retry_after_ms };

  if (a->waiting != NULL)
    call_trace_decided (a->waiting, call_error_info (error)->code);
  call = approving_part (a);
  approving_free (a);
  if (call != NULL)
    call_finish (call, &result, NULL);
}

struct approving *
approving_find (struct calls *calls, const struct approval *entry)
{
  for (struct approving *a = calls->approvings; a != NULL; a = a->next)
    if (a->entry == entry)
      return a;
  return NULL;
}

const char *
approving_tenant (const struct call *call)
{
  return call->tenant != NULL ? call->tenant : TENANT_DEFAULT;
}

bool
approving_is_named (const struct approving *a)
{
  return a->entry != NULL ? approval_facts (a->entry)->named : a->facts.named;
}

bool
approving_waits (const struct approving *a)
{
  return a->inner == NULL;
}

void
calls_free_approvals (struct calls *calls)
{
  while (calls->approvings != NULL)
    approving_free (calls->approvings);
}
