/* search_index.c - operations found by words (BM25): search.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { WORD_BYTES = 24, QUERY_WORDS = 16, PREFIX_MIN = 3 };
enum { IN_ID = 5, IN_SUMMARY = 3, IN_TAG = 3, IN_PATH_TEXT = 2, IN_METHOD = 2, IN_DESCRIPTION = 1 };

static const double K1 = 1.2, B = 0.75, PREFIX = 0.4;

/* A word of an operation, zeros behind it. */
struct posting {
  char word[WORD_BYTES];
  uint32_t operation, weight;
};

struct search_index {
  const struct service *service;
  struct posting *postings; /* by word, then by operation */
  size_t count;
  uint32_t *lengths; /* of each operation, in weights */
  double average;
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

/* The next word, in lower case, cut where camelCase is, without an "s" at its end. */
static bool
next_word (const char **at, char word[WORD_BYTES])
{
  const char *from;
  size_t len = 0;

  memset (word, 0, WORD_BYTES);
  while (**at != '\0' && !is_letter (**at))
    ++*at;
  for (from = *at; is_letter (**at); ++*at) {
    if (*at != from && is_upper (**at) && (*at)[-1] >= 'a' && (*at)[-1] <= 'z')
      break;
    if (len < WORD_BYTES)
      word[len++] = (char) (is_upper (**at) ? **at + ('a' - 'A') : **at);
  }
  if (len > 3 && word[len - 1] == 's' && word[len - 2] != 's')
    word[len - 1] = '\0';
  return len != 0;
}

/* ---- building ---- */

struct building {
  struct posting *list;
  size_t count, room;
  bool failed;
};

static void
add_words (struct building *b, uint32_t operation, uint32_t weight, const char *text)
{
  char word[WORD_BYTES];

  while (text != NULL && next_word (&text, word)) {
    if (b->count == b->room) {
      const size_t room = b->room != 0 ? 2 * b->room : 1024;
      struct posting *list = realloc (b->list, room * sizeof *list);
      if (list == NULL) {
        b->failed = true;
        return;
      }
      b->list = list;
      b->room = room;
    }
    b->list[b->count] = (struct posting){ .operation = operation, .weight = weight };
    memcpy (b->list[b->count++].word, word, WORD_BYTES);
  }
}

static void
add_operation (struct building *b, uint32_t number, const struct operation *op)
{
  const struct value *source = op->source.value, *tags = value_get_z (source, "tags");

  add_words (b, number, IN_ID, op->id);
  add_words (b, number, IN_PATH_TEXT, op->path);
  add_words (b, number, IN_METHOD, op->method);
  add_words (b, number, IN_SUMMARY, value_cstring (value_get_z (source, "summary")));
  add_words (b, number, IN_DESCRIPTION, op->description);
  add_words (b, number, IN_DESCRIPTION, value_cstring (value_get_z (source, "description")));
  for (size_t i = 0; value_is (tags, VALUE_ARRAY) && i < tags->count; i++)
    add_words (b, number, IN_TAG, value_cstring (tags->items[i]));
}

static int
compare (const void *a, const void *b)
{
  const struct posting *p = a, *q = b;
  const int order = memcmp (p->word, q->word, WORD_BYTES);

  return order != 0 ? order : (p->operation > q->operation) - (p->operation < q->operation);
}

/* The same word of the same operation is one posting. */
static size_t
merge (struct posting *list, size_t count)
{
  size_t kept = 0;

  for (size_t i = 0; i < count; i++)
    if (kept != 0 && compare (&list[kept - 1], &list[i]) == 0)
      list[kept - 1].weight += list[i].weight;
    else
      list[kept++] = list[i];
  return kept;
}

static bool
take (struct search_index *index, struct values *pool, struct building *b, size_t operations)
{
  uint64_t sum = 0;

  if (b->count != 0)
    qsort (b->list, b->count, sizeof *b->list, compare);
  index->count = merge (b->list, b->count);
  index->postings = values_alloc (pool, index->count * sizeof *b->list + 1);
  index->lengths = values_alloc (pool, operations * sizeof *index->lengths + 1);
  if (b->failed || index->postings == NULL || index->lengths == NULL)
    return false;
  if (index->count != 0)
    memcpy (index->postings, b->list, index->count * sizeof *b->list);
  for (size_t i = 0; i < index->count; i++) {
    index->lengths[index->postings[i].operation] += index->postings[i].weight;
    sum += index->postings[i].weight;
  }
  index->average = operations != 0 ? (double) sum / (double) operations : 1;
  return true;
}

struct search_index *
search_index_new (struct service *service)
{
  struct search_index *index = values_alloc (&service->pool, sizeof *index);
  struct building b = { 0 };
  bool good;

  if (index == NULL)
    return NULL;
  index->service = service;
  for (size_t i = 0; i < service->count; i++)
    add_operation (&b, (uint32_t) i, &service->operations[i]);
  good = take (index, &service->pool, &b, service->count);
  free (b.list);
  return good ? index : NULL;
}

/* ---- finding ---- */

static size_t
first_at_least (const struct search_index *index, const char *word, size_t len)
{
  size_t low = 0, high = index->count;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (memcmp (index->postings[middle].word, word, len) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
score_run (const struct search_index *index, size_t from, size_t to, double factor, double *scores)
{
  const double n = (double) index->service->count, with = (double) (to - from);
  const double rare = log (1 + (n - with + 0.5) / (with + 0.5));

  for (size_t i = from; i < to; i++) {
    const struct posting *p = &index->postings[i];
    const double weight = p->weight, length = index->lengths[p->operation];
    scores[p->operation] +=
      factor * rare * weight * (K1 + 1) / (weight + K1 * (1 - B + B * length / index->average));
  }
}

/* Each word that is this one, or begins with it. */
static void
score_word (const struct search_index *index, const char word[WORD_BYTES], double *scores)
{
  const size_t len = strnlen (word, WORD_BYTES);

  for (size_t from = first_at_least (index, word, len), to; from < index->count; from = to) {
    const char *found = index->postings[from].word;
    const bool same = memcmp (found, word, WORD_BYTES) == 0;
    if (memcmp (found, word, len) != 0 || (!same && len < PREFIX_MIN))
      return;
    for (to = from; to < index->count && memcmp (index->postings[to].word, found, WORD_BYTES) == 0;)
      to++;
    score_run (index, from, to, same ? 1 : PREFIX, scores);
  }
}

static bool
has_tag (const struct operation *op, const char *tag)
{
  const struct value *tags = value_get_z (op->source.value, "tags");

  for (size_t i = 0; value_is (tags, VALUE_ARRAY) && i < tags->count; i++)
    if (value_is (tags->items[i], VALUE_STRING) && strcmp (tags->items[i]->text, tag) == 0)
      return true;
  return false;
}

struct rank {
  const struct operation *operation;
  double score;
};

static int
by_score (const void *a, const void *b)
{
  const struct rank *p = a, *q = b;

  if (p->score != q->score)
    return p->score < q->score ? 1 : -1;
  return strcmp (p->operation->id, q->operation->id);
}

static size_t
rank (const struct search_index *index, const double *scores, bool all, const char *tag,
      struct rank *ranks)
{
  size_t count = 0;

  for (size_t i = 0; i < index->service->count; i++) {
    const struct operation *op = &index->service->operations[i];
    if ((all || scores[i] > 0) && (tag == NULL || has_tag (op, tag)))
      ranks[count++] = (struct rank){ op, scores[i] };
  }
  if (count > 1)
    qsort (ranks, count, sizeof *ranks, by_score);
  return count;
}

size_t
search_find (const struct search_index *index, const char *query, const char *tag,
             const struct operation **found, size_t max, size_t *total)
{
  double *scores = calloc (index->service->count + 1, sizeof *scores);
  struct rank *ranks = calloc (index->service->count + 1, sizeof *ranks);
  char word[WORD_BYTES];
  unsigned words = 0;

  *total = 0;
  if (scores != NULL && ranks != NULL) {
    while (words < QUERY_WORDS && next_word (&query, word)) {
      score_word (index, word, scores);
      words++;
    }
    *total = rank (index, scores, words == 0, tag, ranks);
  }
  max = *total < max ? *total : max;
  for (size_t i = 0; i < max; i++)
    found[i] = ranks[i].operation;
  free (scores);
  free (ranks);
  return max;
}
