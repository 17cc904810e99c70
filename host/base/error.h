/* error.h - errors as values: a text, filled by who knows, wrapped by who has context.
 *
 *   struct error err = { 0 };
 *   if (!policy_load (&policy, fd, &err))
 *     return error_wrap (&err, "plugins.d/%s.json: ", name);   -- returns false
 *
 * Owned by the caller, no allocation, no thread rules of its own. */
#ifndef TOOLHOST_BASE_ERROR_H
#define TOOLHOST_BASE_ERROR_H

#include <stdbool.h>

struct error {
  char text[512]; /* a sentence without a full stop; "" while nothing went wrong */
};

/* Set the text; false always, so that `return error_set (…)` reads well. `err` may be NULL. */
bool error_set (struct error *err, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));

/* Put words before the text; false always. */
bool error_wrap (struct error *err, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));

/* The candidate nearest to `word` (edit distance at most a third of its length), for "did you
 * mean"; NULL when none is near.  `candidates` ends with NULL. */
const char *error_nearest (const char *word, const char *const *candidates);

/* Did a call fail (with this errno) for a want that may be over in a moment: of descriptors, of
 * memory?  Then nothing is known of what it was asked about. */
bool error_is_shortage (int number);

#endif
