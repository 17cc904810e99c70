/* parse.h - bytes to a request, or a refusal.  No I/O, no allocation; used by conn.c and by tests.
 *
 * The parser reads a request that lies at the start of some bytes which grow from call to call and
 * may move in between.  What is ambiguous is refused, never mended: smuggling lives of servers that
 * read the same bytes differently.  How the bytes were cut into calls makes no difference.
 *
 * Refused although RFC 9112 would allow it: empty lines before a request, chunk extensions,
 * trailers, leading zeros in Content-Length, absolute, authority and asterisk form of the target.
 * In a query the few characters that browsers send as they are ([ ] { } | ^ ` and the backslash)
 * are taken. */
#ifndef TOOLHOST_FRONT_HTTP_PARSE_H
#define TOOLHOST_FRONT_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/http/http.h"

enum http_refused {
#define REFUSAL(name, status, code, message) HTTP_REFUSED_##name,
#include "front/http/refusals.def"
#undef REFUSAL
  HTTP_REFUSALS
};

struct http_refusal {
  int status;
  const char *code;
  const char *message;
};
extern const struct http_refusal http_refusals[HTTP_REFUSALS];

/* A run of bytes, counted from the start of the request. */
struct http_span {
  uint32_t at;
  uint32_t len;
};

struct http_field {
  struct http_span name; /* lower case */
  struct http_span value;
};

/* Headers that may come only once; those of them that decide something are looked at here. */
enum http_single {
  HTTP_HOST,
  HTTP_CONTENT_LENGTH,
  HTTP_TRANSFER_ENCODING,
  HTTP_EXPECT,
  HTTP_ORIGIN,
  HTTP_CONTENT_TYPE,
  HTTP_AUTHORIZATION,
  HTTP_SINGLES
};

enum http_phase {
  HTTP_REQUEST_LINE,
  HTTP_FIELDS,
  HTTP_FIXED_BODY,
  HTTP_CHUNK_SIZE,
  HTTP_CHUNK_SIZE_LF,
  HTTP_CHUNK_DATA,
  HTTP_CHUNK_CR,
  HTTP_CHUNK_LF,
  HTTP_LAST_CR,
  HTTP_LAST_LF,
  HTTP_COMPLETE
};

struct http_parser {
  const struct http_limits *limits;
  struct http_field *fields; /* room for limits->headers_max */
  enum http_phase phase;
  enum http_refused refused;
  size_t line;    /* where the current line of the head begins */
  size_t scanned; /* no LF before this */
  size_t pos;     /* of a chunked body: read up to here; when complete: the end of the request */
  size_t body_at;
  size_t body_len;     /* of a chunked body: decoded so far */
  uint64_t chunk_left; /* or the size as far as it was read */
  unsigned chunk_digits;
  unsigned field_count;
  uint32_t name_lengths;         /* those that names of fields have, see http_length_bit */
  unsigned single[HTTP_SINGLES]; /* index in fields + 1; 0: did not come */
  struct http_span method, path, query;
  bool version_10;
  bool wants_close;      /* Connection: close */
  bool wants_keep_alive; /* Connection: keep-alive */
  bool wants_continue;   /* Expect: 100-continue, and the body has not begun */
};

/* Most headers that are asked for did not come, and none that did is as long. */
static inline uint32_t
http_length_bit (size_t len)
{
  return (uint32_t) 1 << (len & 31);
}

enum http_verdict { HTTP_MORE, HTTP_READY, HTTP_REFUSED };

/* Both pointers are borrowed for the parser's life. */
void http_parser_init (struct http_parser *p, const struct http_limits *limits,
                       struct http_field *fields);
/* Forget the request; the next one begins. */
void http_parser_restart (struct http_parser *p);

/* Look at what there is: `data`, all bytes since the start of the request.  The path is decoded,
 * names are lowered and chunks joined in place, so `*len` may shrink.  After HTTP_READY the body is
 * body_at, body_len and the next request begins at `pos`; after HTTP_REFUSED the parser says no
 * more. */
enum http_verdict http_parse (struct http_parser *p, char *data, size_t *len);

/* Has the head been read, and are we waiting for the body? */
static inline bool
http_in_body (const struct http_parser *p)
{
  return p->phase > HTTP_FIELDS;
}

/* How many bytes the body still needs, as far as known; at least 1. */
size_t http_parser_needs (const struct http_parser *p, size_t len);

/* ---- between parse.c and chunks.c ---- */

static inline enum http_verdict
http_refuse (struct http_parser *p, enum http_refused why)
{
  p->refused = why;
  return HTTP_REFUSED;
}

/* Read on in a chunked body. */
enum http_verdict http_read_chunks (struct http_parser *p, char *data, size_t *len);

#endif
