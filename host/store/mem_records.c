/* mem_records.c - records in memory. */
#include <stdlib.h>

#include "store/mem.h"

struct mem_record {
  struct buf key, body;
  char *kind, *tenant, *name, *owner;
  int state;
  int64_t forget_ms, number;
  UT_hash_handle hh; /* in the order they came */
};

static void
make_key (struct buf *key, const struct store_record *record)
{
  CLEANUP_BUF struct buf rest = { 0 };

  mem_key (&rest, record->kind, record->name, strlen (record->name));
  mem_key (key, record->tenant, rest.data, rest.len);
}

static struct mem_record *
find (const struct mem *mem, const struct store_record *like)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct mem_record *record;

  make_key (&key, like);
  HASH_FIND (hh, mem->records, key.data, key.len, record);
  return record;
}

/* What is bounded. */
static size_t
held (const struct mem_record *record)
{
  return record->forget_ms != 0 ? record->body.len : 0;
}

static struct mem_record *
make (struct mem *mem, const struct store_record *like)
{
  struct mem_record *record = xcalloc (1, sizeof *record);

  make_key (&record->key, like);
  record->kind = xstrdup (like->kind);
  record->tenant = xstrdup (like->tenant);
  record->name = xstrdup (like->name);
  record->number = ++mem->numbers;
  HASH_ADD_KEYPTR (hh, mem->records, record->key.data, record->key.len, record);
  mem->figures.records++;
  return record;
}

static void
drop (struct mem *mem, struct mem_record *record)
{
  mem->records_held -= held (record);
  HASH_DEL (mem->records, record);
  mem->figures.records--;
  buf_free (&record->key);
  buf_free (&record->body);
  free (record->kind);
  free (record->tenant);
  free (record->name);
  free (record->owner);
  free (record);
}

/* The oldest of those that are forgotten one day are forgotten now, for those that come. */
static void
make_room (struct mem *mem, const struct mem_record *but)
{
  struct mem_record *record, *next;

  HASH_ITER (hh, mem->records, record, next)
  {
    if (mem->records_held <= mem->settings.memory_max)
      return;
    if (record != but && record->forget_ms != 0)
      drop (mem, record);
  }
}

void
mem_record (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_record *in = &act->in.record;
  struct mem_record *record = find (mem, in);

  (void) now_ms;
  act->status = STORE_OK;
  if (in->body.data == NULL) {
    if (record != NULL)
      drop (mem, record);
    return;
  }
  if (record == NULL)
    record = make (mem, in);
  mem->records_held -= held (record);
  free (record->owner);
  record->owner = xstrdup (in->owner);
  record->state = in->state;
  record->forget_ms = in->forget_ms;
  buf_reset (&record->body, 0);
  buf_append (&record->body, in->body.data, in->body.len);
  mem->records_held += held (record);
  make_room (mem, record);
}

/* ---- looking ---- */

static bool
is_wanted (const struct mem_record *record, const struct store_record_query *query, int64_t now_ms)
{
  return strcmp (record->kind, query->kind) == 0
         && (query->tenant == NULL || strcmp (record->tenant, query->tenant) == 0)
         && (query->name == NULL || strcmp (record->name, query->name) == 0)
         && (query->owner == NULL || strcmp (record->owner, query->owner) == 0)
         && (query->states == 0 || (query->states >> record->state & 1) != 0)
         && (query->before == 0 || record->number < query->before)
         && (record->forget_ms == 0 || record->forget_ms > now_ms);
}

static const char *
copy (struct arena *arena, const char *text)
{
  return arena_strndup (arena, text, strlen (text));
}

static struct store_record
show (const struct mem_record *record, struct arena *arena)
{
  return (struct store_record){
    .kind = copy (arena, record->kind),
    .tenant = copy (arena, record->tenant),
    .name = copy (arena, record->name),
    .owner = copy (arena, record->owner),
    .body = { arena_strndup (arena, record->body.data, record->body.len), record->body.len },
    .state = record->state,
    .forget_ms = record->forget_ms,
    .number = record->number,
  };
}

static const struct mem_record *
newest (const struct mem *mem)
{
  if (mem->records == NULL)
    return NULL;
  return ELMT_FROM_HH (mem->records->hh.tbl, mem->records->hh.tbl->tail);
}

void
mem_records (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_record_query *query = &act->in.records;
  CLEANUP_BUF struct buf list = { 0 };
  size_t count = 0;

  for (const struct mem_record *r = newest (mem); r != NULL; r = r->hh.prev) {
    struct store_record record;

    if (!is_wanted (r, query, now_ms))
      continue;
    if (query->limit != 0 && count == query->limit)
      break;
    record = show (r, act->arena);
    buf_append (&list, &record, sizeof record);
    count++;
  }
  act->status = STORE_OK;
  act->out.records.count = count;
  act->out.records.list = arena_alloc (act->arena, list.len);
  if (count != 0)
    memcpy (act->out.records.list, list.data, list.len);
}

void
mem_forget_records (struct mem *mem, int64_t now_ms)
{
  struct mem_record *record, *next;

  HASH_ITER (hh, mem->records, record, next)
  {
    if (record->forget_ms == 0 || record->forget_ms > now_ms)
      continue;
    drop (mem, record);
    mem->figures.forgotten++;
  }
}

void
mem_free_records (struct mem *mem)
{
  while (mem->records != NULL)
    drop (mem, mem->records);
}
