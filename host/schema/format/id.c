#include <string.h>

#include "schema/format/kinds.h"

/* Are these `len` characters hex digits? */
static inline bool
are_hex (const char *p, size_t len)
{
  unsigned classes = CHAR_HEX;

  for (size_t i = 0; i < len; i++)
    classes &= format_chars[(unsigned char) p[i]];
  return classes != 0;
}

/* The nil UUID too; without "urn:uuid:" and braces. */
bool
format_is_uuid (const char *text, size_t len)
{
  enum { UUID_LEN = 36 };

  return len == UUID_LEN && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-'
         && are_hex (text, 8) && are_hex (text + 9, 4) && are_hex (text + 14, 4)
         && are_hex (text + 19, 4) && are_hex (text + 24, 12);
}

bool
format_is_json_pointer (const char *text, size_t len)
{
  const char *p = text, *end = text + len;

  if (len == 0)
    return true;
  if (*p != '/')
    return false;
  while ((p = memchr (p, '~', (size_t) (end - p))) != NULL)
    if (++p == end || (*p != '0' && *p != '1'))
      return false;
  return true;
}

/* Behind a number without leading zeros; NULL: there is none. */
static const char *
skip_number (const char *p, const char *end)
{
  const char *start = p;

  p = format_skip (p, end, CHAR_DIGIT);
  return p == start || (*start == '0' && p - start > 1) ? NULL : p;
}

/* Levels up, perhaps a step in an array ("1-1"), then "#" or a pointer. */
bool
format_is_relative_json_pointer (const char *text, size_t len)
{
  const char *end = text + len;
  const char *p = skip_number (text, end);

  if (p != NULL && p < end && (*p == '+' || *p == '-'))
    p = skip_number (p + 1, end);
  if (p == NULL)
    return false;
  if (end - p == 1 && *p == '#')
    return true;
  return format_is_json_pointer (p, (size_t) (end - p));
}
