#include "front/http/parse.h"

#include <string.h>

#include "front/http/chars.h"
#include "front/http/target.h"

const struct http_refusal http_refusals[HTTP_REFUSALS] = {
#define REFUSAL(name, status, code, message) [HTTP_REFUSED_##name] = { status, code, message },
#include "front/http/refusals.def"
#undef REFUSAL
};

const struct http_limits http_default_limits = {
  .head_max = 32 * 1024,
  .line_max = 8 * 1024,
  .headers_max = 64,
  .body_max = 1024 * 1024,
  .connections_max = 10000,
  .connections_per_peer_max = 5000,
  .head_timeout = 10,
  .body_timeout = 10,
  .idle_timeout = 75,
  .write_timeout = 30,
};

void
http_parser_init (struct http_parser *p, const struct http_limits *limits,
                  struct http_field *fields)
{
  memset (p, 0, sizeof *p);
  p->limits = limits;
  p->fields = fields;
}

void
http_parser_restart (struct http_parser *p)
{
  http_parser_init (p, p->limits, p->fields);
}

/* ---- the request line ---- */

/* Exactly "HTTP/1.1" or "HTTP/1.0"; another version well written is a refusal of its own. */
static enum http_verdict
take_version (struct http_parser *p, const char *s, size_t len)
{
  if (len != 8 || memcmp (s, "HTTP/", 5) != 0 || s[5] < '0' || s[5] > '9' || s[6] != '.'
      || s[7] < '0' || s[7] > '9')
    return http_refuse (p, HTTP_REFUSED_REQUEST_LINE);
  if (s[5] != '1' || s[7] > '1')
    return http_refuse (p, HTTP_REFUSED_VERSION);
  p->version_10 = s[7] == '0';
  return HTTP_MORE;
}

static enum http_verdict
take_target (struct http_parser *p, char *data, size_t at, size_t len)
{
  size_t path_len, query_at;
  enum http_refused why;

  if (!http_target_split (data + at, len, &path_len, &query_at, &why))
    return http_refuse (p, why);
  p->path = (struct http_span){ (uint32_t) at, (uint32_t) path_len };
  p->query = (struct http_span){ (uint32_t) (at + query_at), (uint32_t) (len - query_at) };
  return HTTP_MORE;
}

static enum http_verdict
take_request_line (struct http_parser *p, char *data, size_t end)
{
  size_t i = 0, target;
  const char *space;

  while (i < end && http_char_is (data[i], CHAR_TOKEN))
    i++;
  if (i == 0 || i == end || data[i] != ' ')
    return http_refuse (p, HTTP_REFUSED_METHOD);
  p->method.len = (uint32_t) i;
  target = i + 1;
  space = memchr (data + target, ' ', end - target);
  if (space == NULL)
    return http_refuse (p, HTTP_REFUSED_REQUEST_LINE);
  i = (size_t) (space - data) + 1;
  if (take_version (p, data + i, end - i) == HTTP_REFUSED)
    return HTTP_REFUSED;
  if (p->method.len == 7 && memcmp (data, "CONNECT", 7) == 0)
    return http_refuse (p, HTTP_REFUSED_CONNECT);
  p->phase = HTTP_FIELDS;
  return take_target (p, data, target, i - 1 - target);
}

/* ---- a header line ---- */

static const struct {
  const char *name;
  size_t len;
} singles[HTTP_SINGLES] = {
#define SINGLE(name)                                                                               \
  {                                                                                                \
    name, sizeof name - 1                                                                          \
  }
  [HTTP_HOST] = SINGLE ("host"),
  [HTTP_CONTENT_LENGTH] = SINGLE ("content-length"),
  [HTTP_TRANSFER_ENCODING] = SINGLE ("transfer-encoding"),
  [HTTP_EXPECT] = SINGLE ("expect"),
  [HTTP_ORIGIN] = SINGLE ("origin"),
  [HTTP_CONTENT_TYPE] = SINGLE ("content-type"),
  [HTTP_AUTHORIZATION] = SINGLE ("authorization"),
#undef SINGLE
};

/* The words of a Connection header that mean something here. */
static void
scan_connection (struct http_parser *p, const char *s, size_t len)
{
  for (size_t at = 0; at < len;) {
    const char *comma = memchr (s + at, ',', len - at);
    size_t end = comma != NULL ? (size_t) (comma - s) : len;
    size_t from = at, to = end;

    while (from < to && (s[from] == ' ' || s[from] == '\t'))
      from++;
    while (to > from && (s[to - 1] == ' ' || s[to - 1] == '\t'))
      to--;
    p->wants_close |= http_same_word (s + from, to - from, "close");
    p->wants_keep_alive |= http_same_word (s + from, to - from, "keep-alive");
    at = end + 1;
  }
}

static enum http_verdict
note_field (struct http_parser *p, const char *data, const struct http_field *f)
{
  const char *name = data + f->name.at;

  p->name_lengths |= http_length_bit (f->name.len);
  for (unsigned i = 0; i < HTTP_SINGLES; i++)
    if (f->name.len == singles[i].len && memcmp (name, singles[i].name, f->name.len) == 0) {
      if (p->single[i] != 0)
        return http_refuse (p, HTTP_REFUSED_REPEATED);
      p->single[i] = p->field_count;
      return HTTP_MORE;
    }
  if (f->name.len == 10 && memcmp (name, "connection", 10) == 0)
    scan_connection (p, data + f->value.at, f->value.len);
  return HTTP_MORE;
}

/* The name from `at`, lowered in place; where it ends, at the CR of its line at the latest. */
static size_t
take_name (char *data, size_t at)
{
  char *p = data + at;

  for (char c; (c = http_lowered[(unsigned char) *p]) != 0; p++)
    *p = c;
  return (size_t) (p - data);
}

/* Are eight bytes all characters of a value, and none of them a tab? */
static bool
is_plain (const char *data)
{
  const uint64_t ones = UINT64_MAX / 255, highs = ones * 0x80;
  uint64_t word, as_delete;

  memcpy (&word, data, sizeof word);
  as_delete = word ^ ones * 0x7F;
  return (((word - ones * 0x20) & ~word) & highs) == 0
         && (((as_delete - ones) & ~as_delete) & highs) == 0;
}

static bool
take_value (const char *data, size_t at, size_t end, struct http_span *value)
{
  while (at < end && (data[at] == ' ' || data[at] == '\t'))
    at++;
  while (end > at && (data[end - 1] == ' ' || data[end - 1] == '\t'))
    end--;
  *value = (struct http_span){ (uint32_t) at, (uint32_t) (end - at) };
  while (end - at >= sizeof (uint64_t) && is_plain (data + at))
    at += sizeof (uint64_t);
  for (; at < end; at++)
    if (!http_char_is (data[at], CHAR_VALUE))
      return false;
  return true;
}

static enum http_verdict
take_field (struct http_parser *p, char *data, size_t end)
{
  size_t at = p->line, colon;
  struct http_field *f;

  if (data[at] == ' ' || data[at] == '\t')
    return http_refuse (p, HTTP_REFUSED_FOLDED);
  if (p->field_count == p->limits->headers_max)
    return http_refuse (p, HTTP_REFUSED_TOO_MANY_HEADERS);
  colon = take_name (data, at);
  if (colon < end && (data[colon] == ' ' || data[colon] == '\t'))
    return http_refuse (p, HTTP_REFUSED_NAME_BLANK);
  if (colon == at || colon == end || data[colon] != ':')
    return http_refuse (p, HTTP_REFUSED_NAME);
  f = &p->fields[p->field_count++];
  f->name = (struct http_span){ (uint32_t) at, (uint32_t) (colon - at) };
  if (!take_value (data, colon + 1, end, &f->value))
    return http_refuse (p, HTTP_REFUSED_VALUE);
  return note_field (p, data, f);
}

/* ---- the end of the head: what body follows ---- */

static struct slice
single (const struct http_parser *p, const char *data, enum http_single which)
{
  const struct http_field *f;

  if (p->single[which] == 0)
    return (struct slice){ NULL, 0 };
  f = &p->fields[p->single[which] - 1];
  return (struct slice){ data + f->value.at, f->value.len };
}

/* A number too large for any limit stays UINT64_MAX. */
static bool
decimal (struct slice s, uint64_t *value)
{
  if (s.len == 0 || (s.len > 1 && s.data[0] == '0'))
    return false;
  *value = 0;
  for (size_t i = 0; i < s.len; i++) {
    if (s.data[i] < '0' || s.data[i] > '9')
      return false;
    *value =
      *value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *value * 10 + (uint64_t) (s.data[i] - '0');
  }
  return true;
}

static enum http_verdict
begin_fixed_body (struct http_parser *p, struct slice length)
{
  uint64_t value = 0;

  if (length.data != NULL && !decimal (length, &value))
    return http_refuse (p, HTTP_REFUSED_CONTENT_LENGTH);
  if (value > p->limits->body_max)
    return http_refuse (p, HTTP_REFUSED_BODY_LONG);
  p->phase = HTTP_FIXED_BODY;
  p->body_len = (size_t) value;
  return HTTP_MORE;
}

/* Codings that exist but are not understood here, alone or before "chunked". */
static bool
is_known_coding (struct slice s)
{
  static const char *const codings[] = { "gzip",     "x-gzip",     "deflate",
                                         "compress", "x-compress", "identity" };
  static const char chunked[] = ", chunked";
  size_t tail = sizeof chunked - 1;

  if (s.len > tail && http_same_word (s.data + s.len - tail, tail, chunked))
    s.len -= tail;
  for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
    if (http_same_word (s.data, s.len, codings[i]))
      return true;
  return false;
}

static enum http_verdict
begin_coded_body (struct http_parser *p, struct slice coding)
{
  if (p->version_10)
    return http_refuse (p, HTTP_REFUSED_TRANSFER_ENCODING_10);
  if (is_known_coding (coding))
    return http_refuse (p, HTTP_REFUSED_TRANSFER_CODING);
  if (!http_same_word (coding.data, coding.len, "chunked"))
    return http_refuse (p, HTTP_REFUSED_TRANSFER_ENCODING);
  p->phase = HTTP_CHUNK_SIZE;
  return HTTP_MORE;
}

static enum http_verdict
end_head (struct http_parser *p, const char *data, size_t body_at)
{
  struct slice coding = single (p, data, HTTP_TRANSFER_ENCODING);
  struct slice length = single (p, data, HTTP_CONTENT_LENGTH);
  struct slice expect = single (p, data, HTTP_EXPECT);

  p->body_at = p->pos = body_at;
  if (!p->version_10 && p->single[HTTP_HOST] == 0)
    return http_refuse (p, HTTP_REFUSED_HOST_MISSING);
  if (coding.data != NULL && length.data != NULL)
    return http_refuse (p, HTTP_REFUSED_TWO_LENGTHS);
  if (expect.data != NULL && !p->version_10) {
    if (!http_same_word (expect.data, expect.len, "100-continue"))
      return http_refuse (p, HTTP_REFUSED_EXPECTATION);
    p->wants_continue = true;
  }
  return coding.data != NULL ? begin_coded_body (p, coding) : begin_fixed_body (p, length);
}

/* ---- the head, line by line ---- */

/* `end`: its LF, or the end of what is here.  The same byte decides, however the head was cut. */
static enum http_verdict
check_line_length (struct http_parser *p, size_t end)
{
  size_t line_end = p->line + p->limits->line_max + 1; /* 1: the CR */
  size_t head_end = p->limits->head_max - 1;

  if (end <= line_end && end <= head_end)
    return HTTP_MORE;
  if (p->phase == HTTP_REQUEST_LINE)
    return http_refuse (p, HTTP_REFUSED_TARGET_LONG);
  return http_refuse (p, line_end < head_end ? HTTP_REFUSED_LINE_LONG : HTTP_REFUSED_HEAD_LONG);
}

/* A line whose LF is at `lf`. */
static enum http_verdict
take_line (struct http_parser *p, char *data, size_t lf)
{
  size_t end = lf - 1;

  if (lf == p->line || data[end] != '\r')
    return http_refuse (p, HTTP_REFUSED_BARE_LF);
  if (p->phase == HTTP_REQUEST_LINE)
    return take_request_line (p, data, end);
  if (end == p->line)
    return end_head (p, data, lf + 1);
  return take_field (p, data, end);
}

static enum http_verdict
read_head (struct http_parser *p, char *data, size_t len)
{
  if (p->scanned == 0 && len > 0 && !http_char_is (data[0], CHAR_TOKEN))
    return http_refuse (p, HTTP_REFUSED_METHOD);
  while (p->phase <= HTTP_FIELDS) {
    const char *found = memchr (data + p->scanned, '\n', len - p->scanned);
    size_t end = found != NULL ? (size_t) (found - data) : len;

    if (check_line_length (p, end) == HTTP_REFUSED)
      return HTTP_REFUSED;
    p->scanned = end;
    if (found == NULL)
      return HTTP_MORE;
    if (take_line (p, data, end) == HTTP_REFUSED)
      return HTTP_REFUSED;
    p->line = p->scanned = end + 1;
  }
  return HTTP_READY;
}

enum http_verdict
http_parse (struct http_parser *p, char *data, size_t *len)
{
  if (p->phase <= HTTP_FIELDS) {
    enum http_verdict head = read_head (p, data, *len);
    if (head != HTTP_READY)
      return head;
  }
  if (p->phase == HTTP_FIXED_BODY) {
    if (*len > p->body_at)
      p->wants_continue = false;
    if (*len - p->body_at < p->body_len)
      return HTTP_MORE;
    p->pos = p->body_at + p->body_len;
    p->phase = HTTP_COMPLETE;
  }
  return p->phase == HTTP_COMPLETE ? HTTP_READY : http_read_chunks (p, data, len);
}

size_t
http_parser_needs (const struct http_parser *p, size_t len)
{
  if (p->phase == HTTP_FIXED_BODY && p->body_at + p->body_len > len)
    return p->body_at + p->body_len - len;
  if (p->phase == HTTP_CHUNK_DATA)
    return (size_t) p->chunk_left + 2;
  return 1;
}
