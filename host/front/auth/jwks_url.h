/* jwks_url.h - an issuer's keys from where it publishes them: fetched at the start, again when they
 * have become old, and when a token names one that is not among them.  What could not be fetched or
 * read changes nothing: the last good set stays.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AUTH_JWKS_URL_H
#define TOOLHOST_FRONT_AUTH_JWKS_URL_H

#include "service/http/fetch.h"

/* Seconds. */
enum {
  JWKS_AGE_MIN = 60, /* between two fetches, whatever the issuer says */
  JWKS_AGE_MAX = 86400,
  JWKS_AGE_DEFAULT = 3600 /* it says nothing */
};

/* How long a set may be used before it is fetched again, by the Cache-Control of its answer (NULL:
 * there is none): max-age within the bounds.  Pure. */
int64_t jwks_age (const char *cache_control);

struct jwks_url_settings {
  struct http_broker *broker; /* borrowed, with its loop, log and clock */
  const char *url;            /* https, or http on this machine; copied */
  int64_t refresh;            /* seconds that pass at least before unknown keys are asked for */
  /* Take this set.  False: err says what is wrong with it. */
  bool (*take) (void *ctx, const char *text, size_t len, struct error *err);
  void *ctx;
};

struct jwks_url;

/* Begin to fetch; redirects are not followed.  NULL: err says what is wrong with the URL. */
struct jwks_url *jwks_url_new (const struct jwks_url_settings *settings, struct error *err);
void jwks_url_free (struct jwks_url *source);

/* A token names a key that is not in the set.  True: the set is on its way, and may have it. */
bool jwks_url_unknown (struct jwks_url *source);

#endif
