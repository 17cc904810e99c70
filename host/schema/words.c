#include "schema/words.h"

#include <string.h>

void
words_init (struct words *w, uint32_t most, struct arena *arena)
{
  uint32_t slots = 8;

  while (slots < most * 2)
    slots *= 2;
  w->list = arena_alloc (arena, most * sizeof *w->list);
  w->count = 0;
  w->mask = slots - 1;
  w->slots = arena_alloc (arena, slots * sizeof *w->slots);
  memset (w->slots, 0, slots * sizeof *w->slots);
}

/* Length, the first bytes and the last ones: names hardly ever differ in the middle alone.  No key:
 * the set is the schema's, and a lookup never adds to it. */
static uint32_t
hash (const char *text, size_t len)
{
  uint64_t first = 0, last = 0;
  size_t n = len < 8 ? len : 8;

  memcpy (&first, text, n);
  memcpy (&last, text + len - n, n);
  first = (first ^ len) * 0x9e3779b97f4a7c15U;
  last = (last ^ (first >> 29)) * 0xbf58476d1ce4e5b9U;
  return (uint32_t) (last >> 32);
}

static inline bool
is_word (const struct word *word, const char *text, size_t len)
{
  return word->len == len && memcmp (word->text, text, len) == 0;
}

/* The slot of the text, or the free one where it would go. */
static uint32_t *
slot_of (const struct words *w, const char *text, size_t len)
{
  uint32_t i = hash (text, len) & w->mask;

  while (w->slots[i] != 0 && !is_word (&w->list[w->slots[i] - 1], text, len))
    i = (i + 1) & w->mask;
  return &w->slots[i];
}

uint32_t
words_add (struct words *w, const struct json_tape *tape, const struct json_node *string,
           struct arena *arena)
{
  size_t len;
  const char *text = json_string (tape, string, arena, &len);
  uint32_t *slot = slot_of (w, text, len);

  if (*slot == 0) {
    w->list[w->count] = (struct word){ .text = text, .len = (uint32_t) len };
    *slot = ++w->count;
  }
  return *slot - 1;
}

/* Resolving would need memory; strings with escapes are rare where words are expected. */
static uint32_t
find_escaped (const struct words *w, const struct json_tape *tape, const struct json_node *string)
{
  for (uint32_t i = 0; i < w->count; i++)
    if (json_equals_len (tape, string, w->list[i].text, w->list[i].len))
      return i;
  return WORDS_NONE;
}

uint32_t
words_find (const struct words *w, uint32_t expected, const struct json_tape *tape,
            const struct json_node *string)
{
  const char *text = tape->text + string->start;

  if (w->count == 0)
    return WORDS_NONE;
  if (string->escaped)
    return find_escaped (w, tape, string);
  if (expected < w->count && is_word (&w->list[expected], text, string->len))
    return expected;
  /* a free slot gives 0 - 1 */
  return *slot_of (w, text, string->len) - 1;
}
