/* approvals.h - the book of approvals: calls that wait for a person's yes, and what was said.
 *
 *   approvals_ask ─ durable ─▶ recorded ─▶ PENDING ─┬─ approvals_decide ─▶ APPROVED ─▶
 * approvals_end └ not written ─▶ not_recorded       │                   └▶ REJECTED ├─ its time is
 * over ─▶ EXPIRED └─ approvals_withdraw ─▶ WITHDRAWN
 *
 * An entry is the snapshot of a call: what is approved is what stands there and nothing else, and
 * whoever approves hands in no arguments.  Each step is durable (store.h) before anybody is told of
 * it.  What is open (pending, or approved and not ended yet) is also in memory, over restarts; what
 * is over is in the store alone, for as long as `keep_ms` says.
 *
 * An approved call is begun by approvals_settings.approved, whether its caller still waits or not:
 * the claim of its `key` (call/claim.h) is what makes it run once.  Loop thread only. */
#ifndef TOOLHOST_APPROVAL_APPROVALS_H
#define TOOLHOST_APPROVAL_APPROVALS_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_write.h"
#include "store/store.h"
#include "watch/log.h"

struct approvals; /* the book of a daemon */
struct approval;  /* an entry that is open */

enum {
  APPROVAL_ID_LEN = 36,    /* "apr_" and 32 hex digits */
  APPROVAL_TEXT_MAX = 2000 /* bytes of what who decides says */
};

enum approval_state {
  APPROVAL_PENDING,
  APPROVAL_APPROVED, /* see `outcome` for what came of it */
  APPROVAL_REJECTED,
  APPROVAL_EXPIRED,   /* nobody decided in time, or what was approved could not be run any more */
  APPROVAL_WITHDRAWN, /* its caller does not want it any more */
  APPROVAL_STATES
};
/* "pending", "approved", "rejected", "expired", "withdrawn" */
const char *approval_state_name (enum approval_state state);
/* False: there is no such state. */
bool approval_state_find (const char *name, size_t len, enum approval_state *state);

/* What an entry says; whoever is shown it borrows it.  Texts may be NULL where "or NULL" stands. */
struct approval_facts {
  const char *id;
  enum approval_state state;
  /* who asks */
  const char *tenant;
  const char *principal;  /* or NULL */
  const char *session_id; /* or NULL */
  const char *front;
  const char *call_id; /* the caller's, or the one that was made for it */
  bool named;          /* … it is the caller's, in `claimed_in` */
  const char *claimed_in;
  struct store_bytes metadata; /* what its tool is told of who calls, JSON object; or data NULL */
  int64_t deadline_ms;         /* the caller's wish, from its begin on; 0: none */
  /* what */
  const char *tool;
  const char *title;              /* what people call it; "" */
  const char *digest;             /* of its definition, hex: another one is not run */
  struct store_bytes args;        /* JSON object, as the tool gets it */
  struct store_bytes shown;       /* the same for people: secrets are not in it */
  unsigned char key[STORE_HASH];  /* by which its call is claimed */
  unsigned char what[STORE_HASH]; /* with this claim */
  /* why */
  const char *reason; /* which rule, for people */
  bool by_caller;     /* its caller may decide, too */
  /* how it went; Unix time in milliseconds, 0: not yet */
  int64_t created_ms, decided_ms, ended_ms;
  int64_t expires_ms; /* until then somebody may decide; of an approved one, until then it begins */
  const char *decided_by; /* a principal; "rule:ID" of a standing rule; or NULL */
  const char *text;       /* what who decided said, or why it expired; or NULL */
  const char *outcome;    /* of an approved call that has ended: "ok", or the code; or NULL */
  int64_t number;         /* grows with each entry of the store: the order of lists */
  uint64_t rules_seen;    /* approvals_rules_made when no rule was found for it; not kept */
};

/* As an object: id, state, tool, arguments (those for people), …: what REST answers. */
void approval_put (struct json_writer *w, const struct approval_facts *facts);
/* A member that says when, "2026-11-22T01:02:03.004Z"; none of 0. */
void approval_put_time (struct json_writer *w, const char *name, int64_t ms);

/* ---- the book ---- */

/* Who is told of every change of every entry: sessions, streams, metrics. */
struct approvals_watcher {
  void (*changed) (struct approvals_watcher *watcher, const struct approval_facts *facts);
  struct approvals_watcher *next, **prev; /* prev NULL: it does not watch */
};

struct approvals_settings {
  struct ev_loop *loop;
  struct log *log;
  struct store *store;
  int64_t (*now_ms) (void *ctx); /* Unix time */
  /* Its call is to be begun, from its facts: with every one that is decided, and at the start of
   * those that an earlier daemon had not ended.  Never from in a function of the book. */
  void (*approved) (void *ctx, struct approval *approval);
  void *ctx;
  int64_t ttl_ms;     /* how long it waits for a decision, and an approved one for its begin */
  int64_t keep_ms;    /* how long one that is over is known */
  size_t pending_max; /* of all tenants together … */
  size_t tenant_max;  /* … and of one; one more is refused */
};
/* Ten minutes, a day, 10,000 and 1,000. */
extern const struct approvals_settings approvals_defaults;

struct approvals *approvals_new (const struct approvals_settings *settings);
/* Read what is open from the store, for the first time; approvals_ask waits for it by itself. */
void approvals_load (struct approvals *book);
/* All was read. */
bool approvals_is_ready (const struct approvals *book);
/* The store is closed.  Nobody is told. */
void approvals_free (struct approvals *book);

void approvals_watch (struct approvals *book, struct approvals_watcher *watcher);
void approvals_unwatch (struct approvals_watcher *watcher);

/* ---- one that asks ---- */

/* Whoever waits for a decision; exactly one of the last three is called, once, unless it leaves
 * before.  Never before approvals_ask has returned. */
struct approval_waiter {
  /* It is durable that it waits. */
  void (*recorded) (void *ctx, struct approval *approval);
  /* It could not be written down: the call must not run. */
  void (*not_recorded) (void *ctx);
  /* It was rejected, expired or withdrawn. */
  void (*refused) (void *ctx, const struct approval_facts *facts);
  /* It was approved; approvals_settings.approved begins it. */
};

/* A new id, into at least APPROVAL_ID_LEN + 1 bytes. */
void approval_make_id (char *room);
/* NULL: too many wait, err says of whom.  `facts` is copied; state, number and times are the book's
 * to set, but for expires_ms: how long it may wait (0: as settings say). */
struct approval *approvals_ask (struct approvals *book, const struct approval_facts *facts,
                                const struct approval_waiter *waiter, void *ctx, struct error *err);
/* The open entry of this key; NULL: there is none. */
struct approval *approvals_find_key (struct approvals *book, const unsigned char key[STORE_HASH]);
/* The time of its clock. */
int64_t approvals_now (const struct approvals *book);
const struct approval_facts *approval_facts (const struct approval *approval);
/* Somebody waits for it again, whom nobody waited before; with `recorded` called at once. */
void approval_join (struct approval *approval, const struct approval_waiter *waiter, void *ctx);
bool approval_is_awaited (const struct approval *approval);
/* Nobody waits for it any more; it stays as it is. */
void approval_leave (struct approval *approval);
/* Its caller does not want it any more; nobody is told.  Nothing if it was decided. */
void approvals_withdraw (struct approval *approval);
/* The open entry of this id and tenant; NULL: there is none. */
struct approval *approvals_find_id (const struct approvals *book, const char *tenant,
                                    const char *id);

/* ---- deciding ---- */

enum approval_remember { REMEMBER_NOT, REMEMBER_TOOL, REMEMBER_ARGUMENTS };

struct approval_decision {
  const char *id;
  const char *tenant;    /* whose it must be; NULL: anybody's (a manager) */
  const char *principal; /* who decides */
  bool may_approve;      /* it has the role; else it must be the caller, where that may decide */
  bool by_rule;          /* no person decides but a rule that stands; `principal` is "rule:ID" */
  bool approve;
  const char *text; /* or NULL */
  enum approval_remember remember;
};

enum decision_verdict {
  DECISION_TAKEN,
  DECISION_UNKNOWN, /* there is no such entry, or it is none of theirs */
  DECISION_NOT_THEIRS,
  DECISION_ALREADY, /* it was decided before; facts say how */
  DECISION_LATE,    /* it has expired, or was withdrawn */
  DECISION_UNAVAILABLE
};
/* `facts` is NULL where nothing is to be seen. */
typedef void (*approval_decided_cb) (void *ctx, enum decision_verdict verdict,
                                     const struct approval_facts *facts);
/* The callback comes later, exactly once. */
void approvals_decide (struct approvals *book, const struct approval_decision *decision,
                       approval_decided_cb cb, void *ctx);

/* ---- what came of it ---- */

/* Its call has ended like this ("ok", or a code), and that is durable: the entry is closed. */
void approvals_end (struct approval *approval, const char *outcome);
/* It was approved and is not run, for this reason: it has expired. */
void approvals_refuse (struct approval *approval, const char *why);

/* ---- looking ---- */

/* NULL: there is none (STORE_NOT_FOUND), or nobody knows (STORE_UNAVAILABLE). */
typedef void (*approval_cb) (void *ctx, enum store_status status,
                             const struct approval_facts *facts);
/* `tenant` NULL: of any.  The callback comes later, exactly once. */
void approvals_get (struct approvals *book, const char *tenant, const char *id, approval_cb cb,
                    void *ctx);

struct approvals_query {
  const char *tenant;    /* NULL: of all */
  const char *principal; /* NULL: of all */
  int state;             /* enum approval_state; -1: in any */
  int64_t before;        /* entries with a smaller number; 0: from the newest on */
  size_t limit;
};
/* Newest first.  `more`: there are older ones. */
typedef void (*approvals_cb) (void *ctx, enum store_status status,
                              const struct approval_facts *facts, size_t count, bool more);
void approvals_list (struct approvals *book, const struct approvals_query *query, approvals_cb cb,
                     void *ctx);

/* ---- standing rules: yes once, and from then on ---- */

/* One that stands, over restarts, until it is dropped; what it covers is standing.h's affair. */
struct standing_rule {
  const char *id; /* "rul_" and 32 hex digits */
  const char *tenant;
  const char *principal; /* whose calls; "": of nobody in particular */
  const char *tool, *digest;
  struct store_bytes arguments; /* canonical JSON object; data NULL: whatever they are */
  struct store_bytes shown;     /* the same for people: secrets are not in it */
  const char *made_by;          /* who decided */
  const char *approval;         /* by which entry */
  int64_t created_ms;
};

struct standing_call; /* standing.h */
/* The id of the rule that approves such a call at once; NULL: there is none. */
const char *approvals_standing (const struct approvals *book, const char *tenant,
                                const char *principal, const struct standing_call *call);
/* How many rules have come to stand: what is asked about meanwhile, newer ones are for, too. */
uint64_t approvals_rules_made (const struct approvals *book);
/* All of a tenant (NULL: of all), oldest first, while `see` runs. */
void approvals_see_rules (const struct approvals *book, const char *tenant,
                          void (*see) (void *ctx, const struct standing_rule *rule), void *ctx);
/* STORE_NOT_FOUND, told at once: there is no such rule of the tenant (NULL: of any). */
void approvals_drop_rule (struct approvals *book, const char *tenant, const char *id, store_cb cb,
                          void *ctx);

/* ---- calls nobody is asked about ---- */

/* Of whom: one conversation; or, outside of any, one caller. */
struct approval_run {
  const char *tenant;
  const char *principal;  /* or NULL */
  const char *session_id; /* or NULL */
};
/* One more call of the run is about to go by itself, by a rule.  False: `max` of them (1 or more)
 * have gone in a row, and somebody is to be asked.  A run begins anew where somebody has decided
 * about a call of it, where approvals_begin_run says so, and after ten minutes without such a
 * call.  What is counted is kept in memory, of the 10,000 runs that were seen last. */
bool approvals_unasked (struct approvals *book, const struct approval_run *run, int64_t max);
void approvals_begin_run (struct approvals *book, const struct approval_run *run);

/* ---- figures ---- */

struct approvals_figures {
  size_t pending, running;         /* now */
  uint64_t ended[APPROVAL_STATES]; /* since the start; decided or over, by what became of it */
  uint64_t decisions;              /* of people; by how long they took: */
  uint64_t decision_ms;
};
struct approvals_figures approvals_figures (const struct approvals *book);

#endif
