#include "call/batching.h"

#include <stdlib.h>

/* All of them: what one does may end others. */
static void
on_soon (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct batches *batches = timer->data;
  struct call_batch *next;

  (void) loop;
  (void) revents;
  for (struct call_batch *batch = batches->list; batch != NULL; batch = next) {
    batch->refs++;
    batches->look (batch);
    next = batch->next;
    batch_less (batch);
  }
}

struct batches *
batches_of (struct calls *calls)
{
  struct batches *batches = calls->batches;

  if (batches != NULL)
    return batches;
  calls->batches = batches = xcalloc (1, sizeof *batches);
  batches->calls = calls;
  ev_timer_init (&batches->soon, on_soon, 0, 0);
  batches->soon.data = batches;
  return batches;
}

void
batch_less (struct call_batch *batch)
{
  if (--batch->refs != 0)
    return;
  *batch->prev = batch->next;
  if (batch->next != NULL)
    batch->next->prev = batch->prev;
  free (batch);
}

void
batch_look_soon (const struct call_batch *batch)
{
  struct batches *batches = batch->batches;

  if (ev_is_active (&batches->soon))
    return;
  ev_timer_set (&batches->soon, 0, 0);
  ev_timer_start (batches->calls->loop, &batches->soon);
}

struct batch_member *
batch_member_new (struct call_batch *batch, struct call *call)
{
  struct batch_member *m = xcalloc (1, sizeof *m);

  m->batch = batch;
  m->call = call;
  m->prev = batch->end;
  *batch->end = m;
  batch->end = &m->next;
  batch->refs++;
  call->member = m;
  return m;
}

void
batch_stand_no_more (struct batch_member *m)
{
  if (m->stands)
    m->batch->batches->calls->unapproved--;
  m->stands = false;
}

void
batch_member_free (struct batch_member *m)
{
  struct call_batch *batch = m->batch;

  batch_stand_no_more (m);
  if (m->approval[0] != '\0')
    HASH_DEL (batch->batches->by_approval, m);
  if (m->call != NULL)
    m->call->member = NULL;
  *m->prev = m->next;
  if (m->next != NULL)
    m->next->prev = m->prev;
  else
    batch->end = m->prev;
  free (m->room);
  free (m);
  if (batch->closed && batch->first != NULL)
    batch_look_soon (batch);
  batch_less (batch);
}

struct batch_member *
batch_find (const struct calls *calls, const char *approval)
{
  struct batch_member *m = NULL;

  if (calls->batches != NULL)
    HASH_FIND_STR (calls->batches->by_approval, approval, m);
  return m;
}

struct batch_member *
batch_first_in (const struct call_batch *batch, enum member_state state)
{
  struct batch_member *m = batch->first;

  while (m != NULL && m->state != state)
    m = m->next;
  return m;
}

bool
batch_has_open (const struct call_batch *batch)
{
  for (const struct batch_member *m = batch->first; m != NULL; m = m->next)
    if (m->state == MEMBER_OPEN)
      return true;
  return false;
}
