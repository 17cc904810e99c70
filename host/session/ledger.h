/* ledger.h - which calls of a conversation were taken, so that none runs twice: each by its id,
 * with who it is (name and arguments) and, once it has ended, what was answered.
 *
 * Ids are never forgotten while the session lives: what is forgotten could run again.  Answers are,
 * the oldest first, when they take more than their room.  Pure; owned by a session. */
#ifndef TOOLHOST_SESSION_LEDGER_H
#define TOOLHOST_SESSION_LEDGER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/hash.h"
#include "catalog/hash.h"

struct work;

struct ledger_entry {
  UT_hash_handle hh;
  struct work *work;    /* while it is pending */
  bool executed;        /* it has ended, in whichever way */
  bool once;            /* nobody can name it: it goes when it has ended */
  bool ok;              /* of the answer */
  struct buf answer;    /* empty: not yet, or forgotten */
  char who[SHA256_HEX]; /* name and arguments */
  char id[];
};

struct ledger {
  struct ledger_entry *entries; /* in the order they came */
  struct ledger_entry *oldest;  /* before it no answers are kept; NULL: the first */
  size_t count, pending;
  size_t max;           /* ids */
  size_t answers, room; /* bytes of answers, and how many there may be */
};

enum ledger_verdict {
  LEDGER_NEW,      /* reserved: it may run */
  LEDGER_PENDING,  /* it runs */
  LEDGER_EXECUTED, /* it has ended */
  LEDGER_OTHER,    /* the id is another call's */
  LEDGER_FULL      /* no more ids are taken */
};

/* Reserve an id before its call starts.  *entry is the call's of this id, NULL where there is none.
 */
enum ledger_verdict ledger_reserve (struct ledger *ledger, const char *id, const char *name,
                                    size_t name_len, const char *args, size_t args_len,
                                    struct ledger_entry **entry);
/* The call has ended; the answer's bytes are taken over. */
void ledger_execute (struct ledger *ledger, struct ledger_entry *entry, bool ok,
                     struct buf *answer);
/* What is known of the id is known no more; the entry is gone. */
void ledger_forget (struct ledger *ledger, struct ledger_entry *entry);
void ledger_free (struct ledger *ledger);

#endif
