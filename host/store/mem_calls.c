/* mem_calls.c - the ledger in memory. */
#include <stdlib.h>

#include "store/mem.h"

struct mem_call {
  struct buf key;
  enum store_claimed state;
  uint64_t nonce;
  bool owned; /* somebody runs it, who may end it */
  unsigned char what[STORE_HASH];
  char *tool;
  struct buf about, result;
  int64_t created_ms, ended_ms;
  struct mem_call *older, *newer; /* of those that don't run */
  bool listed;
  UT_hash_handle hh;
};

static struct mem_call *
find (const struct mem *mem, const struct store_key *key)
{
  CLEANUP_BUF struct buf name = { 0 };
  struct mem_call *call;

  mem_key (&name, key->tenant, key->id, STORE_HASH);
  HASH_FIND (hh, mem->calls, name.data, name.len, call);
  return call;
}

static size_t
size_of (const struct mem_call *call)
{
  return sizeof *call + call->key.len + call->about.len + call->result.len;
}

/* ---- those that don't run, oldest first ---- */

static void
list_add (struct mem *mem, struct mem_call *call)
{
  call->older = mem->newest;
  call->newer = NULL;
  call->listed = true;
  if (mem->newest != NULL)
    mem->newest->newer = call;
  else
    mem->oldest = call;
  mem->newest = call;
  mem->held += size_of (call);
}

static void
list_remove (struct mem *mem, struct mem_call *call)
{
  if (!call->listed)
    return;
  if (call->older != NULL)
    call->older->newer = call->newer;
  else
    mem->oldest = call->newer;
  if (call->newer != NULL)
    call->newer->older = call->older;
  else
    mem->newest = call->older;
  call->listed = false;
  mem->held -= size_of (call);
}

/* ---- one call ---- */

static struct mem_call *
make (struct mem *mem, const struct store_key *key, int64_t now_ms)
{
  struct mem_call *call = xcalloc (1, sizeof *call);

  mem_key (&call->key, key->tenant, key->id, STORE_HASH);
  call->created_ms = now_ms;
  HASH_ADD_KEYPTR (hh, mem->calls, call->key.data, call->key.len, call);
  mem->figures.calls++;
  return call;
}

static void
drop (struct mem *mem, struct mem_call *call)
{
  list_remove (mem, call);
  HASH_DEL (mem->calls, call);
  mem->figures.calls--;
  mem->figures.running -= call->owned;
  buf_free (&call->key);
  buf_free (&call->about);
  buf_free (&call->result);
  free (call->tool);
  free (call);
}

static struct store_bytes
show_bytes (struct arena *arena, const struct buf *bytes)
{
  return (struct store_bytes){ arena_strndup (arena, bytes->data, bytes->len), bytes->len };
}

static void
show (struct store_act *act, const struct mem_call *call)
{
  const char *tool = call->tool != NULL ? call->tool : "";

  act->found = true;
  act->out.call = (struct store_call){
    .state = call->state,
    .tool = arena_strndup (act->arena, tool, strlen (tool)),
    .about = show_bytes (act->arena, &call->about),
    .created_ms = call->created_ms,
    .ended_ms = call->ended_ms,
  };
  if (call->state == STORE_ENDED)
    act->out.call.result = show_bytes (act->arena, &call->result);
}

/* ---- the acts ---- */

static void
win (struct mem *mem, struct mem_call *call, struct store_act *act)
{
  const struct store_claim *claim = &act->in.claim;

  call->state = STORE_RUNNING;
  call->nonce = act->nonce;
  call->owned = true;
  memcpy (call->what, claim->what, STORE_HASH);
  call->tool = xstrdup (claim->tool);
  buf_append (&call->about, claim->about.data, claim->about.len);
  mem->figures.running++;
  act->verdict = STORE_WON;
}

/* What somebody else is told who claims it; the same claim, asked again, has won it. */
static enum store_claimed
judge (struct mem_call *call, const struct store_act *act)
{
  bool mine = act->freed || (act->again && act->nonce == call->nonce);

  if (call->tool != NULL && memcmp (call->what, act->in.claim.what, STORE_HASH) != 0)
    return STORE_OTHER;
  if (call->state != STORE_RUNNING || !mine)
    return call->state;
  call->nonce = act->nonce;
  return STORE_WON;
}

void
mem_claim (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_call *call = find (mem, &act->in.claim.key);

  act->status = STORE_OK;
  if (call == NULL) {
    win (mem, make (mem, &act->in.claim.key, now_ms), act);
    return;
  }
  act->verdict = judge (call, act);
  if (act->verdict != STORE_WON)
    show (act, call);
}

static bool
is_result (const struct mem_call *call, struct store_bytes result)
{
  return call->result.len == result.len
         && (result.len == 0 || memcmp (call->result.data, result.data, result.len) == 0);
}

static void
end (struct mem *mem, struct mem_call *call, enum store_claimed state, int64_t now_ms)
{
  mem->figures.running -= call->owned;
  call->owned = false;
  call->state = state;
  call->ended_ms = now_ms;
  list_remove (mem, call);
  list_add (mem, call);
}

/* Above what may be held the oldest go first, never the one that has just ended. */
static void
keep_bounds (struct mem *mem)
{
  while (mem->held > mem->settings.memory_max && mem->oldest != mem->newest)
    drop (mem, mem->oldest);
}

void
mem_finish (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_finish *finish = &act->in.finish;
  struct mem_call *call = find (mem, &finish->key);

  act->status = STORE_NOT_FOUND;
  if (call == NULL)
    return;
  if (call->state == STORE_ENDED)
    act->status = is_result (call, finish->result) ? STORE_OK : STORE_CONFLICT;
  if (!call->owned)
    return;
  buf_append (&call->result, finish->result.data, finish->result.len);
  end (mem, call, STORE_ENDED, now_ms);
  mem_put_letters (mem, finish->letters, finish->letters_count, act->nonce, now_ms);
  keep_bounds (mem);
  act->status = STORE_OK;
}

void
mem_release (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_call *call = find (mem, &act->in.key);

  act->status = STORE_NOT_FOUND;
  if (call == NULL || !call->owned)
    return;
  act->status = STORE_OK;
  if (call->state == STORE_RUNNING)
    drop (mem, call);
  else
    end (mem, call, STORE_CANCELLED, now_ms);
}

void
mem_cancel (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_call *call = find (mem, &act->in.key);

  act->status = STORE_OK;
  if (call == NULL) {
    call = make (mem, &act->in.key, now_ms);
    end (mem, call, STORE_CANCELLED, now_ms);
  }
  else if (call->state == STORE_RUNNING)
    call->state = STORE_CANCELLED;
  else if (call->state != STORE_CANCELLED)
    act->status = STORE_CONFLICT;
}

void
mem_lookup (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_call *call = find (mem, &act->in.key);

  (void) now_ms;
  act->status = call != NULL ? STORE_OK : STORE_NOT_FOUND;
  if (call != NULL)
    show (act, call);
}

void
mem_forget_calls (struct mem *mem, int64_t now_ms)
{
  while (mem->oldest != NULL && mem->oldest->ended_ms <= now_ms - mem->settings.result_ttl_ms) {
    drop (mem, mem->oldest);
    mem->figures.forgotten++;
  }
}

void
mem_free_calls (struct mem *mem)
{
  struct mem_call *call, *next;

  HASH_ITER (hh, mem->calls, call, next)
  {
    drop (mem, call);
  }
}
