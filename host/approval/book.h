/* book.h - what the files of the book share: approvals.c has the entries and their life, facts.c
 * what they say and how that is written, deciding.c what is decided, looking.c what others see,
 * what an earlier daemon left, stands.c the rules that stand, unasked.c how many calls in a row
 * nobody was asked about.  Loop thread only. */
#ifndef TOOLHOST_APPROVAL_BOOK_H
#define TOOLHOST_APPROVAL_BOOK_H

#include "approval/approvals.h"
#include "approval/standing.h"
#include "base/hash.h"
#include "base/heap.h"

#define KIND_APPROVAL "approval"
#define KIND_RULE "standing_rule"

/* States of records: those of entries, and that of an approved one whose call has ended. */
enum { RECORD_ENDED = APPROVAL_STATES };

enum entry_step {
  ENTRY_NEW,     /* the book is not loaded yet */
  ENTRY_ASKED,   /* it is on its way to the store for the first time */
  ENTRY_OPEN,    /* it is there */
  ENTRY_SETTLING /* it is over, and that is on its way */
};

struct deciding;

struct approval {
  struct heap_node due; /* first: the heap's node is the entry; while it is pending */
  struct approvals *book;
  enum entry_step step;
  struct approval_facts facts; /* in `arena` */
  struct arena arena;
  const struct approval_waiter *waiter; /* NULL: nobody waits */
  void *ctx;
  bool unwanted; /* it was withdrawn while something was on its way */
  bool in_by_id;
  struct deciding *deciding; /* decisions in the order they came; the first one is on its way */
  ev_timer again;            /* until the store is asked again */
  UT_hash_handle by_id, by_key;
};

/* How many of a tenant are open. */
struct tenant_count {
  size_t open;
  UT_hash_handle hh;
  char name[];
};

struct stand;
struct unasked_run; /* unasked.c */

struct approvals {
  struct approvals_settings settings;
  struct approval *by_key; /* all, in the order they came */
  struct approval *by_id;  /* those that are in the store */
  size_t open;
  struct tenant_count *tenants;
  struct heap due;
  ev_timer timer; /* until the first of them */
  ev_timer again; /* until loading is tried again */
  bool loaded, rules_loaded;
  struct approvals_watcher *watchers;
  struct stand *stands; /* oldest first */
  size_t stands_count;
  uint64_t stands_made;        /* the number of the newest */
  struct unasked_run *unasked; /* the one that was quiet for longest first */
  struct approvals_figures figures;
};

/* ---- facts.c ---- */

void facts_copy (struct approval_facts *to, const struct approval_facts *from, struct arena *arena);
/* The body of its record. */
void facts_write (const struct approval_facts *facts, struct buf *out);
/* Read strictly; texts are in `arena`.  False: it is not what facts_write writes. */
bool facts_read (struct approval_facts *facts, const char *json, size_t len, struct arena *arena);
/* As time has made of it: what waited for too long has expired. */
void facts_age (struct approval_facts *facts, int64_t now_ms);
/* `prefix` and 32 hex digits of chance; into at least APPROVAL_ID_LEN + 1 bytes. */
void make_name (const char *prefix, char *room);

/* ---- approvals.c ---- */

int64_t book_now (const struct approvals *book);
struct approval *entry_new (struct approvals *book, const struct approval_facts *facts);
void entry_free (struct approval *entry);
/* Nobody but the store has it, and it is in there: it can be found and decided. */
void entry_open (struct approval *entry);
/* Write it down as `facts` say. */
void entry_write (struct approval *entry, const struct approval_facts *facts, store_cb cb);
/* Ask the store for it, for the first time. */
void entry_ask (struct approval *entry);
/* It is over, as its facts say: that is written until it is durable, and it is gone. */
void entry_settle (struct approval *entry);
/* Whoever waits is told that it is not to run. */
void entry_refuse (struct approval *entry);
void book_tell (struct approvals *book, const struct approval_facts *facts);
void book_begin (struct approval *entry);
struct approval *book_find (const struct approvals *book, const char *id);

/* ---- deciding.c ---- */

/* Decisions that wait for the one before them: what became of the entry is their answer. */
void deciding_drop (struct approval *entry);
void deciding_free (struct approval *entry);

/* ---- stands.c ---- */

/* From now on such calls are approved; `cb` is told when that is durable. */
void stand_add (struct approvals *book, const struct approval_facts *facts,
                enum approval_remember remember, store_cb cb, void *ctx);
void stands_take (struct approvals *book, const struct store_record *records, size_t count);
/* The entry waits now: a rule that came meanwhile approves it. */
void stands_meet (struct approval *entry);
void stands_free (struct approvals *book);

/* ---- unasked.c ---- */

void unasked_free (struct approvals *book);

#endif
