#include <endian.h>
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

enum { COUNT_MAX = (1 << 26) - 1 /* of json_node.count */ };
static const uint32_t NONE = UINT32_MAX;

/* What stays the same while a text is read, but for the nodes when there is no room for more. */
struct reader {
  const char *text;
  const char *end; /* of what is not space */
  struct json_node *nodes;
  struct json_node *nodes_end;
  struct json_limits limits;
  struct json_tape *tape;
  struct arena *arena;
};

/* What changes with every value.  Only functions that are inlined into read_text get its address,
 * so that it stays in registers: a third of the speed comes from that. */
struct place {
  struct json_node *next;      /* the first free one */
  struct json_node *container; /* the innermost open one, or NULL.  While it is open, its `len` is
                                  the index of the one around it, or NONE */
  bool object;                 /* is it one? */
  uint32_t count;              /* of its items or members; the others have theirs in their nodes */
  uint32_t depth;
  const char *window; /* 64 bytes of the text, or less at its end */
  uint64_t special;   /* a bit for each of them that is not plain, see below; 1 behind the end */
};

#define INLINED inline __attribute__ ((always_inline))
#define RARE __attribute__ ((noinline))

/* The readers below take where to read and return where to go on; NULL after a fault. */
static RARE const char *
fail (const struct reader *r, const char *at, enum json_fault fault, const char *problem)
{
  r->tape->fault = fault;
  r->tape->offset = (size_t) (at - r->text);
  r->tape->problem = problem;
  return NULL;
}

/* The text ends where it must not. */
static RARE const char *
fail_end (const struct reader *r, const char *problem)
{
  return fail (r, r->text + r->tape->text_len, JSON_SYNTAX, problem);
}

/* Room for more nodes; false after a fault. */
static RARE bool
grow (struct reader *r, const char *at)
{
  uint32_t count = (uint32_t) (r->nodes_end - r->nodes);
  uint32_t cap = count < r->limits.nodes / 2 ? count * 2 : r->limits.nodes;
  struct json_node *nodes;

  if (count >= r->limits.nodes) {
    fail (r, at, JSON_TOO_LARGE, "too many values and names");
    return false;
  }
  nodes = arena_alloc (r->arena, cap * sizeof *nodes);
  memcpy (nodes, r->nodes, count * sizeof *nodes);
  r->nodes = nodes;
  r->nodes_end = nodes + cap;
  return true;
}

static INLINED bool
make_room (struct reader *r, struct place *here, const char *at)
{
  const struct json_node *before = r->nodes;

  if (__builtin_expect (here->next != r->nodes_end, 1))
    return true;
  if (!grow (r, at))
    return false;
  here->next = r->nodes + (here->next - before);
  if (here->container != NULL)
    here->container = r->nodes + (here->container - before);
  return true;
}

/* A node for the `len` bytes at `at`; NULL after a fault. */
static INLINED struct json_node *
push (struct reader *r, struct place *here, const char *at, size_t len, enum json_type type)
{
  struct json_node *node;

  if (!make_room (r, here, at))
    return NULL;
  node = here->next++;
  *node = (struct json_node){
    .start = (uint32_t) (at - r->text), .len = (uint32_t) len, .skip = 1, .type = type
  };
  return node;
}

static INLINED bool
is_space (char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static RARE const char *
skip_more_space (const char *p)
{
  while (is_space (*p))
    p++;
  return p;
}

/* From `p` on, which is not the end.  Mostly there is none, or one blank; it never goes on to the
 * end, because what is before that is no space. */
static INLINED const char *
skip_space (const char *p)
{
  if ((unsigned char) *p > ' ')
    return p;
  if (*p == ' ' && (unsigned char) p[1] > ' ')
    return p + 1;
  return skip_more_space (p);
}

/* ---- strings ---- */

/* Most bytes of a string are plain: ASCII but controls, quote and backslash.  Where the next other
 * byte is, is looked up in a window of 64 bytes that goes along with the reading.  To look for it
 * from where the string begins would make each value wait for the one before it. */

/* A bit for each of 16 bytes that is not plain. */
#ifdef __SSE2__
static INLINED uint64_t
look_at_16 (const char *p)
{
  __m128i v = _mm_loadu_si128 ((const __m128i *) (const void *) p);
  /* the comparison is signed: bytes outside ASCII are below 0 */
  __m128i found = _mm_cmplt_epi8 (v, _mm_set1_epi8 (0x20));

  found = _mm_or_si128 (found, _mm_cmpeq_epi8 (v, _mm_set1_epi8 ('"')));
  found = _mm_or_si128 (found, _mm_cmpeq_epi8 (v, _mm_set1_epi8 ('\\')));
  return (unsigned) _mm_movemask_epi8 (found);
}
#else
static INLINED uint64_t
look_at_8 (const char *p)
{
  const uint64_t ones = 0x0101010101010101U;
  const uint64_t lows = 0x7f * ones;
  uint64_t v, quote, backslash, plain;

  memcpy (&v, p, sizeof v);
  v = le64toh (v);
  quote = v ^ (ones * '"');
  backslash = v ^ (ones * '\\');
  /* the high bit of each byte: no sum is carried into the next one */
  plain = ((v & lows) + ones * 0x60) & ((quote & lows) + lows) & ((backslash & lows) + lows) & ~v;
  return ((~plain & ~lows) >> 7) * 0x0102040810204080U >> 56;
}

static INLINED uint64_t
look_at_16 (const char *p)
{
  return look_at_8 (p) | look_at_8 (p + 8) << 8;
}
#endif

/* The same for the last bytes of a text; those behind it count as not plain. */
static RARE uint64_t
look_at_last (const char *p, const struct reader *r)
{
  char few[16] = { 0 };
  size_t len = (size_t) (r->end - p);
  uint64_t special = ~(uint64_t) 0 << len;

  for (size_t at = 0; at + 16 <= len; at += 16)
    special |= look_at_16 (p + at) << at;
  if (r->end - r->text >= 16)
    return special | look_at_16 (r->end - 16) >> (16 - len % 16) << (len & ~(size_t) 15);
  if (len != 0) /* an empty text may have no address */
    memcpy (few, p, len);
  return look_at_16 (few);
}

static INLINED uint64_t
look_at_window (const char *p, const struct reader *r)
{
  if (r->end - p < 64)
    return look_at_last (p, r);
  return look_at_16 (p) | look_at_16 (p + 16) << 16 | look_at_16 (p + 32) << 32
         | look_at_16 (p + 48) << 48;
}

/* The first byte from `p` on that is not plain, or the end. */
static INLINED const char *
skip_plain (const struct reader *r, struct place *here, const char *p)
{
  for (;;) {
    size_t at = (size_t) (p - here->window);
    if (at < 64) {
      uint64_t special = here->special >> at;
      if (special != 0)
        return p + __builtin_ctzll (special);
      p = here->window + 64;
    }
    if (at >= 128)
      here->window += at & ~(size_t) 63;
    else
      here->window += 64;
    here->special = look_at_window (here->window, r);
  }
}

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
read_unicode_escape (const struct reader *r, const char *p)
{
  uint32_t c = hex4 (p, r->end);

  if (c == UINT32_MAX)
    return fail (r, p, JSON_SYNTAX, "expected four hex digits");
  if (c >= 0xdc00 && c <= 0xdfff)
    return fail (r, p - 2, JSON_ENCODING, "lone surrogate in an escape");
  if (c < 0xd800 || c > 0xdbff)
    return p + 4;
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
read_escape (const struct reader *r, const char *p)
{
  if (r->end - p < 2)
    return fail (r, p, JSON_SYNTAX, "the string has no end");
  if (p[1] == 'u')
    return read_unicode_escape (r, p + 2);
  if (p[1] == '\0' || strchr ("\"\\/bfnrt", p[1]) == NULL)
    return fail (r, p, JSON_SYNTAX, "unknown escape in a string");
  return p + 2;
}

/* What skip_plain stopped at and is not the closing quote. */
static bool
plain (char c)
{
  return (unsigned char) c >= 0x20 && (unsigned char) c < 0x80 && c != '"' && c != '\\';
}

static const char *
read_special (const struct reader *r, const char *p)
{
  if (*p == '\\')
    return read_escape (r, p);
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

/* The closing quote of a string whose bytes before `p` are plain and whose byte there is not. */
static RARE const char *
string_end (const struct reader *r, const char *p)
{
  for (;;) {
    if (p == r->end)
      return fail_end (r, "the string has no end");
    if (*p == '"')
      return p;
    p = read_special (r, p);
    if (p == NULL)
      return NULL;
    while (r->end - p >= 16 && look_at_16 (p) == 0)
      p += 16;
    while (p < r->end && plain (*p))
      p++;
  }
}

/* `p` is at the opening quote. */
static INLINED const char *
read_string (struct reader *r, struct place *here, const char *p)
{
  const char *start = p + 1;

  p = skip_plain (r, here, start);
  if (__builtin_expect (p != r->end && *p == '"', 1))
    return push (r, here, start, (size_t) (p - start), JSON_STRING) != NULL ? p + 1 : NULL;
  p = string_end (r, p);
  if (p == NULL || push (r, here, start, (size_t) (p - start), JSON_STRING) == NULL)
    return NULL;
  here->next[-1].escaped = memchr (start, '\\', (size_t) (p - start)) != NULL;
  return p + 1;
}

/* ---- numbers and words ---- */

static INLINED bool
is_digit (const char *p, const char *end)
{
  return p < end && *p >= '0' && *p <= '9';
}

static INLINED const char *
skip_digits (const struct reader *r, const char *p)
{
  if (!is_digit (p, r->end))
    return fail (r, p, JSON_SYNTAX, "expected a digit");
  while (is_digit (p, r->end))
    p++;
  return p;
}

static const char *
read_fraction (const struct reader *r, const char *p)
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

static INLINED const char *
read_number (struct reader *r, struct place *here, const char *start)
{
  const char *p = start + (*start == '-');
  bool integer = true;
  struct json_node *node;

  if (is_digit (p, r->end) && *p == '0' && is_digit (p + 1, r->end))
    return fail (r, p, JSON_SYNTAX, "a number may not begin with 0");
  p = skip_digits (r, p);
  if (p != NULL && p < r->end && (*p == '.' || (*p | 32) == 'e')) {
    integer = false;
    p = read_fraction (r, p);
  }
  if (p == NULL)
    return NULL;
  if ((size_t) (p - start) > r->limits.number_len)
    return fail (r, start, JSON_TOO_LARGE, "the number is too long");
  node = push (r, here, start, (size_t) (p - start), JSON_NUMBER);
  if (node == NULL)
    return NULL;
  node->integer = integer;
  return p;
}

static INLINED const char *
read_word (struct reader *r, struct place *here, const char *p, const char *word, uint32_t len,
           enum json_type type)
{
  if ((size_t) (r->end - p) < len || memcmp (p, word, len) != 0)
    return fail (r, p, JSON_SYNTAX, "expected a value");
  return push (r, here, p, len, type) != NULL ? p + len : NULL;
}

/* ---- containers ---- */

static INLINED const char *
open_container (struct reader *r, struct place *here, const char *p, enum json_type type)
{
  uint32_t around = NONE;

  if (here->depth >= r->limits.depth)
    return fail (r, p, JSON_TOO_DEEP, "nested too deeply");
  if (here->container != NULL) {
    here->container->count = here->count & COUNT_MAX;
    around = (uint32_t) (here->container - r->nodes);
  }
  if (push (r, here, p, around, type) == NULL)
    return NULL;
  here->container = here->next - 1;
  here->object = type == JSON_OBJECT;
  here->count = 0;
  here->depth++;
  return p + 1;
}

static INLINED const char *
close_container (struct reader *r, struct place *here, const char *p)
{
  struct json_node *node = here->container;
  const struct json_node *twin;

  here->container = node->len != NONE ? r->nodes + node->len : NULL;
  here->depth--;
  node->skip = (uint32_t) (here->next - node);
  node->len = (uint32_t) (p + 1 - r->text) - node->start;
  node->count = here->count & COUNT_MAX;
  if (here->object && here->count > 1 && !r->limits.any_names) {
    twin = json_names_twin (r->tape, node, r->arena);
    if (twin != NULL)
      return fail (r, r->text + twin->start - 1, JSON_DUPLICATE, "duplicate member name");
  }
  if (here->container != NULL) {
    here->object = here->container->type == JSON_OBJECT;
    here->count = here->container->count;
  }
  return p + 1;
}

/* `p` is not the end. */
static INLINED const char *
read_value (struct reader *r, struct place *here, const char *p)
{
  switch (*p) {
  case '"':
    return read_string (r, here, p);
  case '{':
    return open_container (r, here, p, JSON_OBJECT);
  case '[':
    return open_container (r, here, p, JSON_ARRAY);
  case 't':
    return read_word (r, here, p, "true", 4, JSON_TRUE);
  case 'f':
    return read_word (r, here, p, "false", 5, JSON_FALSE);
  case 'n':
    return read_word (r, here, p, "null", 4, JSON_NULL);
  default:
    if (*p == '-' || (*p >= '0' && *p <= '9'))
      return read_number (r, here, p);
    return fail (r, p, JSON_SYNTAX, "expected a value");
  }
}

static RARE bool
holds_zero (const struct json_tape *tape, const struct json_node *string)
{
  struct json_cursor cursor = json_cursor (tape, string);
  int c;

  do
    c = json_cursor_next (&cursor);
  while (c > 0);
  return c == 0;
}

/* Up to the value; `p` is not the end. */
static INLINED const char *
read_name (struct reader *r, struct place *here, const char *p)
{
  const char *start = p;

  if (*p != '"')
    return fail (r, p, JSON_SYNTAX, "expected a member name in quotes");
  p = read_string (r, here, p);
  if (p == NULL)
    return NULL;
  if (here->next[-1].escaped && !r->limits.any_names && holds_zero (r->tape, here->next - 1))
    return fail (r, start, JSON_SYNTAX, "U+0000 in a member name");
  if (p != r->end)
    p = skip_space (p);
  if (p == r->end || *p != ':')
    return fail (r, p, JSON_SYNTAX, "expected ':' after a member name");
  p++;
  return p != r->end ? skip_space (p) : fail_end (r, "expected a value");
}

/* The next thing of the open container: its end, or the next item or member up to where its value
 * is read or opened. */
static INLINED const char *
read_item (struct reader *r, struct place *here, const char *p)
{
  bool object = here->object;

  if (p == r->end)
    return fail_end (r, object ? "the object has no end" : "the array has no end");
  p = skip_space (p);
  if (*p == (object ? '}' : ']'))
    return close_container (r, here, p);
  if (here->count != 0) {
    if (*p != ',')
      return fail (r, p, JSON_SYNTAX, object ? "expected ',' or '}'" : "expected ',' or ']'");
    if (++p == r->end)
      return fail_end (r, object ? "expected a member name in quotes" : "expected a value");
    p = skip_space (p);
  }
  here->count++;
  if (object) {
    if (here->count > r->limits.members)
      return fail (r, p, JSON_TOO_LARGE, "too many members in one object");
    p = read_name (r, here, p);
  }
  return p != NULL ? read_value (r, here, p) : NULL;
}

static bool
read_text (struct reader *r)
{
  struct place here = { .next = r->nodes,
                        .window = r->text,
                        .special = look_at_window (r->text, r) };
  const char *p = r->text != r->end ? skip_space (r->text) : fail_end (r, "expected a value");

  if (p != NULL && r->end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p = fail (r, p, JSON_SYNTAX, "a byte order mark is not JSON");
  if (p != NULL)
    p = read_value (r, &here, p);
  while (p != NULL && here.container != NULL)
    p = read_item (r, &here, p);
  if (p == NULL)
    return false;
  if (p != r->end)
    fail (r, skip_space (p), JSON_SYNTAX, "expected nothing after the value");
  r->tape->nodes = r->nodes;
  r->tape->count = (uint32_t) (here.next - r->nodes);
  return p == r->end;
}

bool
json_read (struct json_tape *tape, const char *text, size_t len, const struct json_limits *limits,
           struct arena *arena)
{
  struct reader r = { .text = text, .limits = *limits, .tape = tape, .arena = arena };
  uint32_t cap = (uint32_t) (len / 8 + 8); /* of most texts enough */

  *tape = (struct json_tape){ .text = text, .text_len = len };
  if (len >= UINT32_MAX) {
    fail (&r, text, JSON_TOO_LARGE, "texts of 4 GiB and more are not read");
    return false;
  }
  if (r.limits.nodes > COUNT_MAX)
    r.limits.nodes = COUNT_MAX;
  if (cap > r.limits.nodes)
    cap = r.limits.nodes;
  r.end = text + len;
  while (r.end != text && is_space (r.end[-1]))
    r.end--;
  r.nodes = arena_alloc (arena, cap * sizeof *r.nodes);
  r.nodes_end = r.nodes + cap;
  return read_text (&r);
}
