#include "store_faults.h"

#include <stdlib.h>

enum { LATE_TURNS = 2 };

struct faults {
  struct store_engine engine;
  struct store_engine *inner;
  struct ev_loop *loop;
  ev_idle late;
  unsigned turns_left, number;
  enum fault fault;
  struct store_batch *batch; /* that was begun */
  enum fault now;            /* what becomes of it */
  bool settled;
};

static bool
may_be_asked_again (enum store_kind kind)
{
  return kind != STORE_ACT_RELEASE && kind != STORE_ACT_TAKE && kind != STORE_ACT_TICK;
}

static enum fault
next_fault (struct faults *faults, const struct store_batch *batch)
{
  static const enum fault turns[] = { FAULT_UNTOLD, FAULT_NOT_DONE, FAULT_NONE };

  for (const struct store_act *act = batch->first; act != NULL; act = act->next)
    if (faults->fault == FAULT_BY_TURNS && !may_be_asked_again (act->kind))
      return FAULT_NONE;
  return faults->fault == FAULT_BY_TURNS ? turns[faults->number++ % 3] : faults->fault;
}

/* Nobody knows what became of the batch. */
static void
hide (struct store_batch *batch)
{
  for (struct store_act *act = batch->first; act != NULL; act = act->next) {
    act->status = STORE_UNAVAILABLE;
    act->found = false;
  }
}

static void
inner_ended (void *ctx)
{
  struct faults *faults = ctx;

  if (faults->now == FAULT_UNTOLD)
    hide (faults->batch);
  if (faults->settled)
    faults->engine.host.ended (faults->engine.host.ctx);
  else {
    faults->turns_left = LATE_TURNS;
    ev_idle_start (faults->loop, &faults->late);
  }
}

static void
on_late (struct ev_loop *loop, ev_idle *idle, int revents)
{
  struct faults *faults = idle->data;

  (void) revents;
  if (--faults->turns_left != 0)
    return;
  ev_idle_stop (loop, idle);
  faults->engine.host.ended (faults->engine.host.ctx);
}

static bool
faults_begin (struct store_engine *engine, struct store_batch *batch)
{
  struct faults *faults = (struct faults *) engine;

  faults->batch = batch;
  faults->now = next_fault (faults, batch);
  if (faults->now == FAULT_NOT_DONE) {
    hide (batch);
    faults->inner->figures (faults->inner, &batch->figures);
  }
  else if (!faults->inner->begin (faults->inner, batch))
    return false;
  if (faults->settled && faults->now == FAULT_UNTOLD)
    hide (batch);
  if (faults->settled)
    return true;
  inner_ended (faults);
  return false;
}

static void
faults_figures (struct store_engine *engine, struct store_figures *figures)
{
  struct faults *faults = (struct faults *) engine;

  faults->inner->figures (faults->inner, figures);
}

static void
inner_copied (void *ctx, struct store_copy *copy)
{
  struct faults *faults = ctx;

  faults->engine.host.copied (faults->engine.host.ctx, copy);
}

static void
faults_copy (struct store_engine *engine, struct store_copy *copy)
{
  struct faults *faults = (struct faults *) engine;

  faults->inner->copy (faults->inner, copy);
}

static void
faults_settle (struct store_engine *engine)
{
  struct faults *faults = (struct faults *) engine;

  faults->settled = true;
  if (ev_is_active (&faults->late)) {
    ev_idle_stop (faults->loop, &faults->late);
    faults->engine.host.ended (faults->engine.host.ctx);
  }
  faults->inner->settle (faults->inner);
}

static void
faults_close (struct store_engine *engine)
{
  struct faults *faults = (struct faults *) engine;

  faults->inner->close (faults->inner);
  free (faults);
}

struct store_engine *
faults_new (struct store_engine *inner, struct ev_loop *loop)
{
  struct faults *faults = xcalloc (1, sizeof *faults);

  faults->inner = inner;
  faults->loop = loop;
  ev_idle_init (&faults->late, on_late);
  faults->late.data = faults;
  faults->engine = (struct store_engine){
    .name = inner->name,
    .durable = inner->durable,
    .path = inner->path,
    .figures = faults_figures,
    .begin = faults_begin,
    .copy = inner->copy != NULL ? faults_copy : NULL,
    .settle = faults_settle,
    .close = faults_close,
  };
  inner->host = (struct store_host){ inner_ended, inner_copied, faults };
  return &faults->engine;
}

void
faults_set (struct store_engine *faults, enum fault fault)
{
  ((struct faults *) faults)->fault = fault;
}
