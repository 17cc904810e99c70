/* describe.h - a schema in a few lines, for a model that has sent arguments which do not fit: what
 * is asked for, rather than all that was wrong. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_DESCRIBE_H
#define TOOLHOST_SCHEMA_EXPLAIN_DESCRIBE_H

#include "schema/schema.h"

/* Append a line for each member, the outer ones first, each ended by '\n':
 *   name (required string 1..200): Full name; one of "a", "b"
 *   lines[]/qty (required integer 1..9999)
 *   payment (required object): one of method=card, method=bank
 *   payment[method=card]/token (required string)
 * At most `most` bytes; "and 5 more" for what did not fit.  Texts of the schema are cut and made
 * harmless. */
void schema_describe (const struct schema *schema, struct buf *out, size_t most);

#endif
