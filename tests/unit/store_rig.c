#include "store_rig.h"

#include <stdio.h>
#include <string.h>

#include "store_faults.h"
#include "tap.h"

/* ---- the store ---- */

static int64_t
rig_now (void *ctx)
{
  return ((struct rig *) ctx)->now_ms;
}

static void
rig_health (void *ctx, bool well, const char *why)
{
  struct rig *rig = ctx;

  rig->well = well;
  rig->healths++;
  snprintf (rig->why, sizeof rig->why, "%s", why != NULL ? why : "");
}

static void
rig_reset (struct rig *rig)
{
  rig->settings = store_defaults;
  rig->settings.loop = rig->loop;
  rig->settings.folder = rig->place.path;
  rig->settings.now_ms = rig_now;
  rig->settings.health = rig_health;
  rig->settings.ctx = rig;
}

void
rig_open (struct rig *rig, enum rig_kind kind)
{
  *rig = (struct rig){ .kind = kind, .now_ms = 1000000, .well = true };
  rig->loop = ev_loop_new (EVFLAG_AUTO);
  place_open (&rig->place);
  rig_reset (rig);
  rig_start (rig);
}

bool
rig_try_start (struct rig *rig, struct error *err)
{
  bool memory = rig->kind == RIG_MEMORY || rig->kind == RIG_MEMORY_FAULTS;
  bool faults = rig->kind == RIG_MEMORY_FAULTS || rig->kind == RIG_SQLITE_FAULTS;
  struct store_engine *engine =
    memory ? memory_engine_new (&rig->settings) : sqlite_engine_new (&rig->settings, err);

  if (engine == NULL)
    return false;
  if (faults)
    engine = rig->faults = faults_new (engine, rig->loop);
  rig->store = store_open (engine, &rig->settings);
  return true;
}

void
rig_start (struct rig *rig)
{
  struct error err = { 0 };

  if (!rig_try_start (rig, &err)) {
    printf ("# %s\n", err.text);
    CU_FAIL_FATAL ("the store can't be opened");
  }
}

void
rig_stop (struct rig *rig)
{
  store_close (rig->store);
  rig->store = NULL;
}

void
rig_close (struct rig *rig)
{
  rig_stop (rig);
  place_close (&rig->place);
  ev_loop_destroy (rig->loop);
  arena_free (&rig->arena);
}

void
rig_until (struct rig *rig, const struct said *said, unsigned told)
{
  while (said->told < told)
    if (!ev_run (rig->loop, EVRUN_ONCE) && said->told < told) {
      CU_FAIL ("the loop has nothing to wait for, and nothing was told");
      return;
    }
}

void
rig_turns (struct rig *rig, unsigned turns)
{
  while (turns-- != 0)
    ev_run (rig->loop, EVRUN_NOWAIT);
}

/* ---- values ---- */

bool
is_text (struct store_bytes bytes, const char *text)
{
  return bytes.data != NULL && bytes.len == strlen (text)
         && memcmp (bytes.data, text, bytes.len) == 0;
}

struct store_key
key_of (unsigned number)
{
  struct store_key key = { .tenant = "acme" };

  memcpy (key.id, &number, sizeof number);
  return key;
}

struct store_claim
claim_of (unsigned number, unsigned what)
{
  struct store_claim claim = { .key = key_of (number),
                               .tool = "clock__now",
                               .about = TEXT ("{\"id\":\"c1\"}") };

  memcpy (claim.what, &what, sizeof what);
  return claim;
}

static const char *
keep_text (struct rig *rig, const char *text)
{
  return text != NULL ? arena_strndup (&rig->arena, text, strlen (text)) : NULL;
}

static struct store_bytes
keep_bytes (struct rig *rig, struct store_bytes bytes)
{
  if (bytes.data == NULL)
    return bytes;
  return (struct store_bytes){ arena_strndup (&rig->arena, bytes.data, bytes.len), bytes.len };
}

/* ---- what was told ---- */

static void
keep_call (struct said *said, const struct store_call *call)
{
  said->call = (struct store_call){ .tool = NULL };
  if (call == NULL)
    return;
  said->call = *call;
  said->call.tool = keep_text (said->rig, call->tool);
  said->call.about = keep_bytes (said->rig, call->about);
  said->call.result = keep_bytes (said->rig, call->result);
}

void
said_claim (void *ctx, enum store_claimed verdict, const struct store_call *call)
{
  struct said *said = ctx;

  said->told++;
  said->verdict = verdict;
  keep_call (said, call);
}

void
said_status (void *ctx, enum store_status status)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
}

void
said_call (void *ctx, enum store_status status, const struct store_call *call)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  keep_call (said, call);
}

void
said_change (void *ctx, enum store_status status, int64_t revision, size_t wrong)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->revision = revision;
  said->wrong = wrong;
}

void
said_scan (void *ctx, enum store_status status, const struct store_definition *definitions,
           size_t count, int64_t revision)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->count = count;
  said->revision = revision;
  said->definitions = arena_alloc (&said->rig->arena, count * sizeof *said->definitions);
  for (size_t i = 0; i < count; i++) {
    struct store_definition *definition = &said->definitions[i];

    *definition = definitions[i];
    definition->tenant = keep_text (said->rig, definition->tenant);
    definition->kind = keep_text (said->rig, definition->kind);
    definition->name = keep_text (said->rig, definition->name);
    definition->author = keep_text (said->rig, definition->author);
    definition->body = keep_bytes (said->rig, definition->body);
  }
}

void
said_context (void *ctx, enum store_status status, const struct store_context *context)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->context = (struct store_context){ .tenant = NULL };
  if (context == NULL)
    return;
  said->context = *context;
  said->context.tenant = keep_text (said->rig, context->tenant);
  said->context.body = keep_bytes (said->rig, context->body);
}

void
said_due (void *ctx, enum store_status status, const struct store_due *due, size_t count,
          int64_t next_ms)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->count = count;
  said->next_ms = next_ms;
  said->dues = arena_alloc (&said->rig->arena, count * sizeof *said->dues);
  for (size_t i = 0; i < count; i++) {
    said->dues[i] = due[i];
    said->dues[i].tenant = keep_text (said->rig, due[i].tenant);
    said->dues[i].hook = keep_text (said->rig, due[i].hook);
    said->dues[i].payload = keep_bytes (said->rig, due[i].payload);
  }
}

void
said_records (void *ctx, enum store_status status, const struct store_record *records, size_t count)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->count = count;
  said->records = arena_alloc (&said->rig->arena, count * sizeof *said->records);
  for (size_t i = 0; i < count; i++) {
    said->records[i] = records[i];
    said->records[i].kind = keep_text (said->rig, records[i].kind);
    said->records[i].tenant = keep_text (said->rig, records[i].tenant);
    said->records[i].name = keep_text (said->rig, records[i].name);
    said->records[i].owner = keep_text (said->rig, records[i].owner);
    said->records[i].body = keep_bytes (said->rig, records[i].body);
  }
}

void
said_backup (void *ctx, enum store_status status, const char *why)
{
  struct said *said = ctx;

  said->told++;
  said->status = status;
  said->why = why != NULL ? arena_strndup (&said->rig->arena, why, strlen (why)) : NULL;
}

/* ---- asking and waiting: until the engine has said what it is ---- */

#define ASK_UNTIL(said_unknown, ask)                                                               \
  do {                                                                                             \
    unsigned before = said.told;                                                                   \
    ask;                                                                                           \
    rig_until (rig, &said, before + 1);                                                            \
    if (said.told == before)                                                                       \
      break;                                                                                       \
  } while (said_unknown)
#define ASK(ask) ASK_UNTIL (said.status == STORE_UNAVAILABLE, ask)
#define ASK_ONCE(ask) ASK_UNTIL (false, ask)

struct said
rig_claim (struct rig *rig, unsigned number, unsigned what)
{
  struct said said = { .rig = rig };
  struct store_claim claim = claim_of (number, what);

  ASK_UNTIL (said.verdict == STORE_NOT_CLAIMED,
             store_claim (rig->store, &claim, said_claim, &said));
  return said;
}

enum store_status
rig_finish_with (struct rig *rig, unsigned number, struct store_bytes result,
                 const struct store_letter *letters, size_t count)
{
  struct said said = { .rig = rig };
  struct store_finish finish = {
    .key = key_of (number), .result = result, .letters = letters, .letters_count = count
  };

  ASK (store_finish (rig->store, &finish, said_status, &said));
  return said.status;
}

enum store_status
rig_finish (struct rig *rig, unsigned number, struct store_bytes result)
{
  return rig_finish_with (rig, number, result, NULL, 0);
}

enum store_status
rig_release (struct rig *rig, unsigned number)
{
  struct said said = { .rig = rig };
  struct store_key key = key_of (number);

  ASK_ONCE (store_release (rig->store, &key, said_status, &said));
  return said.status;
}

enum store_status
rig_cancel (struct rig *rig, unsigned number)
{
  struct said said = { .rig = rig };
  struct store_key key = key_of (number);

  ASK (store_cancel (rig->store, &key, said_status, &said));
  return said.status;
}

struct said
rig_lookup (struct rig *rig, unsigned number)
{
  struct said said = { .rig = rig };
  struct store_key key = key_of (number);

  ASK (store_lookup (rig->store, &key, said_call, &said));
  return said;
}

struct said
rig_change (struct rig *rig, const struct store_change *changes, size_t count)
{
  struct said said = { .rig = rig };

  ASK (store_change (rig->store, changes, count, said_change, &said));
  return said;
}

struct said
rig_put (struct rig *rig, const char *name, const char *body, int64_t expect)
{
  struct store_change change = {
    .tenant = "acme", .kind = "tool", .name = name, .expect = expect, .author = "ops"
  };

  if (body != NULL)
    change.body = (struct store_bytes){ body, strlen (body) };
  return rig_change (rig, &change, 1);
}

struct said
rig_scan (struct rig *rig, const struct store_scan *scan)
{
  struct said said = { .rig = rig };

  ASK (store_scan (rig->store, scan, said_scan, &said));
  return said;
}

struct said
rig_context_get (struct rig *rig, unsigned number)
{
  struct said said = { .rig = rig };
  struct store_key key = key_of (number);

  ASK (store_context_get (rig->store, key.tenant, key.id, said_context, &said));
  return said;
}

struct said
rig_context_set (struct rig *rig, unsigned number, const char *body, int64_t version,
                 int64_t expires_ms)
{
  struct said said = { .rig = rig };
  struct store_key key = key_of (number);
  struct store_context context = { .tenant = key.tenant,
                                   .version = version,
                                   .expires_ms = expires_ms };

  memcpy (context.handle, key.id, STORE_HASH);
  if (body != NULL)
    context.body = (struct store_bytes){ body, strlen (body) };
  ASK (store_context_set (rig->store, &context, said_context, &said));
  return said;
}

enum store_status
rig_post (struct rig *rig, const char *payload)
{
  struct said said = { .rig = rig };
  struct store_letter letter = { "acme", "ended", { payload, strlen (payload) } };

  ASK (store_post (rig->store, &letter, 1, said_status, &said));
  return said.status;
}

struct said
rig_take (struct rig *rig, size_t most, int64_t lease_ms)
{
  struct said said = { .rig = rig };

  ASK_ONCE (store_take (rig->store, most, lease_ms, said_due, &said));
  return said;
}

enum store_status
rig_sent (struct rig *rig, int64_t id)
{
  struct said said = { .rig = rig };

  ASK (store_sent (rig->store, id, said_status, &said));
  return said.status;
}

enum store_status
rig_retry (struct rig *rig, int64_t id, int64_t at_ms)
{
  struct said said = { .rig = rig };

  ASK (store_retry (rig->store, id, at_ms, said_status, &said));
  return said.status;
}

enum store_status
rig_record (struct rig *rig, const char *name, const char *body, int state, int64_t forget_ms)
{
  struct said said = { .rig = rig };
  struct store_record record = { .kind = "note",
                                 .tenant = "acme",
                                 .name = name,
                                 .owner = "ann",
                                 .state = state,
                                 .forget_ms = forget_ms };

  if (body != NULL)
    record.body = (struct store_bytes){ body, strlen (body) };
  ASK (store_record_set (rig->store, &record, said_status, &said));
  return said.status;
}

struct said
rig_records (struct rig *rig, const struct store_record_query *query)
{
  struct said said = { .rig = rig };

  ASK (store_records (rig->store, query, said_records, &said));
  return said;
}

void
rig_tick (struct rig *rig)
{
  store_tick (rig->store);
  (void) rig_lookup (rig, 0xffffffff); /* what is asked later is done later */
}
