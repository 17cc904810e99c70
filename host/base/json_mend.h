/* json_mend.h - text of a model that is almost JSON, made JSON: a fence around it, comments,
 * trailing commas, quotes of other kinds, True and None, brackets left open, prose around it.
 *
 * Only for arguments that arrive as text a model wrote (function.arguments of a provider, a command
 * line), never for JSON of a wire protocol.  One pass, bounded; nothing is guessed that changes the
 * meaning of what was good JSON already.
 *
 * A text that is cut off, by a limit of tokens or by an ellipsis, is another matter: what it holds
 * may be half of what was meant.  It is only made whole when the caller asks for that. */
#ifndef TOOLHOST_BASE_JSON_MEND_H
#define TOOLHOST_BASE_JSON_MEND_H

#include "base/json_tape.h"

enum json_mended {
  JSON_MENDED,
  JSON_CUT_OFF, /* it seems to be cut off, and that was not to be mended or can't be */
  JSON_NOT_MENDED
};

/* Put strict JSON into `out`.  JSON_MENDED: json_read accepts it within `limits`, and `what` (when
 * not NULL) got a short list of what was done, "surplus comma removed, string closed".  Otherwise
 * neither got anything.  With `close_cut_off` a text that is cut off is closed where it ends:
 * strings and brackets end there, a member without its value is left out. */
enum json_mended json_mend (const char *text, size_t len, bool close_cut_off,
                            const struct json_limits *limits, struct buf *out, struct buf *what);

#endif
