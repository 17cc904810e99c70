/* jwt.h - JSON Web Tokens as bearer tokens (RFC 7519, RFC 8725, RFC 9068), checked strictly.
 *
 * What is not exactly right is refused: another form than three parts of canonical base64url, JSON
 * that is not strict, an algorithm that the key was not made for, "crit", another typ than that of
 * an access token.  What a token says of where its key is (jku, jwk, x5c, …) is never looked at.
 * Pure functions; the clock is the caller's. */
#ifndef TOOLHOST_FRONT_AUTH_JWT_H
#define TOOLHOST_FRONT_AUTH_JWT_H

#include <stdint.h>

#include "base/json_tape.h"
#include "front/auth/jwks.h"

enum { JWT_MAX = 8192, JWT_HEADER_MAX = 1024 };

enum jwt_verdict {
  JWT_GOOD,
  JWT_MALFORMED,
  JWT_ALGORITHM,
  JWT_KEY,
  JWT_SIGNATURE,
  JWT_ISSUER,
  JWT_AUDIENCE,
  JWT_EXPIRED,
  JWT_EARLY,
  JWT_SUBJECT,
  JWT_TENANT,  /* said by oauth.c */
  JWT_NO_KEYS, /* likewise */
  JWT_VERDICTS
};

/* What is wrong, for error_description: nothing of the token is in it. */
const char *jwt_problem (enum jwt_verdict verdict);

/* Form, header and signature.  The claims, an object, go to `claims`, its memory in the arena. */
enum jwt_verdict jwt_open (const struct jwks *keys, const char *token, size_t len,
                           struct arena *arena, struct json_tape *claims);

struct jwt_rules {
  const char *issuer;
  const char *const *audiences; /* one of them must be the token's; ends with NULL */
  int64_t leeway;               /* seconds that clocks may differ */
};

struct jwt_claims {
  const char *subject; /* in the arena: 1 to 255 bytes, nothing of them control characters */
  int64_t expires;     /* seconds since 1970, the leeway included */
};

/* Issuer, audience, times and subject.  `now`: seconds since 1970. */
enum jwt_verdict jwt_check (const struct json_tape *claims, const struct jwt_rules *rules,
                            int64_t now, struct arena *arena, struct jwt_claims *out);

#endif
