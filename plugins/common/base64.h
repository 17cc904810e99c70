/* base64.h - RFC 4648, the standard alphabet with padding. */
#ifndef TOOLHOST_PLUGINS_COMMON_BASE64_H
#define TOOLHOST_PLUGINS_COMMON_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

void base64_encode (struct text *out, const void *data, size_t len);

/* Strict: nothing but the alphabet, whole groups, no bits left over.  False: *wrong is the offset
 * of the first character that does not fit.  `out` may be NULL to check only. */
bool base64_decode (struct text *out, const char *text, size_t len, size_t *wrong);

#endif
