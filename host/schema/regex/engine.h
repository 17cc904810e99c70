/* engine.h - PCRE2, for the patterns that simple.h leaves.  For the regex files alone.
 *
 * What a match costs is counted, whatever the pattern: PCRE2 reports before each item of the
 * pattern where it is in the text, and the match ends with the budget. */
#ifndef TOOLHOST_SCHEMA_REGEX_ENGINE_H
#define TOOLHOST_SCHEMA_REGEX_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/regex/regex.h"
#include "schema/regex/tree.h"

struct regex_engine;

/* NULL: err says why. */
struct regex_engine *regex_engine_new (const struct regex_tree *tree, struct error *err);
void regex_engine_free (struct regex_engine *engine);
size_t regex_engine_size (const struct regex_engine *engine);

enum regex_verdict regex_engine_match (const struct regex_engine *engine, const char *text,
                                       size_t len, int64_t *budget);

/* The first match from byte `from` on. */
enum regex_verdict regex_engine_find (const struct regex_engine *engine, const char *text,
                                      size_t len, size_t from, size_t *start, size_t *end,
                                      int64_t *budget);

/* Does "\p{text}" mean something? */
bool regex_engine_knows_property (const char *text);

#endif
