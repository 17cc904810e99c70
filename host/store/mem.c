#include "store/mem.h"

#include <stdlib.h>

void
mem_key (struct buf *b, const char *tenant, const void *rest, size_t len)
{
  size_t tenant_len = strlen (tenant);

  buf_append (b, &tenant_len, sizeof tenant_len);
  buf_append (b, tenant, tenant_len);
  buf_append (b, rest, len);
}

static void
mem_tick (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  mem_forget_calls (mem, now_ms);
  mem_forget_documents (mem, now_ms);
  mem_forget_contexts (mem, now_ms);
  mem_forget_records (mem, now_ms);
  act->status = STORE_OK;
}

static bool
mem_begin (struct store_engine *engine, struct store_batch *batch)
{
  static void (*const run[STORE_ACTS]) (struct mem *, struct store_act *, int64_t) = {
    [STORE_ACT_CLAIM] = mem_claim,
    [STORE_ACT_FINISH] = mem_finish,
    [STORE_ACT_RELEASE] = mem_release,
    [STORE_ACT_CANCEL] = mem_cancel,
    [STORE_ACT_LOOKUP] = mem_lookup,
    [STORE_ACT_CHANGE] = mem_change,
    [STORE_ACT_SCAN] = mem_scan,
    [STORE_ACT_CONTEXT_GET] = mem_context_get,
    [STORE_ACT_CONTEXT_SET] = mem_context_set,
    [STORE_ACT_POST] = mem_post,
    [STORE_ACT_TAKE] = mem_take,
    [STORE_ACT_SENT] = mem_sent,
    [STORE_ACT_RETRY] = mem_retry,
    [STORE_ACT_RECORD] = mem_record,
    [STORE_ACT_RECORDS] = mem_records,
    [STORE_ACT_TICK] = mem_tick,
  };
  struct mem *mem = (struct mem *) engine;

  for (struct store_act *act = batch->first; act != NULL; act = act->next) {
    run[act->kind](mem, act, batch->now_ms);
    mem->figures.acts++;
  }
  mem->figures.commits++;
  batch->trouble[0] = '\0';
  batch->figures = mem->figures;
  return true;
}

static void
mem_figures (struct store_engine *engine, struct store_figures *figures)
{
  *figures = ((struct mem *) engine)->figures;
}

static void
mem_settle (struct store_engine *engine)
{
  (void) engine;
}

static void
mem_close (struct store_engine *engine)
{
  struct mem *mem = (struct mem *) engine;

  mem_free_calls (mem);
  mem_free_documents (mem);
  mem_free_contexts (mem);
  mem_free_letters (mem);
  mem_free_records (mem);
  free (mem);
}

struct store_engine *
memory_engine_new (const struct store_settings *settings)
{
  struct mem *mem = xcalloc (1, sizeof *mem);

  mem->settings = *settings;
  mem->engine.name = "memory";
  mem->engine.figures = mem_figures;
  mem->engine.begin = mem_begin;
  mem->engine.settle = mem_settle;
  mem->engine.close = mem_close;
  return &mem->engine;
}
