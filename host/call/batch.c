#include "call/batch.h"

#include <stdlib.h>
#include <string.h>

#include "call/batching.h"
#include "call/call_log.h"

/* ---- one ---- */

static void look_at (struct call_batch *batch);

struct call_batch *
call_batch_new (struct calls *calls, enum batch_kind kind)
{
  struct batches *batches = batches_of (calls);
  struct call_batch *batch = xcalloc (1, sizeof *batch);

  batches->look = look_at;
  batch->batches = batches;
  batch->kind = kind;
  batch->refs = 1;
  batch->end = &batch->first;
  batch->next = batches->list;
  batch->prev = &batches->list;
  if (batch->next != NULL)
    batch->next->prev = &batch->next;
  batches->list = batch;
  return batch;
}

struct call_batch *
call_batch_ref (struct call_batch *batch)
{
  batch->refs++;
  return batch;
}

void
call_batch_unref (struct call_batch *batch)
{
  if (batch != NULL)
    batch_less (batch);
}

bool
call_batch_waits (const struct call_batch *batch)
{
  return batch->closed && batch_has_open (batch);
}

/* ---- what a call that waits was asked for ---- */

static struct call_request
request_of (const struct batch_member *m)
{
  const struct call *call = m->call;

  return (struct call_request){ .kind = CALL_TOOL,
                                .name = call->tool->name,
                                .name_len = strlen (call->tool->name),
                                .args = m->args,
                                .args_len = m->args_len,
                                .front = call->front,
                                .tenant = call->tenant,
                                .principal = call->principal,
                                .session_id = call->session_id,
                                .call_id = m->call_id,
                                .claimed_in = m->claimed_in,
                                .deadline_ms = call->deadline_ms };
}

/* ---- what happens to all of a batch ---- */

/* It has been approved, by what stands in the book. */
static void
begin_approved (struct batch_member *m)
{
  struct calls *calls = m->batch->batches->calls;
  unsigned char key[STORE_HASH];
  struct approval *entry;

  memcpy (key, m->key, sizeof key);
  batch_member_free (m);
  entry = approvals_find_key (calls->approvals, key);
  if (entry != NULL && approval_facts (entry)->state == APPROVAL_APPROVED)
    calls_begin_approved (calls, entry);
}

/* It needed nobody. */
static void
begin_ready (struct batch_member *m)
{
  struct call *call = m->call;
  const struct call_request request = request_of (m);
  const bool stood = m->stands;
  char *room = m->room;

  m->room = NULL;
  batch_member_free (m);
  call_begin (call, &request, stood);
  free (room);
}

static void
begin_all (struct call_batch *batch)
{
  for (struct batch_member *m; (m = batch->first) != NULL && !batch_has_open (batch);)
    if (m->state == MEMBER_APPROVED)
      begin_approved (m);
    else
      begin_ready (m);
}

/* Its caller decides about these as well. */
static void
surface (struct call_batch *batch)
{
  for (struct batch_member *m; (m = batch_first_in (batch, MEMBER_READY)) != NULL;) {
    const struct call_request request = request_of (m);
    char *room = m->room;

    batch_stand_no_more (m);
    m->room = NULL;
    m->state = MEMBER_OPEN;
    (void) call_approve_beside (m->call, &request);
    free (room);
  }
}

/* People take their time: none of it is the calls'. */
static void
stand_still (struct call_batch *batch)
{
  for (struct batch_member *m = batch->first; m != NULL; m = m->next)
    if (m->state == MEMBER_READY && !m->stands) {
      m->stands = true;
      batch->batches->calls->unapproved++;
      ev_timer_stop (batch->batches->calls->loop, &m->call->deadline);
      call_log_held (m->call);
    }
}

static struct batch_member *
first_alone (const struct call_batch *batch)
{
  struct batch_member *m = batch->first;

  while (m != NULL && !m->alone)
    m = m->next;
  return m;
}

static void
look_at (struct call_batch *batch)
{
  struct batch_member *m;

  if (!batch->closed || batch->busy)
    return;
  batch->refs++;
  batch->busy = true;
  while ((m = first_alone (batch)) != NULL)
    begin_approved (m);
  if (batch->surfaced)
    surface (batch);
  if (batch_has_open (batch))
    stand_still (batch);
  else
    begin_all (batch);
  batch->busy = false;
  call_batch_unref (batch);
}

void
call_batch_close (struct call_batch *batch)
{
  batch->closed = true;
  look_at (batch);
}

void
call_batch_end (struct call_batch *batch)
{
  if (batch == NULL)
    return;
  call_batch_close (batch);
  call_batch_unref (batch);
}
