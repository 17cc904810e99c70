/* transport.h - one request to one server, as the broker asks for it when everything has been
 * decided: what carries it out.  curl.c does it over the network, cassette.c from a file.
 *
 * Loop thread only. */
#ifndef TOOLHOST_SERVICE_HTTP_TRANSPORT_H
#define TOOLHOST_SERVICE_HTTP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "service/http/grant.h"

struct http_header {
  const char *name; /* of an answer in lower case */
  const char *value;
};

enum { HTTP_HEADERS_MAX = 100, HTTP_HEADERS_BYTES = 32 * 1024 };

/* What is sent, and where to.  Everything lives until the transfer has ended. */
struct http_hop {
  unsigned method;
  const struct url *url; /* as the tool may know it … */
  const char *target;    /* … and as it is sent, secrets and all */
  const struct http_header *headers;
  size_t headers_count;
  const void *body; /* NULL: none */
  size_t body_len;
  const struct address *addresses; /* to connect to, and to no other; all were checked */
  size_t addresses_count;
  bool private_too; /* addresses that are not public, as address_allowed means it */
};

enum http_failure {
  HTTP_FINE,
  HTTP_CONNECT, /* no connection: refused, unreachable, or TLS could not be agreed upon */
  HTTP_BROKEN,  /* it broke off, or what came is no HTTP */
  HTTP_BLOCKED, /* the address is not one to connect to */
  HTTP_HEADERS  /* more headers than are taken */
};

/* What comes of it.  No function may be called again after `end`, or after http_transport.drop. */
struct http_hop_events {
  /* Status and headers, which live while this runs. */
  void (*head) (void *ctx, int status, const struct http_header *headers, size_t count);
  /* False: not now; the same bytes come again after `resume`. */
  bool (*body) (void *ctx, const char *data, size_t len);
  void (*end) (void *ctx, enum http_failure failure, const char *text);
};

struct http_transport {
  /* Never calls an event before it returns.  NULL: there is no way to make requests. */
  void *(*begin) (void *ctx, const struct http_hop *hop, const struct http_hop_events *events,
                  void *events_ctx);
  void (*resume) (void *transfer);
  /* No more events; also from within one. */
  void (*drop) (void *transfer);
  void *ctx;
};

#endif
