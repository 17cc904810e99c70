/* approve_known.c - whether the store knows that a call has run, or was begun, already. */
#include <string.h>
#include <toolhost.h>

#include "call/approving.h"
#include "call/stored.h"

/* It is not to run: but if a daemon before this one has run it, that is what is told. */
static void
not_run (struct approving *a, enum store_status status, const struct store_call *known)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct result result = { 0 };
  struct call *call;

  if (status == STORE_NOT_FOUND) {
    approval_leave (a->entry);
    approvals_refuse (a->entry, a->why);
    a->entry = NULL;
    return approving_end (a, CALL_approval_expired, a->why, 0);
  }
  if (status != STORE_OK)
    return approving_again (a);
  (void) claim_known (known->state, known, &arena, &result);
  if (result.code == NULL && result.error != CALL_OK)
    result.code = call_error_info (result.error)->code;
  approvals_end (a->entry, result.error == CALL_OK ? "ok" : result.code);
  a->entry = NULL;
  call = approving_part (a);
  approving_free (a);
  if (call != NULL)
    call_finish (call, &result, NULL);
}

static void
on_known (void *ctx, enum store_status status, const struct store_call *known)
{
  struct approving *a = ctx;
  struct call *call = a->waiting;

  a->looking = false;
  if (a->entry != NULL)
    return not_run (a, status, known);
  if (call == NULL)
    return approving_free (a);
  if (status == STORE_NOT_FOUND && a->decided)
    return approving_end (a, CALL_approval_expired,
                          "The call was approved and has run; its result is not kept any more.", 0);
  if (status == STORE_NOT_FOUND)
    return approving_ask (a);
  if (status != STORE_OK)
    return approving_not_recorded (a);
  call->must_be_known = true;
  call->claim = claim_begin (a->calls->claims, call,
                             &(struct call_request){ .tenant = call->tenant,
                                                     .principal = call->principal,
                                                     .session_id = call->session_id,
                                                     .call_id = a->facts.call_id,
                                                     .front = call->front,
                                                     .approved = &a->facts });
  (void) approving_part (a);
  approving_free (a);
}

/* Was it claimed before? */
void
approving_look (struct approving *a)
{
  const struct approval_facts *facts = a->entry != NULL ? approval_facts (a->entry) : &a->facts;
  struct store_key key = { .tenant = facts->tenant };

  memcpy (key.id, facts->key, STORE_HASH);
  a->looking = true;
  store_lookup (claims_store (a->calls->claims), &key, on_known, a);
}
