/* approve_leave.c - a call that waits for a person is not waited for any more: its caller has lost
 * interest, or the daemon stops. */
#include <string.h>
#include <toolhost.h>

#include "call/approving.h"

/* ---- when its caller has lost interest ---- */

/* It goes on without its caller. */
static void
leave (struct approving *a)
{
  (void) approving_part (a);
  if (a->entry == NULL && a->looking) /* it is in nobody's book, and goes with the answer */
    return;
  if (a->entry != NULL)
    approval_leave (a->entry);
  if (a->entry == NULL || approval_facts (a->entry)->state == APPROVAL_PENDING)
    approving_free (a);
}

static void
withdraw (struct approving *a)
{
  (void) approving_part (a);
  if (a->entry == NULL)
    ; /* not in the book */
  else if (approval_facts (a->entry)->state == APPROVAL_PENDING)
    approvals_withdraw (a->entry);
  else
    approvals_end (a->entry, call_error_info (CALL_tool_cancelled)->code);
  a->entry = NULL;
  if (!a->looking)
    approving_free (a);
}

bool
call_unapprove (struct call *call, bool interrupt)
{
  struct approving *a = call->approving;
  const bool gone = call->events == NULL;

  if (a == NULL)
    return false;
  if (a->inner != NULL && !(gone && approving_is_named (a) && !call->calls->draining)) {
    if (interrupt) /* the call ends with it */
      call_interrupt (a->inner);
    else
      call_cancel (a->inner);
    return true;
  }
  if (call->calls->draining || (gone && approving_is_named (a)))
    leave (a);
  else
    withdraw (a);
  call_finish_error (call, CALL_tool_cancelled, NULL);
  return true;
}

/* ---- when the daemon stops ---- */

static struct approving *
find_idle (const struct calls *calls)
{
  for (struct approving *a = calls->approvings; a != NULL; a = a->next)
    if (a->waiting != NULL && a->inner == NULL)
      return a;
  return NULL;
}

void
calls_leave_approvals (struct calls *calls)
{
  static const char message[] =
    "The host is stopping.  The call still waits for a person's approval; it is run once, by the "
    "next daemon, when that is given.";

  for (struct approving *a; (a = find_idle (calls)) != NULL;) {
    struct call *call = a->waiting;
    struct result result = { .error = CALL_tool_unavailable,
                             .message = message,
                             .message_len = sizeof message - 1,
                             .retry_after_ms = 1000 };

    leave (a);
    call_finish (call, &result, NULL);
  }
}
