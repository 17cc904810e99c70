/* chars.h - the character classes of HTTP and of its targets, as one table; for the parser alone.
 */
#ifndef TOOLHOST_FRONT_HTTP_CHARS_H
#define TOOLHOST_FRONT_HTTP_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CHAR_TOKEN = 1, /* RFC 9110 tchar: methods and header names */
  CHAR_VALUE = 2, /* field-vchar, SP, HTAB, obs-text */
  CHAR_PATH = 4,  /* RFC 3986 pchar and "/", without "%" */
  CHAR_QUERY = 8, /* pchar, "/" and "?" without "%", and what browsers leave as it is */
  CHAR_UPPER = 16
};

extern const uint8_t http_chars[256];
/* What a byte of a header's name is lowered to; 0: it can't be in one. */
extern const char http_lowered[256];

static inline bool
http_char_is (char c, unsigned class)
{
  return (http_chars[(unsigned char) c] & class) != 0;
}

/* The value of a hexadecimal digit, -1 for anything else. */
static inline int
http_hex (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char) (c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline char
http_lower (char c)
{
  return http_char_is (c, CHAR_UPPER) ? (char) (c | 0x20) : c;
}

/* Are `len` bytes `text`, without regard to case?  `text` is lower case. */
static inline bool
http_same_word (const char *data, size_t len, const char *text)
{
  for (size_t i = 0; i < len; i++)
    if (text[i] == '\0' || http_lower (data[i]) != text[i])
      return false;
  return text[len] == '\0';
}

#endif
