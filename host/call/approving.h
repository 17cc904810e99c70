/* approving.h - a call that waits for a person, or was approved, as the files that see to it share
 * it: approve.c says whether it is asked about, approve_book.c writes it into the book and hears
 * of it, approve_known.c looks whether it has run, approve_again.c meets its caller again,
 * approve_run.c runs what was approved, approve_leave.c has it end early.  Nobody else includes
 * this.  All of it is for the loop's thread. */
#ifndef TOOLHOST_CALL_APPROVING_H
#define TOOLHOST_CALL_APPROVING_H

#include "approval/approvals.h"
#include "call/running.h"

struct approving {
  struct approving *next, **prev; /* of all */
  struct calls *calls;
  struct call *waiting;        /* NULL: nobody does (any more) */
  struct call *checked;        /* while guards look at its arguments, before it is asked about */
  struct call *inner;          /* while it runs */
  struct approval *entry;      /* NULL: it is not in the book (yet) */
  struct approval_facts facts; /* until it is: in `arena` */
  char id[APPROVAL_ID_LEN + 1];
  const char *why; /* it is not to be run, for this reason, unless it has been */
  bool looking;    /* the store is asked of it */
  bool decided;    /* it was in the book, and is not to be asked about again */
  struct arena arena;
  ev_timer again;
};

/* ---- approving.c ---- */

/* One of `calls`, for whoever `waiting` is or will be (join).  Ends with approving_free. */
struct approving *approving_new (struct calls *calls, struct call *waiting);
void approving_free (struct approving *a);

/* The call waits for it, outside its deadline. */
void approving_join (struct approving *a, struct call *call);

/* Its call does not wait for it any more.  Returns that call, or NULL: none did. */
struct call *approving_part (struct approving *a);

/* It is over and freed; whoever waits is told this.  `message` is copied and may be NULL: that of
 * the error; `retry_after_ms` in milliseconds, 0: not to be tried again. */
void approving_end (struct approving *a, enum call_error error, const char *message,
                    int64_t retry_after_ms);

/* That of an entry of the book; NULL: none. */
struct approving *approving_find (struct calls *calls, const struct approval *entry);

/* The tenant whose book a call is written into. */
const char *approving_tenant (const struct call *call);

/* Its caller has named it, and may leave and come again. */
bool approving_is_named (const struct approving *a);

/* ---- approve_book.c ---- */

/* What the book tells of an entry; its ctx is the approving. */
extern const struct approval_waiter approving_waiter;

/* Write its facts into the book.  It may have ended when this returns. */
void approving_ask (struct approving *a);

/* It could not be recorded: it ends.  `ctx` is the approving. */
void approving_not_recorded (void *ctx);

/* What the caller of one that was not approved is told; NULL: the message of its error. */
const char *approving_refusal (const struct approval_facts *facts);

/* ---- approve_known.c ---- */

/* Ask the store whether it was claimed before; what follows from the answer is done here. */
void approving_look (struct approving *a);

/* ---- approve_again.c ---- */

/* The caller of this call, which is in the book as `entry`, comes again with its id. */
enum approve approving_meet_again (struct call *call, struct approval *entry,
                                   const struct call_request *request);

/* The caller of this call comes with the answer to what it was asked. */
enum approve approving_resume (struct call *call, const struct call_request *request);

/* ---- approve_run.c ---- */

/* It could not be begun: try again in a moment. */
void approving_again (struct approving *a);

#endif
