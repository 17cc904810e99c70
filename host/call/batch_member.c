/* A call of a batch, from when it joins to when it begins, ends or leaves. */
#include <stdlib.h>
#include <string.h>

#include "call/batching.h"

/* ---- what a call that waits was asked for ---- */

static char *
put (char *at, const char **place, const char *text, size_t len)
{
  *place = text != NULL ? at : NULL;
  if (text == NULL)
    return at;
  memcpy (at, text, len);
  at[len] = '\0';
  return at + len + 1;
}

/* By its arguments as they were given a call is known that its caller has named. */
static void
keep (struct batch_member *m, const struct call_request *request)
{
  const char *args = request->claimed_in != NULL ? request->args : NULL;
  size_t id = request->call_id != NULL ? strlen (request->call_id) : 0;
  size_t in = request->claimed_in != NULL ? strlen (request->claimed_in) : 0;
  size_t len = request->args_len;
  char *at;

  if (request->claimed_in != NULL && request->args_node != NULL)
    args = json_raw (request->tape, request->args_node, &len);
  m->args_len = args != NULL ? len : 0;
  at = m->room = xmalloc (id + in + m->args_len + 3);
  at = put (at, &m->call_id, request->call_id, id);
  at = put (at, &m->claimed_in, request->claimed_in, in);
  (void) put (at, &m->args, args, m->args_len);
}

static void
set_approval (struct batch_member *m, const char *approval)
{
  memcpy (m->approval, approval, strlen (approval) + 1);
  HASH_ADD_STR (m->batch->batches->by_approval, approval, m);
}

/* ---- its way ---- */

void
call_join_batch (struct call *call, const struct call_request *request)
{
  const bool goes_on = request->ask != NULL && !request->ask->of_approval;
  struct batch_member *m;

  if (request->batch == NULL || call->kind != CALL_TOOL || call->calls->approvals == NULL || goes_on
      || request->approved != NULL)
    return;
  m = batch_member_new (request->batch, call);
  if (request->ask != NULL && batch_find (call->calls, request->ask->approval) == NULL)
    set_approval (m, request->ask->approval);
}

bool
call_waits_for_batch (struct call *call, const struct call_request *request)
{
  struct batch_member *m = call->member;
  struct call_batch *batch;

  if (m == NULL)
    return false;
  batch = m->batch;
  m->state = MEMBER_READY;
  if (batch->closed && !batch->surfaced && !batch_has_open (batch)) {
    batch_member_free (m);
    return false;
  }
  keep (m, request);
  if (batch->closed)
    batch_look_soon (batch);
  return true;
}

void
call_name_in_batch (struct call *call, const struct approval_facts *facts)
{
  struct batch_member *m = call->member;

  if (m == NULL || m->approval[0] != '\0')
    return;
  if (batch_find (call->calls, facts->id) != NULL) /* of another batch */
    return batch_member_free (m);
  set_approval (m, facts->id);
}

void
call_hand_over_in_batch (struct call *call)
{
  struct batch_member *m = call->member;

  if (m == NULL)
    return;
  if (m->batch->kind == BATCH_SURFACES) {
    m->batch->surfaced = true;
    return batch_member_free (m);
  }
  m->call = NULL;
  call->member = NULL;
}

void
call_leave_batch (struct call *call)
{
  struct batch_member *m = call->member;

  if (m == NULL)
    return;
  if (m->state != MEMBER_APPROVED)
    return batch_member_free (m);
  call->member = NULL; /* it may still stand in the book, and runs then */
  m->call = NULL;
  m->alone = true;
  batch_look_soon (m->batch);
}

bool
call_stands_still (const struct call *call)
{
  return call->member != NULL && call->member->stands;
}

bool
calls_batch_keeps (struct calls *calls, const struct approval_facts *facts)
{
  struct batch_member *m = batch_find (calls, facts->id);

  if (m == NULL)
    return false;
  m->state = MEMBER_APPROVED;
  memcpy (m->key, facts->key, sizeof m->key);
  batch_look_soon (m->batch);
  return true;
}

/* One whose caller is not there to hear of it is decided. */
static void
on_changed (struct approvals_watcher *watcher, const struct approval_facts *facts)
{
  const struct batches *batches =
    (const struct batches *) ((const char *) watcher - offsetof (struct batches, watcher));
  struct batch_member *m = batch_find (batches->calls, facts->id);

  if (m != NULL && m->call == NULL && facts->state != APPROVAL_PENDING
      && facts->state != APPROVAL_APPROVED)
    batch_member_free (m);
}

void
calls_watch_batches (struct calls *calls)
{
  struct batches *batches = batches_of (calls);

  batches->watcher.changed = on_changed;
  approvals_watch (calls->approvals, &batches->watcher);
}
