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
  uint8_t shift; /* 64 - bits */
  bool perfect;  /* every word is in the slot of its hash */
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

/* For words_find: the ways that are rare. */
uint32_t words_find_escaped (const struct words *w, const struct json_tape *tape,
                             const struct json_node *string);
uint32_t words_find_further (const struct words *w, const char *text, size_t len, uint32_t slot);

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

/* memcmp without a call: names are short. */
static inline bool
words_same (const char *a, const char *b, size_t len)
{
  if (len >= 8) {
    for (size_t i = 0; i + 8 < len; i += 8)
      if (!words_same_8 (a + i, b + i))
        return false;
    return words_same_8 (a + len - 8, b + len - 8);
  }
  if (len >= 4)
    return words_same_4 (a, b) && words_same_4 (a + len - 4, b + len - 4);
  return len == 0 || (a[0] == b[0] && a[len >> 1] == b[len >> 1] && a[len - 1] == b[len - 1]);
}

static inline bool
words_is (const struct words *w, uint32_t i, const char *text, size_t len)
{
  return w->list[i].len == len && words_same (w->list[i].text, text, len);
}

/* Length, the first bytes and the last ones: names hardly ever differ in the middle alone.  No key:
 * the set is the schema's, and a lookup never adds to it. */
static inline uint32_t
words_hash (const struct words *w, const char *text, size_t len)
{
  uint32_t first = 0, last = 0;
  uint64_t essence;

  if (len >= 4) {
    memcpy (&first, text, 4);
    memcpy (&last, text + len - 4, 4);
  }
  else if (len != 0) {
    first = (unsigned char) text[0] | (uint32_t) (unsigned char) text[len >> 1] << 8;
    last = (unsigned char) text[len - 1];
  }
  essence = ((uint64_t) last << 32 | first) + len * UINT64_C (0x3b9aca07);
  return (uint32_t) (essence * w->factor >> w->shift);
}

/* The index of the word a string node stands for, or WORDS_NONE. */
static inline uint32_t
words_find (const struct words *w, const struct json_tape *tape, const struct json_node *string)
{
  enum { FEW = 4 };
  const char *text = tape->text + string->start;
  uint32_t slot, i;

  if (string->escaped)
    return words_find_escaped (w, tape, string);
  if (w->count <= FEW) {
    for (i = 0; i < w->count; i++)
      if (words_is (w, i, text, string->len))
        return i;
    return WORDS_NONE;
  }
  slot = words_hash (w, text, string->len);
  i = w->slots[slot] - 1; /* of a free one: WORDS_NONE */
  if (i == WORDS_NONE || words_is (w, i, text, string->len))
    return i;
  return w->perfect ? WORDS_NONE : words_find_further (w, text, string->len, slot);
}

#endif
