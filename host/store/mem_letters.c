/* mem_letters.c - the outbox in memory. */
#include <stdlib.h>

#include "store/mem.h"

struct mem_letter {
  struct heap_node due; /* first: the heap's node is the letter */
  int64_t id, created_ms;
  unsigned attempt;
  uint64_t nonce;
  char *tenant, *hook;
  struct buf payload;
  UT_hash_handle hh;
};

static struct mem_letter *
find (const struct mem *mem, int64_t id)
{
  struct mem_letter *letter;

  HASH_FIND (hh, mem->letters, &id, sizeof id, letter);
  return letter;
}

void
mem_put_letters (struct mem *mem, const struct store_letter *letters, size_t count, uint64_t nonce,
                 int64_t now_ms)
{
  for (size_t i = 0; i < count; i++) {
    struct mem_letter *letter = xcalloc (1, sizeof *letter);

    letter->id = ++mem->ids;
    letter->created_ms = now_ms;
    letter->nonce = nonce;
    letter->tenant = xstrdup (letters[i].tenant);
    letter->hook = xstrdup (letters[i].hook);
    buf_append (&letter->payload, letters[i].payload.data, letters[i].payload.len);
    HASH_ADD (hh, mem->letters, id, sizeof letter->id, letter);
    heap_add (&mem->due, &letter->due, (uint64_t) now_ms);
    mem->figures.letters++;
  }
}

static void
drop (struct mem *mem, struct mem_letter *letter)
{
  HASH_DEL (mem->letters, letter);
  heap_remove (&mem->due, &letter->due);
  mem->figures.letters--;
  free (letter->tenant);
  free (letter->hook);
  buf_free (&letter->payload);
  free (letter);
}

static bool
is_there (const struct mem *mem, uint64_t nonce)
{
  for (const struct mem_letter *letter = mem->letters; letter != NULL; letter = letter->hh.next)
    if (letter->nonce == nonce)
      return true;
  return false;
}

void
mem_post (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_letters *in = &act->in.letters;

  if (!act->again || !is_there (mem, act->nonce))
    mem_put_letters (mem, in->list, in->count, act->nonce, now_ms);
  act->status = STORE_OK;
}

static void
show (struct arena *arena, const struct mem_letter *letter, struct store_due *due)
{
  *due = (struct store_due){
    .id = letter->id,
    .tenant = arena_strndup (arena, letter->tenant, strlen (letter->tenant)),
    .hook = arena_strndup (arena, letter->hook, strlen (letter->hook)),
    .payload = { arena_strndup (arena, letter->payload.data, letter->payload.len),
                 letter->payload.len },
    .attempt = letter->attempt,
    .created_ms = letter->created_ms,
  };
}

void
mem_take (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_errand *in = &act->in.errand;
  struct store_dues *out = &act->out.dues;
  size_t most = in->most < mem->due.count ? in->most : mem->due.count;
  int64_t lease_ms = in->lease_ms > 0 ? in->lease_ms : 1;
  struct heap_node *first;

  out->list = arena_alloc (act->arena, most * sizeof *out->list);
  while (out->count < most && (first = heap_first (&mem->due)) != NULL
         && (int64_t) first->key <= now_ms) {
    struct mem_letter *letter = (struct mem_letter *) first;

    letter->attempt++;
    heap_move (&mem->due, first, (uint64_t) (now_ms + lease_ms));
    show (act->arena, letter, &out->list[out->count++]);
  }
  first = heap_first (&mem->due);
  out->next_ms = first != NULL ? (int64_t) first->key : 0;
  act->status = STORE_OK;
}

void
mem_sent (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_letter *letter = find (mem, act->in.errand.id);

  (void) now_ms;
  if (letter != NULL)
    drop (mem, letter);
  act->status = STORE_OK;
}

void
mem_retry (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  struct mem_letter *letter = find (mem, act->in.errand.id);

  (void) now_ms;
  act->status = letter != NULL ? STORE_OK : STORE_NOT_FOUND;
  if (letter != NULL)
    heap_move (&mem->due, &letter->due, (uint64_t) act->in.errand.at_ms);
}

void
mem_free_letters (struct mem *mem)
{
  struct heap_node *first;

  while ((first = heap_first (&mem->due)) != NULL)
    drop (mem, (struct mem_letter *) first);
  heap_free (&mem->due);
}
