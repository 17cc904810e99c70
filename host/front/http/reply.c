#include "front/http/reply.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/decimal.h"
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
put_status (char *at, int status)
{
  for (size_t i = 0; i < sizeof status_lines / sizeof *status_lines; i++)
    if (status_lines[i].status == status)
      return put_text (at, status_lines[i].text);
  at = PUT (at, "HTTP/1.1 ");
  at = decimal_put (at, (uint64_t) status);
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
    at = decimal_put (at, h->length);
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

/* ---- whose connection it is ---- */

static bool
is_serving (const struct http_exchange *x)
{
  return exchange_is_handed (x) ? x->handed.state == HANDED_SERVING
                                : x->conn->state == CONN_SERVING;
}

static bool
is_streaming (const struct http_exchange *x)
{
  return exchange_is_handed (x) ? x->handed.state == HANDED_STREAMING
                                : x->conn->state == CONN_STREAMING;
}

static struct buf *
output_of (struct http_exchange *x)
{
  return exchange_is_handed (x) ? &x->handed.out : &x->out;
}

/* Will it be closed after the answer? */
static bool *
closing_of (struct http_exchange *x)
{
  return exchange_is_handed (x) ? &x->handed.closes : &x->conn->closing;
}

static void
begin_stream (struct http_exchange *x, void (*bytes) (void *, const char *, size_t))
{
  if (exchange_is_handed (x))
    return handed_stream (x, bytes);
  x->bytes = bytes;
  x->conn->state = CONN_STREAMING;
  conn_take_turn (x->conn);
}

static void
answered (struct http_exchange *x)
{
  if (exchange_is_handed (x))
    handed_answered (x);
  else
    conn_answered (x->conn);
}

/* Decide whether the connection stays open, and say so where the version needs it. */
static const char *
decide_connection (struct http_exchange *x)
{
  const struct http_server *server =
    exchange_is_handed (x) ? handed_server (&x->handed) : x->conn->server;
  const struct http_parser *p = &x->parser;
  bool *closing = closing_of (x);

  *closing |= server->draining || pressure_is (server->env->pressure, PRESSURE_HIGH)
              || p->wants_close || (p->version_10 && !p->wants_keep_alive);
  if (*closing)
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
  assert (is_serving (x) && status >= 200 && status <= 999);
  if (content_type == NULL)
    len = 0;
  put_head (output_of (x), &(struct head){ .status = status,
                                           .content_type = content_type,
                                           .headers = headers,
                                           .connection = decide_connection (x),
                                           .counted = status_has_body (status),
                                           .length = len });
  return exchange_is_head (x) || !status_has_body (status) ? 0 : len;
}

void
http_reply (struct http_exchange *x, int status, const char *content_type, const char *headers,
            const void *body, size_t len)
{
  len = begin_answer (x, status, content_type, headers, len);
  if (len <= SMALL_BODY || exchange_is_handed (x))
    buf_append (output_of (x), body, len);
  else if (!conn_send (x->conn, body, len))
    x->conn->lost = true;
  answered (x);
}

void
http_reply_take (struct http_exchange *x, int status, const char *content_type, const char *headers,
                 struct buf *body)
{
  if (body->len <= LARGE_BODY || exchange_is_head (x))
    return http_reply (x, status, content_type, headers, body->data, body->len);
  (void) begin_answer (x, status, content_type, headers, body->len);
  buf_swap (exchange_is_handed (x) ? &x->handed.body : &x->body, body);
  answered (x);
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
http_reply_json (struct http_exchange *x, int status, const char *headers, const struct buf *json)
{
  http_reply (x, status, "application/json", headers, json->data, json->len);
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
  http_reply_json (x, status, NULL, &json);
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
  assert (is_serving (x) && status >= 200 && status_has_body (status));
  x->chunked = !x->parser.version_10;
  *closing_of (x) |= !x->chunked; /* its end is the end of the body */
  put_head (output_of (x), &(struct head){ .status = status,
                                           .content_type = content_type,
                                           .headers = headers,
                                           .connection = decide_connection (x),
                                           .chunked = x->chunked });
  begin_stream (x, NULL);
}

bool
http_upgrade (struct http_exchange *x, const char *headers,
              void (*bytes) (void *data, const char *bytes, size_t len))
{
  assert (is_serving (x));
  if (exchange_rest (x) > 0)
    return false;
  *closing_of (x) = true; /* it never speaks HTTP again */
  put_head (
    output_of (x),
    &(struct head){ .status = 101, .headers = headers, .connection = "Connection: Upgrade\r\n" });
  if (!exchange_is_handed (x))
    x->conn->upgraded = x->conn->lingers = true;
  begin_stream (x, bytes);
  return true;
}

size_t
http_stream_backlog (const struct http_exchange *x)
{
  return exchange_is_handed (x) ? handed_backlog (x) : exchange_unsent (x);
}

static void
put_chunk (struct http_exchange *x, const void *data, size_t len)
{
  struct buf *out = output_of (x);

  if (x->chunked)
    buf_printf (out, "%zx\r\n", len);
  buf_append (out, data, len);
  if (x->chunked)
    buf_append (out, "\r\n", 2);
}

static bool *
lost_of (struct http_exchange *x)
{
  return exchange_is_handed (x) ? &x->handed.lost : &x->conn->lost;
}

/* There is something to be done at the end of this turn. */
static void
take_turn (struct http_exchange *x)
{
  if (exchange_is_handed (x))
    handed_touch (x);
  else
    conn_take_turn (x->conn);
}

/* Does the peer take so much that its backlog is within bounds? */
static bool
is_taken (struct http_exchange *x)
{
  size_t before = SIZE_MAX;

  if (exchange_is_handed (x))
    return handed_is_taken (x, BACKLOG_MAX);
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
  bool *lost = lost_of (x);

  assert (is_streaming (x));
  if (*lost)
    return false;
  if (len == 0 || exchange_is_head (x))
    return true;
  put_chunk (x, data, len);
  *lost = !is_taken (x);
  take_turn (x);
  return !*lost;
}

void
http_stream_end (struct http_exchange *x)
{
  assert (is_streaming (x));
  if (x->chunked && !exchange_is_head (x))
    buf_append (output_of (x), "0\r\n\r\n", 5);
  answered (x);
}
