/* isolate.h - whose calls a process of a fleet may take (policy: isolate).
 *
 *   plugin  anybody's
 *   tenant  those of the first tenant it served, until it ends; where all processes are others',
 * one of them makes room, an idle one at once, a busy one when it has had its time call    one
 * call, and then it goes
 *
 * Part of unit.c, as fleet.h is.  Loop thread only. */
#ifndef TOOLHOST_POOL_ISOLATE_H
#define TOOLHOST_POOL_ISOLATE_H

#include "pool/fleet.h"
#include "pool/tenants.h"

/* The process with room for a call of the tenant that has least to do; NULL: none. */
struct worker *isolate_pick (const struct fleet *fleet, const struct tenant *tenant);
/* It was given a call of the tenant. */
void isolate_given (const struct fleet *fleet, struct worker *worker, const struct tenant *tenant);
/* Calls wait that no process may take: one is to go for them, or to come. */
void isolate_make_room (struct fleet *fleet);

#endif
