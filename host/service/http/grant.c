#include "service/http/grant.h"

#include <stdlib.h>
#include <string.h>

const char *const http_method_names[] = { "GET",   "HEAD",   "POST",    "PUT",
                                          "PATCH", "DELETE", "OPTIONS", NULL };

unsigned
http_method_find (const char *name, size_t len)
{
  for (unsigned i = 0; http_method_names[i] != NULL; i++)
    if (strlen (http_method_names[i]) == len && memcmp (http_method_names[i], name, len) == 0)
      return 1U << i;
  return 0;
}

const char *
http_method_name (unsigned method)
{
  unsigned i = 0;

  while (http_method_names[i] != NULL && method != 1U << i)
    i++;
  return http_method_names[i];
}

bool
http_method_idempotent (unsigned method)
{
  return (method & (HTTP_POST | HTTP_PATCH)) == 0;
}

/* ---- reading ---------------------------------------------------------------------------- */

static const char any_host[] = "://*";

/* The text as a URL: of "*" as the host a name that nobody has, without "*" at the end. */
static bool
as_url (struct http_pattern *pattern, const char *text, struct buf *url, struct error *err)
{
  const char *any = strstr (text, any_host);
  size_t len = strlen (text);

  if (any != NULL && (any[4] == '/' || any[4] == ':')) {
    pattern->any_host = true;
    buf_append (url, text, (size_t) (any + 3 - text));
    buf_puts (url, "any.invalid");
    text = any + 4;
    len = strlen (text);
  }
  pattern->below = len >= 2 && strcmp (text + len - 2, "/*") == 0;
  buf_append (url, text, len - pattern->below);
  if (memchr (url->data, '*', url->len) != NULL)
    return error_set (err, "a \"*\" stands for the whole host, or for what is below a folder, at "
                           "the end");
  return true;
}

/* Nothing that nobody matches. */
static bool
is_a_place (const char *text, struct error *err)
{
  const char *host = strstr (text, "://");

  if (strpbrk (text, "?#") != NULL)
    return error_set (err, "a pattern has no query and no fragment");
  if (host != NULL && strchr (host + 3, '/') == NULL)
    return error_set (err, "the path is missing; \"%s/*\" is the whole host", text);
  return true;
}

bool
http_pattern_read (struct http_pattern *pattern, const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf written = { 0 };
  struct url url;

  memset (pattern, 0, sizeof *pattern);
  if (!is_a_place (text, err) || !as_url (pattern, text, &written, err))
    return false;
  if (!url_read (&url, written.data, written.len, &arena, err))
    return error_wrap (err, "it ");
  pattern->text = xstrdup (text);
  pattern->secure = url.secure;
  pattern->host = pattern->any_host ? NULL : xstrdup (url.host);
  pattern->port = url.port;
  pattern->path = xstrndup (url.path, url.path_len);
  return true;
}

void
http_pattern_clear (struct http_pattern *pattern)
{
  free (pattern->text);
  free (pattern->host);
  free (pattern->path);
  memset (pattern, 0, sizeof *pattern);
}

struct http_pattern
http_pattern_copy (const struct http_pattern *pattern)
{
  struct http_pattern copy = *pattern;

  copy.text = xstrdup (pattern->text);
  copy.host = pattern->host != NULL ? xstrdup (pattern->host) : NULL;
  copy.path = xstrdup (pattern->path);
  return copy;
}

/* ---- matching --------------------------------------------------------------------------- */

bool
http_pattern_matches (const struct http_pattern *pattern, const struct url *url)
{
  size_t len = strlen (pattern->path);

  if (pattern->secure != url->secure || pattern->port != url->port
      || (pattern->host != NULL && strcmp (pattern->host, url->host) != 0))
    return false;
  return url->path_len >= len && memcmp (url->path, pattern->path, len) == 0
         && (pattern->below || url->path_len == len);
}

bool
http_pattern_covers (const struct http_pattern *wide, const struct http_pattern *narrow)
{
  size_t len = strlen (wide->path);

  if (wide->secure != narrow->secure || wide->port != narrow->port)
    return false;
  if (wide->host != NULL && (narrow->host == NULL || strcmp (wide->host, narrow->host) != 0))
    return false;
  return wide->below ? strncmp (wide->path, narrow->path, len) == 0
                     : !narrow->below && strcmp (wide->path, narrow->path) == 0;
}

bool
http_pattern_closer (const struct http_pattern *a, const struct http_pattern *b)
{
  if (a->any_host != b->any_host)
    return b->any_host;
  return strlen (a->path) > strlen (b->path);
}
