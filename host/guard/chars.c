#include "guard/chars.h"

/* clang-format off */
const uint8_t guard_chars[256] = {
  ['0' ... '9'] = CHAR_DIGIT,
  ['A' ... 'Z'] = CHAR_UPPER,
  ['a' ... 'z'] = CHAR_LOWER,
  ['+'] = CHAR_LOCAL | CHAR_BASE64,
  ['-'] = CHAR_LOCAL | CHAR_BASE64,
  ['_'] = CHAR_LOCAL | CHAR_BASE64,
  ['/'] = CHAR_BASE64,
  ['.'] = CHAR_LOCAL, ['%'] = CHAR_LOCAL, ['\''] = CHAR_LOCAL,
  [0x80 ... 0xff] = CHAR_HIGH
};
/* clang-format on */

size_t
char_separator (const char *text, size_t len, size_t at)
{
  const unsigned char *s = (const unsigned char *) text + at;

  if (at >= len)
    return 0;
  if (*s == ' ' || *s == '-' || *s == '.')
    return 1;
  if (*s == 0xc2 && len - at >= 2 && s[1] == 0xa0)
    return 2;
  if (*s == 0xe2 && len - at >= 3 && s[1] == 0x80
      && ((s[2] >= 0x87 && s[2] <= 0x94) || s[2] == 0xaf))
    return 3;
  return 0;
}
