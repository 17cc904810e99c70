/* url.h - URLs of http and https, read so strictly that nobody further on can read them otherwise.
 * Pure functions.
 *
 * What two readers of URLs are known to disagree about is refused with a sentence, not mended: user
 * information, backslashes, blanks and control characters, bytes beyond ASCII, escapes in the host,
 * a dot at its end, IPv6 zones, IPv4 addresses in any form but four decimal numbers (0x7f.1,
 * 2130706433, 0177.0.0.1), empty and impossible ports, and paths that hold "." or ".." segments,
 * however often they were percent-encoded and whichever slash separates them.  What is taken is
 * written again in one form: scheme and host in lower case, no default port, unreserved characters
 * not escaped, escapes in upper case, no fragment. */
#ifndef TOOLHOST_SERVICE_HTTP_URL_H
#define TOOLHOST_SERVICE_HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "service/http/address.h"

enum { URL_MAX = 8192, URL_HOST_MAX = 253 };

struct url {
  bool secure;                 /* https */
  bool literal;                /* the host is `address` */
  struct address address;      /* of a literal host */
  char host[URL_HOST_MAX + 1]; /* lower case; of IPv6 without brackets */
  uint16_t port;
  const char *path; /* "/…", in the arena, path_len bytes */
  size_t path_len;
  const char *query; /* behind '?', in the arena, NUL-terminated; NULL: there is none */
};

/* Read an absolute URL; what it holds lives in `arena`.  False: err says why, and goes on after
 * "the URL ". */
bool url_read (struct url *url, const char *text, size_t len, struct arena *arena,
               struct error *err);

/* The same of a URL reference, as a Location header holds one (RFC 3986, 5.2).  Dot segments that
 * stand in a relative path as they are get resolved; encoded ones are refused as always. */
bool url_follow (struct url *url, const struct url *base, const char *text, size_t len,
                 struct arena *arena, struct error *err);

/* "https://host:8443": scheme, host (of IPv6 in brackets) and a port that is not the default. */
void url_write_origin (const struct url *url, struct buf *out);
/* Without the query, as logs show it. */
void url_write_plain (const struct url *url, struct buf *out);
/* The whole. */
void url_write (const struct url *url, struct buf *out);

bool url_same_origin (const struct url *a, const struct url *b);

#endif
