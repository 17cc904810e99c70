/* mem_contexts.c - contexts in memory. */
#include <stdlib.h>

#include "store/mem.h"

struct mem_context {
  struct heap_node expires; /* first: the heap's node is the context */
  struct buf key, body;
  int64_t version, expires_ms;
  uint64_t nonce;
  UT_hash_handle hh;
};

static struct mem_context *
find (const struct mem *mem, const struct store_context *context)
{
  CLEANUP_BUF struct buf name = { 0 };
  struct mem_context *found;

  mem_key (&name, context->tenant, context->handle, STORE_HASH);
  HASH_FIND (hh, mem->contexts, name.data, name.len, found);
  return found;
}

static struct mem_context *
make (struct mem *mem, const struct store_context *like)
{
  struct mem_context *context = xcalloc (1, sizeof *context);

  mem_key (&context->key, like->tenant, like->handle, STORE_HASH);
  HASH_ADD_KEYPTR (hh, mem->contexts, context->key.data, context->key.len, context);
  heap_add (&mem->expiring, &context->expires, 0);
  mem->figures.contexts++;
  return context;
}

static void
drop (struct mem *mem, struct mem_context *context)
{
  HASH_DEL (mem->contexts, context);
  heap_remove (&mem->expiring, &context->expires);
  mem->figures.contexts--;
  buf_free (&context->key);
  buf_free (&context->body);
  free (context);
}

/* One that has expired is none. */
static struct mem_context *
find_living (struct mem *mem, const struct store_context *like, int64_t now_ms)
{
  struct mem_context *context = find (mem, like);

  if (context == NULL || context->expires_ms > now_ms)
    return context;
  drop (mem, context);
  return NULL;
}

static void
show (struct store_act *act, const struct mem_context *context)
{
  act->found = true;
  act->out.context = act->in.context;
  act->out.context.version = context->version;
  act->out.context.expires_ms = context->expires_ms;
  act->out.context.body.data = arena_strndup (act->arena, context->body.data, context->body.len);
  act->out.context.body.len = context->body.len;
}

void
mem_context_get (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_context *context = find_living (mem, &act->in.context, now_ms);

  act->status = context != NULL ? STORE_OK : STORE_NOT_FOUND;
  if (context != NULL)
    show (act, context);
}

static void
show_version (struct store_act *act, int64_t version)
{
  act->found = true;
  act->status = STORE_OK;
  act->out.context = act->in.context;
  act->out.context.body = (struct store_bytes){ 0 };
  act->out.context.version = version;
}

static void
write_context (struct mem *mem, struct mem_context *context, struct store_act *act)
{
  const struct store_context *in = &act->in.context;

  buf_reset (&context->body, 0);
  buf_append (&context->body, in->body.data, in->body.len);
  context->expires_ms = in->expires_ms;
  context->nonce = act->nonce;
  context->version = ++mem->versions;
  heap_move (&mem->expiring, &context->expires, (uint64_t) in->expires_ms);
  show_version (act, context->version);
}

void
mem_context_set (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_context *in = &act->in.context;
  struct mem_context *context = find_living (mem, in, now_ms);
  bool forget = in->body.data == NULL;

  if (act->again && context != NULL && context->nonce == act->nonce)
    show_version (act, context->version);
  else if (act->again && context == NULL && forget && in->version != 0)
    show_version (act, 0);
  else if (in->version != (context != NULL ? context->version : 0) || (forget && context == NULL)) {
    act->status = STORE_CONFLICT;
    if (context != NULL)
      show (act, context);
  }
  else if (forget) {
    drop (mem, context);
    show_version (act, 0);
  }
  else
    write_context (mem, context != NULL ? context : make (mem, in), act);
}

void
mem_forget_contexts (struct mem *mem, int64_t now_ms)
{
  struct heap_node *first;

  while ((first = heap_first (&mem->expiring)) != NULL && (int64_t) first->key <= now_ms) {
    drop (mem, (struct mem_context *) first);
    mem->figures.forgotten++;
  }
}

void
mem_free_contexts (struct mem *mem)
{
  struct heap_node *first;

  while ((first = heap_first (&mem->expiring)) != NULL)
    drop (mem, (struct mem_context *) first);
  heap_free (&mem->expiring);
}
