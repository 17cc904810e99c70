/* grant.h - where a plugin may send requests: patterns of URLs, and the one that a request falls
 * under.  Pure functions.
 *
 *   //api.example.com/v1/ and a *    whatever is below /v1/
 *   //api.example.com/status         this path, with any query
 *   //api.example.com:8443/ and a *  the whole host, on another port
 *
 * each behind "https:" or "http:", and a * as the host is every public one, and no other.
 * Scheme, host and port are compared as they are: no pattern reaches a subdomain.  A pattern is
 * read by url.h, so what a request may hide in its URL a pattern can't grant. */
#ifndef TOOLHOST_SERVICE_HTTP_GRANT_H
#define TOOLHOST_SERVICE_HTTP_GRANT_H

#include <stdbool.h>

#include "service/http/url.h"

enum http_method {
  HTTP_GET = 1,
  HTTP_HEAD = 2,
  HTTP_POST = 4,
  HTTP_PUT = 8,
  HTTP_PATCH = 16,
  HTTP_DELETE = 32,
  HTTP_OPTIONS = 64,
  HTTP_METHODS_ALL = 127
};
extern const char *const http_method_names[]; /* in the order of the bits, ends with NULL */

/* 0: there is no such method, or it is none that tools may use. */
unsigned http_method_find (const char *name, size_t len);
const char *http_method_name (unsigned method);
/* May it be sent again when nobody knows what came of it (RFC 9110, 9.2.2)? */
bool http_method_idempotent (unsigned method);

struct http_pattern {
  char *text; /* as it was written */
  bool secure, any_host;
  char *host; /* NULL: any */
  uint16_t port;
  char *path; /* what it is, or begins with */
  bool below; /* it begins with it */
};

/* Read a pattern; free it with http_pattern_clear, also after a failure.  False: err goes on after
 * what was expected. */
bool http_pattern_read (struct http_pattern *pattern, const char *text, struct error *err);
void http_pattern_clear (struct http_pattern *pattern);
struct http_pattern http_pattern_copy (const struct http_pattern *pattern);

bool http_pattern_matches (const struct http_pattern *pattern, const struct url *url);
/* Does `wide` match all that `narrow` does? */
bool http_pattern_covers (const struct http_pattern *wide, const struct http_pattern *narrow);
/* Is a match of `a` a closer one than of `b`: its host by name, or a longer path? */
bool http_pattern_closer (const struct http_pattern *a, const struct http_pattern *b);

#endif
