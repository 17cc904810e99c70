/* building.h - what the daemon does for a builder while it builds (toolhost_build_call): requests,
 * by what its plugin is granted, until the tools are described.  Used by receive.c and worker.c.
 * Loop thread only. */
#ifndef TOOLHOST_POOL_BUILDING_H
#define TOOLHOST_POOL_BUILDING_H

#include <stdbool.h>
#include <stddef.h>

struct policy;
struct worker;

/* The payload of a SERVICE frame of the build's call.  False: it can't be read, or no build runs.
 */
bool building_take (struct worker *worker, const char *payload, size_t len);
/* The build is over; nothing comes of what is on its way. */
void building_end (struct worker *worker);

/* May a builder under this policy wait for others: for servers, or for programs? */
bool building_waits (const struct policy *policy);

#endif
