/* mark.h - the member by whose value the variants of an object are told apart ("kind": "circle"),
 * found in the program alone.  For the files that explain and describe. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_MARK_H
#define TOOLHOST_SCHEMA_EXPLAIN_MARK_H

#include "schema/explain/line.h"
#include "schema/program.h"

/* The first member that every branch for objects binds to one or some strings; false: there is
 * none, or the steps of the budget ran out on the way. */
bool mark_find (const struct branches *branches, struct word *mark, int64_t *budget);
/* The values that a branch binds the mark to; NULL: it does not. */
const struct values *mark_values (const struct rule *branch, const struct word *mark);
/* Name a branch: "kind=circle", or without a mark (text NULL) "variant 2 (Circle)" by its title or
 * by the name of what it refers to. */
void mark_label (struct line *line, const struct schema *schema, const struct branches *branches,
                 uint32_t index, const struct word *mark);

#endif
