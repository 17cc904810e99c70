/* stored.h - the result of a call as the store keeps it: one JSON object, written when the call has
 * ended and read strictly for whoever asks again, also by a later daemon.
 *
 *   { "error"?, "code"?, "message", "content", "structured"?, "problems"?, "repairs"?, "links"?,
 *     "usage": {…} }                   "error" is a name of errors.def; without it the call worked
 *
 * Pure functions, any thread. */
#ifndef TOOLHOST_CALL_STORED_H
#define TOOLHOST_CALL_STORED_H

#include "base/json_write.h"
#include "call/call.h"

/* Of a call of a tool that has ended. */
void stored_write (struct buf *out, const struct result *result);
/* The same as the members of an object that is being written. */
void stored_put (struct json_writer *w, const struct result *result);
/* What is kept in the place of a result of so many bytes, which is more than may be kept. */
void stored_write_too_large (struct buf *out, size_t len);

/* The result, whose texts are in `json` and in `arena`; its `tool` and `name` are the caller's to
 * set.  False: it is not what stored_write writes. */
bool stored_read (struct result *result, const char *json, size_t len, struct arena *arena);

/* A result that lives as long as `room`, which is empty at first; without what only a call that
 * runs has (its room and its questions). */
void stored_copy (struct result *copy, const struct result *result, struct buf *room);

#endif
