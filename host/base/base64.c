#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabets[][65] = {
  [BASE64_PADDED] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  [BASE64_URL] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

void
base64_encode (enum base64_kind kind, const char *data, size_t len, struct buf *out)
{
  const char *alphabet = alphabets[kind];

  for (size_t i = 0; i < len; i += 3) {
    size_t have = len - i < 3 ? len - i : 3;
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; k++)
      bits = bits << 8 | (k < have ? (unsigned char) data[i + k] : 0);
    for (size_t k = 0; k < 4; k++)
      if (k <= have)
        buf_putc (out, alphabet[bits >> (18 - 6 * k) & 63]);
      else if (kind == BASE64_PADDED)
        buf_putc (out, '=');
  }
}

/* The length without padding, or SIZE_MAX when the padding is wrong. */
static size_t
unpadded (enum base64_kind kind, const char *text, size_t len)
{
  size_t pads = 0;

  if (kind == BASE64_URL)
    return len;
  if (len % 4 != 0)
    return SIZE_MAX;
  while (pads < 2 && pads < len && text[len - 1 - pads] == '=')
    pads++;
  return len - pads;
}

bool
base64_decode (enum base64_kind kind, const char *text, size_t len, char *out, size_t *out_len)
{
  size_t chars = unpadded (kind, text, len);
  uint32_t bits = 0;
  unsigned have = 0;

  *out_len = 0;
  if (chars == SIZE_MAX || chars % 4 == 1)
    return false;
  for (size_t i = 0; i < chars; i++) {
    const char *at = text[i] != '\0' ? strchr (alphabets[kind], text[i]) : NULL;
    if (at == NULL)
      return false;
    bits = bits << 6 | (uint32_t) (at - alphabets[kind]);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[(*out_len)++] = (char) (bits >> have & 0xff);
    }
  }
  return (bits & ((1u << have) - 1)) == 0;
}
