#include "schema/words.h"

static const uint64_t FIRST_FACTOR = 0x9e3779b97f4a7c15U;

/* Many words collide whatever the factor; then it isn't worth the search. */
enum { BITS_LEAST = 3, BITS_MORE = 2, FACTORS_TRIED = 16, SEARCHED_MAX = 512 };

static void
clear_slots (struct words *w, uint32_t bits, struct arena *arena)
{
  size_t size = sizeof *w->slots << bits;

  w->slots = memset (arena_alloc (arena, size), 0, size);
  w->bits = bits;
  w->shift = (uint8_t) (64 - bits);
}

void
words_init (struct words *w, uint32_t most, struct arena *arena)
{
  uint32_t bits = BITS_LEAST;

  while (most > (UINT32_C (1) << bits) / 2)
    bits++;
  w->list = arena_alloc (arena, most * sizeof *w->list);
  w->count = 0;
  w->factor = FIRST_FACTOR;
  clear_slots (w, bits, arena);
}

/* The slot of the text, or the free one where it would go. */
static inline uint32_t *
slot_of (const struct words *w, const char *text, size_t len)
{
  uint32_t mask = (UINT32_C (1) << w->bits) - 1;
  uint32_t i = words_hash (w, text, len);

  while (w->slots[i] != 0 && !words_is (w, w->slots[i] - 1, text, len))
    i = (i + 1) & mask;
  return &w->slots[i];
}

uint32_t
words_add_text (struct words *w, const char *text, uint32_t len)
{
  uint32_t *slot = slot_of (w, text, len);

  if (*slot == 0) {
    w->list[w->count] = (struct word){ .text = text, .len = len };
    *slot = ++w->count;
  }
  return *slot - 1;
}

uint32_t
words_add (struct words *w, const struct json_tape *tape, const struct json_node *string,
           struct arena *arena)
{
  size_t len;
  const char *text = json_string (tape, string, arena, &len);

  return words_add_text (w, text, (uint32_t) len);
}

/* Fill the slots anew; how many words are not where their hash says. */
static uint32_t
fill (struct words *w)
{
  uint32_t collisions = 0;

  memset (w->slots, 0, sizeof *w->slots << w->bits);
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t *slot = slot_of (w, w->list[i].text, w->list[i].len);
    collisions += slot != &w->slots[words_hash (w, w->list[i].text, w->list[i].len)];
    *slot = i + 1;
  }
  return collisions;
}

void
words_finish (struct words *w, struct arena *arena)
{
  uint32_t bits = w->bits;

  for (uint32_t more = 0; more <= BITS_MORE && w->count <= SEARCHED_MAX; more++) {
    if (more != 0)
      clear_slots (w, bits + more, arena);
    for (unsigned i = 0; i < FACTORS_TRIED; i++) {
      w->perfect = fill (w) == 0;
      if (w->perfect)
        return;
      w->factor = w->factor * UINT64_C (6364136223846793005) | 1;
    }
  }
  (void) fill (w);
}

/* Resolving would need memory; strings with escapes are rare where words are expected. */
uint32_t
words_find_escaped (const struct words *w, const struct json_tape *tape,
                    const struct json_node *string)
{
  for (uint32_t i = 0; i < w->count; i++)
    if (json_equals_len (tape, string, w->list[i].text, w->list[i].len))
      return i;
  return WORDS_NONE;
}

/* Another word was in its slot. */
uint32_t
words_find_further (const struct words *w, const char *text, size_t len, uint32_t slot)
{
  uint32_t mask = (UINT32_C (1) << w->bits) - 1;

  do
    slot = (slot + 1) & mask;
  while (w->slots[slot] != 0 && !words_is (w, w->slots[slot] - 1, text, len));
  return w->slots[slot] - 1;
}
