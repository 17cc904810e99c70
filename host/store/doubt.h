/* doubt.h - acts of which nobody knows whether they were done: asked again, they have the nonce
 * they had, and the engine sees that they are the same.  Bounded: of very many the oldest are
 * forgotten, and are then asked as if for the first time.  Loop thread only. */
#ifndef TOOLHOST_STORE_DOUBT_H
#define TOOLHOST_STORE_DOUBT_H

#include "store/store_engine.h"

struct doubts; /* NULL: none yet */

/* The act was asked: give it its nonce, the one it had when it is known. */
void doubt_ask (struct doubts **doubts, struct store_act *act, uint64_t *nonces);
/* The act has ended: remember it when its outcome is unknown. */
void doubt_ended (struct doubts **doubts, const struct store_act *act);
void doubts_free (struct doubts *doubts);

#endif
