/* auth.h - who calls over HTTP, and may it?  Bearer keys (keys.h) and access tokens (oauth.h).
 *
 *   auth_admit   at every request, before it is served: from the token to a principal
 *   auth_allows  before it does something: has the principal the role?
 *
 * Both answer by themselves what they refuse.  A token that is shown must be good, also where none
 * is asked for.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AUTH_AUTH_H
#define TOOLHOST_FRONT_AUTH_AUTH_H

#include "front/auth/oauth.h"
#include "front/auth/roles.h"
#include "front/http/http.h"

struct auth;

struct auth_settings {
  bool has_oauth;
  struct oauth_settings oauth;
  int keys_dir;          /* that keys_file is relative to, or AT_FDCWD */
  const char *keys_file; /* NULL: no keys */
  bool required;         /* also of callers on loopback */
};

/* Nobody is known, nothing is asked for.  `log` is borrowed and may be NULL. */
struct auth *auth_new (struct log *log);
void auth_free (struct auth *auth);

/* Take these settings, their files read now.  False: err says why, all is as it was. */
bool auth_follow (struct auth *auth, const struct auth_settings *settings, struct error *err);
/* The issuer's keys where it publishes them (oauth.jwks_url) are fetched by somebody else, who
 * gives them here.  False: err says why, the last good ones stay. */
bool auth_take_keys (struct auth *auth, const char *text, size_t len, struct error *err);
/* Told of each token that names an unknown key; answers whether a set that may have it is on its
 * way: then the caller hears 503 and comes again. */
void auth_set_unknown (struct auth *auth, bool (*unknown) (void *ctx), void *ctx);

/* Could anybody show anything?  NULL: no. */
bool auth_is_possible (const struct auth *auth);
/* Callers of other machines reach us: from now on everybody on TCP has to show something. */
void auth_expose (struct auth *auth);

/* What keys and tokens of a tenant may do at most, asked at each request that shows one. */
void auth_set_most (struct auth *auth, unsigned (*most) (void *ctx, const char *tenant), void *ctx);

/* Tests have a clock of their own: seconds since 1970. */
void auth_set_clock (struct auth *auth, int64_t (*now) (void *ctx), void *ctx);

/* Find out who calls; request->peer says it from then on.  False: answered, by 400, 401, 429 or 503
 * or with the metadata.  NULL: whoever the connection is. */
bool auth_admit (struct auth *auth, struct http_exchange *x);
/* Has the caller all of these roles?  False: answered by 403, with the scopes that would do. */
bool auth_allows (const struct auth *auth, struct http_exchange *x, unsigned roles);

void auth_metrics (const struct auth *auth, struct buf *out);

#endif
