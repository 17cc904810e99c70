/* batching.h - batches and their calls, as the files that see to them share them: batching.c has
 * their memory, batch_member.c follows each call of them, batch.c says when they begin, and
 * batch_leave.c ends them with the daemon.  Nobody else
 * includes this.  Loop thread only. */
#ifndef TOOLHOST_CALL_BATCHING_H
#define TOOLHOST_CALL_BATCHING_H

#include "approval/approvals.h"
#include "base/hash.h"
#include "call/batch.h"
#include "call/running.h"

enum member_state {
  MEMBER_OPEN,    /* whether it may run is not decided, or not known yet */
  MEMBER_READY,   /* it needs nobody */
  MEMBER_APPROVED /* it was approved, and has not begun */
};

/* A call of a batch until it begins, or ends. */
struct batch_member {
  struct batch_member *next, **prev; /* in the order of the calls */
  struct call_batch *batch;
  struct call *call; /* NULL: its caller was asked, and comes again; or is gone */
  enum member_state state;
  bool alone;  /* approved, and its caller has left: it waits for nobody */
  bool stands; /* ready, its clock stands still, and it counts as one that waits for people */
  char approval[APPROVAL_ID_LEN + 1]; /* "": it is in no book (yet) */
  unsigned char key[STORE_HASH];      /* of an approved one */
  /* of a ready one, as it was asked for; the memory is `room` */
  const char *call_id, *claimed_in, *args;
  size_t args_len;
  char *room;
  UT_hash_handle hh; /* by its approval */
};

struct call_batch {
  struct call_batch *next, **prev;
  struct batches *batches;
  enum batch_kind kind;
  unsigned refs;
  bool closed;
  bool surfaced; /* a call was handed back to its caller, and so are the others */
  bool busy;
  struct batch_member *first, **end;
};

/* All of a daemon. */
struct batches {
  struct calls *calls;
  struct approvals_watcher watcher;
  struct call_batch *list;
  struct batch_member *by_approval;
  void (*look) (struct call_batch *batch);
  ev_timer soon; /* what was decided may have others begin: not from in the book */
};

/* ---- batching.c ---- */

struct batches *batches_of (struct calls *calls);
/* One that holds it does not any more. */
void batch_less (struct call_batch *batch);
/* The batch is looked at in the loop's next turn. */
void batch_look_soon (const struct call_batch *batch);
struct batch_member *batch_member_new (struct call_batch *batch, struct call *call);
void batch_member_free (struct batch_member *m);
/* It is not counted among those that wait any more; its clock is its caller's affair. */
void batch_stand_no_more (struct batch_member *m);
/* That of an entry of the book; NULL: none. */
struct batch_member *batch_find (const struct calls *calls, const char *approval);
/* The first in this state; NULL: none. */
struct batch_member *batch_first_in (const struct call_batch *batch, enum member_state state);
/* Is one not decided? */
bool batch_has_open (const struct call_batch *batch);

#endif
