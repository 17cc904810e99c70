#include "base/json_names.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/json_text.h"

struct sip {
  uint64_t v0, v1, v2, v3;
};

static inline uint64_t
rotate (uint64_t x, unsigned by)
{
  return (x << by) | (x >> (64 - by));
}

static inline void
sip_round (struct sip *s)
{
  s->v0 += s->v1;
  s->v1 = rotate (s->v1, 13) ^ s->v0;
  s->v0 = rotate (s->v0, 32);
  s->v2 += s->v3;
  s->v3 = rotate (s->v3, 16) ^ s->v2;
  s->v0 += s->v3;
  s->v3 = rotate (s->v3, 21) ^ s->v0;
  s->v2 += s->v1;
  s->v1 = rotate (s->v1, 17) ^ s->v2;
  s->v2 = rotate (s->v2, 32);
}

static inline void
sip_word (struct sip *s, uint64_t word)
{
  s->v3 ^= word;
  sip_round (s);
  s->v0 ^= word;
}

static inline struct sip
sip_start (const uint64_t key[2])
{
  return (struct sip){ key[0] ^ 0x736f6d6570736575U, key[1] ^ 0x646f72616e646f6dU,
                       key[0] ^ 0x6c7967656e657261U, key[1] ^ 0x7465646279746573U };
}

static inline uint64_t
sip_end (struct sip *s, uint64_t tail, size_t len)
{
  sip_word (s, tail | ((uint64_t) len << 56));
  s->v2 ^= 0xff;
  for (int i = 0; i < 3; i++)
    sip_round (s);
  return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

static uint64_t
hash_plain (const char *p, size_t len, const uint64_t key[2])
{
  struct sip s = sip_start (key);
  uint64_t word;
  size_t left = len;

  for (; left >= sizeof word; p += sizeof word, left -= sizeof word) {
    memcpy (&word, p, sizeof word);
    sip_word (&s, word);
  }
  word = 0;
  memcpy (&word, p, left);
  return sip_end (&s, word, len);
}

uint64_t
json_text_hash (const struct json_tape *tape, const struct json_node *string, const uint64_t key[2])
{
  if (!string->escaped)
    return hash_plain (tape->text + string->start, string->len, key);

  struct json_cursor cursor = json_cursor (tape, string);
  struct sip s = sip_start (key);
  unsigned char word[8] = { 0 };
  uint64_t value;
  size_t len = 0;

  for (int c; (c = json_cursor_next (&cursor)) >= 0;) {
    word[len++ % 8] = (unsigned char) c;
    if (len % 8 != 0)
      continue;
    memcpy (&value, word, sizeof value);
    sip_word (&s, value);
    memset (word, 0, sizeof word);
  }
  memcpy (&value, word, sizeof value);
  return sip_end (&s, value, len);
}

void
json_hash_key (uint64_t key[2], const void *salt)
{
  /* The kernel's 16 random bytes for this process: no system call, which a sandbox may refuse. */
  const void *random = (const void *) getauxval (AT_RANDOM);

  key[0] = key[1] = 0;
  if (random != NULL)
    memcpy (key, random, 2 * sizeof *key);
  key[1] ^= (uintptr_t) salt;
}

static uint32_t
slot_count (uint32_t members)
{
  uint32_t slots = 16;
  while (slots < members * 2)
    slots *= 2;
  return slots;
}

size_t
json_names_size (uint32_t members)
{
  return slot_count (members) * sizeof (uint32_t);
}

void
json_names_init (struct json_names *t, const struct json_tape *tape, const struct json_node *object,
                 void *slots)
{
  uint32_t count = slot_count (object->count);

  t->tape = tape;
  t->object = object;
  t->slots = slots;
  t->mask = count - 1;
  memset (slots, 0, count * sizeof *t->slots);
  json_hash_key (t->key, slots);
}

/* The slot that holds the name, or the free one where it would go. */
static uint32_t *
slot_of (const struct json_names *t, const struct json_tape *tape, const struct json_node *name)
{
  uint32_t i = (uint32_t) json_text_hash (tape, name, t->key) & t->mask;

  while (t->slots[i] != 0 && !json_text_same (t->tape, t->object + t->slots[i], tape, name))
    i = (i + 1) & t->mask;
  return &t->slots[i];
}

const struct json_node *
json_names_add (struct json_names *t, const struct json_node *name)
{
  uint32_t *slot = slot_of (t, t->tape, name);

  if (*slot != 0)
    return t->object + *slot;
  *slot = (uint32_t) (name - t->object);
  return NULL;
}

const struct json_node *
json_names_find (const struct json_names *t, const struct json_tape *tape,
                 const struct json_node *name)
{
  const uint32_t *slot = slot_of (t, tape, name);
  return *slot != 0 ? t->object + *slot : NULL;
}

/* ---- names that occur twice ---- */

/* Objects of at most MANY members are looked through without a keyed hash: names that were made to
 * collide cost at most MANY comparisons each. */
enum { FEW = 8, MANY = 64, HEADS = 128 };

/* Of a name: equal for equal names, different for most others. */
static inline uint64_t
print_of_parts (uint64_t first, uint64_t last, uint64_t len)
{
  return (first ^ rotate (last, 29) ^ len) * 0x9e3779b97f4a7c15U;
}

/* Its first and its last eight bytes, as they would lie in memory, and its length. */
static uint64_t __attribute__ ((noinline))
print_of_escaped (const struct json_tape *tape, const struct json_node *name)
{
  struct json_cursor cursor = json_cursor (tape, name);
  uint64_t first = 0, last = 0, len = 0;

  for (int c; (c = json_cursor_next (&cursor)) >= 0; len++) {
    if (len < 8)
      first |= (uint64_t) c << (8 * len);
    last = last >> 8 | (uint64_t) c << 56;
  }
  return print_of_parts (first, len < 8 ? first : last, len);
}

static inline uint64_t
print_of (const struct json_tape *tape, const struct json_node *name)
{
  static const uint64_t masks[] = { 0,          0xff,         0xffff,         0xffffff,
                                    0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
                                    UINT64_MAX };
  const char *p = tape->text + name->start;
  size_t len = name->len;
  size_t head = len < 8 ? len : 8;
  uint64_t first = 0, last = 0;

  if (name->escaped)
    return print_of_escaped (tape, name);
  if (tape->text_len - name->start >= 8) {
    memcpy (&first, p, 8);
    memcpy (&last, p + (len - head), 8);
  }
  else {
    memcpy (&first, p, head);
    memcpy (&last, p + (len - head), head);
  }
  return print_of_parts (le64toh (first) & masks[head], le64toh (last) & masks[head], len);
}

/* Do all names differ in length, first or last byte?  Often there is no more to do. */
static bool
clearly_differ (const struct json_tape *tape, const struct json_node *object)
{
  const struct json_node *name = json_first (object);
  uint64_t seen[4] = { 0 };

  for (uint32_t n = object->count; n != 0; n--, name = json_next (name + 1)) {
    const unsigned char *text = (const unsigned char *) tape->text + name->start;
    /* of an empty name, what stands there is its two quotes */
    uint32_t mix = ((uint32_t) text[0] << 16 | (uint32_t) text[(int64_t) name->len - 1] << 8
                    | (name->len & 0xff))
                   * 0x9e3779b1U;
    uint64_t *word = &seen[mix >> 30];
    uint64_t bit = (uint64_t) 1 << (mix >> 24 & 63);
    if (name->escaped || (*word & bit) != 0)
      return false;
    *word |= bit;
  }
  return true;
}

static const struct json_node *
twin_of_some (const struct json_tape *tape, const struct json_node *object)
{
  const struct json_node *names[MANY + 1];
  uint64_t prints[MANY + 1];
  uint8_t heads[HEADS] = { 0 }; /* by the high bits of the print: the last name that has them */
  uint8_t older[MANY + 1];      /* and the one before it; 0: none */
  const struct json_node *name = json_first (object);

  for (uint8_t n = 1; n <= object->count; n++, name = json_next (name + 1)) {
    uint64_t print = print_of (tape, name);
    uint8_t *head = &heads[print >> 57];
    for (uint8_t i = *head; i != 0; i = older[i])
      if (prints[i] == print && json_text_same (tape, names[i], tape, name))
        return name;
    prints[n] = print;
    names[n] = name;
    older[n] = *head;
    *head = n;
  }
  return NULL;
}

static const struct json_node *
twin_of_many (const struct json_tape *tape, const struct json_node *object, struct arena *arena)
{
  struct json_names table;
  const struct json_node *name = json_first (object);

  json_names_init (&table, tape, object, arena_alloc (arena, json_names_size (object->count)));
  for (uint32_t i = 0; i < object->count; i++, name = json_next (name + 1))
    if (json_names_add (&table, name) != NULL)
      return name;
  return NULL;
}

const struct json_node *
json_names_twin (const struct json_tape *tape, const struct json_node *object, struct arena *arena)
{
  if (object->count > MANY)
    return twin_of_many (tape, object, arena);
  if (object->count <= FEW && clearly_differ (tape, object))
    return NULL;
  return twin_of_some (tape, object);
}
