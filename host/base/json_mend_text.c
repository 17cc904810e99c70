#include "base/json_mend_work.h"

static bool
is_letter (char c)
{
  return ((c | 32) >= 'a' && (c | 32) <= 'z') || (unsigned char) c >= 0x80;
}

/* ---- blanks and comments ---- */

/* Bytes of the blank at `p` that is no end of a line; 0: none.  Beside JSON's those that text
 * picks up on its way: no-break, typographic and zero-width spaces. */
static size_t
blank_at (const char *p, const char *end)
{
  static const struct {
    const char *first, *last;
  } ranges[] = { { "\xc2\xa0", "\xc2\xa0" },         { "\xe2\x80\x80", "\xe2\x80\x8b" },
                 { "\xe2\x80\xaf", "\xe2\x80\xaf" }, { "\xe2\x81\x9f", "\xe2\x81\xa0" },
                 { "\xe3\x80\x80", "\xe3\x80\x80" }, { "\xef\xbb\xbf", "\xef\xbb\xbf" } };

  if (p == end || (unsigned char) *p < 0x80)
    return p < end && is_one_of (*p, " \t\r\v\f");
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    size_t len = strlen (ranges[i].first);
    if ((size_t) (end - p) >= len && memcmp (p, ranges[i].first, len) >= 0
        && memcmp (p, ranges[i].last, len) <= 0)
      return len;
  }
  return 0;
}

static bool
comment_at (const char *p, const char *end)
{
  if (p == end)
    return false;
  return *p == '#' || (*p == '/' && end - p > 1 && (p[1] == '/' || p[1] == '*'));
}

static void
skip_comment (struct mending *m)
{
  bool block = *m->p == '/' && m->p[1] == '*';
  const char *stop = block ? memmem (m->p + 2, (size_t) (m->end - m->p - 2), "*/", 2)
                           : memchr (m->p, '\n', (size_t) (m->end - m->p));

  note (m, COMMENT);
  m->p = stop == NULL ? m->end : block ? stop + 2 : stop;
}

bool
mend_blanks (struct mending *m)
{
  m->crossed = false;
  while (m->p < m->end) {
    size_t blank = blank_at (m->p, m->end);
    if (*m->p == '\n') {
      m->crossed = true;
      m->p++;
    }
    else if (blank != 0)
      m->p += blank;
    else if (comment_at (m->p, m->end))
      skip_comment (m);
    else
      return true;
  }
  return false;
}

/* ---- quotes ---- */

enum {
  DOUBLE = 1,
  SINGLE = 2,
  BACKTICK = 4, /* and the acute accent */
  DOUBLE_CURLY = 8,
  SINGLE_CURLY = 16
};

unsigned
mend_quote_at (const char *p, const char *end, size_t *len)
{
  static const struct {
    const char *text;
    unsigned kind;
  } quotes[] = { { "\"", DOUBLE },       { "'", SINGLE },       { "`", BACKTICK },
                 { "\u00b4", BACKTICK }, { "“", DOUBLE_CURLY }, { "”", DOUBLE_CURLY },
                 { "„", DOUBLE_CURLY },  { "‟", DOUBLE_CURLY }, { "‘", SINGLE_CURLY },
                 { "’", SINGLE_CURLY },  { "‚", SINGLE_CURLY }, { "‛", SINGLE_CURLY } };

  if (p == end || !is_one_of (*p, "\"'`\xc2\xe2"))
    return 0;
  for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
    *len = strlen (quotes[i].text);
    if ((size_t) (end - p) >= *len && memcmp (p, quotes[i].text, *len) == 0)
      return quotes[i].kind;
  }
  return 0;
}

/* The quotes that can end a string which began with one of this kind. */
static unsigned
closing_kinds (unsigned kind)
{
  if (kind == DOUBLE_CURLY)
    return DOUBLE_CURLY | DOUBLE;
  return kind == SINGLE_CURLY ? SINGLE_CURLY | SINGLE : kind;
}

/* Does a string that is no name end before `p`, by what follows there? */
static bool
may_end_before (const char *p, const char *end)
{
  const char *start = p;
  size_t n;

  while ((n = blank_at (p, end)) != 0)
    p += n;
  if (p == end || comment_at (p, end))
    return true;
  return is_one_of (*p, "\n,}]);") || (p != start && mend_quote_at (p, end, &n) != 0);
}

/* ---- strings ---- */

/* A string while it is copied. */
struct copy {
  const char *start; /* behind its quote */
  unsigned closing;  /* kinds of quotes */
  bool is_name;
  unsigned inner; /* closing quotes that are part of it, apostrophes aside */
};

/* How many hex digits there are at `p`, at most `most`. */
static int
hex_digits (const char *p, const char *end, int most)
{
  int n = 0;

  while (n < most && p + n < end && is_one_of (p[n], "0123456789abcdefABCDEF"))
    n++;
  return n;
}

/* An escape that JSON does not know, m->p is at its backslash; returns the bytes it takes. */
static int
put_unknown_escape (struct mending *m, char c)
{
  const char *p = m->p;

  note (m, ESCAPE);
  if (m->end - p == 1 || (c == 'u' && p + 2 + hex_digits (p + 2, m->end, 4) == m->end))
    return (int) (m->end - p); /* it was cut off */
  if (c == '\n')
    return 2; /* the line goes on */
  if (c == '\'' || c == '`') {
    buf_putc (m->out, c);
    return 2;
  }
  if (c == 'x' && hex_digits (p + 2, m->end, 2) == 2) {
    buf_printf (m->out, "\\u00%.2s", p + 2);
    return 4;
  }
  buf_puts (m->out, "\\\\");
  return 1;
}

/* m->p is at a backslash. */
static void
put_escape (struct mending *m)
{
  char c = m->end - m->p > 1 ? m->p[1] : '\0';
  int len = 2;

  if (c == 'u' && hex_digits (m->p + 2, m->end, 4) == 4)
    len = 6;
  else if (!is_one_of (c, "\"\\/bfnrt")) {
    m->p += put_unknown_escape (m, c);
    return;
  }
  buf_append (m->out, m->p, (size_t) len);
  m->p += len;
}

static void
put_control (struct mending *m)
{
  static const char letters[] = "\b\f\n\r\t";
  unsigned char c = (unsigned char) *m->p++;

  note (m, CONTROL);
  if (is_one_of ((char) c, letters))
    buf_printf (m->out, "\\%c", "bfnrt"[strchr (letters, c) - letters]);
  else
    buf_printf (m->out, "\\u%04x", c);
}

/* Can the quote at m->p be part of the string?  An apostrophe stands between letters; others come
 * in pairs, the first before a word and the second behind it. */
static bool
may_be_inner (const struct mending *m, struct copy *copy, const char *after)
{
  char previous = m->p > copy->start ? m->p[-1] : ' ';
  char next = after < m->end ? *after : ' ';

  if ((copy->closing & (SINGLE | SINGLE_CURLY)) != 0)
    return is_letter (previous) && is_letter (next);
  if (copy->inner++ % 2 == 0)
    return is_one_of (previous, " \t\n(=") && !is_one_of (next, " \t\n");
  return !is_one_of (previous, " \t\n") && !is_bare (next) && next != ':';
}

/* A quote in a string.  FAILED: it can neither be part of it nor end it. */
static enum outcome
put_quote (struct mending *m, struct copy *copy, unsigned kind, size_t len)
{
  const char *after = m->p + len;

  if ((kind & copy->closing) != 0) {
    if (copy->is_name || may_end_before (after, m->end)) {
      m->p = after;
      buf_putc (m->out, '"');
      return copy->inner % 2 == 0 ? WRITTEN : FAILED;
    }
    note (m, INNER_QUOTE);
    if (!may_be_inner (m, copy, after))
      return FAILED;
  }
  if (kind == DOUBLE)
    buf_putc (m->out, '\\');
  buf_append (m->out, m->p, len);
  m->p = after;
  return UNFINISHED;
}

/* The text ended in the string.  A bracket at its end, or quotes in it, say that more than its own
 * quote is missing. */
static enum outcome
end_unfinished (struct mending *m, const struct copy *copy)
{
  const char *last = m->end - 1;

  if (copy->is_name)
    return UNFINISHED;
  while (last >= copy->start && is_one_of (*last, " \t\r\n"))
    last--;
  if (copy->inner != 0 || (last >= copy->start && is_one_of (*last, "}])`")))
    return FAILED;
  note (m, STRING_OPEN);
  m->cut_off = true;
  buf_putc (m->out, '"');
  return WRITTEN;
}

enum outcome
mend_string (struct mending *m, unsigned kind, size_t len, bool is_name)
{
  struct copy copy = { m->p + len, closing_kinds (kind), is_name, 0 };

  if (starts_with (m, "\"\"\"") || starts_with (m, "'''"))
    return FAILED;
  if (kind != DOUBLE)
    note (m, QUOTES);
  buf_putc (m->out, '"');
  for (m->p += len; m->p < m->end;) {
    enum outcome outcome = UNFINISHED;
    kind = mend_quote_at (m->p, m->end, &len);
    if (kind != 0)
      outcome = put_quote (m, &copy, kind, len);
    else if (*m->p == '\\')
      put_escape (m);
    else if ((unsigned char) *m->p < 0x20)
      put_control (m);
    else
      buf_putc (m->out, *m->p++);
    if (outcome != UNFINISHED)
      return outcome;
  }
  return end_unfinished (m, &copy);
}

/* ---- what has no quotes ---- */

static bool
put_constant (struct mending *m, const char *word, size_t len)
{
  static const struct {
    const char *word, *json;
  } constants[] = { { "true", "true" },   { "True", "true" },      { "TRUE", "true" },
                    { "false", "false" }, { "False", "false" },    { "FALSE", "false" },
                    { "null", "null" },   { "Null", "null" },      { "NULL", "null" },
                    { "None", "null" },   { "undefined", "null" }, { "NaN", "null" } };

  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (strlen (constants[i].word) == len && memcmp (constants[i].word, word, len) == 0) {
      if (strcmp (constants[i].word, constants[i].json) != 0)
        note (m, CONSTANT);
      buf_puts (m->out, constants[i].json);
      return true;
    }
  return false;
}

static const char *
skip_digits (const char *p, const char *end)
{
  while (p < end && *p >= '0' && *p <= '9')
    p++;
  return p;
}

/* A number, with what JSON wants around its point and without a plus.  False: it is none. */
static bool
put_number (struct mending *m, const char *start, size_t len)
{
  const char *end = start + len;
  const char *whole = start + (*start == '-' || *start == '+');
  const char *point = skip_digits (whole, end);
  const char *fraction = point + (point < end && *point == '.');
  const char *rest = skip_digits (fraction, end);
  const char *exponent = rest;

  if ((point == whole && rest == fraction) || (point - whole > 1 && *whole == '0'))
    return false;
  if (rest < end && (*rest | 32) == 'e') {
    rest += 1 + (end - rest > 1 && is_one_of (rest[1], "+-"));
    if (skip_digits (rest, end) == rest)
      return false;
    rest = skip_digits (rest, end);
  }
  if (rest != end)
    return false;
  if (*start == '+' || point == whole || (fraction != point && fraction == exponent))
    note (m, NUMBER);
  buf_append (m->out, start, *start == '-');
  buf_append (m->out, point == whole ? "0" : whole, point == whole ? 1 : (size_t) (point - whole));
  if (exponent != fraction)
    buf_append (m->out, point, (size_t) (exponent - point));
  else if (fraction != point)
    buf_puts (m->out, ".0");
  buf_append (m->out, exponent, (size_t) (end - exponent));
  return true;
}

void
mend_in_quotes (struct mending *m, const char *word, size_t len)
{
  note (m, WORD);
  buf_putc (m->out, '"');
  buf_append (m->out, word, len);
  buf_putc (m->out, '"');
}

size_t
mend_bare_length (const struct mending *m)
{
  const char *p = m->p;

  while (p < m->end && is_bare (*p) && !(m->end - p >= 3 && memcmp (p, "...", 3) == 0))
    p++;
  return (size_t) (p - m->p);
}

/* A word at the very end may be the beginning of another. */
bool
mend_bare (struct mending *m)
{
  const char *word = m->p;
  size_t len = mend_bare_length (m);

  m->p += len;
  if (put_constant (m, word, len) || (len != 0 && put_number (m, word, len)))
    return true;
  word += len != 0 && is_one_of (*word, "+-");
  if (word == m->p || m->p == m->end || is_one_of (*word, ".+-")
      || (m->p - word >= 8 && memcmp (word, "Infinity", 8) == 0))
    return false;
  mend_in_quotes (m, m->p - len, len);
  return true;
}
