/* utf8.h - one UTF-8 sequence at a time (RFC 3629: no overlong forms, no surrogates).  For anyone;
 * utf8_valid for a whole text is declared in json_tape.h. */
#ifndef TOOLHOST_BASE_UTF8_H
#define TOOLHOST_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the good sequence that starts at `p`, 0 when it is none.  p < end. */
static inline size_t
utf8_sequence (const char *p, const char *end)
{
  const unsigned char *s = (const unsigned char *) p;
  size_t left = (size_t) (end - p);

  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4 || left < 2 || (s[1] & 0xc0) != 0x80)
    return 0;
  if (s[0] < 0xe0)
    return 2;
  if (left < 3 || (s[2] & 0xc0) != 0x80)
    return 0;
  if (s[0] < 0xf0)
    return (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ? 0 : 3;
  if (left < 4 || (s[3] & 0xc0) != 0x80 || (s[0] == 0xf0 && s[1] < 0x90)
      || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return 4;
}

/* Write a code point; returns its bytes, 1 to 4. */
static inline size_t
utf8_put (char *at, uint32_t c)
{
  if (c < 0x80) {
    at[0] = (char) c;
    return 1;
  }
  if (c < 0x800) {
    at[0] = (char) (0xc0 | (c >> 6));
    at[1] = (char) (0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    at[0] = (char) (0xe0 | (c >> 12));
    at[1] = (char) (0x80 | ((c >> 6) & 0x3f));
    at[2] = (char) (0x80 | (c & 0x3f));
    return 3;
  }
  at[0] = (char) (0xf0 | (c >> 18));
  at[1] = (char) (0x80 | ((c >> 12) & 0x3f));
  at[2] = (char) (0x80 | ((c >> 6) & 0x3f));
  at[3] = (char) (0x80 | (c & 0x3f));
  return 4;
}

#endif
