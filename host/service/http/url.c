#include "service/http/url.h"

#include <string.h>
#include <strings.h>

/* ---- characters ------------------------------------------------------------------------- */

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static bool
is_alpha (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 3986, 2.3: an escape of one of these means the character. */
static bool
is_unreserved (char c)
{
  return is_digit (c) || is_alpha (c) || (c != '\0' && strchr ("-._~", c) != NULL);
}

static char
lower (char c)
{
  return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

static int
hex (char c)
{
  if (is_digit (c))
    return c - '0';
  c = lower (c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two hexadecimal digits behind a '%'; -1: there are none. */
static int
escaped (const char *at, size_t left)
{
  if (left < 3 || hex (at[1]) < 0 || hex (at[2]) < 0)
    return -1;
  return hex (at[1]) * 16 + hex (at[2]);
}

/* Nothing but what a URL may hold (RFC 3986), whoever reads it. */
static bool
has_good_bytes (const char *text, size_t len, struct error *err)
{
  for (size_t i = 0; i < len; i++) {
    if ((unsigned char) text[i] >= 0x80)
      return error_set (err, "holds bytes beyond ASCII: percent-encode them, and write the host "
                             "as xn--…");
    if (text[i] <= ' ' || text[i] == 0x7f)
      return error_set (err, "holds a blank or a control character: percent-encode it");
    if (text[i] == '\\')
      return error_set (err, "holds a backslash");
    if (strchr ("\"<>^`{|}", text[i]) != NULL)
      return error_set (err, "holds '%c': percent-encode it", text[i]);
  }
  return true;
}

/* ---- hosts ------------------------------------------------------------------------------ */

/* Could somebody take this last label for a number (of the WHATWG's readers of URLs)? */
static bool
is_numeric_label (const char *label, size_t len)
{
  size_t at = 0;

  if (len >= 2 && label[0] == '0' && lower (label[1]) == 'x') {
    for (at = 2; at < len && hex (label[at]) >= 0; at++) {
    }
    return at == len;
  }
  while (at < len && is_digit (label[at]))
    at++;
  return at == len;
}

static bool
is_label (const char *label, size_t len)
{
  if (len == 0 || len > 63 || label[0] == '-' || label[len - 1] == '-')
    return false;
  for (size_t i = 0; i < len; i++)
    if (!is_digit (label[i]) && !is_alpha (label[i]) && label[i] != '-' && label[i] != '_')
      return false;
  return true;
}

static bool
read_name (struct url *url, const char *host, size_t len, struct error *err)
{
  const char *label = host, *end = host + len;

  if (len > URL_HOST_MAX)
    return error_set (err, "has a host longer than %d bytes", URL_HOST_MAX);
  for (;;) {
    const char *dot = memchr (label, '.', (size_t) (end - label));
    size_t size = (size_t) ((dot != NULL ? dot : end) - label);
    if (!is_label (label, size))
      return error_set (err, "has a host that is no name and no address: \"%.*s\"", (int) len,
                        host);
    if (dot == NULL && is_numeric_label (label, size)) {
      url->literal = address_read (&url->address, host, len);
      if (!url->literal)
        return error_set (err,
                          "has a host that some would take for an address: write \"%.*s\" as "
                          "four decimal numbers",
                          (int) len, host);
    }
    if (dot == NULL)
      break;
    label = dot + 1;
  }
  for (size_t i = 0; i < len; i++)
    url->host[i] = lower (host[i]);
  url->host[len] = '\0';
  return true;
}

static bool
read_v6 (struct url *url, const char *host, size_t len, struct error *err)
{
  if (memchr (host, '%', len) != NULL)
    return error_set (err, "has an IPv6 address with a zone");
  if (!address_read (&url->address, host, len) || !url->address.v6)
    return error_set (err, "has a host in brackets that is no IPv6 address");
  url->literal = true;
  address_write (&url->address, url->host);
  return true;
}

static bool
read_port (struct url *url, const char *text, size_t len, struct error *err)
{
  unsigned port = 0;

  for (size_t i = 0; i < len; i++) {
    if (!is_digit (text[i]) || (i == 0 && text[i] == '0') || i == 5)
      return error_set (err, "has an impossible port");
    port = port * 10 + (unsigned) (text[i] - '0');
  }
  if (len == 0 || port > 65535)
    return error_set (err, "has an impossible port");
  url->port = (uint16_t) port;
  return true;
}

static bool
read_authority (struct url *url, const char *text, size_t len, struct error *err)
{
  const char *colon, *end = text + len, *host = text;
  size_t host_len;

  if (memchr (text, '@', len) != NULL)
    return error_set (err, "holds a user name: secrets are the operator's to add");
  if (len != 0 && text[0] == '[') {
    const char *close = memchr (text, ']', len);
    if (close == NULL || (close + 1 < end && close[1] != ':'))
      return error_set (err, "has a bracket without its other half");
    if (!read_v6 (url, text + 1, (size_t) (close - text - 1), err))
      return false;
    colon = close + 1 < end ? close + 1 : NULL;
  }
  else {
    colon = memchr (host, ':', len);
    host_len = (size_t) ((colon != NULL ? colon : end) - host);
    if (host_len == 0)
      return error_set (err, "has no host");
    if (!read_name (url, host, host_len, err))
      return false;
  }
  url->port = url->secure ? 443 : 80;
  return colon == NULL || read_port (url, colon + 1, (size_t) (end - colon - 1), err);
}

/* ---- paths ------------------------------------------------------------------------------ */

/* "." or "..", or one of them with parameters behind it, which some servers cut off. */
static bool
is_dots (const char *segment, size_t len)
{
  const char *parameters = memchr (segment, ';', len);

  if (parameters != NULL)
    len = (size_t) (parameters - segment);
  return (len == 1 && segment[0] == '.') || (len == 2 && segment[0] == '.' && segment[1] == '.');
}

static bool
has_dots (const char *path, size_t len)
{
  size_t from = 0;

  for (size_t i = 0; i <= len; i++) {
    if (i < len && path[i] != '/' && path[i] != '\\')
      continue;
    if (is_dots (path + from, i - from))
      return true;
    from = i + 1;
  }
  return false;
}

/* Decode once, in place; returns the new length, -1 for a control character. */
static long
decode (char *text, size_t len)
{
  size_t to = 0;

  for (size_t i = 0; i < len; i++) {
    int byte = text[i] == '%' ? escaped (text + i, len - i) : -1;
    if (byte >= 0 && (byte < ' ' || byte == 0x7f))
      return -1;
    text[to++] = byte >= 0 ? (char) byte : text[i];
    i += byte >= 0 ? 2 : 0;
  }
  return (long) to;
}

/* Whoever decodes it, and how often, finds no step upwards in it. */
static bool
goes_down (const char *path, size_t len, struct arena *arena, struct error *err)
{
  char *text = arena_strndup (arena, path, len);

  for (;;) {
    long shorter;
    if (has_dots (text, len))
      return error_set (err, "has a path with \".\" or \"..\" in it");
    shorter = decode (text, len);
    if (shorter < 0)
      return error_set (err, "has a path with an escaped control character");
    if ((size_t) shorter == len)
      return true;
    len = (size_t) shorter;
  }
}

/* Append in the one form: escapes of unreserved characters resolved, the others in upper case. */
static bool
normalise (const char *text, size_t len, struct buf *out, struct error *err)
{
  for (size_t i = 0; i < len; i++) {
    int byte = -1;
    if (text[i] == '%' && (byte = escaped (text + i, len - i)) < 0)
      return error_set (err, "holds a '%%' that is no escape: write it as %%25");
    if (byte < 0)
      buf_putc (out, text[i]);
    else if (is_unreserved ((char) byte))
      buf_putc (out, (char) byte);
    else
      buf_printf (out, "%%%02X", (unsigned) byte);
    i += byte >= 0 ? 2 : 0;
  }
  return true;
}

/* Path and query of what stands behind the authority, without the fragment. */
static bool
read_rest (struct url *url, const char *text, size_t len, struct arena *arena, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  CLEANUP_BUF struct buf query = { 0 };
  const char *fragment = memchr (text, '#', len), *mark;
  size_t path_len;

  if (fragment != NULL)
    len = (size_t) (fragment - text);
  mark = memchr (text, '?', len);
  path_len = mark != NULL ? (size_t) (mark - text) : len;
  if (path_len == 0)
    buf_putc (&path, '/');
  if (!normalise (text, path_len, &path, err) || !goes_down (path.data, path.len, arena, err))
    return false;
  url->path = arena_strndup (arena, path.data, path.len);
  url->path_len = path.len;
  url->query = NULL;
  if (mark == NULL)
    return true;
  if (!normalise (mark + 1, len - path_len - 1, &query, err))
    return false;
  url->query = arena_strndup (arena, query.len != 0 ? query.data : "", query.len);
  return true;
}

/* ---- whole URLs ------------------------------------------------------------------------- */

/* The bytes of "https://"; 0: another scheme, or none. */
static size_t
read_scheme (struct url *url, const char *text, size_t len)
{
  if (len >= 8 && strncasecmp (text, "https://", 8) == 0) {
    url->secure = true;
    return 8;
  }
  return len >= 7 && strncasecmp (text, "http://", 7) == 0 ? 7 : 0;
}

static size_t
authority_len (const char *text, size_t len)
{
  size_t at = 0;

  while (at < len && strchr ("/?#", text[at]) == NULL)
    at++;
  return at;
}

static bool
size_ok (const char *text, size_t len, struct error *err)
{
  if (len > URL_MAX)
    return error_set (err, "is longer than %d bytes", URL_MAX);
  return has_good_bytes (text, len, err);
}

/* Behind "https:" there may stand the rest. */
static bool
read_from_authority (struct url *url, const char *text, size_t len, struct arena *arena,
                     struct error *err)
{
  size_t authority = authority_len (text, len);

  return read_authority (url, text, authority, err)
         && read_rest (url, text + authority, len - authority, arena, err);
}

bool
url_read (struct url *url, const char *text, size_t len, struct arena *arena, struct error *err)
{
  size_t scheme;

  memset (url, 0, sizeof *url);
  if (!size_ok (text, len, err))
    return false;
  scheme = read_scheme (url, text, len);
  if (scheme == 0)
    return error_set (err, "is none of https:// or http://");
  return read_from_authority (url, text + scheme, len - scheme, arena, err);
}

/* ---- references ------------------------------------------------------------------------- */

/* RFC 3986, 5.2.4, of a path that begins with '/'. */
static void
remove_dots (const char *path, size_t len, struct buf *out)
{
  for (size_t i = 0; i < len;) {
    const char *segment = path + i + 1;
    size_t size = 0;
    bool last;
    while (i + 1 + size < len && segment[size] != '/')
      size++;
    last = i + 1 + size >= len;
    if (size == 2 && segment[0] == '.' && segment[1] == '.')
      while (out->len > 0 && out->data[--out->len] != '/') {
      }
    else if (size != 1 || segment[0] != '.')
      buf_append (out, path + i, size + 1);
    if (last && (size == 1 || size == 2) && memcmp (segment, "..", size) == 0)
      buf_putc (out, '/');
    i += size + 1;
  }
}

/* A path, relative to that of the base, and what stands behind it. */
static void
merge (const struct url *base, const char *text, size_t len, struct buf *out)
{
  CLEANUP_BUF struct buf path = { 0 };
  size_t path_len = 0, up_to = base->path_len;

  while (path_len < len && text[path_len] != '?' && text[path_len] != '#')
    path_len++;
  if (path_len == 0) /* a query alone, or nothing */
    buf_append (out, base->path, base->path_len);
  else {
    if (text[0] != '/') {
      while (base->path[up_to - 1] != '/')
        up_to--;
      buf_append (&path, base->path, up_to);
    }
    buf_append (&path, text, path_len);
    remove_dots (path.data, path.len, out);
  }
  if (path_len == 0 && (len == 0 || text[0] == '#') && base->query != NULL)
    buf_printf (out, "?%s", base->query);
  buf_append (out, text + path_len, len - path_len);
}

/* A scheme at the beginning: letters, then a colon, before any slash. */
static bool
has_scheme (const char *text, size_t len)
{
  for (size_t i = 0; i < len && strchr ("/?#", text[i]) == NULL; i++)
    if (text[i] == ':')
      return true;
  return false;
}

bool
url_follow (struct url *url, const struct url *base, const char *text, size_t len,
            struct arena *arena, struct error *err)
{
  CLEANUP_BUF struct buf rest = { 0 };

  if (len != 0 && has_scheme (text, len))
    return url_read (url, text, len, arena, err);
  if (!size_ok (text, len, err))
    return false;
  if (len >= 2 && text[0] == '/' && text[1] == '/') {
    *url = (struct url){ .secure = base->secure };
    return read_from_authority (url, text + 2, len - 2, arena, err);
  }
  *url = *base;
  merge (base, text, len, &rest);
  return read_rest (url, rest.data, rest.len, arena, err);
}

/* ---- writing ---------------------------------------------------------------------------- */

void
url_write_origin (const struct url *url, struct buf *out)
{
  bool brackets = url->literal && url->address.v6;

  buf_printf (out, "%s://%s%s%s", url->secure ? "https" : "http", brackets ? "[" : "", url->host,
              brackets ? "]" : "");
  if (url->port != (url->secure ? 443 : 80))
    buf_printf (out, ":%u", (unsigned) url->port);
}

void
url_write_plain (const struct url *url, struct buf *out)
{
  url_write_origin (url, out);
  buf_append (out, url->path, url->path_len);
}

void
url_write (const struct url *url, struct buf *out)
{
  url_write_plain (url, out);
  if (url->query != NULL)
    buf_printf (out, "?%s", url->query);
}

bool
url_same_origin (const struct url *a, const struct url *b)
{
  return a->secure == b->secure && a->port == b->port && strcmp (a->host, b->host) == 0;
}
