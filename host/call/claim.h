/* claim.h - calls that their callers have named run once: each is claimed in the store before it is
 * begun, and its result is durable before anybody is told of it.
 *
 *   claim_begin ─ the store says: won ─▶ … ─▶ claim_finish ─ durable ─▶ kept
 *                     otherwise ─▶ lost       claim_drop: it was not begun
 *
 * A claim belongs to its call, or to who holds that while it asks (held.h); what it asks of the
 * store outlives both.  For the files of the pipeline; fronts use named.h.  Loop thread only. */
#ifndef TOOLHOST_CALL_CLAIM_H
#define TOOLHOST_CALL_CLAIM_H

#include <ev.h>

#include "call/call.h"
#include "call/letters.h"
#include "call/named.h"
#include "store/store.h"
#include "watch/log.h"

struct claims; /* all of a daemon */
struct claim;

/* What a call hears.  Its claim is gone with the last two. */
struct claims_events {
  void (*won) (struct call *call);
  void (*lost) (struct call *call, struct result *result); /* tell its caller this */
  void (*kept) (struct call *call, const struct result *result);
};

/* What the outside hears of calls. */
struct claims_hooks {
  /* Which hooks of a tenant want to hear of such an event: their names, until the next call of
   * this; how many, at most `max`. */
  size_t (*wanting) (void *ctx, const char *tenant, enum call_event event, const char **names,
                     size_t max);
  void (*posted) (void *ctx);    /* letters have become durable */
  int64_t (*now_ms) (void *ctx); /* Unix time */
  void *ctx;
};

struct claims_settings {
  struct ev_loop *loop;
  struct log *log;
  struct store *store;
  const struct claims_events *events;
  const struct claims_hooks *hooks; /* NULL: nobody hears */
  double again;    /* seconds until a store that was not available is asked again; then doubling */
  double patience; /* seconds that a caller waits for its result to be durable */
};

struct claims *claims_new (const struct claims_settings *settings);
/* The store is closed: no answers come any more. */
void claims_free (struct claims *claims);
/* That the store has not settled yet. */
size_t claims_count (const struct claims *claims);

/* The key of a call in the store, whose `tenant` is the name's: SHA-256 over tenant, principal,
 * session and id, each with its length before it. */
struct store_key claim_key (const struct call_name *name);
/* The call of this name that was won here and has not ended; NULL: there is none. */
struct call *claims_find (const struct claims *claims, const struct call_name *name);
struct store *claims_store (const struct claims *claims);

/* By what a request's call is told from others of its name: SHA-256 of name and arguments. */
void claim_what (const struct call_request *request, unsigned char what[STORE_HASH]);
/* What a caller is told of a call that the store knows of; texts live in the arena.  False: what is
 * kept can't be read, and it is an internal error. */
bool claim_known (enum store_claimed state, const struct store_call *known, struct arena *arena,
                  struct result *result);

/* Ask for the call; won or lost tells, later.  One that was approved is known by its entry's key,
 * also when its caller has not named it. */
struct claim *claim_begin (struct claims *claims, struct call *call,
                           const struct call_request *request);
/* From now on it is this call's; NULL: it is held for a while. */
void claim_move (struct claim *claim, struct call *call);
/* Its call was not begun, and may come again; the claim is gone.  NULL is fine. */
void claim_drop (struct claim *claim);
/* Its call was cancelled by its caller, who has been told; likewise. */
void claim_cancel (struct claim *claim, const struct result *result);
/* It has ended like this: kept tells when that is durable. */
void claim_finish (struct claim *claim, const struct result *result);
/* Nobody waits for it any more; it is kept all the same. */
void claim_leave (struct claim *claim);

#endif
