/* uri.h - URI references as RFC 3986 means them, as far as "$id" and "$ref" need it: taken apart
 * and resolved, never fetched.  For the compiler of schemas. */
#ifndef TOOLHOST_SCHEMA_URI_H
#define TOOLHOST_SCHEMA_URI_H

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

/* Not NUL-terminated. */
struct uri {
  const char *text;
  size_t len;
};

static inline bool
uri_same (struct uri a, struct uri b)
{
  return a.len == b.len && (a.len == 0 || memcmp (a.text, b.text, a.len) == 0);
}

/* The part before '#', and behind it (empty when there is no '#'). */
struct uri uri_without_fragment (struct uri uri);
struct uri uri_fragment (struct uri uri);

/* RFC 3986, 5.2.2, of a reference without its fragment.  A base that is empty leaves it as it is.
 * The result is the arena's, or one of the two. */
struct uri uri_resolve (struct uri base, struct uri reference, struct arena *arena);

/* "%25" is "%".  In the arena. */
struct uri uri_decoded (struct uri text, struct arena *arena);

#endif
