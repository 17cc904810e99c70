#include <string.h>

#include "schema/format/kinds.h"

enum {
  REG_NAME = CHAR_UNRESERVED | CHAR_SUB_DELIM,
  USERINFO = REG_NAME | CHAR_COLON,
  SEGMENT_NO_COLON = REG_NAME | CHAR_AT,
  SEGMENT = SEGMENT_NO_COLON | CHAR_COLON,
  QUERY = SEGMENT | CHAR_SLASH
};

/* Each skip_ function returns what stands behind its part, which may be empty; NULL: it is wrong.
 */

/* IPvFuture, without its brackets. */
static bool
is_future_address (const char *p, const char *end)
{
  const char *version;

  if (p == end || (*p | 32) != 'v')
    return false;
  version = p + 1;
  p = format_skip (version, end, CHAR_HEX);
  if (p == version || end - p < 2 || *p != '.')
    return false;
  return format_skip (p + 1, end, USERINFO) == end;
}

static const char *
skip_ip_literal (const char *p, const char *end)
{
  const char *address = p + 1;
  const char *close = memchr (address, ']', (size_t) (end - address));

  if (close == NULL)
    return NULL;
  if (!format_is_ipv6 (address, (size_t) (close - address)) && !is_future_address (address, close))
    return NULL;
  return close + 1;
}

/* [ userinfo "@" ] host [ ":" port ].  An IPv4 address is a registered name as well, so that any
 * numbers are good there. */
static const char *
skip_authority (const char *p, const char *end)
{
  const char *userinfo = format_skip_encoded (p, end, USERINFO);

  if (userinfo < end && *userinfo == '@')
    p = userinfo + 1;
  p = p < end && *p == '[' ? skip_ip_literal (p, end) : format_skip_encoded (p, end, REG_NAME);
  if (p != NULL && p < end && *p == ':')
    p = format_skip (p + 1, end, CHAR_DIGIT);
  return p == NULL || p == end || *p == '/' || *p == '?' || *p == '#' ? p : NULL;
}

/* [ "//" authority ] path; without a scheme the first segment has no colon. */
static const char *
skip_hier_part (const char *p, const char *end, bool scheme)
{
  if (end - p >= 2 && p[0] == '/' && p[1] == '/')
    p = skip_authority (p + 2, end);
  else
    p = format_skip_encoded (p, end, scheme ? SEGMENT : SEGMENT_NO_COLON);
  if (p == NULL)
    return NULL;
  while (p < end && *p == '/')
    p = format_skip_encoded (p + 1, end, SEGMENT);
  return p;
}

/* Behind the scheme and its colon; `text` itself when it does not begin with one. */
static const char *
skip_scheme (const char *text, const char *end)
{
  const char *p = format_skip (text, end, CHAR_SCHEME);
  return p < end && *p == ':' && format_char_is (*text, CHAR_ALPHA) ? p + 1 : text;
}

/* From the hierarchical part on. */
static bool
is_rest (const char *p, const char *end, bool scheme)
{
  p = skip_hier_part (p, end, scheme);
  if (p != NULL && p < end && *p == '?')
    p = format_skip_encoded (p + 1, end, QUERY);
  if (p != NULL && p < end && *p == '#')
    p = format_skip_encoded (p + 1, end, QUERY);
  return p == end;
}

bool
format_is_uri (const char *text, size_t len)
{
  const char *end = text + len;
  const char *p = skip_scheme (text, end);
  return p != text && is_rest (p, end, true);
}

bool
format_is_uri_reference (const char *text, size_t len)
{
  const char *end = text + len;
  const char *p = skip_scheme (text, end);
  return is_rest (p, end, p != text);
}
