#include <stdio.h>
#include <stdlib.h>

#include "base/fold.h"
#include "schema/regex/tree.h"

static const struct regex_range digits[] = { { '0', '9' } };
static const struct regex_range word[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
static const struct regex_range spaces[] = { { '\t', '\r' },     { ' ', ' ' },
                                             { 0xa0, 0xa0 },     { 0x1680, 0x1680 },
                                             { 0x2000, 0x200a }, { 0x2028, 0x2029 },
                                             { 0x202f, 0x202f }, { 0x205f, 0x205f },
                                             { 0x3000, 0x3000 }, { 0xfeff, 0xfeff } };
static const struct regex_range line_ends[] = { { '\n', '\n' },
                                                { '\r', '\r' },
                                                { 0x2028, 0x2029 } };

static const struct escape {
  char letter;
  const struct regex_range *ranges;
  size_t count;
} escapes[] = { { 'd', digits, sizeof digits / sizeof *digits },
                { 'w', word, sizeof word / sizeof *word },
                { 's', spaces, sizeof spaces / sizeof *spaces } };

void
regex_set_add (struct arena *arena, struct regex_set *set, uint32_t first, uint32_t last)
{
  if (set->count == set->cap) {
    uint32_t cap = set->cap == 0 ? 4 : set->cap * 2;
    struct regex_range *ranges = arena_alloc (arena, cap * sizeof *ranges);
    if (set->count > 0)
      memcpy (ranges, set->ranges, set->count * sizeof *ranges);
    set->ranges = ranges;
    set->cap = cap;
  }
  set->ranges[set->count++] = (struct regex_range){ first, last };
}

static void
add_ranges (struct arena *arena, struct regex_set *set, const struct regex_range *ranges,
            size_t count)
{
  for (size_t i = 0; i < count; i++)
    regex_set_add (arena, set, ranges[i].first, ranges[i].last);
}

/* All but the ranges, which are in order and apart. */
static void
add_others (struct arena *arena, struct regex_set *set, const struct regex_range *ranges,
            size_t count)
{
  uint32_t first = 0;

  for (size_t i = 0; i < count; i++) {
    if (ranges[i].first > first)
      regex_set_add (arena, set, first, ranges[i].first - 1);
    first = ranges[i].last + 1;
  }
  if (first <= CODE_POINT_MAX)
    regex_set_add (arena, set, first, CODE_POINT_MAX);
}

bool
regex_set_add_escape (struct arena *arena, struct regex_set *set, char letter)
{
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    const struct escape *e = &escapes[i];
    if (letter == e->letter)
      add_ranges (arena, set, e->ranges, e->count);
    else if ((letter | 32) == e->letter)
      add_others (arena, set, e->ranges, e->count);
    else
      continue;
    return true;
  }
  return false;
}

void
regex_set_add_dot (struct arena *arena, struct regex_set *set)
{
  add_others (arena, set, line_ends, sizeof line_ends / sizeof *line_ends);
}

bool
regex_set_add_property (struct arena *arena, struct regex_set *set, const char *name, bool negated)
{
  struct regex_property *property;
  const char *spelling;
  char space[80];
  char *text;
  size_t size;

  spelling = regex_property_name (name, space, sizeof space, &negated);
  if (spelling == NULL)
    return false;
  size = strlen (spelling) + sizeof "\\p{}";
  text = arena_alloc (arena, size);
  (void) snprintf (text, size, "\\%c{%s}", negated ? 'P' : 'p', spelling);
  property = arena_alloc (arena, sizeof *property);
  *property = (struct regex_property){ .next = set->properties, .text = text };
  set->properties = property;
  return true;
}

static bool
has (const struct regex_set *set, uint32_t count, uint32_t c)
{
  for (uint32_t i = 0; i < count; i++)
    if (c >= set->ranges[i].first && c <= set->ranges[i].last)
      return true;
  return false;
}

/* Small letters first: two capitals may have the same one. */
void
regex_set_fold (struct arena *arena, struct regex_set *set)
{
  for (int turn = 0; turn < 2; turn++) {
    const uint32_t count = set->count;
    for (size_t i = 0; i < fold_ranges_count; i++)
      for (uint32_t c = fold_ranges[i].first; c <= fold_ranges[i].last;
           c += fold_ranges[i].stride) {
        const uint32_t small = fold_case (c);
        if (turn == 0 && has (set, count, c))
          regex_set_add (arena, set, small, small);
        else if (turn == 1 && has (set, count, small))
          regex_set_add (arena, set, c, c);
      }
  }
}

static int
compare_ranges (const void *a, const void *b)
{
  uint32_t first = ((const struct regex_range *) a)->first;
  uint32_t other = ((const struct regex_range *) b)->first;

  return (first > other) - (first < other);
}

static void
sort_and_merge (struct regex_set *set)
{
  uint32_t kept = 0;

  if (set->count < 2)
    return;
  qsort (set->ranges, set->count, sizeof *set->ranges, compare_ranges);
  for (uint32_t i = 1; i < set->count; i++) {
    struct regex_range *last = &set->ranges[kept];
    const struct regex_range *range = &set->ranges[i];
    if (range->first > last->last + 1)
      set->ranges[++kept] = *range;
    else if (range->last > last->last)
      last->last = range->last;
  }
  set->count = kept + 1;
}

static void
invert (struct arena *arena, struct regex_set *set)
{
  struct regex_set others = { 0 };

  add_others (arena, &others, set->ranges, set->count);
  *set = others;
}

static void
cut_surrogates (struct arena *arena, struct regex_set *set)
{
  struct regex_set kept = { .properties = set->properties, .negated = set->negated };

  for (uint32_t i = 0; i < set->count; i++) {
    struct regex_range range = set->ranges[i];
    if (range.last < SURROGATE_FIRST || range.first > SURROGATE_LAST) {
      regex_set_add (arena, &kept, range.first, range.last);
      continue;
    }
    if (range.first < SURROGATE_FIRST)
      regex_set_add (arena, &kept, range.first, SURROGATE_FIRST - 1);
    if (range.last > SURROGATE_LAST)
      regex_set_add (arena, &kept, SURROGATE_LAST + 1, range.last);
  }
  *set = kept;
}

void
regex_set_close (struct arena *arena, struct regex_set *set, bool negated)
{
  sort_and_merge (set);
  if (set->properties != NULL)
    set->negated = negated;
  else if (negated)
    invert (arena, set);
  if (set->count > 0 && set->ranges[set->count - 1].last >= SURROGATE_FIRST)
    cut_surrogates (arena, set);
}
