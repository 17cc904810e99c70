#include "base/invisible.h"

bool
invisible_code_point (uint32_t c)
{
  static const struct {
    uint32_t first, last;
  } ranges[] = { { 0, 0x1f },          { 0x7f, 0x9f },       { 0xad, 0xad },
                 { 0x34f, 0x34f },     { 0x61c, 0x61c },     { 0x115f, 0x1160 },
                 { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },
                 { 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
                 { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
                 { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },   { 0x1bca0, 0x1bca3 },
                 { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff }, { 0xf0000, 0x10ffff } };

  for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i].first; i++)
    if (c <= ranges[i].last)
      return true;
  return false;
}

uint32_t
utf8_code_point (const char *p, size_t *len)
{
  const unsigned char *s = (const unsigned char *) p;
  const size_t more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
  uint32_t c = more == 0 ? s[0] : s[0] & (0x3fU >> more);

  for (size_t i = 1; i <= more; i++)
    c = c << 6 | (s[i] & 0x3f);
  *len = more + 1;
  return c;
}
