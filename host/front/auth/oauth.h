/* oauth.h - the daemon as a protected resource of OAuth 2: what it says of itself (RFC 9728), whose
 * tokens it takes, and which roles their scopes give.
 *
 * Made of the configuration and a file of keys, or given keys later.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AUTH_OAUTH_H
#define TOOLHOST_FRONT_AUTH_OAUTH_H

#include "front/auth/jwt.h"
#include "front/auth/verified.h"

struct oauth_settings {
  const char *resource;         /* our own URI, which tokens must have as audience */
  const char *issuer;           /* of the tokens */
  const char *const *servers;   /* authorization servers; NULL or empty: the issuer */
  const char *const *audiences; /* further ones that are us; may be NULL */
  const char *jwks_file;        /* the issuer's public keys, or */
  const char *jwks_url;         /* … where it publishes them: see oauth_take_keys */
  const char *scopes;       /* JSON: { "SCOPE": ["role", …] }; NULL: "toolhost:ROLE" for each */
  const char *tenant_claim; /* names the tenant; NULL: all are of tenant "default" */
  int64_t leeway;           /* seconds */
};

struct oauth;

/* Nothing of `settings` is kept.  NULL: err says why, beginning with the setting's name. */
struct oauth *oauth_new (const struct oauth_settings *settings, struct error *err);
void oauth_free (struct oauth *oauth);

/* The issuer's keys, as it publishes them; none are known before.  False: err says why, those that
 * were taken last stay. */
bool oauth_take_keys (struct oauth *oauth, const char *text, size_t len, struct error *err);
/* Go on with the keys of `old`, which loses them, if they are of the same issuer and URL. */
void oauth_keep_keys (struct oauth *oauth, struct oauth *old);

/* The metadata document, where it is, and whether a path of ours is a place for it. */
const struct buf *oauth_metadata (const struct oauth *oauth);
const char *oauth_metadata_url (const struct oauth *oauth);
bool oauth_is_metadata_path (const struct oauth *oauth, const char *path, size_t len);

/* Who shows this token.  Texts live in the arena. */
enum jwt_verdict oauth_check (const struct oauth *oauth, const char *token, size_t len, int64_t now,
                              struct arena *arena, struct caller *caller);
/* The scopes that give these roles, as few as will do, with blanks between them. */
void oauth_scopes_for (const struct oauth *oauth, unsigned roles, struct buf *out);

#endif
