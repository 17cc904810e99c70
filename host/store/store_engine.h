/* store_engine.h - what an engine of the store is, for engines and their tests.
 *
 * store.c copies what is asked into acts, gathers the acts of a turn of the loop in a batch, and
 * hands batches to the engine one at a time.  An engine does the acts of a batch in their order and
 * commits them together; it fills their outcomes with memory of the batch's arena.  Until it has
 * said that the batch has ended, the batch is the engine's, whichever thread it uses.
 *
 * A claim, a change, a context and a post whose outcome nobody knows (STORE_UNAVAILABLE) may be
 * asked again: then they have the nonce they had before (doubt.h).  An engine writes their nonces
 * down beside what they made, and an act whose nonce is there has been done: it has the outcome
 * that it had.  The other acts are the same however often they are done. */
#ifndef TOOLHOST_STORE_STORE_ENGINE_H
#define TOOLHOST_STORE_STORE_ENGINE_H

#include "base/buf.h"
#include "store/store.h"

enum store_kind {
  STORE_ACT_CLAIM,
  STORE_ACT_FINISH,
  STORE_ACT_RELEASE,
  STORE_ACT_CANCEL,
  STORE_ACT_LOOKUP,
  STORE_ACT_CHANGE,
  STORE_ACT_SCAN,
  STORE_ACT_CONTEXT_GET,
  STORE_ACT_CONTEXT_SET,
  STORE_ACT_POST,
  STORE_ACT_TAKE,
  STORE_ACT_SENT,
  STORE_ACT_RETRY,
  STORE_ACT_RECORD,
  STORE_ACT_RECORDS,
  STORE_ACT_TICK,
  STORE_ACT_BACKUP, /* one that is refused: it never reaches the engine as an act */
  STORE_ACTS
};

struct store_changes {
  const struct store_change *list;
  size_t count;
};

struct store_letters {
  const struct store_letter *list;
  size_t count;
};

struct store_errand { /* of TAKE, SENT and RETRY */
  size_t most;
  int64_t lease_ms, id, at_ms;
};

/* What was read of definitions; also of a change: revision and wrong. */
struct store_read {
  struct store_definition *list;
  size_t count;
  int64_t revision;
  size_t wrong;
};

struct store_found {
  struct store_record *list;
  size_t count;
};

struct store_dues {
  struct store_due *list;
  size_t count;
  int64_t next_ms;
};

struct store_act {
  struct store_act *next;
  enum store_kind kind;
  uint64_t nonce; /* no two acts of a daemon have the same, but one that is asked again */
  bool again;     /* it was asked before, and may have been done */
  bool freed; /* of CLAIM: what this daemon runs by the name may be taken: its release was asked,
                 and nobody knows whether it was done */
  union {
    struct store_claim claim;
    struct store_finish finish;
    struct store_key key; /* of RELEASE, CANCEL, LOOKUP */
    struct store_changes changes;
    struct store_scan scan;
    struct store_context context; /* of CONTEXT_GET: tenant and handle */
    struct store_letters letters;
    struct store_errand errand;
    struct store_record record;
    struct store_record_query records;
  } in;
  /* The engine's to fill. */
  enum store_status status;   /* of a claim: STORE_OK, and the verdict says; or STORE_UNAVAILABLE */
  enum store_claimed verdict; /* of CLAIM */
  bool more;                  /* of TICK: there is more to forget */
  bool found;                 /* `out` tells of a call or a context */
  union {
    struct store_call call;       /* of CLAIM, LOOKUP */
    struct store_read read;       /* of CHANGE, SCAN */
    struct store_context context; /* of CONTEXT_GET, CONTEXT_SET */
    struct store_dues dues;       /* of TAKE */
    struct store_found records;   /* of RECORDS */
  } out;
  /* store.c's. */
  struct arena *arena;
  size_t bytes;
  bool refused; /* it never reaches the engine */
  union {
    store_claim_cb claim;
    store_cb plain;
    store_call_cb call;
    store_change_cb change;
    store_scan_cb scan;
    store_context_cb context;
    store_due_cb due;
    store_records_cb records;
    store_backup_cb backup;
  } told;
  void *ctx;
  const char *why; /* of BACKUP */
};

struct store_batch {
  struct store_batch *next;
  struct store_act *first, **end;
  size_t count, bytes;
  struct arena arena; /* the acts, what they were given, and what they say */
  int64_t now_ms;     /* when it was handed over */
  /* The engine's to fill. */
  char trouble[256]; /* what is wrong with the engine, for people; "" while it is well */
  struct store_figures figures;
};

/* A copy that is being made. */
struct store_copy {
  char *path;
  enum store_status status;
  char why[256];
  store_backup_cb cb;
  void *ctx;
};

/* What an engine says to whoever made it: on the loop's thread. */
struct store_host {
  void (*ended) (void *ctx); /* the batch that was begun */
  void (*copied) (void *ctx, struct store_copy *copy);
  void *ctx;
};

struct store_engine {
  const char *name;
  bool durable;
  const char *path; /* its file; NULL: none */
  /* As of now; before the first batch. */
  void (*figures) (struct store_engine *engine, struct store_figures *figures);
  /* Begin a batch; never while another is under way.  True: it has ended already, and host.ended
   * is not called. */
  bool (*begin) (struct store_engine *engine, struct store_batch *batch);
  /* Begin a copy; never while another is under way.  host.copied is called, not from in here.
   * NULL: there is nothing to copy. */
  void (*copy) (struct store_engine *engine, struct store_copy *copy);
  /* The store closes: end what was begun (the host is told from in here), and from now on begin
   * does everything at once, and copy is not called. */
  void (*settle) (struct store_engine *engine);
  /* Nothing is under way. */
  void (*close) (struct store_engine *engine);
  struct store_host host; /* whoever made it sets it, before begin */
};

/* A store of this engine, which becomes the store's. */
struct store *store_open (struct store_engine *engine, const struct store_settings *settings);

/* The engines by themselves; their host is still to be set. */
struct store_engine *memory_engine_new (const struct store_settings *settings);
/* Blocks; NULL: err says why. */
struct store_engine *sqlite_engine_new (const struct store_settings *settings, struct error *err);

#endif
