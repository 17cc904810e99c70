#include "front/http/reply.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json_write.h"
#include "front/http/conn.h"
#include "front/http/server.h"

enum {
  SMALL_BODY =
    16 * 1024, /* bytes: copied behind the head; larger ones are sent from where they are */
  LARGE_BODY = 256 * 1024, /* bytes: the memory of larger ones is taken over where it may be */
  BACKLOG_MAX = 8 * 1024 * 1024, /* bytes of a stream that the peer has not taken */
  HEAD_ROOM = 256                /* bytes: all of a head but what the handler names */
};

/* ---- heads ---- */

struct status_line {
  int status;
  const char *text;
};

static const struct status_line status_lines[] = {
  { 101, "HTTP/1.1 101 Switching Protocols\r\n" },
  { 200, "HTTP/1.1 200 OK\r\n" },
  { 201, "HTTP/1.1 201 Created\r\n" },
  { 202, "HTTP/1.1 202 Accepted\r\n" },
  { 204, "HTTP/1.1 204 No Content\r\n" },
  { 206, "HTTP/1.1 206 Partial Content\r\n" },
  { 304, "HTTP/1.1 304 Not Modified\r\n" },
  { 400, "HTTP/1.1 400 Bad Request\r\n" },
  { 401, "HTTP/1.1 401 Unauthorized\r\n" },
  { 403, "HTTP/1.1 403 Forbidden\r\n" },
  { 404, "HTTP/1.1 404 Not Found\r\n" },
  { 405, "HTTP/1.1 405 Method Not Allowed\r\n" },
  { 406, "HTTP/1.1 406 Not Acceptable\r\n" },
  { 408, "HTTP/1.1 408 Request Timeout\r\n" },
  { 409, "HTTP/1.1 409 Conflict\r\n" },
  { 410, "HTTP/1.1 410 Gone\r\n" },
  { 412, "HTTP/1.1 412 Precondition Failed\r\n" },
  { 413, "HTTP/1.1 413 Content Too Large\r\n" },
  { 414, "HTTP/1.1 414 URI Too Long\r\n" },
  { 415, "HTTP/1.1 415 Unsupported Media Type\r\n" },
  { 416, "HTTP/1.1 416 Range Not Satisfiable\r\n" },
  { 417, "HTTP/1.1 417 Expectation Failed\r\n" },
  { 422, "HTTP/1.1 422 Unprocessable Content\r\n" },
  { 426, "HTTP/1.1 426 Upgrade Required\r\n" },
  { 429, "HTTP/1.1 429 Too Many Requests\r\n" },
  { 431, "HTTP/1.1 431 Request Header Fields Too Large\r\n" },
  { 500, "HTTP/1.1 500 Internal Server Error\r\n" },
  { 501, "HTTP/1.1 501 Not Implemented\r\n" },
  { 502, "HTTP/1.1 502 Bad Gateway\r\n" },
  { 503, "HTTP/1.1 503 Service Unavailable\r\n" },
  { 504, "HTTP/1.1 504 Gateway Timeout\r\n" },
  { 505, "HTTP/1.1 505 HTTP Version Not Supported\r\n" },
};

/* What a head says; the strings are whole lines but for content_type. */
struct head {
  int status;
  const char *content_type; /* or NULL */
  const char *headers;      /* or NULL */
  const char *connection;   /* or "" */
  bool chunked;
  bool counted; /* Content-Length: length */
  size_t length;
};

static char *
put (char *at, const char *text, size_t len)
{
  return (char *) memcpy (at, text, len) + len;
}
#define PUT(at, literal) put (at, literal, sizeof literal - 1)

static char *
put_text (char *at, const char *text)
{
  return put (at, text, strlen (text));
}

static char *
put_number (char *at, size_t value)
{
  char digits[24], *first = digits + sizeof digits;

  do
    *--first = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  return put (at, first, (size_t) (digits + sizeof digits - first));
}

static char *
put_status (char *at, int status)
{
  for (size_t i = 0; i < sizeof status_lines / sizeof *status_lines; i++)
    if (status_lines[i].status == status)
      return put_text (at, status_lines[i].text);
  at = PUT (at, "HTTP/1.1 ");
  at = put_number (at, (size_t) status);
  return PUT (at, " \r\n");
}

/* Does an answer that asks to come again still have to say when? */
static bool
must_say_when (const struct head *h)
{
  return (h->status == 503 || h->status == 429)
         && (h->headers == NULL || strstr (h->headers, "Retry-After: ") == NULL);
}

static void
put_head (struct buf *out, const struct head *h)
{
  size_t type_len = h->content_type != NULL ? strlen (h->content_type) : 0;
  size_t headers_len = h->headers != NULL ? strlen (h->headers) : 0;
  char *at = put_status (buf_reserve (out, HEAD_ROOM + type_len + headers_len), h->status);

  if (h->content_type != NULL) {
    at = PUT (at, "Content-Type: ");
    at = put (at, h->content_type, type_len);
    at = PUT (at, "\r\n");
  }
  if (h->chunked)
    at = PUT (at, "Transfer-Encoding: chunked\r\n");
  if (h->counted) {
    at = PUT (at, "Content-Length: ");
    at = put_number (at, h->length);
    at = PUT (at, "\r\n");
  }
  at = put_text (at, h->connection);
  if (must_say_when (h))
    at = PUT (at, "Retry-After: 1\r\n");
  if (headers_len != 0)
    at = put (at, h->headers, headers_len);
  at = PUT (at, "\r\n");
  out->len = (size_t) (at - out->data);
}

/* Decide whether the connection stays open, and say so where the version needs it. */
static const char *
decide_connection (struct conn *c)
{
  const struct http_parser *p = &c->x->parser;

  c->closing |= c->server->draining || pressure_is (c->server->env->pressure, PRESSURE_HIGH)
                || p->wants_close || (p->version_10 && !p->wants_keep_alive);
  if (c->closing)
    return "Connection: close\r\n";
  return p->version_10 ? "Connection: keep-alive\r\n" : "";
}

static bool
status_has_body (int status)
{
  return status != 204 && status != 304;
}

/* ---- whole answers ---- */

/* The head of a whole answer; how many bytes of a body of `len` follow it. */
static size_t
begin_answer (struct http_exchange *x, int status, const char *content_type, const char *headers,
              size_t len)
{
  struct conn *c = x->conn;

  assert (c->state == CONN_SERVING && status >= 200 && status <= 999);
  if (content_type == NULL)
    len = 0;
  put_head (&x->out, &(struct head){ .status = status,
                                     .content_type = content_type,
                                     .headers = headers,
                                     .connection = decide_connection (c),
                                     .counted = status_has_body (status),
                                     .length = len });
  return exchange_is_head (x) || !status_has_body (status) ? 0 : len;
}

void
http_reply (struct http_exchange *x, int status, const char *content_type, const char *headers,
            const void *body, size_t len)
{
  struct conn *c = x->conn;

  len = begin_answer (x, status, content_type, headers, len);
  if (len <= SMALL_BODY)
    buf_append (&x->out, body, len);
  else if (!conn_send (c, body, len))
    c->lost = true;
  conn_answered (c);
}

void
http_reply_take (struct http_exchange *x, int status, const char *content_type, const char *headers,
                 struct buf *body)
{
  if (body->len <= LARGE_BODY || exchange_is_head (x))
    return http_reply (x, status, content_type, headers, body->data, body->len);
  (void) begin_answer (x, status, content_type, headers, body->len);
  buf_swap (&x->body, body);
  conn_answered (x->conn);
}

static void
put_error (struct buf *out, const char *code, const char *message)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "code", code);
  jsonw_name_string (&w, "message", message);
  jsonw_end (&w);
  jsonw_end (&w);
}

void
http_reply_error (struct http_exchange *x, int status, const char *code, const char *fmt, ...)
{
  CLEANUP_BUF struct buf json = { 0 };
  char message[1024];
  va_list args;

  va_start (args, fmt);
  (void) vsnprintf (message, sizeof message, fmt, args);
  va_end (args);
  put_error (&json, code, message);
  http_reply (x, status, "application/json", NULL, json.data, json.len);
}

void
reply_put_refusal (struct buf *out, enum http_refused why, bool head)
{
  const struct http_refusal *r = &http_refusals[why];
  CLEANUP_BUF struct buf json = { 0 };

  put_error (&json, r->code, r->message);
  put_head (out, &(struct head){ .status = r->status,
                                 .content_type = "application/json",
                                 .connection = "Connection: close\r\n",
                                 .counted = true,
                                 .length = json.len });
  if (!head)
    buf_append (out, json.data, json.len);
}

/* ---- streams ---- */

/* Output is sent at the end of the turn, so that what is written together travels together. */

void
http_stream_begin (struct http_exchange *x, int status, const char *content_type,
                   const char *headers)
{
  struct conn *c = x->conn;

  assert (c->state == CONN_SERVING && status >= 200 && status_has_body (status));
  x->chunked = !x->parser.version_10;
  c->closing |= !x->chunked; /* its end is the end of the body */
  put_head (&x->out, &(struct head){ .status = status,
                                     .content_type = content_type,
                                     .headers = headers,
                                     .connection = decide_connection (c),
                                     .chunked = x->chunked });
  c->state = CONN_STREAMING;
  conn_take_turn (c);
}

bool
http_upgrade (struct http_exchange *x, const char *headers,
              void (*bytes) (void *data, const char *bytes, size_t len))
{
  struct conn *c = x->conn;

  assert (c->state == CONN_SERVING);
  if (exchange_rest (x) > 0)
    return false;
  c->closing = c->lingers = true; /* it never speaks HTTP again */
  put_head (
    &x->out,
    &(struct head){ .status = 101, .headers = headers, .connection = "Connection: Upgrade\r\n" });
  x->bytes = bytes;
  c->state = CONN_STREAMING;
  conn_take_turn (c);
  return true;
}

size_t
http_stream_backlog (const struct http_exchange *x)
{
  return exchange_unsent (x);
}

static void
put_chunk (struct http_exchange *x, const void *data, size_t len)
{
  if (x->chunked)
    buf_printf (&x->out, "%zx\r\n", len);
  buf_append (&x->out, data, len);
  if (x->chunked)
    buf_append (&x->out, "\r\n", 2);
}

static bool
give_up (struct conn *c)
{
  c->lost = true;
  conn_take_turn (c);
  return false;
}

/* Does the peer take so much that its backlog is within bounds? */
static bool
is_taken (struct http_exchange *x)
{
  size_t before = SIZE_MAX;

  while (exchange_unsent (x) > BACKLOG_MAX && exchange_unsent (x) < before) {
    before = exchange_unsent (x);
    if (!conn_send (x->conn, NULL, 0))
      return false;
  }
  return exchange_unsent (x) <= BACKLOG_MAX;
}

bool
http_stream_write (struct http_exchange *x, const void *data, size_t len)
{
  struct conn *c = x->conn;

  assert (c->state == CONN_STREAMING);
  if (c->lost)
    return false;
  if (len == 0 || exchange_is_head (x))
    return true;
  put_chunk (x, data, len);
  if (!is_taken (x))
    return give_up (c);
  conn_take_turn (c);
  return true;
}

void
http_stream_end (struct http_exchange *x)
{
  assert (x->conn->state == CONN_STREAMING);
  if (x->chunked && !exchange_is_head (x))
    buf_append (&x->out, "0\r\n\r\n", 5);
  conn_answered (x->conn);
}
