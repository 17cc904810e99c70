#include "catalog/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"

enum { WORD_MAX = 24, PREFIX_MIN = 3, PREFIXES_MAX = 64, QUERY_WORDS_MAX = 32 };

/* How much a word says that stands there. */
enum { IN_NAME = 5, IN_TITLE = 3, IN_TAGS = 3, IN_DESCRIPTION = 1 };

/* The constants of BM25, and what of a word's score its prefix has. */
static const double K1 = 1.2, B = 0.75, PREFIX = 0.4;
static const double SAME_NAME = 1000; /* before everything that only has its words */

/* A word, zeros behind it. */
struct word {
  char text[WORD_MAX];
};

struct occurrence {
  uint32_t word, tool, weight;
};

struct entry {
  struct word word;
  uint32_t first, count; /* among the postings */
};

struct posting {
  uint32_t tool;
  float weight;
};

struct score {
  uint32_t tool;
  double score;
};

struct search {
  struct toolset *set;
  struct entry *words; /* sorted */
  size_t words_count;
  struct posting *postings;
  float *lengths; /* of each tool, in weights, … */
  double average; /* … and of all */
  double *scores; /* while one looks: zeros in between */
  struct score *ranks;
};

/* ---- words ---- */

static bool
is_letter (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || (unsigned char) c >= 0x80;
}

static bool
is_upper (char c)
{
  return c >= 'A' && c <= 'Z';
}

/* Does a word begin in the middle of one, as in camelCase? */
static bool
is_hump (const char *at)
{
  return is_upper (*at) && !is_upper (at[-1]) && at[-1] >= 'a' && at[-1] <= 'z';
}

/* The next word, *at goes on behind it; false: there is none. */
static bool
next_word (const char **at, const char *end, struct word *word)
{
  const char *from;
  size_t len = 0;

  while (*at != end && !is_letter (**at))
    ++*at;
  from = *at;
  *word = (struct word){ { 0 } };
  for (; *at != end && is_letter (**at) && (*at == from || !is_hump (*at)); ++*at)
    if (len < WORD_MAX)
      word->text[len++] = (char) (is_upper (**at) ? **at + ('a' - 'A') : **at);
  if (len > 3 && word->text[len - 1] == 's' && word->text[len - 2] != 's')
    word->text[len - 1] = '\0';
  return len != 0;
}

static int
compare_words (const struct word *a, const struct word *b)
{
  return memcmp (a->text, b->text, WORD_MAX);
}

/* ---- building ---- */

enum { NO_TOOL = UINT32_MAX };

/* A word of the index while it is built. */
struct known {
  struct word word;
  uint32_t count, last; /* tools that have it, the last of them */
  uint32_t entry;       /* its number, once all are in order */
};

struct building {
  struct search *search;
  struct known *known;
  size_t known_count, known_room;
  uint32_t *slots; /* a hash table: numbers of known words, and one; 0: free */
  size_t slots_count;
  struct occurrence *list; /* in the order of tools */
  size_t count, room;
};

static size_t
hash (const struct word *word)
{
  uint64_t sum = 14695981039346656037U; /* FNV-1a, eight bytes at a time */

  for (size_t i = 0; i < WORD_MAX; i += sizeof sum) {
    uint64_t part;
    memcpy (&part, word->text + i, sizeof part);
    sum = (sum ^ part) * 1099511628211U;
    sum ^= sum >> 29;
  }
  return (size_t) sum;
}

static uint32_t *
slot_of (const struct building *b, const struct word *word)
{
  size_t at = hash (word) & (b->slots_count - 1);

  while (b->slots[at] != 0 && compare_words (&b->known[b->slots[at] - 1].word, word) != 0)
    at = (at + 1) & (b->slots_count - 1);
  return &b->slots[at];
}

static void
grow (struct building *b)
{
  b->known_room = b->known_room != 0 ? 2 * b->known_room : 512;
  b->known = xrealloc (b->known, b->known_room * sizeof *b->known);
  free (b->slots);
  b->slots_count = 2 * b->known_room;
  b->slots = xcalloc (b->slots_count, sizeof *b->slots);
  for (size_t i = 0; i < b->known_count; i++)
    *slot_of (b, &b->known[i].word) = (uint32_t) i + 1;
}

/* The number of a word, which is known from now on. */
static uint32_t
know (struct building *b, const struct word *word)
{
  uint32_t *slot;

  if (b->known_count == b->known_room)
    grow (b);
  slot = slot_of (b, word);
  if (*slot == 0) {
    b->known[b->known_count++] = (struct known){ .word = *word, .last = NO_TOOL };
    *slot = (uint32_t) b->known_count;
  }
  return *slot - 1;
}

static void
add_word (struct building *b, uint32_t tool, uint32_t weight, const struct word *word)
{
  uint32_t number = know (b, word);
  struct known *known = &b->known[number];

  if (b->count == b->room) {
    b->room = b->room != 0 ? 2 * b->room : 1024;
    b->list = xrealloc (b->list, b->room * sizeof *b->list);
  }
  b->list[b->count++] = (struct occurrence){ number, tool, weight };
  known->count += known->last != tool;
  known->last = tool;
  b->search->lengths[tool] += (float) weight;
}

static void
add_text (struct building *b, size_t tool, uint32_t weight, const char *text, size_t len)
{
  const char *at = text, *end = text + len;
  struct word word;

  while (text != NULL && next_word (&at, end, &word))
    add_word (b, (uint32_t) tool, weight, &word);
}

static void
add_title (struct building *b, size_t index, const struct tool *tool)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const char *title;
  size_t len;

  if (memmem (tool->mcp.data, tool->mcp.len, "\"title\"", strlen ("\"title\"")) == NULL
      || !json_read (&tape, tool->mcp.data, tool->mcp.len, &json_default_limits, &arena))
    return;
  title = json_string (&tape, json_member (&tape, json_root (&tape), "title"), &arena, &len);
  if (title != NULL)
    add_text (b, index, IN_TITLE, title, len);
}

static void
add_tool (struct building *b, size_t index, const struct tool *tool)
{
  add_text (b, index, IN_NAME, tool->name, tool->name_len);
  if (tool->mcp.len != 0)
    add_title (b, index, tool);
  for (size_t i = 0; i < tool->tags_count; i++)
    add_text (b, index, IN_TAGS, tool->tags[i], strlen (tool->tags[i]));
  if (tool->description != NULL)
    add_text (b, index, IN_DESCRIPTION, tool->description, strlen (tool->description));
}

static int
compare_known (const void *a, const void *b)
{
  const struct known *x = *(struct known *const *) a, *y = *(struct known *const *) b;

  return compare_words (&x->word, &y->word);
}

/* An entry for each word, in order, with room for its postings. */
static void
make_entries (struct search *s, struct building *b)
{
  struct known **order = xmalloc ((b->known_count + 1) * sizeof (struct known *));
  uint32_t postings = 0;

  for (size_t i = 0; i < b->known_count; i++)
    order[i] = &b->known[i];
  if (b->known_count != 0)
    qsort (order, b->known_count, sizeof (struct known *), compare_known);
  s->words = xmalloc ((b->known_count + 1) * sizeof *s->words);
  s->words_count = b->known_count;
  for (size_t i = 0; i < b->known_count; i++) {
    s->words[i] = (struct entry){ .word = order[i]->word, .first = postings };
    order[i]->entry = (uint32_t) i;
    postings += order[i]->count;
  }
  s->postings = xmalloc (((size_t) postings + 1) * sizeof *s->postings);
  free (order);
}

/* A posting for each tool that has a word. */
static void
make_postings (struct search *s, const struct building *b)
{
  for (size_t i = 0; i < b->count; i++) {
    const struct occurrence *o = &b->list[i];
    struct entry *entry = &s->words[b->known[o->word].entry];
    struct posting *last = &s->postings[entry->first + entry->count];
    if (entry->count != 0 && last[-1].tool == o->tool)
      last[-1].weight += (float) o->weight;
    else {
      *last = (struct posting){ o->tool, (float) o->weight };
      entry->count++;
    }
  }
}

struct search *
search_new (struct toolset *set)
{
  struct search *s = xcalloc (1, sizeof *s);
  struct building b = { .search = s };

  s->set = toolset_ref (set);
  s->lengths = xcalloc (set->count + 1, sizeof *s->lengths);
  s->scores = xcalloc (set->count + 1, sizeof *s->scores);
  s->ranks = xcalloc (set->count + 1, sizeof *s->ranks);
  for (size_t i = 0; i < set->count; i++) {
    add_tool (&b, i, set->tools[i]);
    s->average += s->lengths[i];
  }
  s->average = s->average > 0 ? s->average / (double) set->count : 1;
  make_entries (s, &b);
  make_postings (s, &b);
  free (b.known);
  free (b.slots);
  free (b.list);
  return s;
}

void
search_free (struct search *s)
{
  if (s == NULL)
    return;
  toolset_unref (s->set);
  free (s->words);
  free (s->postings);
  free (s->lengths);
  free (s->scores);
  free (s->ranks);
  free (s);
}

const struct toolset *
search_toolset (const struct search *s)
{
  return s->set;
}

/* ---- looking ---- */

/* The natural logarithm of x >= 1: by halving, then the series of the inverse hyperbolic tangent.
 */
static double
ln (double x)
{
  double whole = 0, y, power, sum = 0;

  for (; x >= 2; x /= 2)
    whole += 0.69314718055994531;
  y = (x - 1) / (x + 1);
  power = y;
  for (int i = 1; i < 20; i += 2, power *= y * y)
    sum += power / i;
  return whole + 2 * sum;
}

/* Index of the first word that is not before this one. */
static size_t
find_word (const struct search *s, const struct word *word)
{
  size_t low = 0, high = s->words_count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_words (&s->words[middle].word, word) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
add_scores (struct search *s, const struct entry *entry, double factor)
{
  double all = (double) s->set->count, having = entry->count;
  double idf = ln (1 + (all - having + 0.5) / (having + 0.5));

  for (uint32_t i = entry->first; i < entry->first + entry->count; i++) {
    const struct posting *p = &s->postings[i];
    double length = 1 - B + B * (double) s->lengths[p->tool] / s->average;
    s->scores[p->tool] +=
      factor * idf * (double) p->weight * (K1 + 1) / ((double) p->weight + K1 * length);
  }
}

static void
score_word (struct search *s, const struct word *word)
{
  size_t len = strnlen (word->text, WORD_MAX), at = find_word (s, word), seen = 0;

  for (; at < s->words_count && seen < PREFIXES_MAX; at++, seen++) {
    const struct entry *entry = &s->words[at];
    if (compare_words (&entry->word, word) == 0)
      add_scores (s, entry, 1);
    else if (len >= PREFIX_MIN && memcmp (entry->word.text, word->text, len) == 0)
      add_scores (s, entry, PREFIX);
    else
      break;
  }
}

static int
compare_ranks (const void *a, const void *b)
{
  const struct score *x = a, *y = b;

  if (x->score > y->score || x->score < y->score)
    return x->score > y->score ? -1 : 1;
  return (x->tool > y->tool) - (x->tool < y->tool); /* as names are */
}

size_t
search_find (struct search *s, const char *query, size_t len, const struct toolset *in,
             const struct tool **found, size_t max)
{
  const char *at = query, *end;
  struct word word;
  size_t ranked = 0, count = 0, words = 0;

  len = len < SEARCH_QUERY_MAX ? len : SEARCH_QUERY_MAX;
  end = query + len;
  while (words++ < QUERY_WORDS_MAX && next_word (&at, end, &word))
    score_word (s, &word);
  if (toolset_find (s->set, query, len) != NULL)
    s->scores[toolset_after (s->set, query, len) - 1] += SAME_NAME;
  for (size_t i = 0; i < s->set->count; i++) {
    if (s->scores[i] > 0)
      s->ranks[ranked++] = (struct score){ (uint32_t) i, s->scores[i] };
    s->scores[i] = 0;
  }
  if (ranked != 0)
    qsort (s->ranks, ranked, sizeof *s->ranks, compare_ranks);
  for (size_t i = 0; i < ranked && count < max; i++) {
    const struct tool *tool = s->set->tools[s->ranks[i].tool];
    if (in == NULL || toolset_find (in, tool->name, tool->name_len) != NULL)
      found[count++] = tool;
  }
  return count;
}
