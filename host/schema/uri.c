#include "schema/uri.h"

#define NONE ((struct uri){ 0 })

/* The five parts of RFC 3986; those that are absent have no text. */
struct parts {
  struct uri scheme;
  struct uri authority;
  struct uri path;
  struct uri query;
};

static bool
is_letter (char c)
{
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool
is_scheme (const char *text, size_t len)
{
  if (len == 0 || !is_letter (text[0]))
    return false;
  for (size_t i = 1; i < len; i++)
    if (!is_letter (text[i]) && (text[i] < '0' || text[i] > '9')
        && memchr ("+-.", text[i], 3) == NULL)
      return false;
  return true;
}

/* How far it is to the first of some characters, or to the end. */
static size_t
until (struct uri text, const char *stops)
{
  size_t n = 0;

  while (n < text.len && strchr (stops, text.text[n]) == NULL)
    n++;
  return n;
}

static struct uri
behind (struct uri text, size_t n)
{
  return (struct uri){ text.text + n, text.len - n };
}

static struct parts
take_apart (struct uri text)
{
  struct parts parts = { NONE, NONE, NONE, NONE };
  size_t n = until (text, ":/?");

  if (n < text.len && text.text[n] == ':' && is_scheme (text.text, n)) {
    parts.scheme = (struct uri){ text.text, n };
    text = behind (text, n + 1);
  }
  if (text.len >= 2 && memcmp (text.text, "//", 2) == 0) {
    text = behind (text, 2);
    n = until (text, "/?");
    parts.authority = (struct uri){ text.text, n };
    text = behind (text, n);
  }
  n = until (text, "?");
  parts.path = (struct uri){ text.text, n };
  if (n < text.len)
    parts.query = behind (text, n + 1);
  return parts;
}

/* Remove the last segment and its '/', if there is one; not what lies before `floor`. */
static size_t
without_last (const char *path, size_t len, size_t floor)
{
  while (len > floor && path[len - 1] != '/')
    len--;
  return len > floor ? len - 1 : floor;
}

static bool
begins (struct uri text, const char *with)
{
  size_t len = strlen (with);

  return text.len >= len && memcmp (text.text, with, len) == 0;
}

static bool
is (struct uri text, const char *what)
{
  return text.len == strlen (what) && memcmp (text.text, what, text.len) == 0;
}

/* RFC 3986, 5.2.4: append a path without its "." and "..". */
static void
add_path (struct buf *out, struct uri path)
{
  size_t floor = out->len;

  while (path.len != 0) {
    if (begins (path, "../"))
      path = behind (path, 3);
    else if (begins (path, "./") || begins (path, "/./"))
      path = behind (path, 2);
    else if (is (path, "/."))
      path = (struct uri){ "/", 1 };
    else if (begins (path, "/../") || is (path, "/..")) {
      path = path.len > 3 ? behind (path, 3) : (struct uri){ "/", 1 };
      out->len = without_last (out->data, out->len, floor);
    }
    else if (is (path, ".") || is (path, ".."))
      path = NONE;
    else {
      size_t n = 1 + until (behind (path, 1), "/");
      buf_append (out, path.text, n);
      path = behind (path, n);
    }
  }
}

static void
merge_path (struct buf *out, const struct parts *base, struct uri path)
{
  CLEANUP_BUF struct buf merged = { 0 };
  size_t len = base->path.len;

  while (len != 0 && base->path.text[len - 1] != '/')
    len--;
  if (len == 0 && base->authority.text != NULL)
    buf_putc (&merged, '/');
  buf_append (&merged, base->path.text, len);
  buf_append (&merged, path.text, path.len);
  add_path (out, (struct uri){ merged.data, merged.len });
}

struct uri
uri_without_fragment (struct uri uri)
{
  return (struct uri){ uri.text, until (uri, "#") };
}

struct uri
uri_fragment (struct uri uri)
{
  size_t n = until (uri, "#");

  return n < uri.len ? behind (uri, n + 1) : NONE;
}

struct uri
uri_resolve (struct uri base, struct uri reference, struct arena *arena)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct parts r = take_apart (reference);
  struct parts b = take_apart (base);
  struct uri authority = r.authority.text != NULL ? r.authority : b.authority;
  struct uri query = r.query;

  if (reference.len == 0)
    return base;
  if (base.len == 0 || r.scheme.text != NULL)
    return reference;
  if (b.scheme.text != NULL) {
    buf_append (&out, b.scheme.text, b.scheme.len);
    buf_putc (&out, ':');
  }
  if (authority.text != NULL) {
    buf_puts (&out, "//");
    buf_append (&out, authority.text, authority.len);
  }
  if (r.authority.text != NULL || begins (r.path, "/"))
    add_path (&out, r.path);
  else if (r.path.len != 0)
    merge_path (&out, &b, r.path);
  else {
    buf_append (&out, b.path.text, b.path.len);
    query = r.query.text != NULL ? r.query : b.query;
  }
  if (query.text != NULL) {
    buf_putc (&out, '?');
    buf_append (&out, query.text, query.len);
  }
  return (struct uri){ arena_strndup (arena, buf_cstr (&out), out.len), out.len };
}

static int
hex_digit (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct uri
uri_decoded (struct uri text, struct arena *arena)
{
  char *out;
  size_t n = 0;

  if (text.len == 0 || memchr (text.text, '%', text.len) == NULL)
    return text;
  out = arena_alloc (arena, text.len);
  for (size_t i = 0; i < text.len; i++) {
    int high = i + 2 < text.len && text.text[i] == '%' ? hex_digit (text.text[i + 1]) : -1;
    int low = high >= 0 ? hex_digit (text.text[i + 2]) : -1;
    if (low >= 0) {
      out[n++] = (char) (high * 16 + low);
      i += 2;
    }
    else
      out[n++] = text.text[i];
  }
  return (struct uri){ out, n };
}
