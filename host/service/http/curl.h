/* curl.h - HTTP over the network: libcurl on the daemon's loop.
 *
 * libcurl resolves nothing and follows nothing here: it connects to the addresses it is given, and
 * each socket is checked once more before it is opened, as is the connection that a request uses
 * before it is sent.  No proxy, no cookies, no .netrc, no compression (a small answer stays small).
 * Connections are kept for the next request; one at a time uses a connection.  HTTP/2 where TLS
 * agrees upon it. */
#ifndef TOOLHOST_SERVICE_HTTP_CURL_H
#define TOOLHOST_SERVICE_HTTP_CURL_H

#include <ev.h>

#include "service/http/transport.h"
#include "watch/turns.h"

struct http_curl;

/* `ca_file`: certificates of the authorities that are trusted, PEM, copied; NULL: the system's.  In
 * a long turn of the loop (`turns`, borrowed; NULL: any length will do) what is to be done for
 * transfers waits for the next one, in its order. */
struct http_curl *http_curl_new (struct ev_loop *loop, const char *ca_file,
                                 const struct turns *turns);
/* Load libcurl, which takes some milliseconds: when it is clear that requests will be made, and
 * otherwise with the first one.  False: it can't be had. */
bool http_curl_load (struct http_curl *curl, struct error *err);
/* Every transfer must have been dropped. */
void http_curl_free (struct http_curl *curl);

/* Borrows it. */
struct http_transport http_curl_transport (struct http_curl *curl);

#endif
