#include "front/http/target.h"

#include <string.h>

#include "front/http/chars.h"

/* The byte that "%xy" at `s` stands for; -1 when it stands for none. */
static int
percent (const char *s, size_t len)
{
  int high, low;

  if (len < 3)
    return -1;
  high = http_hex (s[1]);
  low = http_hex (s[2]);
  return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* The length of the raw path, up to "?" or the end. */
static bool
decode_path (char *target, size_t len, size_t *raw_len, size_t *decoded_len, enum http_refused *why)
{
  size_t in = 0, out = 0;

  for (; in < len && target[in] != '?'; out++) {
    int byte = (unsigned char) target[in];
    size_t step = 1;

    if (byte == '%') {
      byte = percent (target + in, len - in);
      step = 3;
      if (byte <= 0) {
        *why = byte < 0 ? HTTP_REFUSED_PERCENT : HTTP_REFUSED_PATH_NUL;
        return false;
      }
    }
    else if (!http_char_is ((char) byte, CHAR_PATH)) {
      *why = HTTP_REFUSED_TARGET_CHAR;
      return false;
    }
    target[out] = (char) byte;
    in += step;
  }
  *raw_len = in;
  *decoded_len = out;
  return true;
}

static bool
check_query (const char *query, size_t len, enum http_refused *why)
{
  for (size_t i = 0; i < len; i++) {
    if (query[i] == '%' && percent (query + i, len - i) < 0) {
      *why = HTTP_REFUSED_PERCENT;
      return false;
    }
    if (query[i] != '%' && !http_char_is (query[i], CHAR_QUERY)) {
      *why = HTTP_REFUSED_TARGET_CHAR;
      return false;
    }
  }
  return true;
}

bool
http_target_split (char *target, size_t len, size_t *path_len, size_t *query_at,
                   enum http_refused *why)
{
  size_t raw_len;

  if (len == 0 || target[0] != '/') {
    *why = HTTP_REFUSED_TARGET;
    return false;
  }
  if (!decode_path (target, len, &raw_len, path_len, why))
    return false;
  *query_at = raw_len < len ? raw_len + 1 : len;
  return check_query (target + *query_at, len - *query_at, why);
}

/* Decode a name or value into `to` (as long as `from`); its length. */
static size_t
decode_param (const char *from, size_t len, char *to)
{
  size_t out = 0;

  for (size_t in = 0; in < len; out++) {
    int byte = from[in] == '%' ? percent (from + in, len - in) : -1;

    to[out] = byte >= 0 ? (char) byte : from[in] == '+' ? ' ' : from[in];
    in += byte >= 0 ? 3 : 1;
  }
  return out;
}

struct slice
http_query_param (struct slice query, const char *name, struct arena *arena)
{
  size_t name_len = strlen (name);

  for (size_t at = 0, next; at < query.len; at = next + 1) {
    const char *pair = query.data + at;
    const char *amp = memchr (pair, '&', query.len - at);
    size_t len = amp != NULL ? (size_t) (amp - pair) : query.len - at;
    const char *equals = memchr (pair, '=', len);
    size_t key_len = equals != NULL ? (size_t) (equals - pair) : len;
    size_t value_at = equals != NULL ? key_len + 1 : len;

    next = at + len;
    if (key_len < name_len)
      continue;
    char *text = arena_alloc (arena, len + 1);
    if (decode_param (pair, key_len, text) != name_len || memcmp (text, name, name_len) != 0)
      continue;
    return (struct slice){ text, decode_param (pair + value_at, len - value_at, text) };
  }
  return (struct slice){ NULL, 0 };
}

static struct slice
decoded (const char *from, size_t len, struct arena *arena)
{
  char *text = arena_alloc (arena, len + 1);

  return (struct slice){ text, decode_param (from, len, text) };
}

bool
http_query_next (struct slice query, size_t *at, struct slice *name, struct slice *value,
                 struct arena *arena)
{
  while (*at < query.len && query.data[*at] == '&')
    ++*at;
  if (*at >= query.len)
    return false;
  const char *pair = query.data + *at;
  const char *amp = memchr (pair, '&', query.len - *at);
  size_t len = amp != NULL ? (size_t) (amp - pair) : query.len - *at;
  const char *equals = memchr (pair, '=', len);
  size_t key_len = equals != NULL ? (size_t) (equals - pair) : len;
  size_t value_at = equals != NULL ? key_len + 1 : len;

  *at += len;
  *name = decoded (pair, key_len, arena);
  *value = decoded (pair + value_at, len - value_at, arena);
  return true;
}
