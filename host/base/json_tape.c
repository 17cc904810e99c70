#include "base/json_tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_names.h"
#include "base/json_number.h"
#include "base/json_text.h"
#include "base/utf8.h"

bool
utf8_valid (const char *text, size_t len)
{
  const char *end = len != 0 ? text + len : text; /* of nothing there may be no text */

  for (const char *p = text; p < end;) {
    uint64_t word;
    size_t n;
    if (end - p >= 8 && (memcpy (&word, p, 8), (word & 0x8080808080808080U) == 0)) {
      p += 8;
      continue;
    }
    n = utf8_sequence (p, end);
    if (n == 0)
      return false;
    p += n;
  }
  return true;
}

/* ---- strings ---- */

static uint32_t
hex4 (const char *p)
{
  uint32_t value = 0;

  for (int i = 0; i < 4; i++)
    value = value * 16 + (uint32_t) (p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
  return value;
}

unsigned
json_unescape (const char **p, unsigned char out[4])
{
  static const char letters[] = "bfnrt";
  static const char bytes[] = "\b\f\n\r\t";
  const char *letter;
  uint32_t c;

  if ((*p)[1] != 'u') {
    letter = strchr (letters, (*p)[1]);
    out[0] = (unsigned char) (letter != NULL ? bytes[letter - letters] : (*p)[1]);
    *p += 2;
    return 1;
  }
  c = hex4 (*p + 2);
  *p += 6;
  if (c >= 0xd800 && c <= 0xdbff) {
    c = 0x10000 + ((c - 0xd800) << 10) + (hex4 (*p + 2) - 0xdc00);
    *p += 6;
  }
  return (unsigned) utf8_put ((char *) out, c);
}

static bool
cursors_same (struct json_cursor *a, struct json_cursor *b)
{
  for (;;) {
    int x = json_cursor_next (a);
    if (x != json_cursor_next (b))
      return false;
    if (x < 0)
      return true;
  }
}

bool
json_text_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
                const struct json_node *y)
{
  if (!x->escaped && !y->escaped)
    return x->len == y->len && memcmp (a->text + x->start, b->text + y->start, x->len) == 0;

  struct json_cursor p = json_cursor (a, x);
  struct json_cursor q = json_cursor (b, y);
  return cursors_same (&p, &q);
}

const char *
json_raw (const struct json_tape *tape, const struct json_node *node, size_t *len)
{
  size_t quote = node->type == JSON_STRING;

  *len = node->len + 2 * quote;
  return tape->text + node->start - quote;
}

const char *
json_string (const struct json_tape *tape, const struct json_node *node, struct arena *arena,
             size_t *len)
{
  if (!json_is (node, JSON_STRING))
    return NULL;
  if (!node->escaped) {
    *len = node->len;
    return tape->text + node->start;
  }

  const char *p = tape->text + node->start;
  const char *end = p + node->len;
  char *copy = arena_alloc (arena, node->len);
  char *at = copy;
  while (p < end) {
    const char *next = memchr (p, '\\', (size_t) (end - p));
    size_t n = (size_t) ((next != NULL ? next : end) - p);
    memcpy (at, p, n);
    at += n;
    p += n;
    /* an escape is never shorter than what it stands for, but the four bytes written may be more
     * than the room left: resolve beside the copy */
    if (next != NULL) {
      unsigned char bytes[4];
      unsigned count = json_unescape (&p, bytes);
      memcpy (at, bytes, count);
      at += count;
    }
  }
  *len = (size_t) (at - copy);
  return copy;
}

const char *
json_cstring (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  size_t len;
  const char *text = json_string (tape, node, arena, &len);

  if (text == NULL || memchr (text, '\0', len) != NULL)
    return NULL;
  return arena_strndup (arena, text, len);
}

bool
json_equals_len (const struct json_tape *tape, const struct json_node *node, const char *text,
                 size_t len)
{
  if (!json_is (node, JSON_STRING) || node->len < len)
    return false;
  if (!node->escaped)
    return node->len == len && memcmp (tape->text + node->start, text, len) == 0;

  struct json_cursor cursor = json_cursor (tape, node);
  for (size_t i = 0; i < len; i++)
    if (json_cursor_next (&cursor) != (unsigned char) text[i])
      return false;
  return json_cursor_next (&cursor) < 0;
}

/* ---- members and pointers ---- */

static inline bool
name_is (const struct json_tape *tape, const struct json_node *node, const char *name, size_t len)
{
  if (node->escaped)
    return json_equals_len (tape, node, name, len);
  return node->len == len && memcmp (tape->text + node->start, name, len) == 0;
}

const struct json_node *
json_member_len (const struct json_tape *tape, const struct json_node *object, const char *name,
                 size_t len)
{
  const struct json_node *end;

  if (!json_is (object, JSON_OBJECT))
    return NULL;
  end = json_end (object);
  for (const struct json_node *n = json_first (object); n != end; n = json_next (n + 1))
    if (name_is (tape, n, name, len))
      return n + 1;
  return NULL;
}

void
json_members (const struct json_tape *tape, const struct json_node *object,
              const struct json_name *names, size_t count, const struct json_node **found)
{
  const struct json_node *end;

  memset (found, 0, count * sizeof *found);
  if (!json_is (object, JSON_OBJECT))
    return;
  end = json_end (object);
  for (const struct json_node *n = json_first (object); n != end; n = json_next (n + 1))
    for (size_t i = 0; i < count; i++)
      if (name_is (tape, n, names[i].text, names[i].len)) {
        found[i] = n + 1;
        break;
      }
}

/* The next byte a pointer's token stands for: -1 at the end, -2 for a bad escape. */
static int
token_next (const char **p, const char *end)
{
  if (*p == end)
    return -1;
  if (**p != '~')
    return (unsigned char) *(*p)++;
  if (end - *p < 2 || ((*p)[1] != '0' && (*p)[1] != '1'))
    return -2;
  *p += 2;
  return (*p)[-1] == '0' ? '~' : '/';
}

static bool
token_is (const char *token, const char *end, const struct json_tape *tape,
          const struct json_node *name)
{
  struct json_cursor cursor = json_cursor (tape, name);

  for (;;) {
    int c = token_next (&token, end);
    if (c != json_cursor_next (&cursor))
      return false;
    if (c < 0)
      return true;
  }
}

static const struct json_node *
item_by_token (const struct json_node *array, const char *token, const char *end)
{
  const struct json_node *item = json_first (array);
  uint32_t index = 0;

  if (token == end || end - token > 9 || (*token == '0' && end - token > 1))
    return NULL;
  for (; token < end; token++) {
    if (*token < '0' || *token > '9')
      return NULL;
    index = index * 10 + (uint32_t) (*token - '0');
  }
  if (index >= array->count)
    return NULL;
  while (index-- != 0)
    item = json_next (item);
  return item;
}

static const struct json_node *
child_by_token (const struct json_tape *tape, const struct json_node *node, const char *token,
                const char *end)
{
  if (node->type == JSON_ARRAY)
    return item_by_token (node, token, end);
  if (node->type != JSON_OBJECT)
    return NULL;
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n + 1))
    if (token_is (token, end, tape, n))
      return n + 1;
  return NULL;
}

const struct json_node *
json_pointer (const struct json_tape *tape, const struct json_node *node, const char *pointer,
              size_t len)
{
  const char *end;

  if (len == 0) /* which may have no address */
    return node;
  end = pointer + len;
  while (node != NULL && pointer < end) {
    const char *token = pointer + 1;
    if (*pointer != '/')
      return NULL;
    pointer = memchr (token, '/', (size_t) (end - token));
    if (pointer == NULL)
      pointer = end;
    node = child_by_token (tape, node, token, pointer);
  }
  return node;
}

/* ---- numbers ---- */

static struct json_decimal
decimal_of (const struct json_tape *tape, const struct json_node *node)
{
  return json_decimal (tape->text + node->start, node->len);
}

bool
json_int64 (const struct json_tape *tape, const struct json_node *node, int64_t *value)
{
  struct json_decimal d;

  if (!json_is (node, JSON_NUMBER))
    return false;
  d = decimal_of (tape, node);
  return json_decimal_int64 (&d, value);
}

bool
json_double (const struct json_tape *tape, const struct json_node *node, double *value)
{
  struct json_decimal d;

  if (!json_is (node, JSON_NUMBER))
    return false;
  d = decimal_of (tape, node);
  return json_decimal_double (&d, value);
}

/* ---- equality ---- */

static bool
numbers_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
              const struct json_node *y)
{
  struct json_decimal p = decimal_of (a, x);
  struct json_decimal q = decimal_of (b, y);

  return json_decimal_compare (&p, &q) == 0;
}

static bool
arrays_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
             const struct json_node *y)
{
  const struct json_node *n = json_first (y);

  if (x->count != y->count)
    return false;
  for (const struct json_node *m = json_first (x); m != json_end (x); m = json_next (m)) {
    if (!json_same (a, m, b, n))
      return false;
    n = json_next (n);
  }
  return true;
}

enum { FEW_MEMBERS = 32 };

/* The rest of two objects whose members are in different order: from `m` on of the first. */
static bool
shuffled_same (const struct json_tape *a, const struct json_node *x, const struct json_node *m,
               const struct json_tape *b, const struct json_node *y)
{
  struct json_names table;
  CLEANUP_FREE void *slots = xmalloc (json_names_size (y->count));

  json_names_init (&table, b, y, slots);
  for (const struct json_node *n = json_first (y); n != json_end (y); n = json_next (n + 1))
    (void) json_names_add (&table, n);
  for (; m != json_end (x); m = json_next (m + 1)) {
    const struct json_node *n = json_names_find (&table, a, m);
    if (n == NULL || !json_same (a, m + 1, b, n + 1))
      return false;
  }
  return true;
}

static const struct json_node *
find_name (const struct json_tape *a, const struct json_node *name, const struct json_tape *b,
           const struct json_node *object)
{
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (n + 1))
    if (json_text_same (a, name, b, n))
      return n;
  return NULL;
}

static bool
objects_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
              const struct json_node *y)
{
  const struct json_node *expected =
    json_first (y); /* most objects that are equal agree in order */

  if (x->count != y->count)
    return false;
  for (const struct json_node *m = json_first (x); m != json_end (x); m = json_next (m + 1)) {
    const struct json_node *n = expected;
    if (n == json_end (y) || !json_text_same (a, m, b, n)) {
      if (y->count > FEW_MEMBERS)
        return shuffled_same (a, x, m, b, y);
      n = find_name (a, m, b, y);
    }
    if (n == NULL || !json_same (a, m + 1, b, n + 1))
      return false;
    expected = json_next (n + 1);
  }
  return true;
}

bool
json_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
           const struct json_node *y)
{
  if (x->type != y->type)
    return false;
  switch (x->type) {
  case JSON_NUMBER:
    return numbers_same (a, x, b, y);
  case JSON_STRING:
    return json_text_same (a, x, b, y);
  case JSON_ARRAY:
    return arrays_same (a, x, b, y);
  case JSON_OBJECT:
    return objects_same (a, x, b, y);
  default:
    return true;
  }
}
