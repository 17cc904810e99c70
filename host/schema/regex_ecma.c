#include <string.h>

#include "base/utf8.h"
#include "schema/regex.h"

struct translation {
  const char *p;
  const char *end;
  struct buf *out;
  struct error *err;
  bool repeatable; /* what was read last can be followed by a quantifier */
};

/* Inside brackets.  \d and \w mean ASCII in both languages; \s in ECMA-262 is all of Unicode's. */
#define MORE_SPACES                                                                                \
  "\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define SPACES "\\s" MORE_SPACES
#define NO_SPACES                                                                                  \
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"                 \
  "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"                   \
  "\\x{3001}-\\x{d7ff}\\x{e000}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/* ECMA-262's long names of general categories; PCRE2 knows the short ones. */
static const char *const categories[][2] = {
  { "Cased_Letter", "L&" },
  { "Close_Punctuation", "Pe" },
  { "Connector_Punctuation", "Pc" },
  { "Control", "Cc" },
  { "Currency_Symbol", "Sc" },
  { "Dash_Punctuation", "Pd" },
  { "Decimal_Number", "Nd" },
  { "Enclosing_Mark", "Me" },
  { "Final_Punctuation", "Pf" },
  { "Format", "Cf" },
  { "Initial_Punctuation", "Pi" },
  { "Letter", "L" },
  { "Letter_Number", "Nl" },
  { "Line_Separator", "Zl" },
  { "Lowercase_Letter", "Ll" },
  { "Mark", "M" },
  { "Math_Symbol", "Sm" },
  { "Modifier_Letter", "Lm" },
  { "Modifier_Symbol", "Sk" },
  { "Nonspacing_Mark", "Mn" },
  { "Number", "N" },
  { "Open_Punctuation", "Ps" },
  { "Other", "C" },
  { "Other_Letter", "Lo" },
  { "Other_Number", "No" },
  { "Other_Punctuation", "Po" },
  { "Other_Symbol", "So" },
  { "Paragraph_Separator", "Zp" },
  { "Private_Use", "Co" },
  { "Punctuation", "P" },
  { "Separator", "Z" },
  { "Space_Separator", "Zs" },
  { "Spacing_Mark", "Mc" },
  { "Surrogate", "Cs" },
  { "Symbol", "S" },
  { "Titlecase_Letter", "Lt" },
  { "Unassigned", "Cn" },
  { "Uppercase_Letter", "Lu" },
  { "digit", "Nd" },
  { "punct", "P" },
};

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static bool
is_letter (char c)
{
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Does `text` come next?  Then go over it. */
static bool
take (struct translation *t, const char *text)
{
  size_t len = strlen (text);

  if ((size_t) (t->end - t->p) < len || memcmp (t->p, text, len) != 0)
    return false;
  t->p += len;
  return true;
}

/* ---- escapes ---- */

/* Up to `most` hex digits; false when there are none or fewer than `least`. */
static bool
take_hex (struct translation *t, int least, int most, uint32_t *value)
{
  int n = 0;

  *value = 0;
  for (; n < most && t->p < t->end; n++, t->p++) {
    char c = *t->p;
    if (is_digit (c))
      *value = *value * 16 + (uint32_t) (c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      *value = *value * 16 + (uint32_t) ((c | 32) - 'a' + 10);
    else
      break;
  }
  return n >= least;
}

static bool
put_code_point (struct translation *t, uint32_t c)
{
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return error_set (t->err, "bad pattern: the escape names no character");
  buf_printf (t->out, "\\x{%x}", c);
  return true;
}

/* Behind "\u". */
static bool
unicode_escape (struct translation *t)
{
  uint32_t c, low;

  if (take (t, "{")) {
    if (!take_hex (t, 1, 8, &c) || !take (t, "}"))
      return error_set (t->err, "bad pattern: \\u{ without hex digits and }");
    return put_code_point (t, c);
  }
  if (!take_hex (t, 4, 4, &c))
    return error_set (t->err, "bad pattern: \\u without four hex digits");
  if (c >= 0xd800 && c <= 0xdbff && take (t, "\\u") && take_hex (t, 4, 4, &low) && low >= 0xdc00
      && low <= 0xdfff)
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  return put_code_point (t, c);
}

static const char *
short_category (const char *name)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (strcmp (categories[i][0], name) == 0)
      return categories[i][1];
  return name;
}

/* Behind "\p" or "\P". */
static bool
property_escape (struct translation *t, char letter)
{
  const char *close = memchr (t->p, '}', (size_t) (t->end - t->p));
  char name[64];
  const char *value = name;
  size_t len;

  if (t->p == t->end || *t->p != '{' || close == NULL || close - t->p > (long) sizeof name)
    return error_set (t->err, "bad pattern: \\%c without {a property}", letter);
  len = (size_t) (close - t->p - 1);
  memcpy (name, t->p + 1, len);
  name[len] = '\0';
  t->p = close + 1;
  for (size_t i = 0; i < len; i++)
    if (!is_letter (name[i]) && !is_digit (name[i]) && name[i] != '_' && name[i] != '=')
      return error_set (t->err, "bad pattern: \\%c{%s} is no property", letter, name);

  if (strncmp (name, "General_Category=", 17) == 0 || strncmp (name, "gc=", 3) == 0)
    value = strchr (name, '=') + 1;
  else if (strncmp (name, "Script", 6) == 0 || strncmp (name, "sc", 2) == 0) {
    /* PCRE2 takes these as they are but for the ':' */
    buf_printf (t->out, "\\%c{", letter);
    for (; *value != '\0'; value++)
      buf_putc (t->out, *value == '=' ? ':' : *value);
    buf_putc (t->out, '}');
    return true;
  }
  buf_printf (t->out, "\\%c{%s}", letter, short_category (value));
  return true;
}

static bool
letter_escape (struct translation *t, char c)
{
  uint32_t value;

  switch (c) {
  case 't':
  case 'n':
  case 'r':
  case 'f':
    buf_printf (t->out, "\\%c", c);
    return true;
  case 'v':
    return put_code_point (t, 0x0b);
  case 'c':
    if (t->p == t->end || !is_letter (*t->p))
      return error_set (t->err, "bad pattern: \\c without a letter");
    return put_code_point (t, (uint32_t) *t->p++ & 31);
  case 'x':
    if (!take_hex (t, 2, 2, &value))
      return error_set (t->err, "bad pattern: \\x without two hex digits");
    return put_code_point (t, value);
  case 'u':
    return unicode_escape (t);
  case 'k':
    return error_set (t->err, "back references are not supported in patterns");
  default:
    return error_set (t->err, "bad pattern: unknown escape \\%c", c);
  }
}

/* An escape that means one character, inside brackets or not; `c` is behind the backslash. */
static bool
character_escape (struct translation *t, char c)
{
  if (is_letter (c))
    return letter_escape (t, c);
  if (c == '0' && (t->p == t->end || !is_digit (*t->p)))
    return put_code_point (t, 0);
  if (is_digit (c))
    return error_set (t->err, "back references and octal escapes are not supported in patterns");
  if ((c & 0x80) == 0)
    buf_putc (t->out, '\\');
  buf_putc (t->out, c);
  return true;
}

static bool
escape (struct translation *t)
{
  char c;

  if (++t->p == t->end)
    return error_set (t->err, "bad pattern: \\ at the end");
  c = *t->p++;
  t->repeatable = c != 'b' && c != 'B';
  switch (c) {
  case 'b':
  case 'B':
  case 'd':
  case 'D':
  case 'w':
  case 'W':
    buf_printf (t->out, "\\%c", c);
    return true;
  case 's':
    buf_puts (t->out, "[" SPACES "]");
    return true;
  case 'S':
    buf_puts (t->out, "[^" SPACES "]");
    return true;
  case 'p':
  case 'P':
    return property_escape (t, c);
  default:
    return character_escape (t, c);
  }
}

/* ---- brackets ---- */

static bool
class_escape (struct translation *t)
{
  char c;

  if (++t->p == t->end)
    return error_set (t->err, "bad pattern: [ without ]");
  c = *t->p++;
  if (c == 'b')
    return put_code_point (t, 0x08);
  if (c == '\0' || strchr ("dDwWsSpP", c) == NULL)
    return character_escape (t, c);
  if (c == 's')
    buf_puts (t->out, SPACES);
  else if (c == 'S')
    buf_puts (t->out, NO_SPACES);
  else if ((c | 32) != 'p')
    buf_printf (t->out, "\\%c", c);
  else if (!property_escape (t, c))
    return false;
  /* "[\w-.]": no range can begin here, so the '-' is meant as itself */
  if (t->end - t->p >= 2 && *t->p == '-' && t->p[1] != ']') {
    t->p++;
    buf_puts (t->out, "\\-");
  }
  return true;
}

static bool class(struct translation *t)
{
  buf_putc (t->out, *t->p++);
  if (take (t, "^"))
    buf_putc (t->out, '^');
  for (;;) {
    if (t->p == t->end)
      return error_set (t->err, "bad pattern: [ without ]");
    if (*t->p == ']')
      break;
    if (*t->p == '\\') {
      if (!class_escape (t))
        return false;
      continue;
    }
    if (*t->p == '[')
      buf_putc (t->out, '\\');
    buf_putc (t->out, *t->p++);
  }
  buf_putc (t->out, *t->p++);
  t->repeatable = true;
  return true;
}

/* ---- the rest ---- */

static bool
group (struct translation *t)
{
  static const char *const openings[] = { "(?:", "(?=", "(?!", "(?<=", "(?<!" };

  t->repeatable = false;
  for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
    if (take (t, openings[i])) {
      buf_puts (t->out, openings[i]);
      return true;
    }
  if (take (t, "(?<")) {
    const char *close = memchr (t->p, '>', (size_t) (t->end - t->p));
    if (close == NULL)
      return error_set (t->err, "bad pattern: (?< without >");
    /* nothing refers to it, so its name does not matter */
    t->p = close + 1;
    buf_putc (t->out, '(');
    return true;
  }
  if (take (t, "(?"))
    return error_set (t->err, "bad pattern: unknown group (?");
  buf_putc (t->out, *t->p++);
  return true;
}

/* The end of "{n}", "{n,}" or "{n,m}" at `p`, NULL when it is none. */
static const char *
braces_end (const char *p, const char *end)
{
  const char *digits = ++p;

  while (p < end && is_digit (*p))
    p++;
  if (p == digits)
    return NULL;
  if (p < end && *p == ',')
    for (p++; p < end && is_digit (*p);)
      p++;
  return p < end && *p == '}' ? p + 1 : NULL;
}

static bool
quantifier (struct translation *t, size_t len)
{
  if (!t->repeatable)
    return error_set (t->err, "bad pattern: nothing to repeat before '%.*s'", (int) len, t->p);
  buf_append (t->out, t->p, len);
  t->p += len;
  if (take (t, "?"))
    buf_putc (t->out, '?');
  t->repeatable = false;
  return true;
}

static bool
one (struct translation *t)
{
  const char *close;

  switch (*t->p) {
  case '\\':
    return escape (t);
  case '[':
    return class(t);
  case '(':
    return group (t);
  case '*':
  case '+':
  case '?':
    return quantifier (t, 1);
  case '{':
    close = braces_end (t->p, t->end);
    if (close != NULL)
      return quantifier (t, (size_t) (close - t->p));
    break;
  case '.':
    t->p++;
    t->repeatable = true;
    buf_puts (t->out, "[^\\n\\r\\x{2028}\\x{2029}]");
    return true;
  default:
    break;
  }
  t->repeatable = memchr ("^$|", *t->p, 3) == NULL;
  if (memchr ("{}]", *t->p, 3) != NULL)
    buf_putc (t->out, '\\');
  buf_putc (t->out, *t->p++);
  return true;
}

bool
regex_translate (const char *pattern, size_t len, struct buf *out, struct error *err)
{
  struct translation t = { .p = pattern, .end = pattern + len, .out = out, .err = err };

  while (t.p < t.end)
    if (!one (&t))
      return false;
  return true;
}
