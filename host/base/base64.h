/* base64.h - strict Base64: cursors (RFC 4648 section 5, without padding) and header values
 * (section 4, padded).  What is not the one canonical spelling of its bytes is refused.  Pure
 * functions. */
#ifndef TOOLHOST_BASE_BASE64_H
#define TOOLHOST_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum base64_kind { BASE64_PADDED, BASE64_URL };

void base64_encode (enum base64_kind kind, const char *data, size_t len, struct buf *out);
/* Bytes that decoding `len` characters may take. */
static inline size_t
base64_room (size_t len)
{
  return len / 4 * 3 + 3;
}
/* False: not canonical.  `out` has base64_room (len) bytes. */
bool base64_decode (enum base64_kind kind, const char *text, size_t len, char *out,
                    size_t *out_len);

#endif
