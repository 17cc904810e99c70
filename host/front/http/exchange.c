#include "front/http/exchange.h"

#include <stdlib.h>

#include "front/http/conn.h"
#include "front/http/target.h"

enum {
  READ_ROOM = 32 * 1024, /* bytes: most requests come whole in one read */
  READ_ROOM_LEAST = 4 * 1024,
  READ_ROOM_BODY = 256 * 1024,
  KEEP = 64 * 1024,   /* of a buffer, in the pool */
  SPARES = 128,       /* exchanges */
  BODY_RATE = 1024,   /* bytes a second that a body must come with … */
  BODY_RATE_AFTER = 5 /* … after so many seconds */
};

/* ---- the pool ---- */

static void
exchange_free (struct http_exchange *x)
{
  buf_free (&x->in);
  buf_free (&x->out);
  buf_free (&x->body);
  buf_free (&x->handed.out);
  buf_free (&x->handed.body);
  arena_free (&x->arena);
  free (x);
}

struct http_exchange *
exchange_take (struct exchange_pool *pool, struct conn *c)
{
  struct http_exchange *x = pool->spares;

  if (x != NULL) {
    pool->spares = x->next_spare;
    pool->count--;
  }
  else {
    x = xcalloc (1, sizeof *x + pool->limits->headers_max * sizeof x->fields[0]);
    http_parser_init (&x->parser, pool->limits, x->fields);
  }
  x->conn = c;
  return x;
}

void
exchange_give_back (struct exchange_pool *pool, struct http_exchange *x)
{
  if (pool->count == SPARES)
    return exchange_free (x);
  exchange_next (x);
  buf_reset (&x->in, KEEP);
  buf_reset (&x->out, KEEP);
  buf_free (&x->body);
  buf_reset (&x->handed.out, KEEP);
  buf_free (&x->handed.body);
  x->base = x->sent = x->body_sent = 0;
  x->next_spare = pool->spares;
  pool->spares = x;
  pool->count++;
}

void
exchange_pool_free (struct exchange_pool *pool)
{
  for (struct http_exchange *x = pool->spares, *next; x != NULL; x = next) {
    next = x->next_spare;
    exchange_free (x);
  }
  pool->spares = NULL;
  pool->count = 0;
}

/* ---- the request ---- */

/* Make room to read into: what the body still needs, within reason. */
static void
make_room (struct http_exchange *x)
{
  size_t needs = http_parser_needs (&x->parser, x->in.len - x->base);

  if (x->base != 0) {
    buf_consume (&x->in, x->base);
    x->base = 0;
  }
  if (needs > READ_ROOM_BODY)
    needs = READ_ROOM_BODY;
  if (needs < READ_ROOM_LEAST)
    needs = READ_ROOM_LEAST;
  if (x->in.cap - x->in.len < needs)
    (void) buf_reserve (&x->in, needs > READ_ROOM ? needs : READ_ROOM);
}

ssize_t
exchange_receive (struct http_exchange *x, struct conn *c)
{
  ssize_t n;

  make_room (x);
  n = conn_recv (c, x->in.data + x->in.len, x->in.cap - x->in.len);
  if (n > 0) {
    x->in.len += (size_t) n;
    if (x->body_since != 0)
      x->body_received += (size_t) n;
  }
  return n;
}

enum http_verdict
exchange_parse (struct http_exchange *x)
{
  size_t len = x->in.len - x->base;
  enum http_verdict verdict = http_parse (&x->parser, x->in.data + x->base, &len);

  x->in.len = x->base + len;
  return verdict;
}

static struct slice
slice_of (const struct http_exchange *x, struct http_span span)
{
  return (struct slice){ x->in.data + x->base + span.at, span.len };
}

void
exchange_begin (struct http_exchange *x, const struct front_peer *peer)
{
  const struct http_parser *p = &x->parser;

  x->request = (struct http_request){
    .method = slice_of (x, p->method),
    .path = slice_of (x, p->path),
    .query = slice_of (x, p->query),
    .body = { x->in.data + x->base + p->body_at, p->body_len },
    .peer = peer,
    .arena = &x->arena,
  };
}

int64_t
http_came_ns (const struct http_exchange *x)
{
  return x->handed.came_ns;
}

void
http_set_peer (struct http_exchange *x, const struct front_peer *peer)
{
  x->request.peer = peer;
}

bool
exchange_drips (const struct http_exchange *x, int64_t now)
{
  int64_t seconds = (now - x->body_since) / 1000000000 - BODY_RATE_AFTER;

  return seconds > 0 && x->body_received < (uint64_t) seconds * BODY_RATE;
}

void
exchange_next (struct http_exchange *x)
{
  x->base += x->parser.pos;
  http_parser_restart (&x->parser);
  arena_reset (&x->arena);
  x->data = NULL;
  x->gone = NULL;
  x->bytes = NULL;
  x->chunked = false;
  x->body_since = 0;
  x->body_received = 0;
}

/* ---- what the handler asks ---- */

const struct http_request *
http_request (const struct http_exchange *x)
{
  return &x->request;
}

static struct slice
join (const struct http_exchange *x, struct slice a, struct slice b)
{
  char *text = arena_alloc (x->request.arena, a.len + 2 + b.len);

  memcpy (text, a.data, a.len);
  memcpy (text + a.len, ", ", 2);
  memcpy (text + a.len + 2, b.data, b.len);
  return (struct slice){ text, a.len + 2 + b.len };
}

struct slice
http_header_len (const struct http_exchange *x, const char *name, size_t len)
{
  struct slice found = { NULL, 0 };
  const char *data = x->in.data + x->base;
  const struct http_field *end = x->fields + x->parser.field_count;

  if ((x->parser.name_lengths & http_length_bit (len)) == 0)
    return found;
  for (const struct http_field *f = x->fields; f != end; f++) {
    if (f->name.len != len || memcmp (data + f->name.at, name, len) != 0)
      continue;
    struct slice value = slice_of (x, f->value);
    found = found.data == NULL ? value : join (x, found, value);
  }
  return found;
}

struct slice
http_query (const struct http_exchange *x, const char *name)
{
  return http_query_param (x->request.query, name, x->request.arena);
}

void
http_set_data (struct http_exchange *x, void *data)
{
  x->data = data;
}

void *
http_data (const struct http_exchange *x)
{
  return x->data;
}

void
http_on_gone (struct http_exchange *x, void (*gone) (void *data))
{
  x->gone = gone;
}
