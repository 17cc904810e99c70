/* redact.h - the arguments of a call for the log: their shape, without what they say.
 *
 *   {"to":"+14155551234","n":[1,2]}  →  {"to":"<string of 12>","n":["<number>","<number>"]}
 *
 * Any thread. */
#ifndef TOOLHOST_WATCH_REDACT_H
#define TOOLHOST_WATCH_REDACT_H

#include "base/buf.h"

/* About the most that is written. */
enum { REDACTED_MAX = 1024 };

/* Append it as JSON.  Names of members stay where they look like names; of strings the length in
 * bytes is told as they are written, null stays.  What is no JSON is told as such. */
void redact_json (const char *text, size_t len, struct buf *out);

#endif
