#include "schema/regex/simple.h"

#include <stdlib.h>

#include "schema/regex/nfa.h"

enum {
  STATES_MAX = 1024,
  ENTRIES_MAX = 8 * 1024, /* of a table */
  WORK_MAX = 20 * 1000,   /* steps to make one; beyond, the engine is the better choice */
  BUCKETS = 4 * STATES_MAX,
  LOOKS_MAX = 8,
  COUNT_BY_STATES_MAX = 64, /* beyond, a second look at the text is cheaper than so many states */
  BYTES_PER_STEP = 8,
  /* states that end the match; their rows stay empty */
  DEAD = 0,
  MATCHED = 1,
  LIVE = 2,
  TOO_MANY = UINT16_MAX
};

/* A row for each state, of the next one by class of character; its last column is for the end of
 * the text, and holds DEAD or MATCHED.  States are given as the offsets of their rows. */
struct regex_simple {
  struct regex_simple *next; /* another table that must agree */
  bool wanted;               /* what is asked of this one: a match, or none */
  uint32_t least;            /* code points of the text */
  uint32_t most;
  uint16_t start;
  uint16_t live; /* the first row that is not the match's end */
  uint16_t end_class;
  uint16_t above_count;
  uint8_t ascii[128];
  const struct nfa_above *above; /* behind the table */
  uint32_t size;
  uint16_t table[];
};

/* ---- making a table: each state of it is a set of the states one could be in ---- */

/* Of these only the ones that a character or the end leads on from; in order. */
struct state_set {
  uint16_t *items;
  uint32_t count;
};

struct builder {
  const struct nfa *nfa;
  struct arena *arena;
  struct state_set sets[STATES_MAX]; /* by state of the table */
  uint32_t count;
  uint32_t row;    /* entries: the classes and the end */
  uint16_t *table; /* holds numbers of states */
  uint32_t work;
  uint16_t buckets[BUCKETS]; /* state by the hash of its set; 0: free */
  /* the set under construction */
  struct state_set next;
  uint16_t items[NFA_STATES_MAX];
  uint16_t stack[NFA_STATES_MAX];
  uint32_t seen[NFA_STATES_MAX]; /* the turn it was seen last */
  uint32_t turn;
};

/* Which conditions hold where one is. */
enum { AT_START = 1, AT_END = 2 };

static void
begin_set (struct builder *b)
{
  b->next.items = b->items;
  b->next.count = 0;
  b->turn++;
}

static bool
is_new (struct builder *b, uint16_t state)
{
  bool fresh = b->seen[state] != b->turn;

  b->seen[state] = b->turn;
  return fresh;
}

static void
keep (struct builder *b, uint16_t state)
{
  uint32_t i = b->next.count++;

  for (; i > 0 && b->items[i - 1] > state; i--, b->work++)
    b->items[i] = b->items[i - 1];
  b->items[i] = state;
}

static bool
leads_on (const struct nfa_state *state, unsigned where)
{
  return state->kind == NFA_SPLIT || (state->kind == NFA_START && (where & AT_START) != 0)
         || (state->kind == NFA_END && (where & AT_END) != 0);
}

/* Add a state, and those it leads to without a character.  True when one is the match. */
static bool
add_state (struct builder *b, uint16_t first, unsigned where)
{
  uint32_t depth = 0;

  if (is_new (b, first))
    b->stack[depth++] = first;
  while (depth > 0) {
    uint16_t number = b->stack[--depth];
    const struct nfa_state *state = &b->nfa->states[number];
    b->work++;
    if (state->kind == NFA_MATCH)
      return true;
    if (state->kind == NFA_SET || state->kind == NFA_END)
      keep (b, number);
    if (leads_on (state, where) && is_new (b, state->next))
      b->stack[depth++] = state->next;
    if (state->kind == NFA_SPLIT && is_new (b, state->other))
      b->stack[depth++] = state->other;
  }
  return false;
}

static uint32_t
hash_of (const struct state_set *set)
{
  uint64_t hash = 0;

  for (uint32_t i = 0; i < set->count; i++)
    hash = (hash ^ set->items[i]) * 0x9e3779b97f4a7c15;
  return (uint32_t) (hash >> 40) % BUCKETS;
}

/* A state of the table for the set; TOO_MANY: no more fit. */
static uint16_t
add_row (struct builder *b)
{
  size_t size = b->next.count * sizeof *b->next.items;
  struct state_set *set = &b->sets[b->count];

  if (b->count == STATES_MAX || (b->count + 1) * b->row > ENTRIES_MAX)
    return TOO_MANY;
  set->count = b->next.count;
  set->items = arena_alloc (b->arena, size);
  memcpy (set->items, b->next.items, size);
  return (uint16_t) b->count++;
}

/* The one that stands for the set already, or a new one. */
static uint16_t
find_row (struct builder *b)
{
  size_t size = b->next.count * sizeof *b->next.items;
  uint32_t hash = hash_of (&b->next);
  uint16_t state;

  if (b->next.count == 0)
    return DEAD;
  for (; b->buckets[hash] != 0; hash = (hash + 1) % BUCKETS) {
    const struct state_set *set = &b->sets[b->buckets[hash]];
    if (set->count == b->next.count && memcmp (set->items, b->next.items, size) == 0)
      return b->buckets[hash];
  }
  state = add_row (b);
  if (state != TOO_MANY)
    b->buckets[hash] = state;
  return state;
}

/* Where a character of the class leads to.  A match may also begin behind it. */
static uint16_t
step (struct builder *b, const struct state_set *set, uint32_t class)
{
  const struct nfa *nfa = b->nfa;

  begin_set (b);
  for (uint32_t i = 0; i < set->count; i++) {
    const struct nfa_state *state = &nfa->states[set->items[i]];
    b->work++;
    if (state->kind == NFA_SET && (nfa->members[class] >> state->set & 1) != 0
        && add_state (b, state->next, 0))
      return MATCHED;
  }
  if (add_state (b, nfa->start, 0))
    return MATCHED;
  return find_row (b);
}

/* Where the end of the text leads to. */
static uint16_t
step_at_end (struct builder *b, const struct state_set *set, unsigned where)
{
  begin_set (b);
  for (uint32_t i = 0; i < set->count; i++)
    if (b->nfa->states[set->items[i]].kind == NFA_END
        && add_state (b, set->items[i], where | AT_END))
      return MATCHED;
  return DEAD;
}

/* The state before the first character, which is no other's: ^ holds there alone. */
static uint16_t
first_state (struct builder *b)
{
  begin_set (b);
  return add_state (b, b->nfa->start, AT_START) ? MATCHED : add_row (b);
}

static bool
fill_row (struct builder *b, uint32_t state, unsigned where)
{
  uint16_t *row = b->table + state * b->row;

  for (uint32_t class = 0; class < b->nfa->classes; class ++) {
    row[class] = step (b, &b->sets[state], class);
    if (row[class] == TOO_MANY || b->work > WORK_MAX)
      return false;
  }
  row[b->nfa->classes] = step_at_end (b, &b->sets[state], where);
  return true;
}

static struct builder *
new_builder (const struct nfa *nfa, struct arena *arena)
{
  struct builder *b = arena_alloc (arena, sizeof *b);

  memset (b, 0, sizeof *b);
  b->nfa = nfa;
  b->arena = arena;
  b->row = nfa->classes + 1;
  b->count = LIVE;
  b->table = arena_alloc (arena, ENTRIES_MAX * sizeof *b->table);
  return b;
}

/* The table as it is used: offsets of rows instead of numbers of states. */
static struct regex_simple *
pack (const struct builder *b, uint16_t start)
{
  uint32_t entries = b->count * b->row;
  uint32_t table = (entries * (uint32_t) sizeof *b->table + 3) & ~3u;
  uint32_t above = b->nfa->above_count * (uint32_t) sizeof *b->nfa->above;
  uint32_t size = (uint32_t) sizeof (struct regex_simple) + table + above;
  struct regex_simple *simple = xcalloc (1, size);
  char *behind = (char *) simple->table + table;

  for (uint32_t i = LIVE * b->row; i < entries; i++)
    simple->table[i] = (uint16_t) (b->table[i] * b->row);
  simple->wanted = true;
  simple->most = REGEX_NO_MAX;
  simple->start = (uint16_t) (start * b->row);
  simple->live = (uint16_t) (LIVE * b->row);
  simple->end_class = (uint16_t) b->nfa->classes;
  simple->size = size;
  memcpy (simple->ascii, b->nfa->ascii, sizeof simple->ascii);
  if (above > 0)
    memcpy (behind, b->nfa->above, above);
  simple->above = (const struct nfa_above *) (void *) behind;
  simple->above_count = (uint16_t) b->nfa->above_count;
  return simple;
}

static struct regex_simple *
make_table (const struct regex_node *root)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct nfa *nfa = arena_alloc (&arena, sizeof *nfa);
  struct builder *b;
  uint16_t start;

  if (!nfa_build (nfa, &arena, root))
    return NULL;
  b = new_builder (nfa, &arena);
  start = first_state (b);
  if (start == TOO_MANY)
    return NULL;
  for (uint32_t state = LIVE; state < b->count; state++)
    if (!fill_row (b, state, state == start ? AT_START : 0))
      return NULL;
  return pack (b, start);
}

/* ---- look-aheads at the start ---- */

/* "^(?=a)(?!b)c": is what follows a look-ahead's "^"? */
static struct regex_simple *
make_anchored (struct regex_node *rest)
{
  struct regex_node anchor = { .kind = REGEX_START, .next = rest, .weight = 1 };
  struct regex_node sequence = { .kind = REGEX_SEQUENCE, .child = &anchor, .weight = 1 };

  return make_table (&sequence);
}

/* "^[set]{m,n}$": the numbers are of the whole text, and need no states. */
static struct regex_simple *
make_counted (const struct regex_node *sequence)
{
  const struct regex_node *start = sequence->child, *repeat = start->next;
  struct regex_node end = { .kind = REGEX_END, .weight = 1 };
  struct regex_node any = *repeat;
  struct regex_simple *simple;

  any.repeat.min = 0;
  any.repeat.max = REGEX_NO_MAX;
  any.next = &end;
  simple = make_anchored (&any);
  if (simple != NULL) {
    simple->least = repeat->repeat.min;
    simple->most = repeat->repeat.max;
  }
  return simple;
}

static bool
is_counted (const struct regex_node *sequence)
{
  const struct regex_node *repeat = sequence->child->next;
  uint32_t most;

  if (repeat == NULL || repeat->kind != REGEX_REPEAT || repeat->child->kind != REGEX_SET
      || repeat->next == NULL || repeat->next->kind != REGEX_END || repeat->next->next != NULL)
    return false;
  most = repeat->repeat.max == REGEX_NO_MAX ? repeat->repeat.min : repeat->repeat.max;
  return most > COUNT_BY_STATES_MAX;
}

struct regex_simple *
regex_simple_new (const struct regex_tree *tree)
{
  const struct regex_node *first = tree->root->kind == REGEX_SEQUENCE ? tree->root->child : NULL;
  struct regex_simple *list = NULL, *simple;
  struct regex_node *node;
  int looks = 0;

  if (first == NULL || first->kind != REGEX_START)
    return make_table (tree->root);
  if (is_counted (tree->root))
    return make_counted (tree->root);
  for (node = first->next; node != NULL && node->kind == REGEX_LOOK; node = node->next) {
    simple = node->look.behind || ++looks > LOOKS_MAX ? NULL : make_anchored (node->child);
    if (simple == NULL) {
      regex_simple_free (list);
      return NULL;
    }
    simple->wanted = !node->look.negated;
    simple->next = list;
    list = simple;
  }
  simple = make_anchored (node);
  if (simple != NULL)
    simple->next = list;
  else
    regex_simple_free (list);
  return simple;
}

void
regex_simple_free (struct regex_simple *simple)
{
  while (simple != NULL) {
    struct regex_simple *next = simple->next;
    free (simple);
    simple = next;
  }
}

size_t
regex_simple_size (const struct regex_simple *simple)
{
  size_t size = 0;

  for (; simple != NULL; simple = simple->next)
    size += simple->size;
  return size;
}

/* ---- matching ---- */

/* The class of a character above ASCII; goes over it. */
static uint32_t
class_above (const struct regex_simple *simple, const unsigned char **p, const unsigned char *end)
{
  const unsigned char *s = *p;
  uint32_t len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  uint32_t c = s[0] & (0xffu >> (len + 1)), low = 0, high = simple->above_count;

  if ((size_t) (end - s) < len)
    len = (uint32_t) (end - s);
  *p = s + len;
  for (uint32_t i = 1; i < len; i++)
    c = c << 6 | (s[i] & 0x3f);
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (simple->above[middle].first <= c)
      low = middle;
    else
      high = middle;
  }
  return simple->above[low].class;
}

/* A code point takes one to four bytes, which often is answer enough. */
static bool
has_length (const struct regex_simple *simple, const char *text, size_t len, int64_t *budget)
{
  size_t count = 0;

  if (len < simple->least || len / 4 > simple->most)
    return false;
  if (len <= simple->most && (len + 3) / 4 >= simple->least)
    return true;
  *budget -= (int64_t) (len / BYTES_PER_STEP);
  for (size_t i = 0; i < len; i++)
    count += (text[i] & 0xc0) != 0x80;
  return count >= simple->least && count <= simple->most;
}

static bool
run (const struct regex_simple *simple, const char *text, size_t len, int64_t *budget)
{
  const unsigned char *p = (const unsigned char *) text, *end = p + len;
  const uint16_t *table = simple->table;
  uint32_t state = simple->start, live = simple->live;

  while (state >= live && p < end)
    if (*p < 0x80)
      state = table[state + simple->ascii[*p++]];
    else
      state = table[state + class_above (simple, &p, end)];
  *budget -= 1 + (p - (const unsigned char *) text) / BYTES_PER_STEP;
  if (state >= live)
    state = table[state + simple->end_class];
  return state != DEAD && has_length (simple, text, len, budget);
}

enum regex_verdict
regex_simple_match (const struct regex_simple *simple, const char *text, size_t len,
                    int64_t *budget)
{
  bool matches = true;

  for (; simple != NULL && matches; simple = simple->next)
    matches = run (simple, text, len, budget) == simple->wanted;
  if (*budget < 0)
    return REGEX_TOO_COSTLY;
  return matches ? REGEX_MATCH : REGEX_NO_MATCH;
}
