#include "base/utf8.h"
#include "schema/regex/ecma.h"

static bool
is_syntax (char c)
{
  return c != '\0' && strchr ("^$\\.*+?()[]{}|/", c) != NULL;
}

/* ---- characters and escapes ---- */

bool
reader_code_point (struct reader *r, uint32_t *c)
{
  size_t len = utf8_sequence (r->p, r->end);
  const unsigned char *s = (const unsigned char *) r->p;

  if (len == 0)
    return reader_bad (r, "not UTF-8");
  *c = len == 1 ? s[0] : s[0] & (0xffu >> (len + 1));
  for (size_t i = 1; i < len; i++)
    *c = *c << 6 | (s[i] & 0x3f);
  r->p += len;
  return true;
}

/* `least` to `most` hex digits. */
static bool
take_hex (struct reader *r, int least, int most, uint32_t *value)
{
  int n = 0;

  *value = 0;
  for (; n < most && r->p < r->end; n++, r->p++) {
    char c = *r->p;
    if (is_digit (c))
      *value = *value * 16 + (uint32_t) (c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      *value = *value * 16 + (uint32_t) ((c | 32) - 'a' + 10);
    else
      break;
  }
  return n >= least;
}

/* The second half of a surrogate pair, when it comes next. */
static bool
take_low_surrogate (struct reader *r, uint32_t *low)
{
  const char *start = r->p;

  if (reader_take (r, "\\u") && take_hex (r, 4, 4, low) && *low >= 0xdc00 && *low <= 0xdfff)
    return true;
  r->p = start;
  return false;
}

/* Behind "\u{". */
static bool
braced_escape (struct reader *r, uint32_t *c)
{
  while (r->end - r->p > 1 && *r->p == '0' && r->p[1] != '}')
    r->p++;
  if (!take_hex (r, 1, 8, c) || !reader_take (r, "}"))
    return reader_bad (r, "\\u{ without hex digits and }");
  if (*c > CODE_POINT_MAX)
    return reader_bad (r, "the escape names no character");
  return true;
}

/* Behind "\u".  A lone surrogate is a code point too, if one that no text holds. */
static bool
unicode_escape (struct reader *r, uint32_t *c)
{
  uint32_t low;

  if (reader_take (r, "{"))
    return braced_escape (r, c);
  if (!take_hex (r, 4, 4, c))
    return reader_bad (r, "\\u without four hex digits");
  if (*c >= 0xd800 && *c <= 0xdbff && take_low_surrogate (r, &low))
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

static bool
letter_escape (struct reader *r, char letter, uint32_t *c)
{
  static const char controls[] = "t\tn\nv\vf\fr\r";

  for (const char *p = controls; *p != '\0'; p += 2)
    if (*p == letter) {
      *c = (uint32_t) p[1];
      return true;
    }
  switch (letter) {
  case 'c':
    if (r->p == r->end || !is_letter (*r->p))
      return reader_bad (r, "\\c without a letter");
    *c = (uint32_t) *r->p++ & 31;
    return true;
  case 'x':
    return take_hex (r, 2, 2, c) || reader_bad (r, "\\x without two hex digits");
  case 'u':
    return unicode_escape (r, c);
  default:
    return error_set (r->err, "bad pattern: unknown escape \\%c", letter);
  }
}

bool
reader_character_escape (struct reader *r, bool inside, uint32_t *c)
{
  char first = *r->p;

  if (is_letter (first)) {
    r->p++;
    return letter_escape (r, first, c);
  }
  if (is_digit (first)) {
    r->p++;
    if (first != '0' || (r->p < r->end && is_digit (*r->p)))
      return reader_bad (r, "octal escapes are not ECMA-262");
    *c = 0;
    return true;
  }
  if (r->strict && !is_syntax (first) && !(inside && first == '-'))
    return reader_bad (r, "\\ before what needs none");
  return reader_code_point (r, c);
}

/* Behind "\p" or "\P". */
static bool
read_property (struct reader *r, struct regex_set *set, char letter)
{
  const char *close = memchr (r->p, '}', (size_t) (r->end - r->p));
  char name[64];
  size_t len;

  if (!reader_sees (r, '{') || close == NULL || close - r->p > (long) sizeof name)
    return error_set (r->err, "bad pattern: \\%c without {a property}", letter);
  len = (size_t) (close - r->p - 1);
  memcpy (name, r->p + 1, len);
  name[len] = '\0';
  for (size_t i = 0; i < len; i++)
    if (!is_letter (name[i]) && !is_digit (name[i]) && name[i] != '_' && name[i] != '=')
      return error_set (r->err, "bad pattern: \\%c{} holds no name of a property", letter);
  r->p = close + 1;
  if (!regex_set_add_property (&r->tree->arena, set, name, letter == 'P'))
    return error_set (r->err, "bad pattern: unknown property \\%c{%s}", letter, name);
  return true;
}

bool
reader_set_escape (struct reader *r, struct regex_set *set, bool *found)
{
  char letter = *r->p;

  *found = true;
  if ((letter | 32) == 'p') {
    r->p++;
    return read_property (r, set, letter);
  }
  *found = regex_set_add_escape (&r->tree->arena, set, letter);
  if (*found)
    r->p++;
  return true;
}

/* ---- brackets ---- */

/* One character, or a set that is added at once. */
static bool
read_class_atom (struct reader *r, struct regex_set *set, bool *is_set, uint32_t *c)
{
  *is_set = false;
  if (!reader_take (r, "\\"))
    return reader_code_point (r, c);
  if (r->p == r->end)
    return reader_bad (r, "[ without ]");
  if (reader_take (r, "b")) {
    *c = '\b';
    return true;
  }
  if (!reader_set_escape (r, set, is_set))
    return false;
  return *is_set || reader_character_escape (r, true, c);
}

/* Is this '-' one between two ends of a range? */
static bool
range_follows (const struct reader *r)
{
  return r->end - r->p >= 2 && *r->p == '-' && r->p[1] != ']';
}

static bool
read_class_item (struct reader *r, struct regex_set *set)
{
  bool from_set, to_set;
  uint32_t from, to;

  if (!read_class_atom (r, set, &from_set, &from))
    return false;
  if (!range_follows (r)) {
    if (!from_set)
      regex_set_add (&r->tree->arena, set, from, from);
    return true;
  }
  r->p++;
  if (!read_class_atom (r, set, &to_set, &to))
    return false;
  if (!from_set && !to_set) {
    if (from > to)
      return reader_bad (r, "range out of order in brackets");
    regex_set_add (&r->tree->arena, set, from, to);
    return true;
  }
  if (r->strict)
    return reader_bad (r, "range between more than two characters");
  /* "[\w-.]": no range, so the '-' is meant as itself */
  regex_set_add (&r->tree->arena, set, '-', '-');
  if (!from_set)
    regex_set_add (&r->tree->arena, set, from, from);
  if (!to_set)
    regex_set_add (&r->tree->arena, set, to, to);
  return true;
}

bool
reader_brackets (struct reader *r, struct regex_set *set)
{
  bool negated = reader_take (r, "^");

  while (!reader_take (r, "]")) {
    if (r->p == r->end)
      return reader_bad (r, "[ without ]");
    if (!read_class_item (r, set))
      return false;
  }
  reader_close (r, set, negated);
  return true;
}
