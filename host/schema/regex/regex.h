/* regex.h - patterns of JSON Schema: ECMA-262 regular expressions at a bounded cost, most of them
 * without an engine, the others by PCRE2.  For the files of schema/ and of guard/.
 *
 * Refused when compiled: what ECMA-262 with the flag `u` does not know (so that no feature of PCRE2
 * leaks in), and what is too large.  A compiled pattern is immutable and good in any thread. */
#ifndef TOOLHOST_SCHEMA_REGEX_REGEX_H
#define TOOLHOST_SCHEMA_REGEX_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { PATTERN_LEN_MAX = 4096 };

/* One of the two is there; both, where the pattern shall find. */
struct regex {
  struct regex_simple *simple;
  struct regex_engine *engine;
  size_t size;
  struct regex *next; /* for the owner */
};

/* NULL: err says why. */
struct regex *regex_compile (const char *pattern, size_t len, struct error *err);
/* The same for more than matching: its letters match both cases of them, though what a group has
 * matched does not; or it is good for regex_find. */
enum { REGEX_IGNORES_CASE = 1, REGEX_FINDS = 2 };
struct regex *regex_compile_for (const char *pattern, size_t len, unsigned wishes,
                                 struct error *err);
void regex_free (struct regex *regex);

enum regex_verdict { REGEX_NO_MATCH, REGEX_MATCH, REGEX_TOO_COSTLY };

/* Does the pattern match anywhere in the text (good UTF-8, may hold NUL)?  Steps of a few ns are
 * taken off *budget; when it falls below 0 the match is given up.  Nothing is allocated, but the
 * first time a thread needs the engine. */
enum regex_verdict regex_match (const struct regex *regex, const char *text, size_t len,
                                int64_t *budget);

/* Where does it match first, from byte `from` on?  The end is behind the match, which may be empty.
 * For what was compiled with REGEX_FINDS; otherwise as regex_match. */
enum regex_verdict regex_find (const struct regex *regex, const char *text, size_t len, size_t from,
                               size_t *start, size_t *end, int64_t *budget);

/* Is this a regular expression of ECMA-262 (flag `u`), to the letter and of at most PATTERN_LEN_MAX
 * bytes?  For "format": "regex".  A pattern may be a little less strict, and is refused where the
 * engine can't do what it says. */
bool regex_is_valid (const char *pattern, size_t len);

/* ECMA-262 to PCRE2's syntax, appended to `out`.  False: err says what is not understood. */
bool regex_translate (const char *pattern, size_t len, struct buf *out, struct error *err);

#endif
