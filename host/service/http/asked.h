/* asked.h - what a tool asks, checked and kept for as long as its fetch takes; and what goes out
 * of it with what the operator and the daemon add.  Pure functions. */
#ifndef TOOLHOST_SERVICE_HTTP_ASKED_H
#define TOOLHOST_SERVICE_HTTP_ASKED_H

#include "service/http/fetch.h"

struct http_asked {
  unsigned method;
  struct url url;
  struct http_header *own;
  size_t own_count;
  const char *key;                      /* NULL: none */
  const char *traceparent, *tracestate; /* likewise */
  char *body;
  size_t body_len;
  bool has_body;
  size_t response_max;
  unsigned redirects_max;
};

/* Copy and check; texts live in `arena`.  Free it with http_asked_clear, also after a failure.
 * False: err says what is wrong with it. */
bool http_asked_read (struct http_asked *asked, const struct http_ask *request,
                      const struct http_terms *terms, struct arena *arena, struct error *err);
void http_asked_clear (struct http_asked *asked);

/* The headers that go out under a grant, in the arena: the tool's, those that the operator adds,
 * which count before the tool's, and the daemon's.  `abroad`: it was redirected to another server
 * than the tool named. */
struct http_header *http_asked_headers (const struct http_asked *asked,
                                        const struct http_grant *grant, bool abroad, bool has_body,
                                        struct arena *arena, size_t *count);

/* A URL with what the operator adds to its query, in the arena. */
const char *http_asked_target (const struct url *url, const struct http_grant *grant,
                               struct arena *arena);

#endif
