/* retry.h - when a request is worth another try, and how long to wait before it.  Pure functions.
 */
#ifndef TOOLHOST_SERVICE_HTTP_RETRY_H
#define TOOLHOST_SERVICE_HTTP_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct http_retry {
  unsigned tries;  /* in all, the first one counted */
  int64_t base_ms; /* before the second, doubling from there … */
  int64_t cap_ms;  /* … to this */
};

/* May a request go out once more?  Only one that does no harm if it was carried out already: its
 * method is idempotent, or it has an idempotency key. */
bool http_retry_safe (unsigned method, bool has_key);
/* Does this status say that another try may fare better? */
bool http_retry_status (int status);
/* Milliseconds before try number `next` (2 and up), half of them by `random`, from 0 up to 1; no
 * less than the server asked for, `after_ms`. */
int64_t http_retry_wait (const struct http_retry *retry, unsigned next, double random,
                         int64_t after_ms);
/* Of a Retry-After header in seconds; a date, or nonsense: 0. */
int64_t http_retry_after (const char *value);

#endif
