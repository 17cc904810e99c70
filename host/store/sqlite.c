/* sqlite.c - the engine that keeps everything in one file: a thread does the batches. */
#include "store/sqlite.h"

#include <stdlib.h>

/* ---- batches ---- */

/* In the thread. */
static void
work_batch (void *ctx, const struct offload_job *job)
{
  struct sqlite *sqlite = ctx;

  (void) job;
  sql_batch (sqlite->sql, sqlite->batch);
  sqlite->worked = true;
}

/* When the store closes, what the thread has not begun is done here. */
static void
batch_worked (void *ctx, bool cancelled)
{
  struct sqlite *sqlite = ctx;

  (void) cancelled;
  if (!sqlite->worked)
    work_batch (sqlite, NULL);
  sqlite->batch = NULL;
  sqlite->engine.host.ended (sqlite->engine.host.ctx);
}

static bool
sqlite_begin (struct store_engine *engine, struct store_batch *batch)
{
  struct sqlite *sqlite = (struct sqlite *) engine;
  struct offload_work work = { .work = work_batch, .done = batch_worked, .ctx = sqlite };

  sqlite->batch = batch;
  sqlite->worked = false;
  if (sqlite->thread == NULL) {
    work_batch (sqlite, NULL);
    return true;
  }
  (void) offload_submit (sqlite->thread, &work);
  return false;
}

/* ---- life ---- */

static void
sqlite_figures (struct store_engine *engine, struct store_figures *figures)
{
  *figures = ((struct sqlite *) engine)->sql->counts.figures;
}

static void
sqlite_settle (struct store_engine *engine)
{
  struct sqlite *sqlite = (struct sqlite *) engine;
  struct offload *thread = sqlite->thread;

  sqlite->settled = true;
  offload_free (thread);
  sqlite->thread = NULL;
  offload_free (sqlite->aside);
  sqlite->aside = NULL;
}

static void
sqlite_close (struct store_engine *engine)
{
  struct sqlite *sqlite = (struct sqlite *) engine;

  sql_close (sqlite->sql);
  free (sqlite);
}

struct store_engine *
sqlite_engine_new (const struct store_settings *settings, struct error *err)
{
  struct sql *sql = sql_open (settings, err);
  struct sqlite *sqlite;

  if (sql == NULL)
    return NULL;
  sqlite = xcalloc (1, sizeof *sqlite);
  sqlite->sql = sql;
  sqlite->loop = settings->loop;
  sqlite->thread = offload_new (settings->loop, 1);
  sqlite->engine = (struct store_engine){
    .name = "sqlite",
    .durable = true,
    .path = sql->path,
    .figures = sqlite_figures,
    .begin = sqlite_begin,
    .copy = sqlite_copy,
    .settle = sqlite_settle,
    .close = sqlite_close,
  };
  return &sqlite->engine;
}
