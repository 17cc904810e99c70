#include "service/http/headers.h"

#include <string.h>
#include <strings.h>

#include "service/http/transport.h"

static const char *const daemons_own[] = {
  "Host",    "Content-Length", "Transfer-Encoding", "Connection",       "Keep-Alive",
  "TE",      "Trailer",        "Upgrade",           "HTTP2-Settings",   "Expect",
  "Via",     "Forwarded",      "X-Forwarded-For",   "X-Forwarded-Host", "Accept-Encoding",
  "Cookie2",
};

static const char *const credentials[] = { "Authorization", "Cookie", "X-Api-Key", "Api-Key",
                                           "X-Auth-Token" };

#define COUNT(list) (sizeof (list) / sizeof *(list))

static bool
is_among (const char *name, size_t len, const char *const *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strlen (list[i]) == len && strncasecmp (list[i], name, len) == 0)
      return true;
  return false;
}

bool
http_header_allowed (const char *name, size_t len)
{
  static const char token[] =
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  if (len == 0 || len > 128)
    return false;
  for (size_t i = 0; i < len; i++)
    if (name[i] == '\0' || strchr (token, name[i]) == NULL)
      return false;
  if (len >= 6 && strncasecmp (name, "Proxy-", 6) == 0)
    return false;
  return !is_among (name, len, daemons_own, COUNT (daemons_own));
}

bool
http_header_value_ok (const char *value, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (((unsigned char) value[i] < ' ' && value[i] != '\t') || (unsigned char) value[i] >= 0x7f)
      return false;
  return true;
}

bool
http_header_is_credential (const char *name)
{
  return is_among (name, strlen (name), credentials, COUNT (credentials));
}

const char *
http_header_find (const struct http_header *headers, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcasecmp (headers[i].name, name) == 0)
      return headers[i].value;
  return NULL;
}
