/* approve_book.c - a call is written into the book of approvals, and what the book says of it. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "call/approval_form.h"
#include "call/approving.h"

static void
tell_that_it_waits (struct call *call, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "The call waits for a person's approval, as %s.", facts->id);
  if (call->events->log != NULL)
    call->events->log (call->ctx, TOOLHOST_NOTICE, text.data, text.len);
  if (call->job.wants_progress && call->events->progress != NULL)
    call->events->progress (call->ctx, 0, 0, text.data, text.len);
}

/* The caller as the one who decides: where it may, and can be asked, the approval of its call is a
 * question like those of tools (ask.h).  The ask that is held or sealed meanwhile only names the
 * entry of the book; what is run is what stands there. */
static bool
may_ask_caller (const struct call *call, const struct approval_facts *facts)
{
  return call->asks_approval && call->ask == NULL && (call->askable & FRAME_ASK_FORM) != 0
         && (facts->by_caller || call->may_approve) && facts->state == APPROVAL_PENDING;
}

static void
ask_caller (struct approving *a, const struct approval_facts *facts)
{
  struct approval *entry = a->entry;
  struct ask *ask = approval_form_ask (facts);
  struct call *call = approving_part (a);
  struct result result = { .error = CALL_input_required, .asking = call };

  call->ask = ask;
  call_hand_over_in_batch (call);
  a->entry = NULL;
  approving_free (a);
  approval_leave (entry);
  call_finish (call, &result, NULL);
}

static void
on_recorded (void *ctx, struct approval *entry)
{
  struct approving *a = ctx;
  struct call *call = a->waiting;
  const struct approval_facts *facts = approval_facts (entry);

  a->entry = entry;
  call_name_in_batch (call, facts);
  if (may_ask_caller (call, facts))
    return ask_caller (a, facts);
  if (call->events->waits == NULL || !call->events->waits (call->ctx, facts)) {
    tell_that_it_waits (call, facts);
    return;
  }
  approval_leave (entry);
  approving_free (a);
  call->events = NULL;
  call_hand_over_in_batch (call);
  call_tell (call, NULL);
}

void
approving_not_recorded (void *ctx)
{
  struct approving *a = ctx;

  a->entry = NULL;
  approving_end (
    a, CALL_tool_unavailable,
    "The call needs a person's approval, and that could not be recorded, so it was not run; try "
    "again in a moment.",
    1000);
}

/* What the caller is told (U0-20). */
const char *
approving_refusal (const struct approval_facts *facts)
{
  if (facts->state == APPROVAL_WITHDRAWN || facts->text != NULL)
    return facts->text;
  return facts->state == APPROVAL_EXPIRED
           ? "Tool execution was not approved: nobody decided in time."
           : "Tool execution was not approved.";
}

static void
on_refused (void *ctx, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->entry = NULL;
  approving_end (a,
                 facts->state == APPROVAL_REJECTED  ? CALL_approval_rejected
                 : facts->state == APPROVAL_EXPIRED ? CALL_approval_expired
                                                    : CALL_tool_cancelled,
                 approving_refusal (facts), 0);
}

const struct approval_waiter approving_waiter = { .recorded = on_recorded,
                                                  .not_recorded = approving_not_recorded,
                                                  .refused = on_refused };

void
approving_ask (struct approving *a)
{
  struct error err = { 0 };

  a->entry = approvals_ask (a->calls->approvals, &a->facts, &approving_waiter, a, &err);
  if (a->entry == NULL)
    approving_end (a, CALL_tool_overloaded, err.text, 1000);
}
