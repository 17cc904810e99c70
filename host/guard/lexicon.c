#include "guard/lexicon.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fold.h"
#include "base/invisible.h"
#include "base/utf8.h"

enum {
  NO_WORD = 0,
  RING = 256, /* more than a word has bytes */
  BLANK = ' ',
  NOT_PLAIN = 0xff,
  STEPS_PER_WORD = 6
};

struct node {
  uint32_t word;  /* that ends here, counted from 1; NO_WORD */
  uint32_t tag;   /* its */
  uint32_t up;    /* the longest other node with a word that ends as this one does; 0: none */
  uint32_t depth; /* bytes from the root */
};

struct lexicon {
  uint8_t class_of[256]; /* of folded bytes; 0: in no word */
  uint8_t ascii[128]; /* the same of bytes as they come; NOT_PLAIN: blanks, and what is not seen */
  uint32_t classes;
  uint32_t count;
  struct buf texts;   /* folded, one after another, before they are built */
  struct buf lengths; /* uint32_t length, tag */
  uint32_t nodes_count;
  struct node *nodes;
  uint32_t *table; /* by node and class: the next node */
};

/* ---- characters ---- */

static bool
is_blank (uint32_t c)
{
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680
         || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f
         || c == 0x3000;
}

/* What is written for the code point at `p`: a blank, nothing (0), or its folded bytes. */
static size_t
folded (const char *p, size_t *len, char out[4])
{
  const uint32_t c = utf8_code_point (p, len);

  if (is_blank (c)) {
    out[0] = BLANK;
    return 1;
  }
  if (invisible_code_point (c))
    return 0;
  return utf8_put (out, fold_case (c));
}

bool
lexicon_letter (uint32_t c)
{
  static const struct {
    uint32_t first, last;
  } others[] = { { 0, 0x2f },          { 0x3a, 0x40 },      { 0x5b, 0x5e },     { 0x60, 0x60 },
                 { 0x7b, 0xa9 },       { 0xab, 0xb4 },      { 0xb6, 0xb9 },     { 0xbb, 0xbf },
                 { 0xd7, 0xd7 },       { 0xf7, 0xf7 },      { 0x589, 0x58a },   { 0x5be, 0x5be },
                 { 0x60c, 0x60c },     { 0x61b, 0x61f },    { 0x66a, 0x66d },   { 0x6d4, 0x6d4 },
                 { 0xe00, 0xeff },     { 0x1000, 0x109f },  { 0x1680, 0x1680 }, { 0x1780, 0x17ff },
                 { 0x2000, 0x206f },   { 0x20a0, 0x20cf },  { 0x2190, 0x2bff }, { 0x2e00, 0x2e7f },
                 { 0x2e80, 0xa4cf },   { 0xd800, 0xf8ff },  { 0xf900, 0xfaff }, { 0xfe00, 0xfe6f },
                 { 0xfeff, 0xff0f },   { 0xff1a, 0xff20 },  { 0xff3b, 0xff40 }, { 0xff5b, 0xffef },
                 { 0x1f000, 0x1faff }, { 0x20000, 0x3ffff } };

  for (size_t i = 0; i < sizeof others / sizeof *others && c >= others[i].first; i++)
    if (c <= others[i].last)
      return false;
  return true;
}

/* The nearest code point before `at`, or from `at` on, that is seen: is it part of a word? */
static bool
letter_before (const char *text, size_t at, int64_t *budget)
{
  while (at > 0) {
    size_t len;
    uint32_t c;
    do
      at--;
    while (at > 0 && (text[at] & 0xc0) == 0x80);
    c = utf8_code_point (text + at, &len);
    if (is_blank (c) || !invisible_code_point (c))
      return lexicon_letter (c);
    --*budget;
  }
  return false;
}

static bool
letter_at (const char *text, size_t len, size_t at, int64_t *budget)
{
  while (at < len) {
    size_t n;
    const uint32_t c = utf8_code_point (text + at, &n);
    if (is_blank (c) || !invisible_code_point (c))
      return lexicon_letter (c);
    at += n;
    --*budget;
  }
  return false;
}

/* ---- building ---- */

struct lexicon *
lexicon_new (void)
{
  return xcalloc (1, sizeof (struct lexicon));
}

void
lexicon_free (struct lexicon *words)
{
  if (words == NULL)
    return;
  buf_free (&words->texts);
  buf_free (&words->lengths);
  free (words->nodes);
  free (words->table);
  free (words);
}

/* Without blanks at its ends. */
static void
fold_word (const char *word, size_t len, struct buf *out)
{
  const size_t start = out->len;

  for (size_t at = 0, n; at < len; at += n) {
    char bytes[4];
    const size_t count = folded (word + at, &n, bytes);
    const bool blank = count == 1 && bytes[0] == BLANK;
    if (!blank || (out->len > start && out->data[out->len - 1] != BLANK))
      buf_append (out, bytes, count);
  }
  if (out->len > start && out->data[out->len - 1] == BLANK)
    out->len--;
}

enum lexicon_added
lexicon_add (struct lexicon *words, const char *word, size_t len, uint32_t tag)
{
  const size_t before = words->texts.len;
  uint32_t entry[2] = { 0, tag };

  if (words->count == LEXICON_MOST)
    return LEXICON_TOO_MANY;
  fold_word (word, len, &words->texts);
  entry[0] = (uint32_t) (words->texts.len - before);
  if (entry[0] == 0 || entry[0] > WORD_MOST || words->texts.len > LEXICON_BYTES_MOST) {
    words->texts.len = before;
    return entry[0] == 0          ? LEXICON_EMPTY
           : entry[0] > WORD_MOST ? LEXICON_TOO_LONG
                                  : LEXICON_TOO_MANY;
  }
  buf_append (&words->lengths, entry, sizeof entry);
  words->count++;
  return LEXICON_GOOD;
}

static void
make_classes (struct lexicon *w)
{
  w->classes = 1;
  for (size_t i = 0; i < w->texts.len; i++) {
    uint8_t *class = &w->class_of[(unsigned char) w->texts.data[i]];
    if (*class == 0)
      *class = (uint8_t) w->classes++;
  }
}

static void
make_ascii (struct lexicon *w)
{
  for (uint32_t c = 0; c < 128; c++)
    w->ascii[c] = is_blank (c) || invisible_code_point (c) ? NOT_PLAIN : w->class_of[fold_case (c)];
}

static void
add_path (struct lexicon *w, const char *text, size_t len, uint32_t tag, uint32_t number)
{
  uint32_t at = 0;

  for (size_t i = 0; i < len; i++) {
    uint32_t *next = &w->table[at * w->classes + w->class_of[(unsigned char) text[i]]];
    if (*next == 0) {
      *next = w->nodes_count;
      w->nodes[w->nodes_count++].depth = (uint32_t) i + 1;
    }
    at = *next;
  }
  if (w->nodes[at].word == NO_WORD) {
    w->nodes[at].word = number;
    w->nodes[at].tag = tag;
  }
}

/* Nodes in order of their depth; where a node has no way of its own it has that of the longest
 * other node that its path ends with. */
static void
link_nodes (struct lexicon *w)
{
  uint32_t *queue = xcalloc (w->nodes_count, sizeof *queue);
  uint32_t *fails = xcalloc (w->nodes_count, sizeof *fails);
  uint32_t head = 0, tail = 1;

  while (head < tail) {
    const uint32_t at = queue[head++], fail = fails[at];
    w->nodes[at].up = w->nodes[fail].word != NO_WORD ? fail : w->nodes[fail].up;
    for (uint32_t class = 1; class < w->classes; class ++) {
      uint32_t *next = &w->table[at * w->classes + class];
      const uint32_t other = at == 0 ? 0 : w->table[fail * w->classes + class];
      if (*next == 0)
        *next = other;
      else {
        fails[*next] = other;
        queue[tail++] = *next;
      }
    }
  }
  free (queue);
  free (fails);
}

void
lexicon_build (struct lexicon *w)
{
  const uint32_t *entry = (const uint32_t *) (const void *) w->lengths.data;
  const char *text = w->texts.data;
  const size_t most = w->texts.len + 1;

  make_classes (w);
  make_ascii (w);
  w->nodes = xcalloc (most, sizeof *w->nodes);
  w->table = xcalloc (most * w->classes, sizeof *w->table);
  w->nodes_count = 1;
  for (uint32_t i = 0; i < w->count; i++, text += entry[0], entry += 2)
    add_path (w, text, entry[0], entry[1], i + 1);
  w->nodes = xrealloc (w->nodes, w->nodes_count * sizeof *w->nodes);
  w->table = xrealloc (w->table, (size_t) w->nodes_count * w->classes * sizeof *w->table);
  link_nodes (w);
  buf_reset (&w->texts, 0);
  buf_reset (&w->lengths, 0);
}

/* ---- a walk over a text ---- */

struct scan {
  const struct lexicon *words;
  const char *text;
  size_t len;
  bool whole;
  int64_t *budget;
  lexicon_found_fn *found;
  void *ctx;
  uint32_t at;         /* node */
  uint32_t fed;        /* folded bytes so far */
  size_t starts[RING]; /* of the code points they came from */
  bool after_blank;
};

/* The longest word that ends here, or before the byte at `end`, is told. */
static void
tell (struct scan *s, size_t end)
{
  const struct node *nodes = s->words->nodes;
  const bool open = s->whole && letter_at (s->text, s->len, end, s->budget);
  uint32_t at = nodes[s->at].word != NO_WORD ? s->at : nodes[s->at].up;

  for (; at != 0; at = nodes[at].up) {
    const size_t start = s->starts[(s->fed - nodes[at].depth) % RING];
    size_t last = end, n;
    *s->budget -= STEPS_PER_WORD;
    do
      last--;
    while (last > start && (s->text[last] & 0xc0) == 0x80);
    if (s->whole
        && ((open && lexicon_letter (utf8_code_point (s->text + last, &n)))
            || (lexicon_letter (utf8_code_point (s->text + start, &n))
                && letter_before (s->text, start, s->budget))))
      continue;
    s->found (s->ctx, nodes[at].tag, start, end);
    return;
  }
}

static void
feed (struct scan *s, char byte, size_t start)
{
  const struct lexicon *w = s->words;

  s->starts[s->fed++ % RING] = start;
  s->at = w->table[s->at * w->classes + w->class_of[(unsigned char) byte]];
}

/* The code point at `at`; returns its end. */
static size_t
feed_one (struct scan *s, size_t at)
{
  char bytes[4];
  size_t n;
  const size_t count = folded (s->text + at, &n, bytes);
  const bool blank = count == 1 && bytes[0] == BLANK;

  if (count == 0 || (blank && s->after_blank))
    return at + n;
  s->after_blank = blank;
  for (size_t i = 0; i < count; i++)
    feed (s, bytes[i], at);
  if (s->words->nodes[s->at].word != NO_WORD || s->words->nodes[s->at].up != 0)
    tell (s, at + n);
  return at + n;
}

/* Goes over plain characters of ASCII, which are most. */
static size_t
run (struct scan *s, size_t at)
{
  const struct lexicon *w = s->words;
  const unsigned char *text = (const unsigned char *) s->text;
  uint32_t node = s->at;
  const size_t from = at;

  for (; at < s->len && text[at] < 0x80 && w->ascii[text[at]] != NOT_PLAIN; at++) {
    s->starts[s->fed++ % RING] = at;
    node = w->table[node * w->classes + w->ascii[text[at]]];
    if (w->nodes[node].word != NO_WORD || w->nodes[node].up != 0) {
      s->at = node;
      tell (s, at + 1);
      if (*s->budget < 0)
        break;
    }
  }
  s->at = node;
  if (at > from)
    s->after_blank = false;
  return at;
}

void
lexicon_find (const struct lexicon *words, const char *text, size_t len, bool whole,
              int64_t *budget, lexicon_found_fn *found, void *ctx)
{
  struct scan s = { .words = words,
                    .text = text,
                    .len = len,
                    .whole = whole,
                    .budget = budget,
                    .found = found,
                    .ctx = ctx };

  for (size_t at = 0; at < len && *budget >= 0;) {
    at = run (&s, at);
    if (at < len)
      at = feed_one (&s, at);
  }
}

bool
lexicon_has (const struct lexicon *words, const char *text, size_t len)
{
  struct scan s = { .words = words, .text = text, .len = len };

  for (size_t at = 0; at < len;) {
    char bytes[4];
    size_t n;
    const size_t count = folded (text + at, &n, bytes);
    const bool blank = count == 1 && bytes[0] == BLANK;
    for (size_t i = 0; i < count && !(blank && s.after_blank); i++)
      feed (&s, bytes[i], at);
    s.after_blank = blank || (count == 0 && s.after_blank);
    at += n;
    if (s.fed > WORD_MOST)
      return false;
  }
  return s.at != 0 && words->nodes[s.at].depth == s.fed && words->nodes[s.at].word != NO_WORD;
}
