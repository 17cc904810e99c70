/* receive.h - the frames of one worker, read as an enemy's: between worker.c, which keeps the
 * state, and receive.c, which decodes. */
#ifndef TOOLHOST_POOL_RECEIVE_H
#define TOOLHOST_POOL_RECEIVE_H

#include "pool/worker.h"

/* Take what is there, bounded; worker->channel.received says whether there was anything.  False
 * when the other end is closed. */
bool worker_receive (struct worker *worker);

/* What receive.c does to the worker. */
struct slot *worker_slot (struct worker *worker, uint64_t nonce); /* NULL: not a running call */
struct job *worker_free_slot (struct worker *worker, struct slot *slot);
void worker_slot_was_freed (struct worker *worker); /* after the job was told */
void worker_is_greeted (struct worker *worker);
void worker_is_described (struct worker *worker);

#endif
