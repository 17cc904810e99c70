#include "front/http/chars.h"
#include "front/http/origin.h"
#include "front/http/parse.h"
#include "front/http/target.h"

#include "tap.h"

/* Small, so that the cases at the limits can be read. */
static const struct http_limits limits = {
  .head_max = 256, .line_max = 64, .headers_max = 4, .body_max = 16
};

static const char *const refusal_names[] = {
#define REFUSAL(name, status, code, message) #name,
#include "front/http/refusals.def"
#undef REFUSAL
};

#define RAW(text) text, sizeof text - 1
#define HOST "Host: h\r\n"
#define X16 "xxxxxxxxxxxxxxxx"

/* `expect`: the name of a refusal, "MORE", or what was understood:
 * method, path, ["?" query], version, "close", "keep-alive", "continue", "{" body "}". */
struct request_case {
  const char *raw;
  size_t len;
  const char *expect;
};

static const struct request_case cases[] = {
  /* what is served */
  { RAW ("GET / HTTP/1.1\r\n" HOST "\r\n"), "GET / 1.1 {}" },
  { RAW ("GET /a/b?c=d&e HTTP/1.1\r\n" HOST "\r\n"), "GET /a/b ?c=d&e 1.1 {}" },
  { RAW ("GET /? HTTP/1.1\r\n" HOST "\r\n"), "GET / 1.1 {}" },
  { RAW ("GET /a?b?c/d HTTP/1.1\r\n" HOST "\r\n"), "GET /a ?b?c/d 1.1 {}" },
  { RAW ("GET /?a[b]={\"`|^\\}\" HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /?a[b]={`|^\\} HTTP/1.1\r\n" HOST "\r\n"), "GET / ?a[b]={`|^\\} 1.1 {}" },
  { RAW ("GET /a%20b%2fc%C3%A9?%20 HTTP/1.1\r\n" HOST "\r\n"), "GET /a b/c\xc3\xa9 ?%20 1.1 {}" },
  { RAW ("GET //x HTTP/1.1\r\n" HOST "\r\n"), "GET //x 1.1 {}" },
  { RAW ("GET / HTTP/1.0\r\n\r\n"), "GET / 1.0 {}" },
  { RAW ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), "GET / 1.0 keep-alive {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"), "GET / 1.1 close {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "CONNECTION: foo ,\tCLOSE,,\r\n\r\n"), "GET / 1.1 close {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Connection: foo\r\nConnection: close\r\n\r\n"),
    "GET / 1.1 close {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Connection: closed, not-close\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("get / HTTP/1.1\r\n" HOST "\r\n"), "get / 1.1 {}" },
  { RAW ("M-SEARCH! / HTTP/1.1\r\n" HOST "\r\n"), "M-SEARCH! / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\nhOsT:h\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\nHost:\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: \t v w\t \r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: \xe9\xff\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc"), "POST / 1.1 {abc}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "CONTENT-length:3 \r\n\r\nabc"), "POST / 1.1 {abc}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), "POST / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n\r\n"), "GET / 1.1 {\r\n}" },
  { RAW ("POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx"), "POST / 1.0 {x}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nab"), "MORE" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "POST / 1.1 {}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    "POST / 1.1 {abc}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST
         "Transfer-Encoding: Chunked\r\n\r\n1\r\na\r\n00A\r\n0123456789\r\n000\r\n\r\n"),
    "POST / 1.1 {a0123456789}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST
         "Transfer-Encoding: chunked\r\n\r\n0000000000000002\r\n\r\n\r\n0\r\n\r\n"),
    "POST / 1.1 {\r\n}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"),
    "MORE" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n"),
    "MORE continue" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx"),
    "POST / 1.1 {x}" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "MORE continue" },
  { RAW ("POST / HTTP/1.0\r\nExpect: whatever\r\nContent-Length: 1\r\n\r\nx"), "POST / 1.0 {x}" },
  { RAW (""), "MORE" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "\r"), "MORE" },

  /* the request line */
  { RAW ("\r\nGET / HTTP/1.1\r\n" HOST "\r\n"), "METHOD" },
  { RAW (" GET / HTTP/1.1\r\n" HOST "\r\n"), "METHOD" },
  { RAW ("\x16\x03\x01\x02"), "METHOD" },
  { RAW ("G\xc9T / HTTP/1.1\r\n" HOST "\r\n"), "METHOD" },
  { RAW ("G(T / HTTP/1.1\r\n" HOST "\r\n"), "METHOD" },
  { RAW ("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), "METHOD" },
  { RAW ("GET\r\n" HOST "\r\n"), "METHOD" },
  { RAW ("GET /\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / \r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET  / HTTP/1.1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET /  HTTP/1.1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/1.1 \r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET /a b HTTP/1.1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / http/1.1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/1.10\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/1,1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/x.1\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/1.1\r\r\n" HOST "\r\n"), "REQUEST_LINE" },
  { RAW ("GET / HTTP/1.2\r\n" HOST "\r\n"), "VERSION" },
  { RAW ("GET / HTTP/0.9\r\n" HOST "\r\n"), "VERSION" },
  { RAW ("GET / HTTP/2.0\r\n" HOST "\r\n"), "VERSION" },
  { RAW ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "VERSION" },
  { RAW ("GET http://h/ HTTP/1.1\r\n" HOST "\r\n"), "TARGET" },
  { RAW ("GET h HTTP/1.1\r\n" HOST "\r\n"), "TARGET" },
  { RAW ("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), "TARGET" },
  { RAW ("CONNECT h:443 HTTP/1.1\r\n" HOST "\r\n"), "CONNECT" },
  { RAW ("CONNECT / HTTP/1.1\r\n" HOST "\r\n"), "CONNECT" },
  { RAW ("GET /#f HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /?a#f HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /a\\b HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /<x> HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /a\tb HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /a\rb HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /\x7f HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /a\0b HTTP/1.1\r\n" HOST "\r\n"), "TARGET_CHAR" },
  { RAW ("GET /%00 HTTP/1.1\r\n" HOST "\r\n"), "PATH_NUL" },
  { RAW ("GET /?%00 HTTP/1.1\r\n" HOST "\r\n"), "GET / ?%00 1.1 {}" },
  { RAW ("GET /% HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },
  { RAW ("GET /%4 HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },
  { RAW ("GET /%4?1 HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },
  { RAW ("GET /%zz HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },
  { RAW ("GET /?%u0041 HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },
  { RAW ("GET /?a=%4 HTTP/1.1\r\n" HOST "\r\n"), "PERCENT" },

  /* line ends */
  { RAW ("GET / HTTP/1.1\n" HOST "\r\n"), "BARE_LF" },
  { RAW ("GET / HTTP/1.1\r\nHost: h\n\r\n"), "BARE_LF" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "\n"), "BARE_LF" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: b\nContent-Length: 1\r\n\r\n"), "BARE_LF" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: b\rContent-Length: 1\r\n\r\n"), "VALUE" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "\r\r\n"), "NAME" },

  /* headers */
  { RAW ("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), "FOLDED" },
  { RAW ("GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n"), "FOLDED" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: b\r\n\tfolded\r\n\r\n"), "FOLDED" },
  { RAW ("GET / HTTP/1.1\r\nHost : h\r\n\r\n"), "NAME_BLANK" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Content-Length\t: 1\r\n\r\n"), "NAME_BLANK" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "No colon\r\n\r\n"), "NAME_BLANK" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "nocolon\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST ": v\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A(b): v\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "\"A\": v\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A\xe9: v\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A\0: v\r\n\r\n"), "NAME" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: b\0c\r\n\r\n"), "VALUE" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: b\x7f\r\n\r\n"), "VALUE" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: \x01\r\n\r\n"), "VALUE" },
  { RAW ("GET / HTTP/1.1\r\n\r\n"), "HOST_MISSING" },
  { RAW ("GET / HTTP/1.1\r\n" HOST HOST "\r\n"), "REPEATED" },
  { RAW ("GET / HTTP/1.0\r\n" HOST "HOST: other\r\n\r\n"), "REPEATED" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Origin: http://a\r\nOrigin: http://b\r\n\r\n"), "REPEATED" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Authorization: a\r\nAuthorization: b\r\n\r\n"), "REPEATED" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Expect: 200-ok\r\n\r\n"), "EXPECTATION" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "Expect:\r\n\r\n"), "EXPECTATION" },

  /* framing: who reads these differently smuggles */
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    "REPEATED" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
    "REPEATED" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3, 3\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: +3\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 0x3\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 03\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3.0\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 1 1\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: ten\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\nabc"), "CONTENT_LENGTH" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 17\r\n\r\n"), "BODY_LONG" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551617\r\n\r\n"), "BODY_LONG" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999999999\r\n\r\n"),
    "BODY_LONG" },
  { RAW ("POST / HTTP/1.1\r\n" HOST
         "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "TWO_LENGTHS" },
  { RAW ("POST / HTTP/1.1\r\n" HOST
         "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
    "TWO_LENGTHS" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nTransfer-Encoding: x\r\n\r\n"),
    "TWO_LENGTHS" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunkedx\r\n\r\n0\r\n\r\n"),
    "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked, chunked\r\n\r\n"),
    "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked,\r\n\r\n"), "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: ,chunked\r\n\r\n"), "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: \"chunked\"\r\n\r\n"),
    "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked;q=1\r\n\r\n"),
    "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding:\r\n\r\n"), "TRANSFER_ENCODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: \x0b"
         "chunked\r\n\r\n"),
    "VALUE" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding : chunked\r\n\r\n"), "NAME_BLANK" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding:\r\n chunked\r\n\r\n"), "FOLDED" },
  { RAW ("POST / HTTP/1.1\r\n" HOST
         "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n"),
    "REPEATED" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n"), "TRANSFER_CODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n"),
    "TRANSFER_CODING" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n\r\n"), "TRANSFER_CODING" },
  { RAW ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "TRANSFER_ENCODING_10" },

/* chunks */
#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
  { RAW (CHUNKED "\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "g\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "0x1\r\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "-1\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED " 1\r\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "1 \r\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "1\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "1\r\r\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "00000000000000001\r\na\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "10000000000000000\r\n"), "CHUNK_SIZE" },
  { RAW (CHUNKED "1;x=y\r\na\r\n"), "CHUNK_EXTENSION" },
  { RAW (CHUNKED "1;\r\na\r\n"), "CHUNK_EXTENSION" },
  { RAW (CHUNKED "0;x\r\n\r\n"), "CHUNK_EXTENSION" },
  { RAW (CHUNKED "1\r\nab\r\n"), "CHUNK_END" },
  { RAW (CHUNKED "1\r\na\n0\r\n\r\n"), "CHUNK_END" },
  { RAW (CHUNKED "1\r\na\rx"), "CHUNK_END" },
  { RAW (CHUNKED "2\r\na\r\n0\r\n\r\n"), "CHUNK_END" },
  { RAW (CHUNKED "0\r\nA: b\r\n\r\n"), "TRAILER" },
  { RAW (CHUNKED "0\r\n\n"), "TRAILER" },
  { RAW (CHUNKED "0\r\n\rx"), "TRAILER" },
  { RAW (CHUNKED "11\r\n"), "BODY_LONG" },
  { RAW (CHUNKED "8\r\n01234567\r\n9\r\n"), "BODY_LONG" },
  { RAW (CHUNKED "ffffffffffffffff\r\n"), "BODY_LONG" },
  { RAW (CHUNKED "1\r\na\r\nffffffffffffffff\r\n"), "BODY_LONG" },
  { RAW (CHUNKED "10\r\n0123456789abcdef\r\n0\r\n\r\n"), "POST / 1.1 {0123456789abcdef}" },

  /* limits: line_max 64, head_max 256, headers_max 4, body_max 16 */
  { RAW ("GET /" X16 X16 X16 "xx HTTP/1.1\r\n" HOST "\r\n"), "GET /" X16 X16 X16 "xx 1.1 {}" },
  { RAW ("GET /" X16 X16 X16 "xxx HTTP/1.1\r\n" HOST "\r\n"), "TARGET_LONG" },
  { RAW ("GET /" X16 X16 X16 X16), "TARGET_LONG" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: " X16 X16 X16 "xxxxxxxxxxxxx\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: " X16 X16 X16 "xxxxxxxxxxxxxx\r\n\r\n"), "LINE_LONG" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: " X16 X16 X16 X16), "LINE_LONG" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: 1\r\nA: 2\r\nA: 3\r\n\r\n"), "GET / 1.1 {}" },
  { RAW ("GET / HTTP/1.1\r\n" HOST "A: 1\r\nA: 2\r\nA: 3\r\nA: 4\r\n\r\n"), "TOO_MANY_HEADERS" },
  { RAW ("POST / HTTP/1.1\r\n" HOST "Content-Length: 16\r\n\r\n0123456789abcdef"),
    "POST / 1.1 {0123456789abcdef}" },
};

/* ---- running a case ---- */

static void
put_span (struct buf *out, const char *data, size_t at, size_t len)
{
  buf_append (out, data + at, len);
}

static void
describe_request (struct buf *out, const struct http_parser *p, const char *data)
{
  put_span (out, data, p->method.at, p->method.len);
  buf_putc (out, ' ');
  put_span (out, data, p->path.at, p->path.len);
  if (p->query.len != 0)
    buf_puts (out, " ?");
  put_span (out, data, p->query.at, p->query.len);
  buf_puts (out, p->version_10 ? " 1.0" : " 1.1");
  buf_puts (out, p->wants_close ? " close" : "");
  buf_puts (out, p->wants_keep_alive ? " keep-alive" : "");
  buf_puts (out, " {");
  put_span (out, data, p->body_at, p->body_len);
  buf_putc (out, '}');
}

static void
describe (struct buf *out, enum http_verdict verdict, const struct http_parser *p, const char *data)
{
  switch (verdict) {
  case HTTP_REFUSED:
    return buf_puts (out, refusal_names[p->refused]);
  case HTTP_MORE:
    return buf_puts (out, p->wants_continue ? "MORE continue" : "MORE");
  case HTTP_READY:
    return describe_request (out, p, data);
  }
}

/* Parse `raw` given in two pieces and, when `step` is not 0, in pieces of `step` instead.  The
 * bytes lie in memory of exactly their length, and move. */
static void
parse_pieces (const struct http_limits *by, const char *raw, size_t len, size_t first, size_t step,
              struct buf *out)
{
  struct http_field *fields = xcalloc (by->headers_max, sizeof *fields);
  struct http_parser p;
  enum http_verdict verdict = HTTP_MORE;
  char *data = xmalloc (1);
  size_t have = 0, fed = 0, piece = step != 0 ? step : first;

  http_parser_init (&p, by, fields);
  do {
    if (piece > len - fed)
      piece = len - fed;
    char *moved = xmalloc (have + piece);
    memcpy (moved, data, have);
    memcpy (moved + have, raw + fed, piece);
    free (data);
    data = moved;
    have += piece;
    fed += piece;
    verdict = http_parse (&p, data, &have);
    piece = step != 0 ? step : len - fed;
  } while (verdict == HTTP_MORE && fed < len);
  describe (out, verdict, &p, data);
  free (data);
  free (fields);
}

static void
check_pieces (const struct request_case *c, size_t first, size_t step)
{
  CLEANUP_BUF struct buf got = { 0 };

  parse_pieces (&limits, c->raw, c->len, first, step, &got);
  if (strcmp (buf_cstr (&got), c->expect) == 0)
    return;
  printf ("# expected %s, got %s (first %zu, step %zu):\n# %.*s\n", c->expect, buf_cstr (&got),
          first, step, (int) c->len, c->raw);
  CU_FAIL ("another verdict");
}

static void
whole (void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_pieces (&cases[i], cases[i].len, 0);
}

static void
byte_by_byte (void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_pieces (&cases[i], 0, 1);
}

static void
in_two_pieces (void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t first = 1; first < cases[i].len; first++)
      check_pieces (&cases[i], first, 0);
}

/* Whatever byte is put wherever: the cut makes no difference. */
static void
mutations (void)
{
  static const char *const seeds[] = {
    "POST /a%20b?c=d HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
    CHUNKED "3\r\nabc\r\n0\r\n\r\n",
  };
  static const char bytes[] = "\0\t\n\r %:;,0aZ\x7f\x80\xff";

  for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
    for (size_t at = 0; at < strlen (seeds[s]); at++)
      for (size_t b = 0; b < sizeof bytes - 1; b++) {
        CLEANUP_BUF struct buf raw = { 0 }, once = { 0 }, chopped = { 0 };

        buf_puts (&raw, seeds[s]);
        raw.data[at] = bytes[b];
        parse_pieces (&limits, raw.data, raw.len, raw.len, 0, &once);
        parse_pieces (&limits, raw.data, raw.len, 0, 1, &chopped);
        CU_ASSERT_STRING_EQUAL (buf_cstr (&once), buf_cstr (&chopped));
      }
}

/* ---- limits that need many bytes ---- */

static void
expect_head (const struct http_limits *by, const struct buf *raw, const char *expect)
{
  static const size_t steps[] = { 0, 1, 7, 4096 };

  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    CLEANUP_BUF struct buf got = { 0 };

    parse_pieces (by, raw->data, raw->len, raw->len, steps[i], &got);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&got), expect);
  }
}

static void
head_of (struct buf *raw, size_t total)
{
  static const char last[] = "\r\n\r\n";

  buf_puts (raw, "GET / HTTP/1.1\r\n" HOST);
  while (raw->len + 70 < total)
    buf_printf (raw, "A: %050d\r\n", 1);
  buf_puts (raw, "Z: ");
  while (raw->len + sizeof last - 1 < total)
    buf_putc (raw, 'z');
  buf_puts (raw, last);
}

static void
head_limit (void)
{
  struct http_limits by = limits;

  by.headers_max = 1000;
  by.head_max = 1000;
  by.line_max = 100;
  for (size_t total = 998; total <= 1002; total++) {
    CLEANUP_BUF struct buf raw = { 0 };
    head_of (&raw, total);
    CU_ASSERT_EQUAL (raw.len, total);
    expect_head (&by, &raw, total <= 1000 ? "GET / 1.1 {}" : "HEAD_LONG");
  }
}

static void
default_limits (void)
{
  static const struct {
    size_t line, headers;
    const char *expect;
  } rows[] = {
    { 8192, 1, "GET / 1.1 {}" }, { 8193, 1, "LINE_LONG" },   { 8192, 3, "GET / 1.1 {}" },
    { 8192, 4, "HEAD_LONG" },    { 10, 63, "GET / 1.1 {}" }, { 10, 64, "TOO_MANY_HEADERS" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_BUF struct buf raw = { 0 };
    buf_puts (&raw, "GET / HTTP/1.1\r\n" HOST);
    for (size_t h = 0; h < rows[i].headers; h++) {
      buf_puts (&raw, "A: ");
      for (size_t n = 3; n < rows[i].line; n++)
        buf_putc (&raw, 'x');
      buf_puts (&raw, "\r\n");
    }
    buf_puts (&raw, "\r\n");
    expect_head (&http_default_limits, &raw, rows[i].expect);
  }
}

/* ---- one behind the other ---- */

static void
pipelined (void)
{
  static const char first[] = CHUNKED "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
  static const char second[] = "GET /2 HTTP/1.1\r\n" HOST "\r\nrest";
  CLEANUP_BUF struct buf raw = { 0 };
  CLEANUP_BUF struct buf got = { 0 };
  struct http_field fields[4];
  struct http_parser p;
  size_t len;

  buf_puts (&raw, first);
  buf_puts (&raw, second);
  len = raw.len;
  http_parser_init (&p, &limits, fields);
  describe (&got, http_parse (&p, raw.data, &len), &p, raw.data);
  CU_ASSERT_EQUAL (p.pos, sizeof first - 1);

  buf_consume (&raw, p.pos);
  len = raw.len;
  http_parser_restart (&p);
  describe (&got, http_parse (&p, raw.data, &len), &p, raw.data);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&got), "POST / 1.1 {abcd}GET /2 1.1 {}");
  CU_ASSERT_EQUAL (p.pos, len - strlen ("rest"));
}

/* Chunks are joined as they come: their framing must not pile up. */
static void
chunks_take_no_room (void)
{
  struct http_limits by = limits;
  struct http_field fields[4];
  struct http_parser p;
  char data[512];
  size_t len = sizeof CHUNKED - 1;

  by.body_max = 300;
  memcpy (data, CHUNKED, len);
  http_parser_init (&p, &by, fields);
  for (int i = 0; i < 300; i++) {
    memcpy (data + len, "1\r\nx\r\n", 6);
    len += 6;
    CU_ASSERT_EQUAL (http_parse (&p, data, &len), HTTP_MORE);
    CU_ASSERT_EQUAL (len, sizeof CHUNKED - 1 + (size_t) i + 1);
  }
  memcpy (data + len, "0\r\n\r\n", 5);
  len += 5;
  CU_ASSERT_EQUAL (http_parse (&p, data, &len), HTTP_READY);
  CU_ASSERT_EQUAL (p.body_len, 300);
}

static void
refusals (void)
{
  for (int i = 0; i < HTTP_REFUSALS; i++) {
    const struct http_refusal *r = &http_refusals[i];
    CU_ASSERT (r->status >= 400 && r->status < 600);
    CU_ASSERT (strspn (r->code, "abcdefghijklmnopqrstuvwxyz_") == strlen (r->code));
    CU_ASSERT (strlen (r->message) > 10);
  }
}

/* ---- the character table, against the RFCs ---- */

static void
characters (void)
{
  static const char token[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz";
  static const char pchar[] = "-._~!$&'()*+,;=:@/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz";

  for (int i = 0; i < 256; i++) {
    char c = (char) i;
    bool path = i != 0 && strchr (pchar, i) != NULL && i < 128;
    bool query = path || (i != 0 && i < 128 && strchr ("?[]{}|^`\\", i) != NULL);

    CU_ASSERT_EQUAL (http_char_is (c, CHAR_TOKEN), i != 0 && i < 128 && strchr (token, i) != NULL);
    CU_ASSERT_EQUAL (http_char_is (c, CHAR_VALUE), i == '\t' || (i >= ' ' && i != 127));
    CU_ASSERT_EQUAL (http_char_is (c, CHAR_PATH), path);
    CU_ASSERT_EQUAL (http_char_is (c, CHAR_QUERY), query);
    CU_ASSERT_EQUAL (http_lower (c), i >= 'A' && i <= 'Z' ? (char) (i + 32) : c);
  }
}

/* ---- queries ---- */

/* Every byte at every place of a value that is longer than what is looked at in one step. */
static void
value_characters (void)
{
  static const char head[] = "GET / HTTP/1.1\r\n" HOST "A: ";
  enum { LEN = 27 };

  for (unsigned c = 0; c < 256; c++)
    for (size_t at = 0; at < LEN; at++) {
      const bool good = c == '\t' || (c >= ' ' && c != 0x7F);
      CLEANUP_BUF struct buf raw = { 0 }, got = { 0 };
      if (c == '\n' || c == '\r') /* another fault */
        continue;
      buf_puts (&raw, head);
      for (size_t i = 0; i < LEN; i++)
        buf_putc (&raw, i == at ? (char) c : (char) ('a' + i % 2));
      buf_puts (&raw, "\r\n\r\n");
      parse_pieces (&limits, raw.data, raw.len, raw.len, 0, &got);
      if (strcmp (buf_cstr (&got), good ? "GET / 1.1 {}" : "VALUE") != 0) {
        printf ("# 0x%02x at %zu: %s\n", c, at, buf_cstr (&got));
        CU_FAIL ("another verdict");
      }
    }
}

static void
query_parameters (void)
{
  static const struct {
    const char *query, *name, *value; /* NULL: none */
  } rows[] = {
    { "a=1&b=2", "b", "2" },
    { "a=1&b=2", "c", NULL },
    { "", "a", NULL },
    { "a", "a", "" },
    { "a=", "a", "" },
    { "a=1&a=2", "a", "1" },
    { "ab=1&a=2", "a", "2" },
    { "a=b=c", "a", "b=c" },
    { "x+y=1+2%2B3", "x y", "1 2+3" },
    { "%61=%C3%A9", "a", "\xc3\xa9" },
    { "&&a=1", "a", "1" },
    { "=1&a=2", "a", "2" },
    { "=1", "", "1" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct slice query = { rows[i].query, strlen (rows[i].query) };
    struct slice value = http_query_param (query, rows[i].name, &arena);

    if (rows[i].value == NULL)
      CU_ASSERT_PTR_NULL (value.data)
    else
      CU_ASSERT (slice_is (value, rows[i].value));
  }
}

/* ---- hosts and origins ---- */

static const char *const hosts[] = { "tools.example.com", "box:8443", NULL };
static const char *const origins[] = { "https://app.example.org", "vscode://x", "null", NULL };

static void
host_rules (void)
{
  static const struct {
    const char *host;
    bool allowed;
  } rows[] = {
    { "localhost", true },
    { "LocalHost:1", true },
    { "localhost:65535", true },
    { "127.0.0.1", true },
    { "127.0.0.1:8080", true },
    { "[::1]", true },
    { "[::1]:8080", true },
    { "tools.example.com", true },
    { "TOOLS.example.COM:444", true },
    { "box:8443", true },
    { "box", false },
    { "box:8444", false },
    { "", false },
    { ":80", false },
    { "localhost:", false },
    { "localhost:x", false },
    { "localhost:123456", false },
    { "localhost:80:80", false },
    { "localhost.", false },
    { "localhost.evil.com", false },
    { "evil-localhost", false },
    { "xlocalhost", false },
    { "localhos", false },
    { "localhost@evil.com", false },
    { "evil.com@localhost", false },
    { "user:pw@localhost", false },
    { "localhost/x", false },
    { "localhost, evil.com", false },
    { "localhost evil.com", false },
    { "127.0.0.1.nip.io", false },
    { "127.0.0.2", false },
    { "127.1", false },
    { "0.0.0.0", false },
    { "2130706433", false },
    { "::1", false },
    { "[::1", false },
    { "[::1]x", false },
    { "[::2]", false },
    { "[]", false },
    { "[::1%25lo]", false },
    { "tools.example.com.evil.com", false },
    { "xtools.example.com", false },
    { "example.com", false },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct slice host = { rows[i].host, strlen (rows[i].host) };
    if (http_host_allowed (host, hosts) != rows[i].allowed) {
      printf ("# Host: %s\n", rows[i].host);
      CU_FAIL ("another verdict");
    }
  }
  CU_ASSERT_FALSE (http_host_allowed ((struct slice){ NULL, 0 }, NULL));
  CU_ASSERT_FALSE (http_host_allowed ((struct slice){ "tools.example.com", 17 }, NULL));
}

static void
origin_rules (void)
{
  static const struct {
    const char *origin;
    bool allowed;
  } rows[] = {
    { "http://localhost", true },
    { "http://localhost:6274", true },
    { "HTTPS://127.0.0.1:1", true },
    { "http://[::1]:1", true },
    { "https://tools.example.com", true },
    { "https://app.example.org", true },
    { "vscode://x", true },
    { "null", false },
    { "", false },
    { "http://", false },
    { "https://app.example.org:444", false },
    { "http://app.example.org", false },
    { "https://app.example.org.evil.com", false },
    { "https://evil.com", false },
    { "http://localhost.evil.com", false },
    { "http://evil.com/localhost", false },
    { "http://localhost/", false },
    { "http://localhost@evil.com", false },
    { "http://evil.com@localhost", false },
    { "http:/localhost", false },
    { "ftp://localhost", false },
    { "file://localhost", false },
    { "//localhost", false },
    { "localhost", false },
    { "http://localhost http://localhost", false },
    { "http://localhost, http://evil.com", false },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct slice origin = { rows[i].origin, strlen (rows[i].origin) };
    if (http_origin_value_allowed (origin, hosts, origins) != rows[i].allowed) {
      printf ("# Origin: %s\n", rows[i].origin);
      CU_FAIL ("another verdict");
    }
  }
}

static CU_TestInfo tests[] = {
  { "whole", whole },
  { "byte by byte", byte_by_byte },
  { "in two pieces", in_two_pieces },
  { "mutations", mutations },
  { "head limit", head_limit },
  { "default limits", default_limits },
  { "pipelined", pipelined },
  { "chunks take no room", chunks_take_no_room },
  { "refusals", refusals },
  { "characters", characters },
  { "characters of a value", value_characters },
  { "query parameters", query_parameters },
  { "host rules", host_rules },
  { "origin rules", origin_rules },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_parse", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
