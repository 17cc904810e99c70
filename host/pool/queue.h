/* queue.h - the calls that wait for one unit, and whose turn it is.
 *
 * Start-time fair queueing on two levels: a tenant gets turns by its weight, and in a tenant every
 * principal gets as many as any other; calls of one principal go in the order they came.  A call
 * costs one turn, however long it runs.  Who was away saves up no turns.
 *
 * A full queue takes one more call only from who has less than its share: then whoever has the
 * longest backlog (for its weight) loses the call that came last.  A tenant at its limit of running
 * calls is passed over, and nobody waits behind it.
 *
 * Every operation takes O(log n) of the tenants and principals that wait.  Loop thread only. */
#ifndef TOOLHOST_POOL_QUEUE_H
#define TOOLHOST_POOL_QUEUE_H

#include "pool/job.h"
#include "pool/tenants.h"

struct flow; /* the calls of one tenant, or of one principal in it */

struct queue_settings {
  struct tenants *tenants; /* borrowed */
  unsigned max;            /* calls that may wait */
  unsigned per_tenant;     /* calls of one tenant that run at once; 0: any number */
  /* A call that could not run because of its tenant's limit over all queues may run now. */
  void (*wake) (void *ctx);
  void *ctx;
};

struct queue {
  struct queue_settings settings;
  struct flow *root;
  int64_t ran_ns; /* how long a call runs: the mean of the last ones; 0: none has ended */
};

void queue_init (struct queue *queue, const struct queue_settings *settings);
/* Nothing may wait or run. */
void queue_clear (struct queue *queue);

unsigned queue_count (const struct queue *queue);

/* NULL: the job waits.  Else the one that has no place: it itself, or another that waited. */
struct job *queue_put (struct queue *queue, struct job *job);

/* Whose turn it is; `tenant` is the only one in question, or NULL.  It stays in the queue.  NULL:
 * nobody's. */
struct job *queue_next (struct queue *queue, const char *tenant);
/* Of a job that waits: whose it is. */
const struct tenant *queue_tenant (const struct job *job);
/* Any that waits, for emptying the queue; NULL: none. */
struct job *queue_any (const struct queue *queue);

/* It leaves without having had its turn. */
void queue_remove (struct queue *queue, struct job *job);
/* It goes to a worker.  flow_ended must be called with what is returned when it has left it, and
 * with how long the worker had it. */
struct flow *queue_take (struct queue *queue, struct job *job);
void flow_ended (struct flow *flow, int64_t ran_ns);

/* When all that wait now will have had their turn, by how long calls ran lately and how many run at
 * once; between 50 ms and 30 s, for whoever is told to come again. */
int64_t queue_retry_ms (const struct queue *queue);

#endif
