/* words.h - a set of texts that is looked up fast: property names, strings of an enum.  The memory
 * is an arena's; the texts are those of a tape, or copies when they had escapes.  Filled first,
 * then finished, only looked up from then on. */
#ifndef TOOLHOST_SCHEMA_WORDS_H
#define TOOLHOST_SCHEMA_WORDS_H

#include <string.h>

#include "base/json_tape.h"

struct word {
  const char *text;
  uint32_t len;
};

struct words {
  struct word *list;
  uint32_t count;
  uint32_t bits; /* of the number of slots */
  uint64_t factor;
  uint32_t *slots; /* index + 1 by hash, 0: free */
};

#define WORDS_NONE UINT32_MAX

/* Room for `most` words, none yet. */
void words_init (struct words *w, uint32_t most, struct arena *arena);
/* The index of the word, which is added when it is not there. */
uint32_t words_add (struct words *w, const struct json_tape *tape, const struct json_node *string,
                    struct arena *arena);
/* The same with a text, which must live as long. */
uint32_t words_add_text (struct words *w, const char *text, uint32_t len);
/* All are in: find a hash under which they don't collide. */
void words_finish (struct words *w, struct arena *arena);

/* words_find's way when the word is not the expected one. */
uint32_t words_search (const struct words *w, const struct json_tape *tape,
                       const struct json_node *string);

static inline bool
words_same_8 (const char *a, const char *b)
{
  uint64_t x, y;

  memcpy (&x, a, sizeof x);
  memcpy (&y, b, sizeof y);
  return x == y;
}

static inline bool
words_same_4 (const char *a, const char *b)
{
  uint32_t x, y;

  memcpy (&x, a, sizeof x);
  memcpy (&y, b, sizeof y);
  return x == y;
}

/* memcmp for short texts, without a call. */
static inline bool
words_same (const char *a, const char *b, size_t len)
{
  if (len > 16)
    return memcmp (a, b, len) == 0;
  if (len >= 8)
    return words_same_8 (a, b) && words_same_8 (a + len - 8, b + len - 8);
  if (len >= 4)
    return words_same_4 (a, b) && words_same_4 (a + len - 4, b + len - 4);
  return len == 0 || (a[0] == b[0] && a[len >> 1] == b[len >> 1] && a[len - 1] == b[len - 1]);
}

/* The index of the word a string node stands for, or WORDS_NONE.  `expected` is tried first; it
 * need not exist. */
static inline uint32_t
words_find (const struct words *w, uint32_t expected, const struct json_tape *tape,
            const struct json_node *string)
{
  if (expected < w->count && w->list[expected].len == string->len && !string->escaped
      && words_same (w->list[expected].text, tape->text + string->start, string->len))
    return expected;
  return w->count == 0 ? WORDS_NONE : words_search (w, tape, string);
}

#endif
