/* batch.h - calls of one caller that belong together: where one of them needs a person's approval,
 * none begins before that is decided (U3-7).  Where none does, all begin at once.
 *
 *   call_batch_new ─ call_start, with call_request.batch … ─ call_batch_close ─▶ all that may begin
 *
 * Each call still ends by itself, in its own result: a batch only says when it begins.  It is
 * memory of this daemon: over a restart an approved call of it runs by itself (approvals.h), and
 * what had not begun has not run.  Loop thread only. */
#ifndef TOOLHOST_CALL_BATCH_H
#define TOOLHOST_CALL_BATCH_H

#include "call/call.h"

struct call_batch;

/* What becomes of the calls that need no approval, where others do. */
enum batch_kind {
  /* They wait, and begin with the last decision: for callers that stay. */
  BATCH_HOLDS,
  /* The same; but where a call is handed back to its caller to be decided there, these are as well:
   * whoever gets an answer with questions gets all of them, and each call goes its own way. */
  BATCH_SURFACES
};

struct call_batch *call_batch_new (struct calls *calls, enum batch_kind kind);
/* All have been given: those that may begin do, and may end, before this returns.  One that comes
 * later begins at once, unless others wait for a decision: then it waits with them. */
void call_batch_close (struct call_batch *batch);
struct call_batch *call_batch_ref (struct call_batch *batch);
/* Nobody gives it calls any more; those it has go on.  NULL is fine. */
void call_batch_unref (struct call_batch *batch);
/* Both. */
void call_batch_end (struct call_batch *batch);

/* One of its calls waits for a decision. */
bool call_batch_waits (const struct call_batch *batch);

#endif
