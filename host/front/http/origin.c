#include "front/http/origin.h"

#include <string.h>

#include "front/http/chars.h"

/* As http_same_word, but `text` may have capitals too. */
static bool
same (struct slice s, const char *text)
{
  if (strlen (text) != s.len)
    return false;
  for (size_t i = 0; i < s.len; i++)
    if (http_lower (s.data[i]) != http_lower (text[i]))
      return false;
  return true;
}

static bool
is_port (struct slice s)
{
  if (s.len == 0 || s.len > 5)
    return false;
  for (size_t i = 0; i < s.len; i++)
    if (s.data[i] < '0' || s.data[i] > '9')
      return false;
  return true;
}

static bool
is_ipv6_char (char c)
{
  return http_hex (c) >= 0 || c == ':' || c == '.';
}

static bool
is_name_char (char c)
{
  return (c >= '0' && c <= '9') || (http_lower (c) >= 'a' && http_lower (c) <= 'z') || c == '-'
         || c == '.' || c == '_';
}

/* Where the host ends in "host[:port]"; 0 when there is none.  An address of version 6 keeps its
 * brackets. */
static size_t
host_length (struct slice authority)
{
  size_t i = 0;

  if (authority.len > 0 && authority.data[0] == '[') {
    for (i = 1; i < authority.len && is_ipv6_char (authority.data[i]); i++)
      ;
    return i < authority.len && authority.data[i] == ']' ? i + 1 : 0;
  }
  while (i < authority.len && is_name_char (authority.data[i]))
    i++;
  return i;
}

static bool
is_own (struct slice host)
{
  static const char *const own[] = { "127.0.0.1", "localhost", "[::1]" };

  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (slice_is (host, own[i]) || same (host, own[i]))
      return true;
  return false;
}

bool
http_host_allowed (struct slice authority, const char *const *hosts)
{
  struct slice host = { authority.data, host_length (authority) };

  if (host.len == 0)
    return false;
  if (host.len < authority.len
      && (authority.data[host.len] != ':'
          || !is_port (
            (struct slice){ authority.data + host.len + 1, authority.len - host.len - 1 })))
    return false;
  if (is_own (host))
    return true;
  for (; hosts != NULL && *hosts != NULL; hosts++)
    if (same (host, *hosts) || same (authority, *hosts))
      return true;
  return false;
}

bool
http_origin_value_allowed (struct slice origin, const char *const *hosts,
                           const char *const *origins)
{
  static const char *const schemes[] = { "http://", "https://" };

  if (slice_is (origin, "null"))
    return false;
  for (; origins != NULL && *origins != NULL; origins++)
    if (slice_is (origin, *origins))
      return true;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t len = strlen (schemes[i]);
    if (origin.len > len && http_same_word (origin.data, len, schemes[i]))
      return http_host_allowed ((struct slice){ origin.data + len, origin.len - len }, hosts);
  }
  return false;
}

bool
http_origin_allowed (const struct http_exchange *x, const struct front_env *env, const char **why)
{
  struct slice origin = http_header (x, "origin");

  if (!http_request (x)->peer->local && !http_host_allowed (http_header (x, "host"), env->hosts)) {
    *why = "forbidden_host";
    return false;
  }
  if (origin.data != NULL && !http_origin_value_allowed (origin, env->hosts, env->origins)) {
    *why = "forbidden_origin";
    return false;
  }
  return true;
}

const char *
http_origin_advice (const char *why)
{
  if (strcmp (why, "forbidden_host") == 0)
    return "The Host header names no host that is served here; allowed are localhost, 127.0.0.1, "
           "[::1] and the configured hosts";
  return "Requests of this Origin are refused; allowed are pages of localhost, 127.0.0.1, [::1], "
         "the "
         "configured hosts and the configured origins";
}
