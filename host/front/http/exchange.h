/* exchange.h - one request and its answer, with the memory for both.
 *
 * A connection has one only while it is not idle: exchanges wait in a pool of the server in
 * between, so that an idle connection costs next to nothing and a busy one allocates nothing.  For
 * conn.c, reply.c and server.c. */
#ifndef TOOLHOST_FRONT_HTTP_EXCHANGE_H
#define TOOLHOST_FRONT_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "front/http/handed.h"
#include "front/http/http.h"
#include "front/http/parse.h"

struct conn;

struct http_exchange {
  struct conn *conn;
  struct http_request request;
  struct http_parser parser;
  struct buf in; /* from `base`: this request, then what came behind it */
  size_t base;
  struct buf out; /* up to `sent`: the socket has it */
  size_t sent;
  struct buf body; /* of an answer, sent after `out`; up to `body_sent`: likewise */
  size_t body_sent;
  struct arena arena;
  void *data;
  void (*gone) (void *data);
  void (*bytes) (void *data, const char *bytes, size_t len); /* after an upgrade; else NULL */
  bool chunked;                                              /* the answer */
  int64_t body_since;   /* when we began to wait for the body, ns; 0: not yet */
  size_t body_received; /* bytes of it since then, framing included */
  struct handed handed;
  struct http_exchange *next_spare;
  struct http_field fields[]; /* limits->headers_max */
};

/* What waits for the next connection that needs one. */
struct exchange_pool {
  const struct http_limits *limits;
  struct http_exchange *spares;
  unsigned count;
};

struct http_exchange *exchange_take (struct exchange_pool *pool, struct conn *c);
void exchange_give_back (struct exchange_pool *pool, struct http_exchange *x);
void exchange_pool_free (struct exchange_pool *pool);

/* Read once from the connection: as recv. */
ssize_t exchange_receive (struct http_exchange *x, struct conn *c);
enum http_verdict exchange_parse (struct http_exchange *x);
/* The request is complete: fill x->request. */
void exchange_begin (struct http_exchange *x, const struct front_peer *peer);
/* Does the body come so slowly that it only holds the connection?  Less than 1 KiB a second, after
 * five; `now` on the clock of body_since. */
bool exchange_drips (const struct http_exchange *x, int64_t now);
/* Forget the request; the bytes behind it are the next one's. */
void exchange_next (struct http_exchange *x);

/* Does a front thread own the connection, and the core the request? */
static inline bool
exchange_is_handed (const struct http_exchange *x)
{
  return x->handed.thread != NULL;
}
/* Bytes that came behind the request. */
static inline size_t
exchange_rest (const struct http_exchange *x)
{
  return x->in.len - x->base - x->parser.pos;
}
/* Of the request whose body has not come whole: what it has, and what is known to come. */
static inline size_t
exchange_body_size (const struct http_exchange *x)
{
  size_t len = x->in.len - x->base;
  return len - x->parser.body_at + http_parser_needs (&x->parser, len);
}
static inline size_t
exchange_unsent (const struct http_exchange *x)
{
  return x->out.len - x->sent + x->body.len - x->body_sent;
}
static inline bool
exchange_is_head (const struct http_exchange *x)
{
  return x->parser.method.len == 4 && memcmp (x->in.data + x->base, "HEAD", 4) == 0;
}

#endif
