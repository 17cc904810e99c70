/* simple.h - patterns without an engine: a table of what each character leads to from each
 * state, so that a match goes over the text once, whatever pattern and text are.  For the regex
 * files alone.
 *
 * Good for what regular expressions were in the beginning - sets, sequences, choices, repetitions,
 * ^ and $ - as long as the table stays small; most patterns of tools are of that kind.  Look-aheads
 * at the start of a pattern are tables of their own. */
#ifndef TOOLHOST_SCHEMA_REGEX_SIMPLE_H
#define TOOLHOST_SCHEMA_REGEX_SIMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/regex/regex.h"
#include "schema/regex/tree.h"

struct regex_simple;

/* NULL: it needs the engine. */
struct regex_simple *regex_simple_new (const struct regex_tree *tree);
void regex_simple_free (struct regex_simple *simple);
size_t regex_simple_size (const struct regex_simple *simple);

enum regex_verdict regex_simple_match (const struct regex_simple *simple, const char *text,
                                       size_t len, int64_t *budget);

#endif
