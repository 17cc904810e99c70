#include "base/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 63 };

/* What stands before a value or a name: a comma, unless it is the first of its container. */
static void
separate (struct json_writer *w)
{
  uint64_t level = (uint64_t) 1 << w->depth;

  if (w->named) {
    w->named = false;
    return;
  }
  if (w->depth != 0 && (w->filled & level) != 0)
    buf_putc (w->out, ',');
  w->filled |= level;
}

static void
begin (struct json_writer *w, bool object)
{
  uint64_t level;

  separate (w);
  assert (w->depth < DEPTH_MAX);
  level = (uint64_t) 1 << ++w->depth;
  w->filled &= ~level;
  w->objects = object ? w->objects | level : w->objects & ~level;
  buf_putc (w->out, object ? '{' : '[');
}

void
jsonw_object (struct json_writer *w)
{
  begin (w, true);
}

void
jsonw_array (struct json_writer *w)
{
  begin (w, false);
}

void
jsonw_end (struct json_writer *w)
{
  assert (w->depth != 0 && !w->named);
  buf_putc (w->out, (w->objects >> w->depth & 1) != 0 ? '}' : ']');
  w->depth--;
}

static void
put_quoted (struct buf *out, const char *text, size_t len)
{
  (void) buf_reserve (out, len + 2);
  buf_putc (out, '"');
  json_escape (out, text, len);
  buf_putc (out, '"');
}

void
jsonw_name_len (struct json_writer *w, const char *name, size_t len)
{
  assert (!w->named && (w->objects >> w->depth & 1) != 0);
  separate (w);
  put_quoted (w->out, name, len);
  buf_putc (w->out, ':');
  w->named = true;
}

void
jsonw_plain_name (struct json_writer *w, const char *name, size_t len)
{
  const uint64_t level = (uint64_t) 1 << w->depth;
  char *at = buf_reserve (w->out, len + 4);

  assert (!w->named && (w->objects & level) != 0);
  if ((w->filled & level) != 0)
    *at++ = ',';
  *at++ = '"';
  at = (char *) memcpy (at, name, len) + len;
  *at++ = '"';
  *at++ = ':';
  w->out->len = (size_t) (at - w->out->data);
  w->filled |= level;
  w->named = true;
}

void
jsonw_raw (struct json_writer *w, const char *json, size_t len)
{
  separate (w);
  buf_append (w->out, json, len);
}

static void
put_digits (struct buf *out, uint64_t value)
{
  char *at = buf_reserve (out, DECIMAL_MAX);

  out->len += (size_t) (decimal_put (at, value) - at);
}

void
jsonw_null (struct json_writer *w)
{
  jsonw_raw (w, "null", 4);
}

void
jsonw_bool (struct json_writer *w, bool value)
{
  if (value)
    jsonw_raw (w, "true", 4);
  else
    jsonw_raw (w, "false", 5);
}

void
jsonw_int (struct json_writer *w, int64_t value)
{
  separate (w);
  if (value < 0)
    buf_putc (w->out, '-');
  put_digits (w->out, value < 0 ? -(uint64_t) value : (uint64_t) value);
}

void
jsonw_uint (struct json_writer *w, uint64_t value)
{
  separate (w);
  put_digits (w->out, value);
}

/* printf writes the decimal point of the locale, which may be several bytes. */
static size_t
with_a_point (char *text)
{
  size_t out = 0;
  bool point = false;

  for (const char *p = text; *p != '\0'; p++) {
    if ((*p >= '0' && *p <= '9') || *p == 'e' || *p == '+' || *p == '-')
      text[out++] = *p;
    else if (!point) {
      text[out++] = '.';
      point = true;
    }
  }
  return out;
}

void
jsonw_double (struct json_writer *w, double value)
{
  char text[64];

  if (!isfinite (value)) {
    jsonw_null (w);
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    (void) snprintf (text, sizeof text, "%.*g", digits, value);
    if (strtod (text, NULL) == value)
      break;
  }
  jsonw_raw (w, text, with_a_point (text));
}

void
jsonw_string_len (struct json_writer *w, const char *text, size_t len)
{
  separate (w);
  put_quoted (w->out, text, len);
}

void
jsonw_string (struct json_writer *w, const char *text)
{
  if (text == NULL)
    jsonw_null (w);
  else
    jsonw_string_len (w, text, strlen (text));
}

void
jsonw_plain_string (struct json_writer *w, const char *text, size_t len)
{
  char *at;

  separate (w);
  at = buf_reserve (w->out, len + 2);
  *at++ = '"';
  at = (char *) memcpy (at, text, len) + len;
  *at = '"';
  w->out->len += len + 2;
}

void
jsonw_stringf (struct json_writer *w, const char *fmt, ...)
{
  CLEANUP_BUF struct buf text = { 0 };
  va_list args, again;
  int n;

  va_start (args, fmt);
  va_copy (again, args);
  n = vsnprintf (buf_reserve (&text, 256), 256, fmt, args);
  if (n >= 256)
    n = vsnprintf (buf_reserve (&text, (size_t) n + 1), (size_t) n + 1, fmt, again);
  va_end (again);
  va_end (args);
  jsonw_string_len (w, text.data, n > 0 ? (size_t) n : 0);
}

/* The letters of 24 bits; '=' for those behind the first `count`. */
static char *
put_base64 (char *at, uint32_t bits, size_t count)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  for (size_t i = 0; i < 4; i++)
    *at++ = i < count ? letters[bits >> (18 - 6 * i) & 63] : '=';
  return at;
}

void
jsonw_base64 (struct json_writer *w, const void *data, size_t len)
{
  const unsigned char *p = data;
  char *at;

  separate (w);
  at = buf_reserve (w->out, (len + 2) / 3 * 4 + 2);
  *at++ = '"';
  for (; len >= 3; p += 3, len -= 3)
    at = put_base64 (at, (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2], 4);
  if (len != 0)
    at = put_base64 (at, (uint32_t) p[0] << 16 | (len == 2 ? (uint32_t) p[1] << 8 : 0), len + 1);
  *at++ = '"';
  w->out->len = (size_t) (at - w->out->data);
}

void
jsonw_name_strings (struct json_writer *w, const char *name, char *const *list)
{
  jsonw_name (w, name);
  jsonw_array (w);
  for (; list != NULL && *list != NULL; list++)
    jsonw_string (w, *list);
  jsonw_end (w);
}

void
jsonw_name_bits (struct json_writer *w, const char *name, unsigned bits, const char *const *names)
{
  jsonw_name (w, name);
  jsonw_array (w);
  for (unsigned i = 0; names[i] != NULL; i++)
    if (bits & 1U << i)
      jsonw_string (w, names[i]);
  jsonw_end (w);
}

/* ---- escapes ---- */

static inline bool
plain (unsigned char c)
{
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Eight bytes at once: is each of them plain?  A bit of the high bytes is set where one is below
 * 0x20, a quote, a backslash, or not ASCII. */
static inline bool
plain_eight (const char *p)
{
  const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  uint64_t word, quote, backslash;

  memcpy (&word, p, sizeof word);
  quote = word ^ ones * '"';
  backslash = word ^ ones * '\\';
  return ((word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & highs) == 0;
}

/* Bytes at the start of [p, end) that are written as they are. */
static size_t
plain_run (const char *p, const char *end)
{
  const char *start = p;

  if (end - p >= 8 && end - p <= 24) { /* most are short: by eights that may overlap */
    while (end - p > 8 && plain_eight (p))
      p += 8;
    if (end - p <= 8 && plain_eight (end - 8))
      return (size_t) (end - start);
  }
  while (p < end) {
    if (end - p >= 8 && plain_eight (p)) {
      p += 8;
      continue;
    }
    size_t n = 1;
    if (!plain ((unsigned char) *p)) {
      if ((*p & 0x80) == 0)
        break;
      n = utf8_sequence (p, end);
    }
    if (n == 0)
      break;
    p += n;
  }
  return (size_t) (p - start);
}

static void
put_special (struct buf *out, unsigned char c)
{
  static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";

  if (c >= 0x80) {
    buf_puts (out, "\xef\xbf\xbd");
    return;
  }
  for (size_t i = 0; i + 1 < sizeof short_forms; i += 2)
    if ((unsigned char) short_forms[i] == c) {
      buf_putc (out, '\\');
      buf_putc (out, short_forms[i + 1]);
      return;
    }
  buf_printf (out, "\\u%04x", c);
}

void
json_escape (struct buf *out, const char *text, size_t len)
{
  const char *end;

  if (len == 0) /* of a buf that never held anything there is no text */
    return;
  end = text + len;
  while (text < end) {
    size_t n = plain_run (text, end);
    buf_append (out, text, n);
    text += n;
    if (text < end)
      put_special (out, (unsigned char) *text++);
  }
}

size_t
json_pointer_add (struct buf *pointer, const char *name, size_t len)
{
  size_t was = pointer->len;

  buf_putc (pointer, '/');
  for (size_t i = 0; i < len; i++)
    if (name[i] == '~' || name[i] == '/')
      buf_puts (pointer, name[i] == '~' ? "~0" : "~1");
    else
      buf_putc (pointer, name[i]);
  return was;
}
