/* percent.h - percent-encoding (RFC 3986).  Pure. */
#ifndef TOOLHOST_PLUGINS_COMMON_PERCENT_H
#define TOOLHOST_PLUGINS_COMMON_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Which characters are not encoded, beside the unreserved ones. */
enum percent {
  PERCENT_ALL,      /* none */
  PERCENT_FORM,     /* none, and a blank is '+' */
  PERCENT_RESERVED, /* the reserved ones, but '#', '&' and '+', which would end or change a
                     * parameter; escapes that are there already stay */
  PERCENT_PATH      /* what a path may hold as it is, and escapes that are there already */
};

void percent_encode (struct text *out, const char *text, size_t len, enum percent how);
/* Once; a '%' that is no escape stays. */
void percent_decode (struct text *out, const char *text, size_t len);
/* Once decoded, and again, until nothing is left to decode: has it "." or ".." as a segment? */
bool percent_hides_dots (const char *path, size_t len);

#endif
