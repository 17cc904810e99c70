/* indented.h - JSON for people who go on with it in an editor: what fits stands on one line, the
 * rest has a line for each member. */
#ifndef TOOLHOST_CLI_INDENTED_H
#define TOOLHOST_CLI_INDENTED_H

#include "base/buf.h"
#include "base/json_tape.h"

/* Append a value as it is, but for white space, without a newline at the end; `depth` steps of two
 * blanks stand before its lines but the first. */
void indented_write (const struct json_tape *tape, const struct json_node *node, unsigned depth,
                     struct buf *out);

#endif
