/* json_canonical.h - one spelling for equal JSON values, for digests and for what is compared as
 * text.  A pure function. */
#ifndef TOOLHOST_BASE_JSON_CANONICAL_H
#define TOOLHOST_BASE_JSON_CANONICAL_H

#include "base/buf.h"
#include "base/json_tape.h"

/* Canonical JSON: no blanks, members in the order of their names' bytes, strings with the escapes
 * they need and no more; numbers stay as they are written. */
void json_canonical (const struct json_tape *tape, const struct json_node *value, struct buf *out);

#endif
