#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/json_names.h"
#include "base/json_tape.h"
#include "base/json_text.h"
#include "base/utf8.h"

const struct json_limits json_default_limits = {
  .depth = 64, .nodes = 200000, .members = 10000, .number_len = 512
};

enum {
  COUNT_MAX = (1 << 26) - 1, /* of json_node.count */
  FEW_MEMBERS = 16           /* compared pair by pair */
};
static const uint32_t NONE = UINT32_MAX;

/* While a container is open, the `len` of its node holds the index of the one around it. */
struct reader {
  const char *text;
  const char *end;
  struct json_node *nodes;
  uint32_t count;
  uint32_t cap;
  uint32_t open; /* index of the innermost open container, or NONE */
  uint32_t depth;
  struct json_limits limits;
  struct json_tape *tape;
  struct arena *arena;
};

/* The readers below take where to read and return where to go on; NULL after a fault. */
static const char *__attribute__ ((cold, noinline))
fail (struct reader *r, const char *at, enum json_fault fault, const char *problem)
{
  r->tape->fault = fault;
  r->tape->offset = (size_t) (at - r->text);
  r->tape->problem = problem;
  return NULL;
}

static bool __attribute__ ((noinline)) grow (struct reader *r, const char *at)
{
  uint32_t cap = r->cap < r->limits.nodes / 2 ? r->cap * 2 : r->limits.nodes;
  struct json_node *nodes;

  if (r->count >= r->limits.nodes) {
    fail (r, at, JSON_TOO_LARGE, "too many values and names");
    return false;
  }
  nodes = arena_alloc (r->arena, cap * sizeof *nodes);
  memcpy (nodes, r->nodes, r->count * sizeof *nodes);
  r->nodes = nodes;
  r->cap = cap;
  return true;
}

static inline struct json_node *
push (struct reader *r, const char *at, enum json_type type)
{
  struct json_node *node;

  if (r->count == r->cap && !grow (r, at))
    return NULL;
  node = &r->nodes[r->count++];
  *node = (struct json_node){ .start = (uint32_t) (at - r->text), .skip = 1, .type = type };
  return node;
}

static inline const char *
skip_space (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
    p++;
  return p;
}

/* ---- strings ---- */

static inline bool
plain (char c)
{
  return (unsigned char) c >= 0x20 && (unsigned char) c < 0x80 && c != '"' && c != '\\';
}

/* Go over bytes that need no look: ASCII but controls, quote and backslash. */
#ifdef __SSE2__
static inline const char *
skip_plain (const char *p, const char *end)
{
  const __m128i quote = _mm_set1_epi8 ('"');
  const __m128i backslash = _mm_set1_epi8 ('\\');
  const __m128i control = _mm_set1_epi8 (0x1f);

  for (; end - p >= 16; p += 16) {
    __m128i v = _mm_loadu_si128 ((const __m128i *) (const void *) p);
    __m128i found = _mm_or_si128 (_mm_cmpeq_epi8 (v, quote), _mm_cmpeq_epi8 (v, backslash));
    found = _mm_or_si128 (found, _mm_cmpeq_epi8 (_mm_min_epu8 (v, control), v));
    /* v itself: its high bits are those of bytes outside ASCII */
    int mask = _mm_movemask_epi8 (_mm_or_si128 (found, v));
    if (mask != 0)
      return p + __builtin_ctz ((unsigned) mask);
  }
  while (p < end && plain (*p))
    p++;
  return p;
}
#else
static inline const char *
skip_plain (const char *p, const char *end)
{
  const uint64_t ones = 0x0101010101010101U;
  const uint64_t highs = 0x8080808080808080U;

  for (; end - p >= 8; p += 8) {
    uint64_t v, quote, backslash;
    memcpy (&v, p, sizeof v);
    quote = v ^ (ones * '"');
    backslash = v ^ (ones * '\\');
    if (((v | (v - ones * 0x20) | (quote - ones) | (backslash - ones)) & highs) != 0)
      break;
  }
  while (p < end && plain (*p))
    p++;
  return p;
}
#endif

/* The value of four hex digits at `p`, UINT32_MAX when they are not. */
static uint32_t
hex4 (const char *p, const char *end)
{
  uint32_t value = 0;

  if (end - p < 4)
    return UINT32_MAX;
  for (int i = 0; i < 4; i++) {
    char c = p[i];
    uint32_t digit;
    if (c >= '0' && c <= '9')
      digit = (uint32_t) (c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      digit = (uint32_t) ((c | 32) - 'a' + 10);
    else
      return UINT32_MAX;
    value = value * 16 + digit;
  }
  return value;
}

/* `p` is behind "\u". */
static const char *
read_unicode_escape (struct reader *r, const char *p, bool *zero)
{
  uint32_t c = hex4 (p, r->end);

  if (c == UINT32_MAX)
    return fail (r, p, JSON_SYNTAX, "expected four hex digits");
  if (c >= 0xdc00 && c <= 0xdfff)
    return fail (r, p - 2, JSON_ENCODING, "lone surrogate in an escape");
  if (c < 0xd800 || c > 0xdbff) {
    *zero = *zero || c == 0;
    return p + 4;
  }
  p += 4;
  if (r->end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    c = hex4 (p + 2, r->end);
    if (c >= 0xdc00 && c <= 0xdfff)
      return p + 6;
  }
  return fail (r, p - 6, JSON_ENCODING, "lone surrogate in an escape");
}

/* `p` is at a backslash. */
static const char *
read_escape (struct reader *r, const char *p, bool *zero)
{
  if (r->end - p < 2)
    return fail (r, p, JSON_SYNTAX, "the string has no end");
  if (p[1] == 'u')
    return read_unicode_escape (r, p + 2, zero);
  if (p[1] == '\0' || strchr ("\"\\/bfnrt", p[1]) == NULL)
    return fail (r, p, JSON_SYNTAX, "unknown escape in a string");
  return p + 2;
}

/* What skip_plain stopped at and is not the closing quote. */
static const char *__attribute__ ((noinline))
read_special (struct reader *r, const char *p, struct json_node *node, bool *zero)
{
  if (*p == '\\') {
    node->escaped = 1;
    return read_escape (r, p, zero);
  }
  if ((unsigned char) *p < 0x20)
    return fail (r, p, JSON_SYNTAX, "control character in a string");
  while (p < r->end && (*p & 0x80) != 0) {
    size_t n = utf8_sequence (p, r->end);
    if (n == 0)
      return fail (r, p, JSON_ENCODING, "not UTF-8");
    p += n;
  }
  return p;
}

/* `p` is at the opening quote. */
static inline const char *
read_string (struct reader *r, const char *p, bool *zero)
{
  const char *start = p + 1;
  struct json_node *node = push (r, start, JSON_STRING);

  if (node == NULL)
    return NULL;
  for (p = start;;) {
    p = skip_plain (p, r->end);
    if (p == r->end)
      return fail (r, p, JSON_SYNTAX, "the string has no end");
    if (*p == '"')
      break;
    p = read_special (r, p, node, zero);
    if (p == NULL)
      return NULL;
  }
  node->len = (uint32_t) (p - start);
  return p + 1;
}

/* ---- numbers and words ---- */

static inline bool
is_digit (const char *p, const char *end)
{
  return p < end && *p >= '0' && *p <= '9';
}

static inline const char *
skip_digits (struct reader *r, const char *p)
{
  if (!is_digit (p, r->end))
    return fail (r, p, JSON_SYNTAX, "expected a digit");
  while (is_digit (p, r->end))
    p++;
  return p;
}

static const char *
read_fraction (struct reader *r, const char *p)
{
  if (*p == '.') {
    p = skip_digits (r, p + 1);
    if (p == NULL)
      return NULL;
  }
  if (p < r->end && (*p | 32) == 'e') {
    p++;
    if (p < r->end && (*p == '+' || *p == '-'))
      p++;
    return skip_digits (r, p);
  }
  return p;
}

static inline const char *
read_number (struct reader *r, const char *start)
{
  const char *p = start + (*start == '-');
  struct json_node *node = push (r, start, JSON_NUMBER);

  if (node == NULL)
    return NULL;
  node->integer = 1;
  if (is_digit (p, r->end) && *p == '0' && is_digit (p + 1, r->end))
    return fail (r, p, JSON_SYNTAX, "a number may not begin with 0");
  p = skip_digits (r, p);
  if (p != NULL && p < r->end && (*p == '.' || (*p | 32) == 'e')) {
    node->integer = 0;
    p = read_fraction (r, p);
  }
  if (p == NULL)
    return NULL;
  if ((size_t) (p - start) > r->limits.number_len)
    return fail (r, start, JSON_TOO_LARGE, "the number is too long");
  node->len = (uint32_t) (p - start);
  return p;
}

static const char *
read_word (struct reader *r, const char *p, const char *word, uint32_t len, enum json_type type)
{
  struct json_node *node;

  if ((size_t) (r->end - p) < len || memcmp (p, word, len) != 0)
    return fail (r, p, JSON_SYNTAX, "expected a value");
  node = push (r, p, type);
  if (node == NULL)
    return NULL;
  node->len = len;
  return p + len;
}

/* ---- containers ---- */

static inline const char *
open_container (struct reader *r, const char *p, enum json_type type)
{
  struct json_node *node;

  if (r->depth >= r->limits.depth)
    return fail (r, p, JSON_TOO_DEEP, "nested too deeply");
  node = push (r, p, type);
  if (node == NULL)
    return NULL;
  node->len = r->open;
  r->open = r->count - 1;
  r->depth++;
  return p + 1;
}

/* A few bytes that differ for most names that differ; 0 when there is no telling. */
static inline uint32_t
fingerprint (const char *text, const struct json_node *name)
{
  if (name->escaped || name->len == 0)
    return 0;
  return name->len << 16 | (uint32_t) (unsigned char) text[name->start] << 8
         | (unsigned char) text[name->start + name->len - 1];
}

/* The second of two equal names, or NULL. */
static const struct json_node *
duplicate_of_few (const struct reader *r, const struct json_node *object)
{
  const struct json_node *names[FEW_MEMBERS];
  uint32_t prints[FEW_MEMBERS];
  uint32_t n = 0;

  for (const struct json_node *name = json_first (object); n < object->count;
       name = json_next (name + 1)) {
    uint32_t print = fingerprint (r->text, name);
    for (uint32_t i = 0; i < n; i++)
      if ((prints[i] == print || prints[i] == 0 || print == 0)
          && json_text_same (r->tape, names[i], r->tape, name))
        return name;
    names[n] = name;
    prints[n++] = print;
  }
  return NULL;
}

static const struct json_node *
duplicate_of_many (const struct reader *r, const struct json_node *object)
{
  struct json_names table;
  const struct json_node *name = json_first (object);

  json_names_init (&table, r->tape, object,
                   arena_alloc (r->arena, json_names_size (object->count)));
  for (uint32_t i = 0; i < object->count; i++, name = json_next (name + 1))
    if (json_names_add (&table, name) != NULL)
      return name;
  return NULL;
}

static inline const char *
close_container (struct reader *r, const char *p)
{
  struct json_node *node = &r->nodes[r->open];
  const struct json_node *twin = NULL;
  uint32_t around = node->len;

  node->skip = r->count - r->open;
  node->len = (uint32_t) (p + 1 - r->text) - node->start;
  r->open = around;
  r->depth--;
  if (node->type == JSON_OBJECT && node->count > 1)
    twin = node->count <= FEW_MEMBERS ? duplicate_of_few (r, node) : duplicate_of_many (r, node);
  if (twin != NULL)
    return fail (r, r->text + twin->start - 1, JSON_DUPLICATE, "duplicate member name");
  return p + 1;
}

static inline const char *
read_value (struct reader *r, const char *p)
{
  bool zero = false;

  if (p == r->end)
    return fail (r, p, JSON_SYNTAX, "expected a value");
  switch (*p) {
  case '"':
    return read_string (r, p, &zero);
  case '{':
    return open_container (r, p, JSON_OBJECT);
  case '[':
    return open_container (r, p, JSON_ARRAY);
  case 't':
    return read_word (r, p, "true", 4, JSON_TRUE);
  case 'f':
    return read_word (r, p, "false", 5, JSON_FALSE);
  case 'n':
    return read_word (r, p, "null", 4, JSON_NULL);
  default:
    if (*p == '-' || (*p >= '0' && *p <= '9'))
      return read_number (r, p);
    return fail (r, p, JSON_SYNTAX, "expected a value");
  }
}

static inline const char *
read_name (struct reader *r, const char *p)
{
  const char *start = p;
  bool zero = false;

  if (p == r->end || *p != '"')
    return fail (r, p, JSON_SYNTAX, "expected a member name in quotes");
  p = read_string (r, p, &zero);
  if (p == NULL)
    return NULL;
  if (zero)
    return fail (r, start, JSON_SYNTAX, "U+0000 in a member name");
  p = skip_space (p, r->end);
  if (p == r->end || *p != ':')
    return fail (r, p, JSON_SYNTAX, "expected ':' after a member name");
  return skip_space (p + 1, r->end);
}

/* The next thing of the open container: its end, or the next item or member up to where its value
 * is read or opened. */
static inline const char *
read_item (struct reader *r, const char *p)
{
  struct json_node *node = &r->nodes[r->open];
  bool object = node->type == JSON_OBJECT;

  p = skip_space (p, r->end);
  if (p == r->end)
    return fail (r, p, JSON_SYNTAX, object ? "the object has no end" : "the array has no end");
  if (*p == (object ? '}' : ']'))
    return close_container (r, p);
  if (node->count != 0) {
    if (*p != ',')
      return fail (r, p, JSON_SYNTAX, object ? "expected ',' or '}'" : "expected ',' or ']'");
    p = skip_space (p + 1, r->end);
  }
  node->count++;
  if (!object)
    return read_value (r, p);
  if (node->count > r->limits.members)
    return fail (r, p, JSON_TOO_LARGE, "too many members in one object");
  p = read_name (r, p);
  return p != NULL ? read_value (r, p) : NULL;
}

static bool
read_text (struct reader *r)
{
  const char *p = skip_space (r->text, r->end);

  if (r->end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p = fail (r, p, JSON_SYNTAX, "a byte order mark is not JSON");
  else
    p = read_value (r, p);
  while (p != NULL && r->open != NONE)
    p = read_item (r, p);
  if (p == NULL)
    return false;
  p = skip_space (p, r->end);
  if (p != r->end)
    fail (r, p, JSON_SYNTAX, "expected nothing after the value");
  return p == r->end;
}

bool
json_read (struct json_tape *tape, const char *text, size_t len, const struct json_limits *limits,
           struct arena *arena)
{
  struct reader r = { .text = text, .open = NONE, .limits = *limits, .tape = tape, .arena = arena };

  *tape = (struct json_tape){ .text = text, .text_len = len };
  if (len >= UINT32_MAX) {
    fail (&r, text, JSON_TOO_LARGE, "texts of 4 GiB and more are not read");
    return false;
  }
  if (r.limits.nodes > COUNT_MAX)
    r.limits.nodes = COUNT_MAX;
  r.end = text + len;
  r.cap = (uint32_t) (len / 10 + 8);
  if (r.cap > r.limits.nodes)
    r.cap = r.limits.nodes;
  r.nodes = arena_alloc (arena, r.cap * sizeof *r.nodes);
  if (!read_text (&r))
    return false;
  tape->nodes = r.nodes;
  tape->count = r.count;
  return true;
}
