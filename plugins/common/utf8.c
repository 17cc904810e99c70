#include "utf8.h"

/* Forms of a character by its first byte: RFC 3629, section 4. */
static const struct form {
  unsigned char mask, mark; /* first & mask == mark */
  unsigned char more;       /* bytes that follow */
  uint32_t least;           /* smaller ones are overlong */
} forms[] = {
  { 0x80, 0x00, 0, 0 },
  { 0xE0, 0xC0, 1, 0x80 },
  { 0xF0, 0xE0, 2, 0x800 },
  { 0xF8, 0xF0, 3, 0x10000 },
};

static const struct form *
form_of (unsigned char first)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if ((first & forms[i].mask) == forms[i].mark)
      return &forms[i];
  return NULL;
}

size_t
utf8_next (const char *text, size_t len, uint32_t *point)
{
  const unsigned char *s = (const unsigned char *) text;
  const struct form *form = len > 0 ? form_of (s[0]) : NULL;
  uint32_t c;

  if (form == NULL || form->more >= len)
    return 0;
  c = s[0] & ~(uint32_t) form->mask;
  for (size_t i = 1; i <= form->more; i++) {
    if ((s[i] & 0xC0) != 0x80)
      return 0;
    c = c << 6 | (s[i] & 0x3F);
  }
  if (c < form->least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
    return 0;
  if (point != NULL)
    *point = c;
  return (size_t) form->more + 1;
}

size_t
utf8_put (char bytes[4], uint32_t point)
{
  static const unsigned char marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
  size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

  for (size_t i = n - 1; i > 0; i--, point >>= 6)
    bytes[i] = (char) (0x80 | (point & 0x3F));
  bytes[0] = (char) (marks[n] | point);
  return n;
}

bool
utf8_valid (const char *text, size_t len)
{
  for (size_t i = 0, n; i < len; i += n) {
    n = utf8_next (text + i, len - i, NULL);
    if (n == 0)
      return false;
  }
  return true;
}

size_t
utf8_count (const char *text, size_t len)
{
  size_t count = 0;

  for (size_t i = 0; i < len; count++) {
    size_t n = utf8_next (text + i, len - i, NULL);
    i += n != 0 ? n : 1;
  }
  return count;
}

size_t
utf8_cut (const char *text, size_t len, size_t max)
{
  size_t cut = max;

  if (len <= max)
    return len;
  /* A character has at most three bytes that continue it. */
  while (cut > 0 && max - cut < 3 && ((unsigned char) text[cut] & 0xC0) == 0x80)
    cut--;
  return ((unsigned char) text[cut] & 0xC0) == 0x80 ? max : cut;
}
