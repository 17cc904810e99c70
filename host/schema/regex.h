/* regex.h - patterns of JSON Schema: ECMA-262 regular expressions, matched by PCRE2 at a bounded
 * cost.  For the files of schema/ alone.
 *
 * Refused when compiled: what ECMA-262 with the flag `u` does not know (so that no feature of PCRE2
 * leaks in), and back references, whose cost can't be bounded.  A compiled pattern is immutable. */
#ifndef TOOLHOST_SCHEMA_REGEX_H
#define TOOLHOST_SCHEMA_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { PATTERN_LEN_MAX = 4096 };

struct regex {
  void *code; /* pcre2_code */
  size_t size;
  struct regex *next; /* for the owner */
};

/* NULL: err says why. */
struct regex *regex_compile (const char *pattern, size_t len, struct error *err);
void regex_free (struct regex *regex);

/* Memory for matching, so that a match needs no malloc; for one thread, one piece of work.  Zero
 * `ready` before the first match, call regex_work_end after the last. */
struct regex_work {
  bool ready;
  size_t used;
  int64_t *budget;
  size_t last; /* where the matcher was when it was last seen */
  void *general;
  void *context;
  void *data;
  _Alignas(16) char memory[24 * 1024];
};

enum regex_verdict { REGEX_NO_MATCH, REGEX_MATCH, REGEX_TOO_COSTLY };

/* Does the pattern match anywhere in the text (good UTF-8)?  Steps are taken off *budget; when it
 * falls below 0 the match is given up. */
enum regex_verdict regex_match (const struct regex *regex, struct regex_work *work,
                                const char *text, size_t len, int64_t *budget);
void regex_work_end (struct regex_work *work);

/* ECMA-262 to PCRE2's syntax, appended to `out`.  False: err says what is not understood. */
bool regex_translate (const char *pattern, size_t len, struct buf *out, struct error *err);

#endif
