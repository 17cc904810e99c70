#include <string.h>

#include "base/json_names.h"
#include "schema/check.h"

enum { FEW_ITEMS = 12, ON_STACK = 512, BYTES_PER_STEP = 16 };

/* An item in a hash table; of the hash the upper half is kept. */
struct slot {
  uint32_t hash;
  uint32_t item; /* distance from the array; 0: free */
};

static bool
find_among_few (struct checker *k, const struct json_node *array, const struct json_node **first,
                const struct json_node **second)
{
  for (*second = json_first (array); *second != json_end (array); *second = json_next (*second))
    for (*first = json_first (array); *first != *second; *first = json_next (*first)) {
      if (!spend (k, (*first)->skip + (*first)->len / BYTES_PER_STEP / 4))
        return true;
      if (json_same (k->tape, *first, k->tape, *second))
        return true;
    }
  return false;
}

static uint64_t
mix (uint64_t hash, uint64_t more)
{
  hash = (hash ^ more) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

static uint64_t
number_hash (const struct json_tape *tape, const struct json_node *number, uint64_t hash)
{
  struct json_decimal d = json_decimal (tape->text + number->start, number->len);

  hash = mix (hash, (uint64_t) d.exponent * 2 + d.negative);
  for (const char *p = d.digits; p < d.end; p++)
    if (*p != '.')
      hash = mix (hash, (unsigned char) *p);
  return hash;
}

/* Equal values have equal hashes, whatever the order of members and the spelling of numbers. */
static uint64_t
value_hash (const struct json_tape *tape, const struct json_node *value, const uint64_t key[2])
{
  uint64_t hash = mix (key[0], value->type);
  uint64_t members = 0;

  switch (value->type) {
  case JSON_NUMBER:
    return number_hash (tape, value, hash);
  case JSON_STRING:
    return json_text_hash (tape, value, key);
  case JSON_ARRAY:
    for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
      hash = mix (hash, value_hash (tape, n, key));
    return hash;
  case JSON_OBJECT:
    for (const struct json_node *n = json_first (value); n != json_end (value);
         n = json_next (n + 1))
      members += mix (json_text_hash (tape, n, key), value_hash (tape, n + 1, key));
    return mix (hash, members);
  default:
    return hash;
  }
}

/* Put an item into the table; returns the equal one that is there, or NULL. */
static const struct json_node *
add (struct checker *k, struct slot *slots, uint32_t mask, const struct json_node *array,
     const struct json_node *item, uint64_t hash)
{
  uint32_t i = (uint32_t) hash & mask;

  for (; slots[i].item != 0; i = (i + 1) & mask) {
    if (!spend (k, 1))
      return NULL;
    if (slots[i].hash == hash >> 32 && json_same (k->tape, array + slots[i].item, k->tape, item))
      return array + slots[i].item;
  }
  slots[i] = (struct slot){ .hash = (uint32_t) (hash >> 32), .item = (uint32_t) (item - array) };
  return NULL;
}

static bool
find_among_many (struct checker *k, const struct json_node *array, struct slot *slots,
                 uint32_t count, const struct json_node **first, const struct json_node **second)
{
  uint64_t key[2];

  memset (slots, 0, count * sizeof *slots);
  json_hash_key (key, slots);
  for (*second = json_first (array); *second != json_end (array); *second = json_next (*second)) {
    *first = add (k, slots, count - 1, array, *second, value_hash (k->tape, *second, key));
    if (*first != NULL || k->gave_up)
      return true;
  }
  return false;
}

bool
find_repeated (struct checker *k, const struct json_node *array, const struct json_node **first,
               const struct json_node **second)
{
  struct slot on_stack[ON_STACK];
  CLEANUP_FREE struct slot *large = NULL;
  struct slot *slots = on_stack;
  uint32_t count = ON_STACK;
  bool found;

  if (array->count <= FEW_ITEMS)
    found = find_among_few (k, array, first, second);
  else {
    while (count < array->count * 2)
      count *= 2;
    if (count > ON_STACK)
      slots = large = xmalloc (count * sizeof *slots);
    found = !spend (k, array->skip + array->len / BYTES_PER_STEP)
            || find_among_many (k, array, slots, count, first, second);
  }
  if (k->gave_up)
    *first = *second = NULL;
  return found;
}
