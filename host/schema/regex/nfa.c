#include "schema/regex/nfa.h"

#include <stdlib.h>

enum { POINTS_MAX = 1024, FAILED = UINT16_MAX };

/* All functions here build from the end: they are given the state that comes after, and return the
 * one that comes first, or FAILED. */
static uint16_t build (struct nfa *nfa, const struct regex_node *node, uint16_t next);

static uint16_t
new_state (struct nfa *nfa, enum nfa_kind kind, uint16_t next, uint16_t other)
{
  if (next == FAILED || other == FAILED || nfa->count == NFA_STATES_MAX)
    return FAILED;
  nfa->states[nfa->count] =
    (struct nfa_state){ .kind = (uint8_t) kind, .next = next, .other = other };
  return (uint16_t) nfa->count++;
}

static bool
same_set (const struct regex_set *a, const struct regex_set *b)
{
  return a->count == b->count
         && (a->count == 0 || memcmp (a->ranges, b->ranges, a->count * sizeof *a->ranges) == 0);
}

static uint16_t
build_set (struct nfa *nfa, const struct regex_set *set, uint16_t next)
{
  uint32_t i = 0;
  uint16_t state;

  if (set->properties != NULL)
    return FAILED;
  while (i < nfa->sets_count && !same_set (nfa->sets[i], set))
    i++;
  if (i == NFA_SETS_MAX)
    return FAILED;
  if (i == nfa->sets_count)
    nfa->sets[nfa->sets_count++] = set;
  state = new_state (nfa, NFA_SET, next, 0);
  if (state != FAILED)
    nfa->states[state].set = (uint8_t) i;
  return state;
}

static uint16_t
build_sequence (struct nfa *nfa, const struct regex_node *child, uint16_t next)
{
  if (child == NULL || next == FAILED)
    return next;
  return build (nfa, child, build_sequence (nfa, child->next, next));
}

static uint16_t
build_choice (struct nfa *nfa, const struct regex_node *child, uint16_t next)
{
  uint16_t first = build (nfa, child, next);

  for (child = child->next; child != NULL && first != FAILED; child = child->next)
    first = new_state (nfa, NFA_SPLIT, first, build (nfa, child, next));
  return first;
}

/* As often as one likes. */
static uint16_t
build_loop (struct nfa *nfa, const struct regex_node *child, uint16_t next)
{
  uint16_t loop = new_state (nfa, NFA_SPLIT, next, 0);
  uint16_t body = loop == FAILED ? FAILED : build (nfa, child, loop);

  if (body == FAILED)
    return FAILED;
  nfa->states[loop].other = body;
  return loop;
}

static uint16_t
build_repeat (struct nfa *nfa, const struct regex_node *node, uint16_t next)
{
  uint32_t min = node->repeat.min, max = node->repeat.max;
  uint16_t state = next;

  if (min > NFA_STATES_MAX || (max != REGEX_NO_MAX && max > NFA_STATES_MAX))
    return FAILED;
  if (max == REGEX_NO_MAX)
    state = build_loop (nfa, node->child, next);
  else
    for (uint32_t i = min; i < max && state != FAILED; i++)
      state = new_state (nfa, NFA_SPLIT, build (nfa, node->child, state), next);
  for (uint32_t i = 0; i < min && state != FAILED; i++)
    state = build (nfa, node->child, state);
  return state;
}

static uint16_t
build (struct nfa *nfa, const struct regex_node *node, uint16_t next)
{
  if (next == FAILED)
    return FAILED;
  switch (node->kind) {
  case REGEX_SET:
    return build_set (nfa, &node->set, next);
  case REGEX_SEQUENCE:
    return build_sequence (nfa, node->child, next);
  case REGEX_CHOICE:
    return build_choice (nfa, node->child, next);
  case REGEX_GROUP:
    return build (nfa, node->child, next);
  case REGEX_REPEAT:
    return build_repeat (nfa, node, next);
  case REGEX_START:
    return new_state (nfa, NFA_START, next, 0);
  case REGEX_END:
    return new_state (nfa, NFA_END, next, 0);
  default:
    return FAILED;
  }
}

/* ---- classes ---- */

static int
compare_points (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

/* Where a set begins or ends, and at 0 and 128; 0: there are too many. */
static uint32_t
find_points (const struct nfa *nfa, uint32_t points[POINTS_MAX])
{
  uint32_t count = 2;

  points[0] = 0;
  points[1] = 128;
  for (uint32_t i = 0; i < nfa->sets_count; i++) {
    const struct regex_set *set = nfa->sets[i];
    if (count + 2 * set->count > POINTS_MAX)
      return 0;
    for (uint32_t j = 0; j < set->count; j++) {
      points[count++] = set->ranges[j].first;
      points[count++] = set->ranges[j].last + 1;
    }
  }
  qsort (points, count, sizeof *points, compare_points);
  return count;
}

static bool
holds (const struct regex_set *set, uint32_t c)
{
  uint32_t i = 0;

  while (i < set->count && set->ranges[i].last < c)
    i++;
  return i < set->count && set->ranges[i].first <= c;
}

/* The class of a code point, NFA_CLASSES_MAX when there are too many. */
static uint32_t
class_of (struct nfa *nfa, uint32_t c)
{
  uint64_t in = 0;
  uint32_t class = 0;

  for (uint32_t i = 0; i < nfa->sets_count; i++)
    in |= (uint64_t) holds (nfa->sets[i], c) << i;
  while (class < nfa->classes && nfa->members[class] != in)
    class ++;
  if (class == nfa->classes && class < NFA_CLASSES_MAX)
    nfa->members[nfa->classes++] = in;
  return class;
}

static bool
add_class (struct nfa *nfa, uint32_t first, uint32_t end)
{
  uint32_t class = class_of (nfa, first);

  if (class == NFA_CLASSES_MAX)
    return false;
  if (first < 128) {
    memset (nfa->ascii + first, (int) class, end - first);
    return true;
  }
  if (nfa->above_count > 0 && nfa->above[nfa->above_count - 1].class == class)
    return true;
  if (nfa->above_count == NFA_ABOVE_MAX)
    return false;
  nfa->above[nfa->above_count++] = (struct nfa_above){ first, class };
  return true;
}

static bool
find_classes (struct nfa *nfa)
{
  uint32_t points[POINTS_MAX];
  uint32_t count = find_points (nfa, points);

  for (uint32_t i = 0; i < count; i++) {
    uint32_t end = i + 1 < count ? points[i + 1] : CODE_POINT_MAX + 1;
    if (points[i] < end && !add_class (nfa, points[i], end))
      return false;
  }
  return count > 0;
}

bool
nfa_build (struct nfa *nfa, struct arena *arena, const struct regex_node *root)
{
  if (root->weight > NFA_STATES_MAX)
    return false;
  memset (nfa, 0, sizeof *nfa);
  nfa->arena = arena;
  nfa->states = arena_alloc (arena, NFA_STATES_MAX * sizeof *nfa->states);
  nfa->start = build (nfa, root, new_state (nfa, NFA_MATCH, 0, 0));
  return nfa->start != FAILED && find_classes (nfa);
}
