/* http.h - a strict HTTP/1.1 server on libev: requests in, answers and event streams out.
 *
 * It refuses what is ambiguous instead of mending it, bounds everything (head, body, time, number
 * of connections), and notices when the peer leaves while a request is being served.  It knows
 * nothing of tools.  Loop thread only.
 *
 * One exchange at a time per connection: what is pipelined behind it waits, unread. */
#ifndef TOOLHOST_FRONT_HTTP_H
#define TOOLHOST_FRONT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "front/front.h"

struct http_server;
struct tls_server;    /* front/http/tls.h */
struct http_exchange; /* one request and its answer */

enum { FRONT_THREADS_MAX = 64 };

struct http_limits {
  size_t head_max;          /* request line and headers, default 32 KiB */
  size_t line_max;          /* one header line, default 8 KiB */
  unsigned headers_max;     /* default 64 */
  size_t body_max;          /* default 1 MiB */
  unsigned connections_max; /* default 10,000 */
  unsigned
    connections_per_peer_max; /* of an address, or a user of the Unix socket; default 5,000 */
  double head_timeout;        /* seconds for a whole head, default 10 */
  double body_timeout;        /* seconds without a byte of the body, default 10 */
  double idle_timeout;        /* seconds between requests, default 75 */
  double write_timeout;       /* seconds without progress while writing, default 30 */
};
extern const struct http_limits http_default_limits;

struct slice {
  const char *data;
  size_t len;
};

struct http_request {
  struct slice method; /* "POST" */
  struct slice path;   /* percent-decoded, without the query; begins with '/' */
  struct slice query;  /* raw, without '?'; empty when none */
  struct slice body;   /* complete */
  const struct front_peer *peer;
  struct arena *arena; /* lives as long as the exchange */
};

/* A request header by lower-case name, surrounding blanks stripped; data NULL when absent.  A
 * header that came several times: values joined with ", " (a repeated Content-Length, Host or the
 * like was refused before). */
struct slice http_header_len (const struct http_exchange *x, const char *name, size_t len);
static inline struct slice
http_header (const struct http_exchange *x, const char *name)
{
  return http_header_len (x, name, strlen (name));
}
/* A query parameter, percent-decoded into the arena; data NULL when absent. */
struct slice http_query (const struct http_exchange *x, const char *name);
static inline bool
slice_is (struct slice s, const char *text)
{
  size_t len = strlen (text);

  return s.data != NULL && s.len == len && memcmp (s.data, text, len) == 0;
}

const struct http_request *http_request (const struct http_exchange *x);
/* When the thread that has read it had it, of clock_ns; 0: in this turn. */
int64_t http_came_ns (const struct http_exchange *x);
/* The request is this caller's from now on; `peer` lives as long as the exchange. */
void http_set_peer (struct http_exchange *x, const struct front_peer *peer);

/* Called for each complete request; must answer it now or later with exactly one of http_reply, or
 * http_stream_begin … http_stream_end. */
typedef void (*http_handler) (void *ctx, struct http_exchange *x);

struct http_server *http_server_new (const struct front_env *env, const struct http_limits *limits,
                                     http_handler handler, void *ctx);
/* Have so many threads accept, read and write, at most FRONT_THREADS_MAX; before the first socket
 * is served.  The handler and all that it is told of still run on the loop of `env`, and http.h is
 * for that loop alone.  False: they can't be started. */
bool http_server_spread (struct http_server *server, unsigned threads, struct error *err);
/* Serve a listening socket (TCP or Unix, non-blocking; taken over).  Threads accept from it
 * together. */
void http_server_listen (struct http_server *server, int fd);
/* Serve sockets of one address that share it (SO_REUSEPORT), one for each thread. */
void http_server_listen_apart (struct http_server *server, const int *fds, size_t count);
/* The same, with TLS, after http_server_use_tls; without threads it is one socket. */
void http_server_listen_tls (struct http_server *server, const int *fds, size_t count);
/* What connections from now on speak TLS with; taken over.  Those there are go on as they are. */
void http_server_use_tls (struct http_server *server, struct tls_server *tls);
/* Stop accepting and close idle connections; connections with an exchange close after it. */
void http_server_drain (struct http_server *server);
/* Give back memory: idle connections are closed, what is kept for the next requests is freed. */
void http_server_relieve (struct http_server *server);
size_t http_server_connections (const struct http_server *server);
/* Append what is counted of connections, in Prometheus' text format. */
void http_server_metrics (const struct http_server *server, struct buf *out);
void http_server_free (struct http_server *server);

/* The whole answer: status, content type (NULL: no body), extra header lines ("Allow: POST\r\n", or
 * NULL), body (copied).  HEAD gets no body.  A 503 or 429 whose header lines don't say when to come
 * again gets "Retry-After: 1".  The exchange is gone when this returns. */
void http_reply (struct http_exchange *x, int status, const char *content_type, const char *headers,
                 const void *body, size_t len);
/* The same; of a large body the memory is taken over, and `body` left empty.  The content type is
 * not NULL, the status one that has a body. */
void http_reply_take (struct http_exchange *x, int status, const char *content_type,
                      const char *headers, struct buf *body);
/* The whole answer: this JSON; `headers` as with http_reply. */
void http_reply_json (struct http_exchange *x, int status, const char *headers,
                      const struct buf *json);
/* { "error": { "code", "message" } } with the status. */
void http_reply_error (struct http_exchange *x, int status, const char *code, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));

/* 405, with those that the path takes: "GET, HEAD". */
void http_refuse_method (struct http_exchange *x, const char *methods);

/* An answer of unknown length (chunked; to HTTP/1.0 until close). */
void http_stream_begin (struct http_exchange *x, int status, const char *content_type,
                        const char *headers);
/* Copied and sent as soon as the socket takes it.  False when the peer's backlog is over 8 MiB: the
 * connection is given up (the gone callback comes). */
bool http_stream_write (struct http_exchange *x, const void *data, size_t len);
void http_stream_end (struct http_exchange *x); /* the exchange is gone */
/* Bytes of it that the peer has not taken. */
size_t http_stream_backlog (const struct http_exchange *x);

/* Answer 101: from here on the connection speaks what the header lines say.  What the peer sends is
 * handed to `bytes`, which may write and end; the rest is as of a stream, without chunks.  False,
 * and nothing is answered: the peer did not wait for it. */
bool http_upgrade (struct http_exchange *x, const char *headers,
                   void (*bytes) (void *data, const char *bytes, size_t len));

/* Whose the exchange is: for the handler's own state. */
void http_set_data (struct http_exchange *x, void *data);
void *http_data (const struct http_exchange *x);
/* Called when the peer leaves (or the server closes) before the answer was complete; the exchange
 * is gone when it returns, and no reply may be sent.  Unset: nothing is called. */
void http_on_gone (struct http_exchange *x, void (*gone) (void *data));

#endif
