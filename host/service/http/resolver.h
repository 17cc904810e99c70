/* resolver.h - from names to addresses, without holding up the loop.  Loop thread only. */
#ifndef TOOLHOST_SERVICE_HTTP_RESOLVER_H
#define TOOLHOST_SERVICE_HTTP_RESOLVER_H

#include <ev.h>

#include "service/http/address.h"

enum { RESOLVED_MAX = 16 }; /* addresses of a name; more are left out, unchecked and unused */

/* Why there are none is `why`; lives while it runs. */
typedef void http_resolved (void *ctx, const struct address *addresses, size_t count,
                            const char *why);

struct http_resolver {
  /* Answers later, exactly once, unless it is forgotten before. */
  void *(*look_up) (void *ctx, const char *host, http_resolved *done, void *done_ctx);
  void (*forget) (void *question);
  void *ctx;
};

/* The system's own, in threads; an answer is good for some seconds. */
struct http_dns;
struct http_dns *http_dns_new (struct ev_loop *loop);
void http_dns_free (struct http_dns *dns);
struct http_resolver http_dns_resolver (struct http_dns *dns);

#endif
