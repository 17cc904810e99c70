#include "service/http/retry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/grant.h"

bool
http_retry_safe (unsigned method, bool has_key)
{
  return has_key || http_method_idempotent (method);
}

bool
http_retry_status (int status)
{
  return status == 429 || status == 502 || status == 503 || status == 504;
}

int64_t
http_retry_wait (const struct http_retry *retry, unsigned next, double random, int64_t after_ms)
{
  int64_t wait = retry->base_ms;

  for (unsigned i = 2; i < next && wait < retry->cap_ms; i++)
    wait *= 2;
  if (wait > retry->cap_ms)
    wait = retry->cap_ms;
  wait = wait / 2 + (int64_t) ((double) wait / 2 * random);
  return wait > after_ms ? wait : after_ms;
}

int64_t
http_retry_after (const char *value)
{
  size_t digits = value != NULL ? strspn (value, "0123456789") : 0;

  if (digits == 0 || digits > 9 || value[digits] != '\0')
    return 0;
  return atoll (value) * 1000;
}
