#include "front/auth/jwks_url.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "front/auth/jwks.h"
#include "service/http/headers.h"
#include "watch/log.h"

/* Of one fetch; and between tries after a failure, doubling from the first to the last. */
enum { FETCH_S = 10, FIRST_RETRY_S = 1, LAST_RETRY_S = 60 };

struct jwks_url {
  struct http_broker *broker;
  char *url;
  int64_t refresh;
  bool (*take) (void *ctx, const char *text, size_t len, struct error *err);
  void *ctx;
  struct http_grants grants; /* this URL, and nothing else */
  unsigned open;
  ev_timer again;
  struct http_fetch *fetch; /* NULL: none is under way */
  double tried;             /* of the broker's clock */
  int64_t retry;            /* seconds; 0: the last one went well */
  /* the answer */
  int status;
  int64_t age;
  struct buf text;
  struct buf taken; /* the set that is in use */
};

int64_t
jwks_age (const char *cache_control)
{
  static const char name[] = "max-age=";
  const char *at = cache_control;
  int64_t age = JWKS_AGE_DEFAULT;

  while (at != NULL && *at != '\0') {
    at += strspn (at, " \t,");
    if (strncasecmp (at, name, sizeof name - 1) == 0 && at[sizeof name - 1] >= '0'
        && at[sizeof name - 1] <= '9')
      age = strtoll (at + sizeof name - 1, NULL, 10);
    else if (strncasecmp (at, "no-cache", 8) == 0 || strncasecmp (at, "no-store", 8) == 0)
      age = 0;
    at += strcspn (at, ",");
  }
  return age < JWKS_AGE_MIN ? JWKS_AGE_MIN : age > JWKS_AGE_MAX ? JWKS_AGE_MAX : age;
}

/* ---- one fetch -------------------------------------------------------------------------- */

static void
fetch_in (struct jwks_url *source, int64_t seconds)
{
  ev_timer_stop (source->broker->loop, &source->again);
  ev_timer_set (&source->again, (double) seconds, 0);
  ev_timer_start (source->broker->loop, &source->again);
}

static void
failed (struct jwks_url *source, const char *why)
{
  source->retry = source->retry == 0 ? FIRST_RETRY_S : 2 * source->retry;
  if (source->retry > LAST_RETRY_S)
    source->retry = LAST_RETRY_S;
  if (source->broker->log != NULL)
    log_event (source->broker->log, LOG_WARNING, "jwks_failed", "url", source->url, "why", why,
               "retry_s", LOG_INT (source->retry), "kept", source->taken.len != 0 ? "yes" : "no",
               NULL);
  fetch_in (source, source->retry);
}

/* The same bytes again are no news: whoever was checked stays checked. */
static void
take_set (struct jwks_url *source)
{
  const struct buf *was = &source->taken, *now = &source->text;
  struct error why = { { 0 } };

  if (was->len == now->len && memcmp (was->data, now->data, now->len) == 0)
    ;
  else if (!source->take (source->ctx, now->data, now->len, &why)) {
    failed (source, why.text);
    return;
  }
  else if (source->broker->log != NULL)
    log_event (source->broker->log, LOG_INFO, "jwks_loaded", "url", source->url, "good_for_s",
               LOG_INT (source->age), NULL);
  buf_swap (&source->taken, &source->text);
  source->retry = 0;
  fetch_in (source, source->age);
}

static void
on_head (void *ctx, const struct http_answer *answer)
{
  struct jwks_url *source = ctx;

  source->status = answer->status;
  source->age =
    jwks_age (http_header_find (answer->headers, answer->headers_count, "cache-control"));
}

static void
on_body (void *ctx, const char *data, size_t len)
{
  struct jwks_url *source = ctx;

  buf_append (&source->text, data, len);
  http_fetch_taken (source->fetch, len);
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  struct jwks_url *source = ctx;
  struct error why;

  source->fetch = NULL;
  if (fault != HTTP_OK)
    failed (source, text);
  else if (source->status != 200) {
    (void) error_set (&why, "the server answered %d", source->status);
    failed (source, why.text);
  }
  else
    take_set (source);
  buf_reset (&source->text, 0);
}

static void
fetch_now (struct jwks_url *source)
{
  static const struct http_events events = { .head = on_head, .body = on_body, .end = on_end };
  static const struct http_header headers[] = { { "Accept",
                                                  "application/jwk-set+json, application/json" } };
  const struct http_ask ask = { .url = source->url, .headers = headers, .headers_count = 1 };
  const struct http_terms terms = { .plugin = "auth",
                                    .grants = &source->grants,
                                    .response_max = JWKS_TEXT_MAX,
                                    .deadline_ns = clock_ns () + FETCH_S * 1000000000LL,
                                    .open = &source->open,
                                    .open_max = 1 };
  enum http_fault fault;
  struct error why = { { 0 } };

  ev_timer_stop (source->broker->loop, &source->again);
  source->tried = source->broker->now ();
  source->fetch = http_fetch_new (source->broker, &ask, &terms, &events, source, &fault, &why);
  if (source->fetch == NULL)
    failed (source, why.text);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  fetch_now (timer->data);
}

/* ---- all of it -------------------------------------------------------------------------- */

/* The operator has written it down, so its server may stand in a private network; nothing else is
 * granted, and no redirect is followed. */
static bool
grant (struct jwks_url *source, struct error *err)
{
  struct http_grant *grant = http_grants_add (&source->grants, source->url, err);

  if (grant == NULL)
    return false;
  grant->methods = HTTP_GET;
  grant->private_too = true;
  return true;
}

struct jwks_url *
jwks_url_new (const struct jwks_url_settings *settings, struct error *err)
{
  struct jwks_url *source = xcalloc (1, sizeof *source);

  source->broker = settings->broker;
  source->url = xstrdup (settings->url);
  source->refresh = settings->refresh;
  source->take = settings->take;
  source->ctx = settings->ctx;
  ev_timer_init (&source->again, on_again, 0, 0);
  source->again.data = source;
  if (!grant (source, err)) {
    jwks_url_free (source);
    return NULL;
  }
  fetch_now (source);
  return source;
}

void
jwks_url_free (struct jwks_url *source)
{
  if (source == NULL)
    return;
  if (source->fetch != NULL)
    http_fetch_drop (source->fetch);
  ev_timer_stop (source->broker->loop, &source->again);
  http_grants_free (&source->grants);
  buf_free (&source->text);
  buf_free (&source->taken);
  free (source->url);
  free (source);
}

bool
jwks_url_unknown (struct jwks_url *source)
{
  if (source->fetch == NULL && source->broker->now () - source->tried >= (double) source->refresh)
    fetch_now (source);
  return source->fetch != NULL;
}
