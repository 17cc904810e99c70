/* Bytes of a connection: requests are read the same whether they come at once or byte by byte, and
 * what is told of them lies within them. */
#include "fuzz.h"

#include "front/http/parse.h"

enum { FIELDS_MAX = 8 };

static const struct http_limits limits = {
  .head_max = 1024, .line_max = 256, .headers_max = FIELDS_MAX, .body_max = 512
};

struct outcome {
  enum http_verdict verdict;
  enum http_refused refused;
  struct http_span method, path, query;
  size_t body_at, body_len;
  unsigned field_count;
};

static bool
is_within (struct http_span span, size_t len)
{
  return span.at <= len && span.len <= len - span.at;
}

static struct outcome
outcome_of (const struct http_parser *p, enum http_verdict verdict, size_t len)
{
  struct outcome o = { .verdict = verdict, .refused = p->refused };

  if (verdict != HTTP_READY)
    return o;
  HOLDS (p->pos <= len && p->body_at <= len && p->body_len <= len - p->body_at);
  HOLDS (is_within (p->method, len) && is_within (p->path, len) && is_within (p->query, len));
  HOLDS (p->body_len <= limits.body_max && p->field_count <= FIELDS_MAX);
  for (unsigned i = 0; i < p->field_count; i++)
    HOLDS (is_within (p->fields[i].name, len) && is_within (p->fields[i].value, len));
  o.method = p->method;
  o.path = p->path;
  o.query = p->query;
  o.body_at = p->body_at;
  o.body_len = p->body_len;
  o.field_count = p->field_count;
  return o;
}

/* The first request, the bytes coming `step` at a time.  `bytes` is left as the parser leaves it.
 */
static struct outcome
parse (struct piece *bytes, size_t step)
{
  struct http_field fields[FIELDS_MAX];
  struct http_parser parser;
  enum http_verdict verdict = HTTP_MORE;
  size_t len = 0, taken = 0;

  http_parser_init (&parser, &limits, fields);
  while (verdict == HTTP_MORE && taken < bytes->len) {
    size_t more = bytes->len - taken < step ? bytes->len - taken : step;
    memmove (bytes->text + len, bytes->text + taken, more);
    len += more;
    taken += more;
    verdict = http_parse (&parser, bytes->text, &len);
    HOLDS (len <= taken);
    if (verdict == HTTP_MORE && http_in_body (&parser))
      HOLDS (http_parser_needs (&parser, len) >= 1);
  }
  return outcome_of (&parser, verdict, len);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece whole = piece_of (data, size);
  CLEANUP_PIECE struct piece parts = piece_of (data, size);
  struct outcome a = parse (&whole, size);
  struct outcome b = parse (&parts, 1);

  HOLDS (a.verdict == b.verdict && a.refused == b.refused && a.field_count == b.field_count);
  if (a.verdict == HTTP_READY) {
    HOLDS (a.body_len == b.body_len);
    HOLDS (memcmp (whole.text + a.body_at, parts.text + b.body_at, a.body_len) == 0);
    HOLDS (a.path.len == b.path.len
           && memcmp (whole.text + a.path.at, parts.text + b.path.at, a.path.len) == 0);
  }
  return 0;
}
