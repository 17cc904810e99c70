/* answer.h - what a model is told of a result, in the form of the Sonore Phone Agent.  Pure. */
#ifndef TOOLHOST_SESSION_ANSWER_H
#define TOOLHOST_SESSION_ANSWER_H

#include "base/buf.h"
#include "call/call.h"

/* Append one JSON value: what the call gave, or { "ok": false, "error", "tool", "message" }; a tool
 * that failed with a code of its own may have said a JSON object, which it is then; with "partial"
 * of one that was interrupted, what it had given by then. */
void answer_output (struct buf *out, const char *tool, const struct result *result);
/* … of a call whose answer could not be made or sent. */
extern const char answer_fallback[];

#endif
