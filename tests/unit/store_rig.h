/* store_rig.h - a store under test: each function waits for its callback and says what came, in
 * memory that lives as long as the rig.  The clock is the rig's; engines are made again by name. */
#ifndef TOOLHOST_TESTS_UNIT_STORE_RIG_H
#define TOOLHOST_TESTS_UNIT_STORE_RIG_H

#include "base/buf.h"
#include "place.h"
#include "store/store_engine.h"

enum rig_kind { RIG_MEMORY, RIG_SQLITE, RIG_MEMORY_FAULTS, RIG_SQLITE_FAULTS };

struct rig {
  enum rig_kind kind;
  struct ev_loop *loop;
  struct store_settings settings;
  struct store *store;
  struct store_engine *faults; /* of an engine with faults: what faults_set wants */
  struct place place;
  int64_t now_ms;
  bool well;
  char why[256];
  unsigned healths; /* how often health was told */
  struct arena arena;
};

/* What a callback was told. */
struct said {
  struct rig *rig;
  unsigned told;
  enum store_status status;
  enum store_claimed verdict;
  struct store_call call; /* tool NULL: none was told */
  int64_t revision, next_ms;
  size_t wrong, count;
  struct store_definition *definitions;
  struct store_context context; /* tenant NULL: none was told */
  struct store_due *dues;
  struct store_record *records;
  char *why;
};

void rig_open (struct rig *rig, enum rig_kind kind);
/* A store with the settings as they are now. */
void rig_start (struct rig *rig);
/* False: err says why there is none. */
bool rig_try_start (struct rig *rig, struct error *err);
void rig_stop (struct rig *rig);
void rig_close (struct rig *rig);
/* Turn the loop until it was told so often. */
void rig_until (struct rig *rig, const struct said *said, unsigned told);
void rig_turns (struct rig *rig, unsigned turns);

#define TEXT(text) ((struct store_bytes){ (text), sizeof (text) - 1 })
bool is_text (struct store_bytes bytes, const char *text);
/* The key of tenant "acme" and this number. */
struct store_key key_of (unsigned number);
/* A claim of it, with arguments of this number. */
struct store_claim claim_of (unsigned number, unsigned what);

/* Callbacks; ctx: a struct said whose rig is set. */
void said_claim (void *ctx, enum store_claimed verdict, const struct store_call *call);
void said_status (void *ctx, enum store_status status);
void said_call (void *ctx, enum store_status status, const struct store_call *call);
void said_change (void *ctx, enum store_status status, int64_t revision, size_t wrong);
void said_scan (void *ctx, enum store_status status, const struct store_definition *definitions,
                size_t count, int64_t revision);
void said_context (void *ctx, enum store_status status, const struct store_context *context);
void said_due (void *ctx, enum store_status status, const struct store_due *due, size_t count,
               int64_t next_ms);
void said_records (void *ctx, enum store_status status, const struct store_record *records,
                   size_t count);
void said_backup (void *ctx, enum store_status status, const char *why);

/* Ask and wait.  Asked again while the engine can't say, where that is the same act. */
struct said rig_claim (struct rig *rig, unsigned number, unsigned what);
enum store_status rig_finish (struct rig *rig, unsigned number, struct store_bytes result);
enum store_status rig_finish_with (struct rig *rig, unsigned number, struct store_bytes result,
                                   const struct store_letter *letters, size_t count);
enum store_status rig_release (struct rig *rig, unsigned number);
enum store_status rig_cancel (struct rig *rig, unsigned number);
struct said rig_lookup (struct rig *rig, unsigned number);
struct said rig_change (struct rig *rig, const struct store_change *changes, size_t count);
/* One tool of acme; body NULL: it is removed. */
struct said rig_put (struct rig *rig, const char *name, const char *body, int64_t expect);
struct said rig_scan (struct rig *rig, const struct store_scan *scan);
struct said rig_context_get (struct rig *rig, unsigned number);
struct said rig_context_set (struct rig *rig, unsigned number, const char *body, int64_t version,
                             int64_t expires_ms);
enum store_status rig_post (struct rig *rig, const char *payload);
struct said rig_take (struct rig *rig, size_t most, int64_t lease_ms);
enum store_status rig_sent (struct rig *rig, int64_t id);
enum store_status rig_retry (struct rig *rig, int64_t id, int64_t at_ms);
/* One of acme's of kind "note", owned by "ann"; body NULL: it is forgotten. */
enum store_status rig_record (struct rig *rig, const char *name, const char *body, int state,
                              int64_t forget_ms);
struct said rig_records (struct rig *rig, const struct store_record_query *query);
void rig_tick (struct rig *rig);

#endif
