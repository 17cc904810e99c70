#include <string.h>

#include "front/http/chars.h"
#include "front/http/parse.h"

enum { SIZE_DIGITS = 16 };

static enum http_verdict
expect_byte (struct http_parser *p, char c, char wanted, enum http_phase next,
             enum http_refused otherwise)
{
  if (c != wanted)
    return http_refuse (p, otherwise);
  p->phase = next;
  return HTTP_MORE;
}

static enum http_verdict
take_size_byte (struct http_parser *p, char c)
{
  int digit = http_hex (c);

  if (digit >= 0 && p->chunk_digits < SIZE_DIGITS) {
    p->chunk_left = p->chunk_left << 4 | (unsigned) digit;
    p->chunk_digits++;
    return HTTP_MORE;
  }
  if (p->chunk_digits == 0 || digit >= 0)
    return http_refuse (p, HTTP_REFUSED_CHUNK_SIZE);
  if (c == ';')
    return http_refuse (p, HTTP_REFUSED_CHUNK_EXTENSION);
  return expect_byte (p, c, '\r', HTTP_CHUNK_SIZE_LF, HTTP_REFUSED_CHUNK_SIZE);
}

static enum http_verdict
end_size (struct http_parser *p, char c)
{
  if (c != '\n')
    return http_refuse (p, HTTP_REFUSED_CHUNK_SIZE);
  if (p->chunk_left > p->limits->body_max - p->body_len)
    return http_refuse (p, HTTP_REFUSED_BODY_LONG);
  p->phase = p->chunk_left == 0 ? HTTP_LAST_CR : HTTP_CHUNK_DATA;
  return HTTP_MORE;
}

/* A byte that is not a chunk's data. */
static enum http_verdict
take_byte (struct http_parser *p, char c)
{
  switch (p->phase) {
  case HTTP_CHUNK_SIZE:
    return take_size_byte (p, c);
  case HTTP_CHUNK_SIZE_LF:
    return end_size (p, c);
  case HTTP_CHUNK_CR:
    return expect_byte (p, c, '\r', HTTP_CHUNK_LF, HTTP_REFUSED_CHUNK_END);
  case HTTP_CHUNK_LF:
    p->chunk_digits = 0;
    return expect_byte (p, c, '\n', HTTP_CHUNK_SIZE, HTTP_REFUSED_CHUNK_END);
  case HTTP_LAST_CR:
    return expect_byte (p, c, '\r', HTTP_LAST_LF, HTTP_REFUSED_TRAILER);
  default:
    return expect_byte (p, c, '\n', HTTP_COMPLETE, HTTP_REFUSED_TRAILER);
  }
}

/* Move what is here of a chunk to the end of the body. */
static void
take_data (struct http_parser *p, char *data, size_t len)
{
  size_t n = len - p->pos;

  if (n > p->chunk_left)
    n = (size_t) p->chunk_left;
  memmove (data + p->body_at + p->body_len, data + p->pos, n);
  p->body_len += n;
  p->pos += n;
  p->chunk_left -= n;
  if (p->chunk_left == 0)
    p->phase = HTTP_CHUNK_CR;
}

enum http_verdict
http_read_chunks (struct http_parser *p, char *data, size_t *len)
{
  if (p->pos < *len)
    p->wants_continue = false;
  while (p->pos < *len) {
    if (p->phase == HTTP_CHUNK_DATA)
      take_data (p, data, *len);
    else if (take_byte (p, data[p->pos++]) == HTTP_REFUSED)
      return HTTP_REFUSED;
    if (p->phase == HTTP_COMPLETE)
      return HTTP_READY;
  }
  /* All was read: what framed the chunks needs no room. */
  *len = p->pos = p->body_at + p->body_len;
  return HTTP_MORE;
}
