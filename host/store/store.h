/* store.h - the durable place of a daemon: which calls were taken and how they ended, what was made
 * over the management API, contexts, what is still to be sent outside, and records of what waits
 * for people.
 *
 * An engine is a table of functions (store_engine.h); this is what everybody else uses.  Every
 * function below that takes a callback returns at once; the callback comes exactly once, on the
 * loop's thread, never before the function has returned, and says yes only when what was asked is
 * durable: it survives the daemon's SIGKILL and, with SQLite, the loss of power.  What is handed in
 * is copied; what a callback is shown lives while it runs.  What is asked in one turn of the loop
 * is committed together, in the order it was asked.
 *
 * Loop thread only.  Source: the reference on fleets, B3. */
#ifndef TOOLHOST_STORE_STORE_H
#define TOOLHOST_STORE_STORE_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "watch/log.h"
#include "watch/metrics.h"

struct store;

enum { STORE_HASH = 32 /* bytes of a SHA-256 */ };

struct store_bytes {
  const void *data;
  size_t len;
};

enum store_status {
  STORE_OK,
  STORE_NOT_FOUND,
  STORE_CONFLICT,   /* it is not what was expected any more */
  STORE_TOO_LARGE,  /* over a limit of the settings; nothing was written */
  STORE_UNAVAILABLE /* nobody knows whether it was written; asked again, it is the same act */
};

struct store_settings {
  struct ev_loop *loop;
  struct log *log;
  const char *folder;            /* of SQLite: where toolhost.db stands; taken by flock */
  int64_t (*now_ms) (void *ctx); /* of the day, Unix time */
  void (*health) (void *ctx, bool well, const char *why); /* it has changed; may be NULL */
  void *ctx;
  size_t result_max;      /* bytes of one result */
  size_t definition_max;  /* bytes of one document */
  size_t context_max;     /* bytes of one context */
  size_t letter_max;      /* bytes of one letter's payload */
  size_t record_max;      /* bytes of one record */
  size_t pending_max;     /* acts that wait for the engine; more are STORE_UNAVAILABLE */
  size_t pending_bytes;   /* what they hold, likewise */
  int64_t result_ttl_ms;  /* how long an ended call is known */
  int64_t removed_ttl_ms; /* how long a removed definition is known, and its history */
  size_t history_max;     /* how many writes of one definition are known */
  size_t memory_max;      /* of the engine in memory: bytes of ended calls; above it the oldest are
                             forgotten before their time */
  uint64_t file_max;      /* of SQLite: bytes of the file, 0: what the disk has room for */
};
/* 32 MiB, 256 KiB, 1 MiB, 1 MiB, 4 MiB; 100,000 acts and 256 MiB; a day, 30 days, 100 writes; 256
 * MiB, and no bound of the file.  loop, log and folder are the caller's to set, and time of the day
 * is the system's. */
extern const struct store_settings store_defaults;

/* In memory: gone with the daemon, and otherwise the same. */
struct store *store_open_memory (const struct store_settings *settings);
/* In folder/toolhost.db: opened, checked, brought to this version's tables; calls that an earlier
 * daemon left running are unknown from now on.  Blocks; before anything is served.  NULL: err says
 * what and which file (another daemon has it, it is damaged, it is of a later version, …). */
struct store *store_open_sqlite (const struct store_settings *settings, struct error *err);
/* What was asked is still done, and told, from in here: blocks for as long as the disk does.  Who
 * asks anything from such a callback is told STORE_UNAVAILABLE.  Then the store is gone.  Not from
 * in a callback of the store. */
void store_close (struct store *store);
/* "sqlite", "memory" */
const char *store_name (const struct store *store);
/* Does it outlive the daemon? */
bool store_is_durable (const struct store *store);
/* The file it is in; NULL: it is in memory. */
const char *store_path (const struct store *store);
/* NULL: it is well; else why something could not be written, and nothing was since. */
const char *store_trouble (const struct store *store);

/* ---- calls: the ledger ---- */

struct store_key {
  const char *tenant;
  unsigned char id[STORE_HASH]; /* of principal, session and call id */
};

struct store_claim {
  struct store_key key;
  unsigned char what[STORE_HASH]; /* of name and arguments */
  const char *tool;
  struct store_bytes about; /* JSON object for whoever looks at it later: its ids in clear, … */
  int64_t deadline_ms;      /* Unix time; 0: none */
};

enum store_claimed {
  STORE_WON,        /* it is the caller's to run, and nobody else's ever */
  STORE_RUNNING,    /* it runs */
  STORE_ENDED,      /* it has ended: here is its result */
  STORE_CANCELLED,  /* it was cancelled, perhaps before it was claimed */
  STORE_UNKNOWN,    /* it ran when a daemon died */
  STORE_OTHER,      /* the id is another call's */
  STORE_NOT_CLAIMED /* the engine could not say; the same claim may be asked again */
};

struct store_call {
  enum store_claimed state; /* of a lookup never STORE_WON, STORE_OTHER, STORE_NOT_CLAIMED */
  const char *tool;
  struct store_bytes about, result; /* result: of STORE_ENDED */
  int64_t created_ms, ended_ms;     /* Unix time; 0: not yet */
};

/* `call` tells of the claim that was there (of STORE_WON: nothing). */
typedef void (*store_claim_cb) (void *ctx, enum store_claimed verdict,
                                const struct store_call *call);
void store_claim (struct store *store, const struct store_claim *claim, store_claim_cb cb,
                  void *ctx);

/* What leaves for the outside in the same commit: see the outbox below. */
struct store_letter {
  const char *tenant, *hook;
  struct store_bytes payload;
};

struct store_finish {
  struct store_key key;
  struct store_bytes result;
  const struct store_letter *letters;
  size_t letters_count;
};

/* May be NULL where it is asked for: nobody wants to know. */
typedef void (*store_cb) (void *ctx, enum store_status status);
/* The call that was won has ended, also one that was cancelled meanwhile: it is STORE_ENDED from
 * now on.  STORE_NOT_FOUND: it is not this daemon's to end (an earlier one ran it; it was never
 * won). STORE_CONFLICT: it has ended already, with another result; with the same one it is
 * STORE_OK, and no letter leaves twice.  STORE_TOO_LARGE: it still runs; end it with less. */
void store_finish (struct store *store, const struct store_finish *finish, store_cb cb, void *ctx);
/* It was won and not begun, and may be claimed again: forget it.  One that was cancelled meanwhile
 * stays cancelled.  Not to be asked again when it was STORE_UNAVAILABLE: the next claim wins,
 * whether it was done or not. */
void store_release (struct store *store, const struct store_key *key, store_cb cb, void *ctx);
/* Remember that it is cancelled: one that is not claimed yet never will be, one that runs is until
 * its finish lands, one that has ended or is unknown stays so (STORE_CONFLICT). */
void store_cancel (struct store *store, const struct store_key *key, store_cb cb, void *ctx);
/* What is known of a call; NULL: nothing (STORE_NOT_FOUND, STORE_UNAVAILABLE). */
typedef void (*store_call_cb) (void *ctx, enum store_status status, const struct store_call *call);
void store_lookup (struct store *store, const struct store_key *key, store_call_cb cb, void *ctx);

/* ---- definitions: documents with revisions and a history ---- */

/* kind: "tool", "endpoints", …; one document of each (tenant, kind, name). */
struct store_change {
  const char *tenant, *kind, *name;
  struct store_bytes body; /* data NULL: it is removed */
  int64_t expect;          /* the revision it has; 0: it must not be there; -1: whatever it is */
  const char *author;      /* for the history */
};

struct store_definition {
  const char *tenant, *kind, *name;
  struct store_bytes body; /* data NULL: it was removed */
  int64_t
    revision; /* of the store when it was written: each commit of changes is one, without gaps */
  int64_t written_ms, created_ms;
  const char *author;
};

/* `revision`: of the store after it; `wrong`: which change spoke against STORE_OK, and `revision`
 * is then the one that its document has, 0: it is not there.  STORE_NOT_FOUND: what is to be
 * removed, whatever it is, is not there.  STORE_CONFLICT, too, when one document is changed twice.
 * No changes are no commit. */
typedef void (*store_change_cb) (void *ctx, enum store_status status, int64_t revision,
                                 size_t wrong);
/* All of them or none, as one revision. */
void store_change (struct store *store, const struct store_change *changes, size_t count,
                   store_change_cb cb, void *ctx);

struct store_scan {
  const char *tenant, *kind, *name; /* NULL: of any */
  int64_t since; /* only those written after this revision; 0: all that are there */
  bool history;  /* all that ever was written (and is still kept), removed ones too, newest first */
  size_t limit;  /* 0: all */
};
/* Sorted by tenant, kind, name; a history by revision, newest first.  Also tells of removed ones
 * when `since` is not 0.  STORE_CONFLICT: what was removed since then is not known any more; ask
 * for all. */
typedef void (*store_scan_cb) (void *ctx, enum store_status status,
                               const struct store_definition *definitions, size_t count,
                               int64_t revision);
void store_scan (struct store *store, const struct store_scan *scan, store_scan_cb cb, void *ctx);

/* ---- contexts: one document each, compare and set ---- */

struct store_context {
  const char *tenant;
  unsigned char handle[STORE_HASH];
  struct store_bytes body; /* data NULL: forget it */
  int64_t version;         /* of a set: the one it replaces, 0: there must be none */
  int64_t expires_ms;      /* Unix time */
};
typedef void (*store_context_cb) (void *ctx, enum store_status status,
                                  const struct store_context *context);
void store_context_get (struct store *store, const char *tenant,
                        const unsigned char handle[STORE_HASH], store_context_cb cb, void *ctx);
/* What has expired is not there.  `context` is NULL where there is none.  STORE_CONFLICT: it is
 * what is there.  STORE_OK: its version is the new one, which no context has had before; of one
 * that is forgotten it is 0.  Forgetting what is not there is STORE_CONFLICT. */
void store_context_set (struct store *store, const struct store_context *context,
                        store_context_cb cb, void *ctx);

/* ---- outbox: what is to be sent, at least once ---- */

struct store_due {
  int64_t id;
  const char *tenant, *hook;
  struct store_bytes payload;
  unsigned attempt; /* 1: the first */
  int64_t created_ms;
};
typedef void (*store_due_cb) (void *ctx, enum store_status status, const struct store_due *due,
                              size_t count, int64_t next_ms);
/* Put letters that belong to no call. */
void store_post (struct store *store, const struct store_letter *letters, size_t count, store_cb cb,
                 void *ctx);
/* Take at most `most` that are due, for `lease_ms`: then they are due again.  next_ms: when the
 * next one is, Unix time; 0: there is none. */
void store_take (struct store *store, size_t most, int64_t lease_ms, store_due_cb cb, void *ctx);
/* It was sent, or is given up; STORE_OK also when it is not there any more. */
void store_sent (struct store *store, int64_t id, store_cb cb, void *ctx);
/* It is tried again then, Unix time.  STORE_NOT_FOUND: it was sent. */
void store_retry (struct store *store, int64_t id, int64_t at_ms, store_cb cb, void *ctx);

/* ---- records: documents in the order they came, of a kind and in a state ---- */

struct store_record {
  const char *kind, *tenant, *name; /* one of each */
  const char *owner;                /* whose it is, to be looked for by; "": nobody's */
  struct store_bytes body;          /* of a set, data NULL: forget it */
  int state;                        /* 0 to 31, whatever its kind means by it */
  int64_t forget_ms;                /* Unix time; 0: not by itself */
  int64_t number;                   /* the store's: grows with each one that comes */
};
/* Write it, whatever was there; asked again it is the same.  Forgetting what is not there is
 * STORE_OK. */
void store_record_set (struct store *store, const struct store_record *record, store_cb cb,
                       void *ctx);

struct store_record_query {
  const char *kind;
  const char *tenant, *name, *owner; /* NULL: of any */
  unsigned states;                   /* 1 << state of those that count; 0: all */
  int64_t before;                    /* only with a smaller number; 0: all */
  size_t limit;                      /* 0: all */
};
/* Newest first; what is to be forgotten by now is not there. */
typedef void (*store_records_cb) (void *ctx, enum store_status status,
                                  const struct store_record *records, size_t count);
void store_records (struct store *store, const struct store_record_query *query,
                    store_records_cb cb, void *ctx);

/* ---- upkeep ---- */

/* Forget what is older than the settings say, and give back to the disk what of a file is empty,
 * beyond what is left for what comes: some at a time, others' acts in between, until it is done.
 * Once a minute will do. */
void store_tick (struct store *store);
/* Make the file of a store that no daemon has anew, without what is empty in it, and so that it can
 * shrink from now on.  Needs room for what is in it twice more meanwhile; it is whole at any time.
 * Blocks. */
struct store_vacuumed {
  uint64_t before, after; /* bytes */
};
bool store_vacuum (const char *folder, struct store_vacuumed *vacuumed, struct error *err);
/* A copy of the whole store as it is now, made while it serves, in a file that must not be there;
 * one at a time.  `why`: what went wrong, for people; NULL: nothing.
 * STORE_CONFLICT: there is such a file, or another copy is being made.  STORE_NOT_FOUND: there is
 * nothing to copy, the store is in memory. */
typedef void (*store_backup_cb) (void *ctx, enum store_status status, const char *why);
void store_backup (struct store *store, const char *path, store_backup_cb cb, void *ctx);

struct store_figures {
  uint64_t calls, running, unknown, definitions, contexts, letters, records;
  uint64_t commits, acts; /* since it was opened: transactions that changed something, or of
                             the engine in memory batches; acts that were done */
  uint64_t failures;      /* acts that were STORE_UNAVAILABLE for the engine's reasons */
  uint64_t forgotten;     /* since it was opened: calls, removed documents, contexts and records
                             whose time was over */
  uint64_t bytes;         /* of the file with what is not in it yet */
  uint64_t free_bytes;    /* of them, in pages that hold nothing; as of the last tick */
  uint64_t commit_us_max; /* the longest commit */
  struct histogram commit_time; /* how long each took, from its first act on */
  int64_t revision;
};
/* As of the last commit; nothing is asked of the engine. */
struct store_figures store_figures (const struct store *store);

#endif
