/* wish.h - what a session is opened with, as JSON: { "call_id", "ttl_ms", "context": { "user",
 * "tenant" } }, all of it optional.  Pure. */
#ifndef TOOLHOST_FRONT_REST_WISH_H
#define TOOLHOST_FRONT_REST_WISH_H

#include "session/session.h"

/* Read wish->tape into the others; texts are in the arena.  False: err begins with a JSON pointer.
 */
bool session_wish_read (struct session_wish *wish, struct arena *arena, struct error *err);

#endif
