/* mem_definitions.c - documents in memory, each with its writes. */
#include <stdlib.h>

#include "store/mem.h"

/* One write of a document. */
struct version {
  struct buf body;
  bool removed;
  int64_t revision, written_ms, created_ms;
  uint64_t nonce;
  char *author;
};

struct mem_document {
  struct buf key;
  char *tenant, *kind, *name;
  struct version *versions; /* the last one is what is there */
  size_t count;
  UT_hash_handle hh;
};

static void
make_key (struct buf *key, const struct store_change *change)
{
  CLEANUP_BUF struct buf rest = { 0 };

  mem_key (&rest, change->kind, change->name, strlen (change->name));
  mem_key (key, change->tenant, rest.data, rest.len);
}

static struct mem_document *
find (const struct mem *mem, const struct store_change *change)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct mem_document *document;

  make_key (&key, change);
  HASH_FIND (hh, mem->documents, key.data, key.len, document);
  return document;
}

static const struct version *
last_of (const struct mem_document *document)
{
  return &document->versions[document->count - 1];
}

/* NULL: it is not there. */
static const struct version *
current (const struct mem_document *document)
{
  return document == NULL || last_of (document)->removed ? NULL : last_of (document);
}

static struct mem_document *
make (struct mem *mem, const struct store_change *change)
{
  struct mem_document *document = xcalloc (1, sizeof *document);

  make_key (&document->key, change);
  document->tenant = xstrdup (change->tenant);
  document->kind = xstrdup (change->kind);
  document->name = xstrdup (change->name);
  HASH_ADD_KEYPTR (hh, mem->documents, document->key.data, document->key.len, document);
  return document;
}

/* ---- changes ---- */

static void
forget_first (struct mem_document *document)
{
  buf_free (&document->versions[0].body);
  free (document->versions[0].author);
  document->count--;
  memmove (document->versions, document->versions + 1,
           document->count * sizeof *document->versions);
}

static void
drop (struct mem *mem, struct mem_document *document)
{
  while (document->count != 0)
    forget_first (document);
  HASH_DEL (mem->documents, document);
  buf_free (&document->key);
  free (document->tenant);
  free (document->kind);
  free (document->name);
  free (document->versions);
  free (document);
}

static void
write_one (struct mem *mem, const struct store_change *change, uint64_t nonce, int64_t now_ms)
{
  struct mem_document *document = find (mem, change);
  const struct version *was = current (document);
  struct version *version;
  int64_t created_ms = was != NULL ? was->created_ms : now_ms;

  mem->figures.definitions -= was != NULL;
  mem->figures.definitions += change->body.data != NULL;
  if (document == NULL)
    document = make (mem, change);
  document->versions =
    xrealloc (document->versions, (document->count + 1) * sizeof *document->versions);
  version = &document->versions[document->count++];
  *version = (struct version){ .removed = change->body.data == NULL,
                               .revision = mem->figures.revision,
                               .written_ms = now_ms,
                               .created_ms = created_ms,
                               .nonce = nonce,
                               .author = xstrdup (change->author) };
  buf_append (&version->body, change->body.data, version->removed ? 0 : change->body.len);
  while (document->count > mem->settings.history_max && document->count > 1)
    forget_first (document);
}

/* What speaks against one change; `has`: the revision its document has. */
static enum store_status
judge (const struct mem *mem, const struct store_changes *changes, size_t which, int64_t *has)
{
  const struct store_change *change = &changes->list[which];
  const struct version *is = current (find (mem, change));

  *has = is != NULL ? is->revision : 0;
  if (change->expect >= 0 && change->expect != *has)
    return STORE_CONFLICT;
  if (change->body.data == NULL && is == NULL)
    return STORE_NOT_FOUND;
  return STORE_OK;
}

/* The revision that was made by an act with this nonce; 0: none. */
static int64_t
made_by (const struct mem *mem, uint64_t nonce)
{
  for (const struct mem_document *document = mem->documents; document != NULL;
       document = document->hh.next)
    for (size_t i = 0; i < document->count; i++)
      if (document->versions[i].nonce == nonce)
        return document->versions[i].revision;
  return 0;
}

void
mem_change (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_changes *in = &act->in.changes;
  struct store_read *out = &act->out.read;

  act->status = STORE_OK;
  if (act->again && (out->revision = made_by (mem, act->nonce)) != 0)
    return;
  for (size_t i = 0; i < in->count; i++)
    if ((act->status = judge (mem, in, i, &out->revision)) != STORE_OK) {
      out->wrong = i;
      return;
    }
  mem->figures.revision += in->count != 0;
  out->revision = mem->figures.revision;
  for (size_t i = 0; i < in->count; i++)
    write_one (mem, &in->list[i], act->nonce, now_ms);
}

/* ---- reading ---- */

static bool
is_wanted (const char *wanted, const char *text)
{
  return wanted == NULL || strcmp (wanted, text) == 0;
}

static const char *
copy (struct arena *arena, const char *text)
{
  return arena_strndup (arena, text, strlen (text));
}

static void
show (struct store_act *act, const struct mem_document *document, const struct version *version)
{
  struct store_read *read = &act->out.read;
  struct store_definition *definition = &read->list[read->count++];

  *definition = (struct store_definition){
    .tenant = copy (act->arena, document->tenant),
    .kind = copy (act->arena, document->kind),
    .name = copy (act->arena, document->name),
    .revision = version->revision,
    .written_ms = version->written_ms,
    .created_ms = version->created_ms,
    .author = copy (act->arena, version->author),
  };
  if (!version->removed)
    definition->body =
      (struct store_bytes){ arena_strndup (act->arena, version->body.data, version->body.len),
                            version->body.len };
}

static bool
is_in (const struct store_scan *scan, const struct version *version)
{
  return version->revision > scan->since
         && (!version->removed || scan->history || scan->since != 0);
}

static void
show_document (struct store_act *act, const struct mem_document *document)
{
  const struct store_scan *scan = &act->in.scan;
  size_t first = scan->history ? 0 : document->count - 1;

  if (!is_wanted (scan->tenant, document->tenant) || !is_wanted (scan->kind, document->kind)
      || !is_wanted (scan->name, document->name))
    return;
  for (size_t i = first; i < document->count; i++)
    if (is_in (scan, &document->versions[i]))
      show (act, document, &document->versions[i]);
}

static int
by_name (const void *a, const void *b)
{
  const struct store_definition *one = a, *other = b;
  int order = strcmp (one->tenant, other->tenant);

  if (order == 0)
    order = strcmp (one->kind, other->kind);
  return order != 0 ? order : strcmp (one->name, other->name);
}

static int
by_revision (const void *a, const void *b)
{
  const struct store_definition *one = a, *other = b;

  if (one->revision != other->revision)
    return one->revision > other->revision ? -1 : 1;
  return by_name (a, b);
}

void
mem_scan (struct mem *mem, struct store_act *act, int64_t now_ms)
{
  const struct store_scan *scan = &act->in.scan;
  struct store_read *out = &act->out.read;
  size_t most = 0;

  (void) now_ms;
  out->revision = mem->figures.revision;
  act->status = scan->since != 0 && scan->since < mem->forgotten ? STORE_CONFLICT : STORE_OK;
  if (act->status != STORE_OK)
    return;
  for (const struct mem_document *d = mem->documents; d != NULL; d = d->hh.next)
    most += scan->history ? d->count : 1;
  out->list = arena_alloc (act->arena, most * sizeof *out->list);
  for (const struct mem_document *d = mem->documents; d != NULL; d = d->hh.next)
    show_document (act, d);
  qsort (out->list, out->count, sizeof *out->list, scan->history ? by_revision : by_name);
  if (scan->limit != 0 && out->count > scan->limit)
    out->count = scan->limit;
}

/* ---- upkeep ---- */

void
mem_forget_documents (struct mem *mem, int64_t now_ms)
{
  struct mem_document *document, *next;

  HASH_ITER (hh, mem->documents, document, next)
  {
    const struct version *last = last_of (document);

    if (!last->removed || last->written_ms > now_ms - mem->settings.removed_ttl_ms)
      continue;
    if (last->revision > mem->forgotten)
      mem->forgotten = last->revision;
    drop (mem, document);
    mem->figures.forgotten++;
  }
}

void
mem_free_documents (struct mem *mem)
{
  struct mem_document *document, *next;

  HASH_ITER (hh, mem->documents, document, next)
  {
    drop (mem, document);
  }
}
