#include "front/rest/route.h"

#include <string.h>

enum { NEAREST_MAX = 64, ROUTES_MAX = 128 };

bool
route_fits (const char *pattern, struct slice path, struct slice segments[ROUTE_SEGMENTS])
{
  size_t count = 0;
  const char *at = path.data;
  const char *end = path.data + path.len;

  memset (segments, 0, ROUTE_SEGMENTS * sizeof *segments);
  while (*pattern != '\0') {
    if (*pattern == '{') {
      const char *begin = at;
      while (at < end && *at != '/')
        at++;
      if (at == begin)
        return false;
      segments[count++] = (struct slice){ begin, (size_t) (at - begin) };
      pattern = strchr (pattern, '}') + 1;
    }
    else if (at == end || *at++ != *pattern++)
      return false;
  }
  return at == end;
}

/* Has the path a pattern of its own, without variables?  Then none with variables counts:
 * /things/rules is no thing. */
static bool
is_literal (const struct route *routes, size_t count, struct slice path)
{
  for (size_t i = 0; i < count; i++)
    if (slice_is (path, routes[i].pattern))
      return true;
  return false;
}

static bool
counts (const struct route *route, bool literal, struct slice path,
        struct slice segments[ROUTE_SEGMENTS])
{
  return (!literal || strchr (route->pattern, '{') == NULL)
         && route_fits (route->pattern, path, segments);
}

static bool
takes_method (const struct route *route, struct slice method)
{
  return slice_is (method, route->method)
         || (slice_is (method, "HEAD") && strcmp (route->method, "GET") == 0);
}

const struct route *
route_find (const struct route *routes, size_t count, struct slice method, struct slice path,
            struct slice segments[ROUTE_SEGMENTS], bool *known)
{
  const bool literal = is_literal (routes, count, path);

  *known = false;
  for (size_t i = 0; i < count; i++)
    if (counts (&routes[i], literal, path, segments)) {
      *known = true;
      if (takes_method (&routes[i], method))
        return &routes[i];
    }
  return NULL;
}

void
route_allow (const struct route *routes, size_t count, struct slice path, struct buf *out)
{
  const char *separator = "";
  const bool literal = is_literal (routes, count, path);
  struct slice segments[ROUTE_SEGMENTS];

  for (size_t i = 0; i < count; i++)
    if (counts (&routes[i], literal, path, segments)) {
      buf_puts (out, separator);
      buf_puts (out, routes[i].method);
      if (strcmp (routes[i].method, "GET") == 0)
        buf_puts (out, ", HEAD");
      separator = ", ";
    }
}

const char *
route_nearest (const struct route *routes, size_t count, struct slice path)
{
  const char *patterns[ROUTES_MAX + 1] = { NULL };
  char word[NEAREST_MAX];

  if (path.len >= sizeof word || memchr (path.data, '\0', path.len) != NULL)
    return NULL;
  memcpy (word, path.data, path.len);
  word[path.len] = '\0';
  for (size_t i = 0; i < count && i < ROUTES_MAX; i++)
    patterns[i] = routes[i].pattern;
  return error_nearest (word, patterns);
}
