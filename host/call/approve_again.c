/* approve_again.c - who comes again for a call that waits or waited for a person: with its id, or
 * with the answer to what it was asked itself. */
#include <string.h>
#include <toolhost.h>

#include "call/approval_form.h"
#include "call/approving.h"

/* ---- with its id ---- */

static enum approve
refuse_again (struct call *call, enum call_error error)
{
  struct result result = { .error = error, .retry_after_ms = 1000 };

  call_finish (call, &result, NULL);
  return APPROVE_ENDED;
}

/* Its caller comes again, and it is in the book. */
enum approve
approving_meet_again (struct call *call, struct approval *entry, const struct call_request *request)
{
  const struct approval_facts *facts = approval_facts (entry);
  struct approving *a = approving_find (call->calls, entry);
  unsigned char what[STORE_HASH];

  claim_what (request, what);
  if (facts->named && memcmp (what, facts->what, STORE_HASH) != 0)
    return refuse_again (call, CALL_call_id_reused);
  if (a != NULL && a->waiting != NULL)
    return refuse_again (call, CALL_call_in_progress);
  if (a != NULL) { /* it was approved */
    call_leave_batch (call);
    approving_join (a, call);
    return APPROVE_WAITS;
  }
  a = approving_new (call->calls, NULL);
  approving_join (a, call);
  a->entry = entry;
  approval_join (entry, &approving_waiter, a);
  return APPROVE_WAITS;
}

/* ---- with an answer ---- */

/* The entry is open: wait for it, or for its call that runs. */
static void
wait_for (struct approving *a, struct approval *entry)
{
  struct approving *other = approving_find (a->calls, entry);
  struct call *call;

  if (other == NULL) {
    a->entry = entry;
    approval_join (entry, &approving_waiter, a);
  }
  else if (other->waiting != NULL)
    approving_end (a, CALL_call_in_progress, NULL, 1000);
  else {
    call = approving_part (a);
    approving_free (a);
    call_leave_batch (call);
    approving_join (other, call);
  }
}

/* It was approved, or nobody has said anything yet. */
static void
follow (struct approving *a, const struct approval_facts *facts)
{
  struct approval *entry = approvals_find_key (a->calls->approvals, facts->key);

  if (entry != NULL)
    return wait_for (a, entry);
  a->decided = true; /* and has run: what came of it is known, or was */
  memcpy (a->facts.key, facts->key, STORE_HASH);
  memcpy (a->facts.what, facts->what, STORE_HASH);
  a->facts.tenant = arena_strndup (&a->arena, facts->tenant, strlen (facts->tenant));
  a->facts.call_id = arena_strndup (&a->arena, facts->call_id, strlen (facts->call_id));
  approving_look (a);
}

static void
take_answer (struct approving *a, const struct approval_facts *facts)
{
  switch (facts->state) {
  case APPROVAL_PENDING:
  case APPROVAL_APPROVED:
    return follow (a, facts);
  case APPROVAL_REJECTED:
    return approving_end (a, CALL_approval_rejected, approving_refusal (facts), 0);
  case APPROVAL_WITHDRAWN:
    return approving_end (a, CALL_tool_cancelled, facts->text, 0);
  default:
    return approving_end (a, CALL_approval_expired, approving_refusal (facts), 0);
  }
}

static void
on_got (void *ctx, enum store_status status, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->looking = false;
  if (a->waiting == NULL)
    approving_free (a);
  else if (status == STORE_OK)
    take_answer (a, facts);
  else if (status == STORE_NOT_FOUND)
    approving_end (a, CALL_approval_expired, NULL, 0);
  else
    approving_end (a, CALL_tool_unavailable, "The decision could not be read; try again.", 1000);
}

/* How does it stand, whoever may decide? */
static void
ask_book (struct approving *a)
{
  a->looking = true;
  approvals_get (a->calls->approvals, a->facts.tenant, a->id, on_got, a);
}

static void
on_said (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->looking = false;
  if (a->waiting == NULL)
    approving_free (a);
  else if (verdict == DECISION_UNAVAILABLE)
    approving_end (a, CALL_tool_unavailable, "The decision could not be recorded; try again.",
                   1000);
  else if (facts != NULL)
    take_answer (a, facts);
  else
    ask_book (a);
}

enum approve
approving_resume (struct call *call, const struct call_request *request)
{
  struct approving *a = approving_new (call->calls, NULL);
  struct approval_decision decision;

  memcpy (a->id, request->ask->approval, sizeof a->id - 1); /* ours, of this length */
  a->facts.tenant = approving_tenant (call);
  a->facts.named = true; /* whose caller leaves goes on without it */
  approving_join (a, call);
  switch (approval_form_read (request->ask, &decision, &a->arena)) {
  case APPROVAL_SAID:
    decision.tenant = a->facts.tenant;
    decision.principal = request->decider != NULL ? request->decider : call->principal;
    decision.may_approve = request->may_approve;
    a->looking = true;
    approvals_decide (call->calls->approvals, &decision, on_said, a);
    return APPROVE_WAITS;
  case APPROVAL_SAID_LATER:
    ask_book (a);
    return APPROVE_WAITS;
  default:
    approving_end (a, CALL_input_invalid, "approval: expected yes or no", 0);
    return APPROVE_ENDED;
  }
}
