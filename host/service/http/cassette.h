/* cassette.h - requests and answers on file, for tests: recorded once from real servers, replayed
 * as often as one likes, without a network.
 *
 *   { "interactions": [ { "request": { "method", "url", "body" or "body_base64" },
 *                         "response": { "status", "headers": [[name, value], …],
 *                                       "body" or "body_base64" } }, … ] }
 *
 * A request is known by method, URL and body.  Of several recordings of one the first comes first,
 * and the last one stays.  What the operator adds to requests is not on file, nor are the headers
 * of requests, nor Set-Cookie.  Loop thread only. */
#ifndef TOOLHOST_SERVICE_HTTP_CASSETTE_H
#define TOOLHOST_SERVICE_HTTP_CASSETTE_H

#include <ev.h>

#include "base/error.h"
#include "service/http/resolver.h"
#include "service/http/transport.h"

struct buf;
struct http_cassette;

/* To be replayed.  NULL: err says where the text is no cassette. */
struct http_cassette *http_cassette_read (struct ev_loop *loop, const char *json, size_t len,
                                          struct error *err);
/* Empty, to be filled by what goes over another transport. */
struct http_cassette *http_cassette_new (struct ev_loop *loop, struct http_transport over);
void http_cassette_free (struct http_cassette *cassette);

/* Borrows it: replays, or passes on and takes note. */
struct http_transport http_cassette_transport (struct http_cassette *cassette);
/* For replays: every name has one public address, which nobody connects to. */
struct http_resolver http_cassette_resolver (struct http_cassette *cassette);

/* All that is on it. */
void http_cassette_write (const struct http_cassette *cassette, struct buf *out);

#endif
