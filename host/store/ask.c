/* ask.c - each function that asks the engine for something: checks its size, and copies it. */
#include <stdlib.h>

#include "store/store_parts.h"

/* ---- copies ---- */

static struct store_bytes
copy_bytes (struct arena *arena, struct store_bytes bytes)
{
  if (bytes.data == NULL)
    return bytes;
  return (struct store_bytes){ arena_strndup (arena, bytes.data, bytes.len), bytes.len };
}

/* Nothing is an empty text. */
static struct store_bytes
copy_content (struct arena *arena, struct store_bytes bytes)
{
  return bytes.data != NULL ? copy_bytes (arena, bytes) : (struct store_bytes){ "", 0 };
}

static const char *
copy_text (struct arena *arena, const char *text)
{
  return text != NULL ? arena_strndup (arena, text, strlen (text)) : NULL;
}

static struct store_key
copy_key (struct arena *arena, const struct store_key *key)
{
  struct store_key copy = *key;

  copy.tenant = copy_text (arena, key->tenant);
  return copy;
}

static const struct store_letter *
copy_letters (struct arena *arena, const struct store_letter *letters, size_t count)
{
  struct store_letter *copy = arena_alloc (arena, count * sizeof *copy);

  for (size_t i = 0; i < count; i++) {
    copy[i].tenant = copy_text (arena, letters[i].tenant);
    copy[i].hook = copy_text (arena, letters[i].hook);
    copy[i].payload = copy_content (arena, letters[i].payload);
  }
  return copy;
}

static const struct store_change *
copy_changes (struct arena *arena, const struct store_change *changes, size_t count)
{
  struct store_change *copy = arena_alloc (arena, count * sizeof *copy);

  for (size_t i = 0; i < count; i++) {
    copy[i] = changes[i];
    copy[i].tenant = copy_text (arena, changes[i].tenant);
    copy[i].kind = copy_text (arena, changes[i].kind);
    copy[i].name = copy_text (arena, changes[i].name);
    copy[i].author = copy_text (arena, changes[i].author != NULL ? changes[i].author : "");
    copy[i].body = copy_bytes (arena, changes[i].body);
  }
  return copy;
}

/* ---- sizes ---- */

static bool
letters_fit (const struct store *store, const struct store_letter *letters, size_t count,
             size_t *bytes)
{
  for (size_t i = 0; i < count; i++) {
    if (letters[i].payload.len > store->settings.letter_max)
      return false;
    *bytes += letters[i].payload.len;
  }
  return true;
}

/* The first change that does not fit; `count` when all do. */
static size_t
too_large_change (const struct store *store, const struct store_change *changes, size_t count,
                  size_t *bytes)
{
  for (size_t i = 0; i < count; i++) {
    if (changes[i].body.data != NULL && changes[i].body.len > store->settings.definition_max)
      return i;
    *bytes += changes[i].body.len;
  }
  return count;
}

/* ---- calls ---- */

void
store_claim (struct store *store, const struct store_claim *claim, store_claim_cb cb, void *ctx)
{
  struct store_act *act = store_new_act (store, STORE_ACT_CLAIM, claim->about.len);

  act->told.claim = cb;
  act->ctx = ctx;
  act->in.claim = *claim;
  act->in.claim.key = copy_key (act->arena, &claim->key);
  if (act->refused)
    return;
  act->in.claim.tool = copy_text (act->arena, claim->tool);
  act->in.claim.about = copy_content (act->arena, claim->about);
}

void
store_finish (struct store *store, const struct store_finish *finish, store_cb cb, void *ctx)
{
  size_t bytes = finish->result.len;
  bool fits = bytes <= store->settings.result_max
              && letters_fit (store, finish->letters, finish->letters_count, &bytes);
  struct store_act *act = fits ? store_new_act (store, STORE_ACT_FINISH, bytes)
                               : store_new_refused (store, STORE_ACT_FINISH, STORE_TOO_LARGE);

  act->told.plain = cb;
  act->ctx = ctx;
  if (act->refused)
    return;
  act->in.finish.key = copy_key (act->arena, &finish->key);
  act->in.finish.result = copy_content (act->arena, finish->result);
  act->in.finish.letters = copy_letters (act->arena, finish->letters, finish->letters_count);
  act->in.finish.letters_count = finish->letters_count;
}

static struct store_act *
ask_by_key (struct store *store, enum store_kind kind, const struct store_key *key, void *ctx)
{
  struct store_act *act = store_new_act (store, kind, 0);

  act->ctx = ctx;
  act->in.key = copy_key (act->arena, key);
  return act;
}

void
store_release (struct store *store, const struct store_key *key, store_cb cb, void *ctx)
{
  ask_by_key (store, STORE_ACT_RELEASE, key, ctx)->told.plain = cb;
}

void
store_cancel (struct store *store, const struct store_key *key, store_cb cb, void *ctx)
{
  ask_by_key (store, STORE_ACT_CANCEL, key, ctx)->told.plain = cb;
}

void
store_lookup (struct store *store, const struct store_key *key, store_call_cb cb, void *ctx)
{
  ask_by_key (store, STORE_ACT_LOOKUP, key, ctx)->told.call = cb;
}

/* ---- definitions ---- */

static int
by_document (const void *a, const void *b)
{
  const struct store_change *one = *(const struct store_change *const *) a,
                            *other = *(const struct store_change *const *) b;
  int order = strcmp (one->name, other->name);

  if (order == 0)
    order = strcmp (one->kind, other->kind);
  return order != 0 ? order : strcmp (one->tenant, other->tenant);
}

/* The change of a document that another one changes, too; `count`: there is none. */
static size_t
changed_twice (const struct store_change *changes, size_t count)
{
  CLEANUP_FREE const struct store_change **sorted = xcalloc (count, sizeof *sorted);
  size_t found = count;

  for (size_t i = 0; i < count; i++)
    sorted[i] = &changes[i];
  qsort (sorted, count, sizeof *sorted, by_document);
  for (size_t i = 1; i < count && found == count; i++)
    if (by_document (&sorted[i - 1], &sorted[i]) == 0)
      found = (size_t) ((sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1]) - changes);
  return found;
}

/* What speaks against the changes whatever is in the store; `wrong`: against which. */
static enum store_status
judge_changes (const struct store *store, const struct store_change *changes, size_t count,
               size_t *bytes, size_t *wrong)
{
  *wrong = too_large_change (store, changes, count, bytes);
  if (*wrong != count)
    return STORE_TOO_LARGE;
  *wrong = changed_twice (changes, count);
  return *wrong != count ? STORE_CONFLICT : STORE_OK;
}

void
store_change (struct store *store, const struct store_change *changes, size_t count,
              store_change_cb cb, void *ctx)
{
  size_t bytes = 0, wrong;
  enum store_status status = judge_changes (store, changes, count, &bytes, &wrong);
  struct store_act *act = status == STORE_OK ? store_new_act (store, STORE_ACT_CHANGE, bytes)
                                             : store_new_refused (store, STORE_ACT_CHANGE, status);

  act->told.change = cb;
  act->ctx = ctx;
  act->out.read.wrong = status == STORE_OK ? 0 : wrong;
  if (act->refused)
    return;
  act->in.changes.list = copy_changes (act->arena, changes, count);
  act->in.changes.count = count;
}

void
store_scan (struct store *store, const struct store_scan *scan, store_scan_cb cb, void *ctx)
{
  struct store_act *act = store_new_act (store, STORE_ACT_SCAN, 0);

  act->told.scan = cb;
  act->ctx = ctx;
  act->in.scan = *scan;
  act->in.scan.tenant = copy_text (act->arena, scan->tenant);
  act->in.scan.kind = copy_text (act->arena, scan->kind);
  act->in.scan.name = copy_text (act->arena, scan->name);
}

/* ---- contexts ---- */

void
store_context_get (struct store *store, const char *tenant, const unsigned char handle[STORE_HASH],
                   store_context_cb cb, void *ctx)
{
  struct store_act *act = store_new_act (store, STORE_ACT_CONTEXT_GET, 0);

  act->told.context = cb;
  act->ctx = ctx;
  act->in.context = (struct store_context){ .tenant = copy_text (act->arena, tenant) };
  memcpy (act->in.context.handle, handle, STORE_HASH);
}

void
store_context_set (struct store *store, const struct store_context *context, store_context_cb cb,
                   void *ctx)
{
  bool fits = context->body.data == NULL || context->body.len <= store->settings.context_max;
  struct store_act *act = fits ? store_new_act (store, STORE_ACT_CONTEXT_SET, context->body.len)
                               : store_new_refused (store, STORE_ACT_CONTEXT_SET, STORE_TOO_LARGE);

  act->told.context = cb;
  act->ctx = ctx;
  if (act->refused)
    return;
  act->in.context = *context;
  act->in.context.tenant = copy_text (act->arena, context->tenant);
  act->in.context.body = copy_bytes (act->arena, context->body);
}

/* ---- outbox ---- */

void
store_post (struct store *store, const struct store_letter *letters, size_t count, store_cb cb,
            void *ctx)
{
  size_t bytes = 0;
  bool fits = letters_fit (store, letters, count, &bytes);
  struct store_act *act = fits ? store_new_act (store, STORE_ACT_POST, bytes)
                               : store_new_refused (store, STORE_ACT_POST, STORE_TOO_LARGE);

  act->told.plain = cb;
  act->ctx = ctx;
  if (act->refused)
    return;
  act->in.letters.list = copy_letters (act->arena, letters, count);
  act->in.letters.count = count;
}

static struct store_act *
ask_errand (struct store *store, enum store_kind kind, struct store_errand errand, void *ctx)
{
  struct store_act *act = store_new_act (store, kind, 0);

  act->ctx = ctx;
  act->in.errand = errand;
  return act;
}

void
store_take (struct store *store, size_t most, int64_t lease_ms, store_due_cb cb, void *ctx)
{
  struct store_errand errand = { .most = most, .lease_ms = lease_ms };

  ask_errand (store, STORE_ACT_TAKE, errand, ctx)->told.due = cb;
}

void
store_sent (struct store *store, int64_t id, store_cb cb, void *ctx)
{
  ask_errand (store, STORE_ACT_SENT, (struct store_errand){ .id = id }, ctx)->told.plain = cb;
}

void
store_retry (struct store *store, int64_t id, int64_t at_ms, store_cb cb, void *ctx)
{
  struct store_errand errand = { .id = id, .at_ms = at_ms };

  ask_errand (store, STORE_ACT_RETRY, errand, ctx)->told.plain = cb;
}

/* ---- records ---- */

void
store_record_set (struct store *store, const struct store_record *record, store_cb cb, void *ctx)
{
  bool fits = record->body.data == NULL || record->body.len <= store->settings.record_max;
  struct store_act *act = fits ? store_new_act (store, STORE_ACT_RECORD, record->body.len)
                               : store_new_refused (store, STORE_ACT_RECORD, STORE_TOO_LARGE);

  act->told.plain = cb;
  act->ctx = ctx;
  if (act->refused)
    return;
  act->in.record = *record;
  act->in.record.kind = copy_text (act->arena, record->kind);
  act->in.record.tenant = copy_text (act->arena, record->tenant);
  act->in.record.name = copy_text (act->arena, record->name);
  act->in.record.owner = copy_text (act->arena, record->owner != NULL ? record->owner : "");
  act->in.record.body = copy_bytes (act->arena, record->body);
}

void
store_records (struct store *store, const struct store_record_query *query, store_records_cb cb,
               void *ctx)
{
  struct store_act *act = store_new_act (store, STORE_ACT_RECORDS, 0);

  act->told.records = cb;
  act->ctx = ctx;
  act->in.records = *query;
  act->in.records.kind = copy_text (act->arena, query->kind);
  act->in.records.tenant = copy_text (act->arena, query->tenant);
  act->in.records.name = copy_text (act->arena, query->name);
  act->in.records.owner = copy_text (act->arena, query->owner);
}

/* ---- upkeep ---- */

void
store_tick (struct store *store)
{
  ask_errand (store, STORE_ACT_TICK, (struct store_errand){ 0 }, NULL)->told.plain = NULL;
}
