/* offload.h - a few threads for work that would block the loop: reading, hashing and writing files.
 *
 *   job = offload_submit (offload, &(struct offload_work){ .work = copy, .done = copied, .ctx = x
 * });
 *
 * work runs in a thread of the pool and touches nothing but its ctx; done runs on the loop's
 * thread, exactly once for each job, never inside offload_submit, and is where ctx is freed.  Jobs
 * begin in the order they were submitted and may end in another.  While there are jobs, the loop
 * stays alive. Threads are started when there is work for them; they take no signals.  Where none
 * can be started, work runs on the loop's thread: late is better than never.
 *
 * All functions but offload_cancelled are for the loop's thread. */
#ifndef TOOLHOST_BASE_OFFLOAD_H
#define TOOLHOST_BASE_OFFLOAD_H

#include <ev.h>
#include <stdbool.h>

struct offload;
struct offload_job;

struct offload_work {
  void (*work) (void *ctx, const struct offload_job *job);
  /* `cancelled`: work was not begun, or its outcome is not wanted any more. */
  void (*done) (void *ctx, bool cancelled);
  void *ctx;
};

struct offload *offload_new (struct ev_loop *loop, unsigned threads);
/* Cancel everything, wait for the work that has begun, and call what is left of done, which submits
 * nothing more then. */
void offload_free (struct offload *offload);

/* The job is known until its done is called. */
struct offload_job *offload_submit (struct offload *offload, const struct offload_work *work);
/* Long work looks at offload_cancelled now and then; done is called as always, a little later. */
void offload_cancel (struct offload_job *job);
/* Any thread. */
bool offload_cancelled (const struct offload_job *job);

#endif
