/* json_mend.h - text of a model that is almost JSON, made JSON: a fence around it, comments,
 * trailing commas, quotes of other kinds, True and None, brackets left open, prose around it.
 *
 * Only for arguments that arrive as text a model wrote (function.arguments of a provider, a command
 * line), never for JSON of a wire protocol.  One pass, bounded; nothing is guessed that changes the
 * meaning of what was good JSON already. */
#ifndef TOOLHOST_BASE_JSON_MEND_H
#define TOOLHOST_BASE_JSON_MEND_H

#include "base/json_tape.h"

/* Put strict JSON into `out`.  True: json_read accepts it within `limits`, and `what` (when not
 * NULL) got a short list of what was done, "surplus comma removed, string closed".  False: it
 * can't be mended. */
bool json_mend (const char *text, size_t len, const struct json_limits *limits, struct buf *out,
                struct buf *what);

#endif
