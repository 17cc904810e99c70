#include "pool/checking.h"

#include <stdlib.h>

#include "base/json_tape.h"
#include "pool/answer.h"
#include "pool/receive.h"

/* What stands around a result in an answer. */
enum { AROUND = 64 * 1024, PAGE = 4096 };

static const char BAD_RESULT[] = "sent a result that is not what it must be";

struct checking {
  struct offload *offload;
  struct offload_job *work; /* until it has done */
  struct pressure *pressure;
  size_t held;       /* of it */
  struct slot *slot; /* NULL: its worker is gone */
  struct job *job;   /* NULL: nobody waits for it */
  /* the thread's, until it has done */
  enum frame_content kind;
  struct frame_result head;
  struct buf body;
  struct arena arena;
  struct json_tape tape;
  struct job_end end;
  const struct job_maker *maker; /* or NULL */
  void *made;
  struct buf room;
  bool good;
};

/* Memory for the answer, in place already: to be given so many pages takes longer than to fill
 * them. */
static void
make_room (struct buf *room, const struct frame_result *head)
{
  size_t twice = head->content_len == 0 ? head->structured_len : 0; /* as text, too */
  char *at = buf_reserve (room, (size_t) head->content_len + head->structured_len + twice + AROUND);

  for (size_t i = 0; i < room->cap; i += PAGE)
    *(volatile char *) (at + i) = 0;
}

static void
check (void *ctx, const struct offload_job *work)
{
  struct checking *c = ctx;

  (void) work;
  c->good = answer_read (c->kind, c->body.data, c->body.len, &c->arena, &c->tape, &c->end);
  if (!c->good)
    return;
  if (c->maker != NULL)
    c->made = c->maker->make (c->maker->ctx, &c->end);
  if (c->made == NULL)
    make_room (&c->room, &c->head);
}

static void
end_job (struct checking *c)
{
  struct job *job = c->job;

  if (job == NULL)
    return;
  job->checking = NULL;
  job->unit = NULL;
  job->events->ended (job, &c->end);
}

/* The worker of a bad result is killed, and its job ends with it. */
static void
end_at_worker (struct checking *c)
{
  struct worker *worker = c->slot->worker;

  if (c->job != NULL && !c->good) {
    c->slot->checking = NULL;
    c->job->checking = NULL;
    worker_kill (worker, REASON_PROTOCOL, BAD_RESULT);
    return;
  }
  (void) worker_free_slot (worker, c->slot);
  end_job (c);
  worker_slot_was_freed (worker);
}

static void
end_alone (struct checking *c)
{
  if (!c->good)
    c->end = (struct job_end){ .fate = JOB_CRASHED,
                               .text = BAD_RESULT,
                               .reason = REASON_PROTOCOL,
                               .rss_peak = c->end.rss_peak };
  end_job (c);
}

static void
let_go (void *ctx, const struct offload_job *work)
{
  struct checking *c = ctx;

  (void) work;
  if (c->made != NULL)
    c->maker->drop (c->made);
  buf_free (&c->body);
  buf_free (&c->room);
  arena_free (&c->arena);
}

static void
gone (void *ctx, bool cancelled)
{
  struct checking *c = ctx;

  if (cancelled)
    let_go (c, NULL);
  pressure_release (c->pressure, c->held);
  free (c);
}

/* Where the work was cancelled, the job was.  To give back so many pages takes its time, too. */
static void
checked (void *ctx, bool cancelled)
{
  struct checking *c = ctx;

  if (c->slot != NULL)
    end_at_worker (c);
  else
    end_alone (c);
  if (cancelled)
    gone (c, true);
  else
    (void) offload_submit (c->offload,
                           &(struct offload_work){ .work = let_go, .done = gone, .ctx = c });
}

void
checking_begin (struct slot *slot, const struct frame_result *head, struct buf *body, size_t held)
{
  struct worker *worker = slot->worker;
  struct checking *c = xcalloc (1, sizeof *c);

  c->offload = worker->pool->offload;
  c->pressure = worker->pool->pressure;
  c->held = held;
  c->slot = slot;
  c->job = slot->job;
  c->kind = slot->job->content;
  c->maker = slot->job->maker;
  c->head = *head;
  c->body = *body;
  *body = (struct buf){ 0 };
  c->end = (struct job_end){ .fate = JOB_RESULT,
                             .result = &c->head,
                             .room = &c->room,
                             .made = &c->made,
                             .rss_peak = worker->watched.rss_peak };
  slot->checking = c;
  slot->job->checking = c;
  c->work =
    offload_submit (c->offload, &(struct offload_work){ .work = check, .done = checked, .ctx = c });
}

void
checking_forget (struct job *job)
{
  struct checking *c = job->checking;

  offload_cancel (c->work);
  c->job = NULL;
  job->checking = NULL;
  job->worker = NULL;
  if (c->slot != NULL)
    c->slot->job = NULL;
}

void
checking_leave (struct checking *checking)
{
  checking->slot = NULL;
}
