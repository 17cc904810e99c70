/* guess.h - "did you mean": the word of a list that was most likely meant.  For the files of
 * schema/. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_GUESS_H
#define TOOLHOST_SCHEMA_EXPLAIN_GUESS_H

#include <stddef.h>

/* Offered words are not copied. */
struct guess {
  const char *word;
  size_t len;
  const char *found; /* the best so far; NULL: none is near */
  size_t found_len;
  unsigned distance; /* of it; 0: equal but for case, '_', '-' and blanks */
};

void guess_begin (struct guess *guess, const char *word, size_t len);
/* Near is what one or two letters added, left out, changed or swapped would make of it, of words
 * that are long enough for that to be a slip. */
void guess_offer (struct guess *guess, const char *candidate, size_t len);

#endif
