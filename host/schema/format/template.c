#include <string.h>

#include "base/utf8.h"
#include "schema/format/kinds.h"

/* Decode the good sequence of `len` bytes. */
static uint32_t
code_point (const char *p, size_t len)
{
  uint32_t c = (unsigned char) p[0] & (0xffU >> (len + 1));

  for (size_t i = 1; i < len; i++)
    c = c << 6 | ((unsigned char) p[i] & 0x3fU);
  return c;
}

/* ucschar and iprivate (RFC 3987): what is not a control or a noncharacter, nor in the rest of the
 * plane of tags. */
static bool
is_beyond_ascii (uint32_t c)
{
  if (c < 0xa0 || (c >= 0xfdd0 && c <= 0xfdef) || (c >= 0xfff0 && c <= 0xffff))
    return false;
  return (c & 0xfffe) != 0xfffe && (c < 0xe0000 || c > 0xe0fff);
}

/* Behind one character outside of expressions; NULL: it may not stand there. */
static const char *
skip_literal (const char *p, const char *end)
{
  size_t len;

  if (format_char_is (*p, CHAR_LITERAL))
    return p + 1;
  if (format_percent_at (p, end))
    return p + 3;
  len = utf8_sequence (p, end);
  return len > 1 && is_beyond_ascii (code_point (p, len)) ? p + len : NULL;
}

/* Behind names with dots between them; NULL: there are none. */
static const char *
skip_name (const char *p, const char *end)
{
  for (;;) {
    const char *start = p;
    p = format_skip_encoded (p, end, CHAR_VARNAME);
    if (p == start)
      return NULL;
    if (p == end || *p != '.')
      return p;
    p++;
  }
}

/* Behind "*", or ":" and a length of 1 to 9999, or nothing; NULL: it is no length. */
static const char *
skip_modifier (const char *p, const char *end)
{
  const char *length;

  if (p < end && *p == '*')
    return p + 1;
  if (p == end || *p != ':')
    return p;
  length = p + 1;
  p = format_skip (length, end, CHAR_DIGIT);
  return p == length || *length == '0' || p - length > 4 ? NULL : p;
}

/* Behind the expression whose brace is at `p`; NULL: it is none.  The operators that are reserved
 * for later ("=,!@|") are of no level, and refused. */
static const char *
skip_expression (const char *p, const char *end)
{
  if (++p < end && *p != '\0' && strchr ("+#./;?&", *p) != NULL)
    p++;
  for (;; p++) {
    p = skip_name (p, end);
    if (p != NULL)
      p = skip_modifier (p, end);
    if (p == NULL || p == end)
      return NULL;
    if (*p == '}')
      return p + 1;
    if (*p != ',')
      return NULL;
  }
}

bool
format_is_uri_template (const char *text, size_t len)
{
  const char *p = text, *end = text + len;

  while (p != NULL && p < end)
    p = *p == '{' ? skip_expression (p, end) : skip_literal (p, end);
  return p != NULL;
}
