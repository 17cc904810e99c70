#include "service/http/asked.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "service/http/headers.h"

/* ---- what is asked ---------------------------------------------------------------------- */

static bool
copy_headers (struct http_asked *asked, const struct http_ask *request, struct arena *arena,
              struct error *err)
{
  size_t bytes = 0;

  if (request->headers_count > HTTP_HEADERS_MAX)
    return error_set (err, "more than %d headers", HTTP_HEADERS_MAX);
  asked->own = arena_alloc (arena, (request->headers_count + 1) * sizeof *asked->own);
  for (size_t i = 0; i < request->headers_count; i++) {
    const struct http_header *h = &request->headers[i];
    size_t name = strlen (h->name), value = strlen (h->value);
    bytes += name + value;
    if (!http_header_allowed (h->name, name))
      return error_set (err, "the header \"%.64s\" is not a tool's to send", h->name);
    if (!http_header_value_ok (h->value, value))
      return error_set (err, "the header %.64s holds what no header may", h->name);
    asked->own[asked->own_count++] = (struct http_header){ arena_strndup (arena, h->name, name),
                                                           arena_strndup (arena, h->value, value) };
  }
  return bytes <= HTTP_HEADERS_BYTES
         || error_set (err, "headers of more than %d bytes", HTTP_HEADERS_BYTES);
}

/* NULL for one that can't be sent. */
static const char *
copy_header (const char *value, struct arena *arena)
{
  size_t len = value != NULL ? strlen (value) : 0;

  return value != NULL && http_header_value_ok (value, len) ? arena_strndup (arena, value, len)
                                                            : NULL;
}

static bool
read_method (struct http_asked *asked, const struct http_ask *request, struct error *err)
{
  const char *method = request->method != NULL ? request->method
                       : request->has_body     ? "POST"
                                               : "GET";

  asked->method = http_method_find (method, strlen (method));
  return asked->method != 0
         || error_set (err,
                       "the method \"%.16s\" is none of GET, HEAD, POST, PUT, PATCH, DELETE, "
                       "OPTIONS",
                       method);
}

static bool
read_key (struct http_asked *asked, const char *key, struct arena *arena, struct error *err)
{
  asked->key = copy_header (key, arena);
  return key == NULL || (asked->key != NULL && strlen (key) <= 256)
         || error_set (err, "the idempotency key holds what no header may, or is too long");
}

static void
copy_body (struct http_asked *asked, const struct http_ask *request)
{
  asked->has_body = request->has_body;
  asked->body_len = request->body_len;
  asked->body = xmalloc (request->body_len + 1);
  if (request->body_len != 0)
    memcpy (asked->body, request->body, request->body_len);
}

static void
read_limits (struct http_asked *asked, const struct http_ask *request,
             const struct http_terms *terms)
{
  asked->response_max = terms->response_max;
  if (request->response_max != 0 && request->response_max < asked->response_max)
    asked->response_max = request->response_max;
  asked->redirects_max =
    request->redirects < HTTP_REDIRECTS_MAX ? request->redirects : HTTP_REDIRECTS_MAX;
}

bool
http_asked_read (struct http_asked *asked, const struct http_ask *request,
                 const struct http_terms *terms, struct arena *arena, struct error *err)
{
  memset (asked, 0, sizeof *asked);
  copy_body (asked, request);
  read_limits (asked, request, terms);
  asked->traceparent = copy_header (terms->traceparent, arena);
  asked->tracestate = copy_header (terms->tracestate, arena);
  if (!read_method (asked, request, err) || !read_key (asked, request->idempotency_key, arena, err))
    return false;
  if (!url_read (&asked->url, request->url, strlen (request->url), arena, err))
    return error_wrap (err, "the URL ");
  return copy_headers (asked, request, arena, err);
}

void
http_asked_clear (struct http_asked *asked)
{
  free (asked->body);
  asked->body = NULL;
}

/* ---- what goes out ---------------------------------------------------------------------- */

static bool
is_added (const struct http_grant *grant, const char *name)
{
  for (size_t i = 0; i < grant->extras_count; i++)
    if (!grant->extras[i].query && strcasecmp (grant->extras[i].name, name) == 0)
      return true;
  return false;
}

enum { DAEMONS_HEADERS = 4 }; /* Idempotency-Key, User-Agent, traceparent, tracestate */

static void
put_if_new (struct http_header *headers, size_t *count, const char *name, const char *value)
{
  if (value != NULL && http_header_find (headers, *count, name) == NULL)
    headers[(*count)++] = (struct http_header){ name, value };
}

struct http_header *
http_asked_headers (const struct http_asked *asked, const struct http_grant *grant, bool abroad,
                    bool has_body, struct arena *arena, size_t *count)
{
  struct http_header *headers = arena_alloc (
    arena, (asked->own_count + grant->extras_count + DAEMONS_HEADERS) * sizeof *headers);

  *count = 0;
  for (size_t i = 0; i < asked->own_count; i++) {
    const char *name = asked->own[i].name;
    if (is_added (grant, name) || (abroad && http_header_is_credential (name))
        || (!has_body && strcasecmp (name, "Content-Type") == 0))
      continue;
    headers[(*count)++] = asked->own[i];
  }
  for (size_t i = 0; i < grant->extras_count; i++)
    if (!grant->extras[i].query)
      headers[(*count)++] = (struct http_header){ grant->extras[i].name, grant->extras[i].value };
  put_if_new (headers, count, "Idempotency-Key", asked->key);
  put_if_new (headers, count, "User-Agent", "toolhost/" TOOLHOST_VERSION);
  put_if_new (headers, count, "traceparent", asked->traceparent);
  if (asked->traceparent != NULL)
    put_if_new (headers, count, "tracestate", asked->tracestate);
  return headers;
}

static void
escape_query (const char *text, struct buf *out)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

  for (; *text != '\0'; text++)
    if (strchr (plain, *text) != NULL)
      buf_putc (out, *text);
    else
      buf_printf (out, "%%%02X", (unsigned char) *text);
}

const char *
http_asked_target (const struct url *url, const struct http_grant *grant, struct arena *arena)
{
  CLEANUP_BUF struct buf text = { 0 };
  bool any = url->query != NULL && url->query[0] != '\0';
  const char *target;

  url_write (url, &text);
  for (size_t i = 0; i < grant->extras_count; i++) {
    const struct http_extra *extra = &grant->extras[i];
    if (!extra->query)
      continue;
    buf_puts (&text, any ? "&" : url->query != NULL ? "" : "?");
    escape_query (extra->name, &text);
    buf_putc (&text, '=');
    escape_query (extra->value, &text);
    any = true;
  }
  target = arena_strndup (arena, text.data, text.len);
  explicit_bzero (text.data, text.len);
  return target;
}
