/* serving.h - what the daemon does for a call that runs: it reads what the call's worker asks, has
 * it done, and passes on what comes of it, no faster than the call takes it.  One request of a call
 * at a time; the next may begin when the last has ended.  Loop thread only. */
#ifndef TOOLHOST_POOL_SERVING_H
#define TOOLHOST_POOL_SERVING_H

#include <stdbool.h>
#include <stddef.h>

struct slot;

/* The payload of a SERVICE frame.  False: no worker of ours sends this. */
bool serving_take (struct slot *slot, const char *payload, size_t len);

/* The call has ended, or nobody waits for it any more: what is under way is dropped. */
void serving_end (struct slot *slot);

#endif
