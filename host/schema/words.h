/* words.h - a set of texts that is looked up fast: property names, strings of an enum.  The memory
 * is an arena's; the texts are those of a tape, or copies when they had escapes. */
#ifndef TOOLHOST_SCHEMA_WORDS_H
#define TOOLHOST_SCHEMA_WORDS_H

#include "base/json_tape.h"

struct word {
  const char *text;
  uint32_t len;
};

struct words {
  struct word *list;
  uint32_t count;
  uint32_t mask;   /* of slots */
  uint32_t *slots; /* index + 1 by hash, 0: free */
};

#define WORDS_NONE UINT32_MAX

/* Room for `most` words, none yet. */
void words_init (struct words *w, uint32_t most, struct arena *arena);
/* The index of the word, which is added when it is not there. */
uint32_t words_add (struct words *w, const struct json_tape *tape, const struct json_node *string,
                    struct arena *arena);
/* The index of the word a string node stands for, or WORDS_NONE.  `expected` is tried first; it
 * need not exist. */
uint32_t words_find (const struct words *w, uint32_t expected, const struct json_tape *tape,
                     const struct json_node *string);

#endif
