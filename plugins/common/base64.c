#include "base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_encode (struct text *out, const void *data, size_t len)
{
  const unsigned char *in = data;

  for (size_t i = 0; i < len; i += 3) {
    size_t n = len - i < 3 ? len - i : 3;
    uint32_t bits =
      (uint32_t) in[i] << 16 | (n > 1 ? (uint32_t) in[i + 1] << 8 : 0) | (n > 2 ? in[i + 2] : 0);
    char group[4] = { alphabet[bits >> 18], alphabet[bits >> 12 & 63],
                      n > 1 ? alphabet[bits >> 6 & 63] : '=', n > 2 ? alphabet[bits & 63] : '=' };

    text_add_len (out, group, sizeof group);
  }
}

static int
digit_of (char c)
{
  const char *found = c != '\0' ? strchr (alphabet, c) : NULL;
  return found != NULL ? (int) (found - alphabet) : -1;
}

/* How many characters of the last group are padding. */
static size_t
padding_of (const char *text, size_t len)
{
  size_t padding = 0;

  while (padding < 2 && padding < len && text[len - 1 - padding] == '=')
    padding++;
  return padding;
}

static void
add_group (struct text *out, uint32_t bits, size_t bytes)
{
  const char group[3] = { (char) (bits >> 16), (char) (bits >> 8), (char) bits };

  if (out != NULL)
    text_add_len (out, group, bytes);
}

bool
base64_decode (struct text *out, const char *text, size_t len, size_t *wrong)
{
  size_t padding = padding_of (text, len);
  size_t digits = len - padding;
  uint32_t bits = 0;

  for (size_t i = 0; i < digits; i++) {
    int digit = digit_of (text[i]);

    *wrong = i;
    if (digit < 0)
      return false;
    bits = bits << 6 | (uint32_t) digit;
    if (i % 4 == 3)
      add_group (out, bits & 0xFFFFFF, 3);
  }
  *wrong = len;
  if (len % 4 != 0)
    return false;
  if (padding == 0)
    return true;
  /* The unused bits of the last digit are 0, so that each content has one encoding. */
  *wrong = digits - 1;
  bits = bits << 6 * padding & 0xFFFFFF;
  if ((bits & (padding == 1 ? 0xFFU : 0xFFFFU)) != 0)
    return false;
  add_group (out, bits, 3 - padding);
  return true;
}
