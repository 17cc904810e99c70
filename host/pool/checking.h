/* checking.h - large results are read in a thread, so that the loop serves others meanwhile.
 *
 * From the last frame of such a result on its call has ended for the worker, and keeps its slot
 * until the result is read.  The body belongs to the thread until then; what happens meanwhile only
 * cuts the ties: a job that is cancelled is not told, and a worker that dies is not asked any more,
 * since all of the result has come.  Loop thread only. */
#ifndef TOOLHOST_POOL_CHECKING_H
#define TOOLHOST_POOL_CHECKING_H

#include <stdbool.h>

#include "base/buf.h"
#include "pool/job.h"

struct checking;
struct slot;

/* Have the result of the slot's job read; the body is taken over and left empty, and so are the
 * bytes that were held for it (pressure_hold).  The job ends later, or its worker is killed for
 * what it sent. */
void checking_begin (struct slot *slot, const struct frame_result *head, struct buf *body,
                     size_t held);
/* The job is cancelled: it is its owner's again. */
void checking_forget (struct job *job);
/* The worker is gone, and its slot with it; the job ends when its result is read. */
void checking_leave (struct checking *checking);

#endif
