/* store.c - gathers what is asked, hands it to the engine, and tells what became of it. */
#include "store/store_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { BATCH_ACTS = 1024, BATCH_BYTES = 16 << 20 };
static const double AGAIN_S = 1; /* an engine that is not well is tried so often */

static int64_t
system_now (void *ctx)
{
  (void) ctx;
  return clock_wall_ms ();
}

const struct store_settings store_defaults = {
  .now_ms = system_now,
  .result_max = 32 << 20,
  .definition_max = 256 << 10,
  .record_max = 4 << 20,
  .context_max = 1 << 20,
  .letter_max = 1 << 20,
  .pending_max = 100000,
  .pending_bytes = 256 << 20,
  .result_ttl_ms = 24 * 3600 * 1000,
  .removed_ttl_ms = INT64_C (30) * 24 * 3600 * 1000,
  .history_max = 100,
  .memory_max = 256 << 20,
};

/* ---- batches ---- */

static struct store_batch *
batch_new (struct store *store)
{
  struct store_batch *batch = store->spare != NULL ? store->spare : xcalloc (1, sizeof *batch);

  store->spare = NULL;
  batch->next = NULL;
  batch->first = NULL;
  batch->end = &batch->first;
  batch->count = 0;
  batch->bytes = 0;
  return batch;
}

static void
batch_free (struct store_batch *batch)
{
  if (batch == NULL)
    return;
  arena_free (&batch->arena);
  free (batch);
}

/* It has been told; one is kept for the next turn. */
static void
batch_done (struct store *store, struct store_batch *batch)
{
  arena_reset (&batch->arena);
  batch_free (store->spare);
  store->spare = batch;
}

static bool
is_full (const struct store_batch *batch)
{
  return batch->count >= BATCH_ACTS || batch->bytes >= BATCH_BYTES;
}

static struct store_batch *
batch_for_more (struct store_line *line, struct store *store)
{
  if (line->first != NULL && !is_full (line->last))
    return line->last;
  struct store_batch *batch = batch_new (store);
  if (line->first == NULL)
    line->first = batch;
  else
    line->last->next = batch;
  line->last = batch;
  return batch;
}

static struct store_batch *
line_take (struct store_line *line)
{
  struct store_batch *batch = line->first;

  line->first = batch->next;
  batch->next = NULL;
  return batch;
}

/* ---- what waits keeps the loop awake until it is handed over ---- */

static void
wake (struct store *store)
{
  if (ev_is_active (&store->turn_end))
    return;
  ev_prepare_start (store->loop, &store->turn_end);
  ev_idle_start (store->loop, &store->awake);
}

static void
rest (struct store *store)
{
  ev_prepare_stop (store->loop, &store->turn_end);
  ev_idle_stop (store->loop, &store->awake);
}

struct store_act *
store_new_act (struct store *store, enum store_kind kind, size_t bytes)
{
  const struct store_settings *settings = &store->settings;
  bool refused = store->closing || store->pending >= settings->pending_max
                 || bytes > settings->pending_bytes - store->pending_bytes;
  struct store_batch *batch = batch_for_more (refused ? &store->decided : &store->asked, store);
  struct store_act *act = arena_alloc (&batch->arena, sizeof *act);

  *act = (struct store_act){ .kind = kind, .status = STORE_UNAVAILABLE, .refused = refused };
  act->verdict = STORE_NOT_CLAIMED;
  act->arena = &batch->arena;
  if (!refused) {
    act->bytes = bytes;
    store->pending++;
    store->pending_bytes += bytes;
  }
  batch->count++;
  batch->bytes += act->bytes;
  *batch->end = act;
  batch->end = &act->next;
  wake (store);
  return act;
}

struct store_act *
store_new_refused (struct store *store, enum store_kind kind, enum store_status status)
{
  bool closing = store->closing;
  struct store_act *act;

  store->closing = true;
  act = store_new_act (store, kind, 0);
  store->closing = closing;
  act->status = status;
  return act;
}

/* ---- telling ---- */

/* They are no reason for the loop to go on. */
static void
start_retries (struct store *store)
{
  ev_timer_again (store->loop, &store->retry);
  ev_unref (store->loop);
}

static void
stop_retries (struct store *store)
{
  if (!ev_is_active (&store->retry))
    return;
  ev_ref (store->loop);
  ev_timer_stop (store->loop, &store->retry);
}

static void
hear_of_health (struct store *store, const struct store_batch *batch)
{
  bool well = batch->trouble[0] == '\0';

  if (well == store->well)
    return;
  store->well = well;
  (well ? stop_retries : start_retries) (store);
  memcpy (store->trouble, batch->trouble, sizeof store->trouble);
  if (store->settings.health != NULL)
    store->settings.health (store->settings.ctx, well, well ? NULL : batch->trouble);
}

static void
tell_all (struct store *store, struct store_batch *batch)
{
  for (struct store_act *act = batch->first; act != NULL; act = act->next) {
    if (!act->refused) {
      store->pending--;
      store->pending_bytes -= act->bytes;
      doubt_ended (&store->doubts, act);
    }
    store_tell (act);
    if (act->more && !store->closing)
      store_tick (store);
  }
  batch_done (store, batch);
}

static void
tell_decided (struct store *store)
{
  struct store_line decided = store->decided;

  store->decided.first = NULL;
  while (decided.first != NULL)
    tell_all (store, line_take (&decided));
}

static void
tell_running (struct store *store)
{
  struct store_batch *batch = store->running;

  store->running = NULL;
  store->figures = batch->figures;
  hear_of_health (store, batch);
  tell_all (store, batch);
}

static void
on_ended (void *ctx)
{
  struct store *store = ctx;

  ev_unref (store->loop);
  tell_running (store);
  if (store->asked.first != NULL)
    wake (store);
}

/* ---- handing over ---- */

static void
begin (struct store *store)
{
  struct store_batch *batch = line_take (&store->asked);

  batch->now_ms = store->settings.now_ms (store->settings.ctx);
  for (struct store_act *act = batch->first; act != NULL; act = act->next)
    doubt_ask (&store->doubts, act, &store->nonces);
  store->running = batch;
  if (store->engine->begin (store->engine, batch))
    tell_running (store);
  else
    ev_ref (store->loop);
}

static bool
may_begin (const struct store *store)
{
  return store->running == NULL && store->asked.first != NULL;
}

static void
on_turn_end (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct store *store = prepare->data;

  (void) loop;
  (void) revents;
  rest (store);
  tell_decided (store);
  if (may_begin (store))
    begin (store);
  if (store->decided.first != NULL || may_begin (store))
    wake (store);
}

/* It only keeps the loop from sleeping. */
static void
on_awake (struct ev_loop *loop, ev_idle *idle, int revents)
{
  (void) loop;
  (void) idle;
  (void) revents;
}

static void
on_retry (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  store_tick (timer->data);
}

/* ---- life ---- */

static void
init_watchers (struct store *store)
{
  ev_prepare_init (&store->turn_end, on_turn_end);
  ev_idle_init (&store->awake, on_awake);
  ev_timer_init (&store->retry, on_retry, 0, AGAIN_S);
  store->turn_end.data = store;
  store->awake.data = store;
  store->retry.data = store;
}

struct store *
store_open (struct store_engine *engine, const struct store_settings *settings)
{
  struct store *store = xcalloc (1, sizeof *store);

  store->settings = *settings;
  store->engine = engine;
  store->loop = settings->loop;
  store->log = settings->log;
  store->well = true;
  engine->host = (struct store_host){ on_ended, store_copied, store };
  engine->figures (engine, &store->figures);
  init_watchers (store);
  return store;
}

struct store *
store_open_memory (const struct store_settings *settings)
{
  return store_open (memory_engine_new (settings), settings);
}

struct store *
store_open_sqlite (const struct store_settings *settings, struct error *err)
{
  struct store_engine *engine = sqlite_engine_new (settings, err);

  return engine != NULL ? store_open (engine, settings) : NULL;
}

static void
drain (struct store *store)
{
  store->closing = true;
  store->engine->settle (store->engine);
  while (store->asked.first != NULL)
    begin (store);
  while (store->decided.first != NULL)
    tell_decided (store);
}

void
store_close (struct store *store)
{
  if (store == NULL)
    return;
  drain (store);
  rest (store);
  stop_retries (store);
  store->engine->close (store->engine);
  doubts_free (store->doubts);
  batch_free (store->spare);
  free (store);
}

const char *
store_name (const struct store *store)
{
  return store->engine->name;
}

bool
store_is_durable (const struct store *store)
{
  return store->engine->durable;
}

const char *
store_path (const struct store *store)
{
  return store->engine->path;
}

const char *
store_trouble (const struct store *store)
{
  return store->well ? NULL : store->trouble;
}

struct store_figures
store_figures (const struct store *store)
{
  return store->figures;
}
