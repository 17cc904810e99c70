/* dial.h - connections over the network, for those who speak something else than HTTP once they
 * are there (ws/wire.h).  Names are looked up, addresses checked, sockets opened and certificates
 * verified as for requests (curl.h); of libcurl's connections these are nobody else's.
 *
 * Loop thread only. */
#ifndef TOOLHOST_SERVICE_HTTP_DIAL_H
#define TOOLHOST_SERVICE_HTTP_DIAL_H

#include "service/http/curl.h"
#include "service/http/resolver.h"
#include "service/ws/wire.h"

struct http_dialler {
  struct ev_loop *loop;
  struct http_curl *curl;
  struct http_resolver resolver;
};

/* Borrows it; every wire must have been dropped before its parts go. */
struct dialer http_dialler_dialer (struct http_dialler *dialler);

#endif
