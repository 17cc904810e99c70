/* jwks.h - the public keys of an authorization server (RFC 7517), read once and strictly.
 *
 * RSA of 2048 to 8192 bits, P-256 and Ed25519.  Keys for other uses or of other kinds are left out;
 * a set that holds a secret (a symmetric key, a private member) is refused as a whole, because it
 * is the wrong file.  Pure functions; a set is only read after it was made. */
#ifndef TOOLHOST_FRONT_AUTH_JWKS_H
#define TOOLHOST_FRONT_AUTH_JWKS_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { JWKS_TEXT_MAX = 256 * 1024, JWKS_KEYS_MAX = 64 };

/* Algorithms of RFC 7518 and RFC 8037 that tokens may be signed with; a key has a set of them. */
enum jws_alg { JWS_RS256 = 1, JWS_PS256 = 2, JWS_ES256 = 4, JWS_EDDSA = 8 };

/* The algorithm of this name; 0: none that is accepted ("none" and HS… are not). */
unsigned jws_alg_find (const char *name, size_t len);

struct jwk {
  EVP_PKEY *key;
  char *kid;     /* or NULL */
  unsigned algs; /* that it may be used with */
};

struct jwks {
  size_t count;
  struct jwk keys[JWKS_KEYS_MAX];
};

/* NULL: err says why, with the key's place in the set. */
struct jwks *jwks_read (const char *text, size_t len, struct error *err);
void jwks_free (struct jwks *set);

/* The key for a token: of this kid (NULL: the token names none) and fit for the algorithm.  Without
 * a kid it must be the only one fit.  NULL: none, or which can't be told. */
const struct jwk *jwks_find (const struct jwks *set, const char *kid, unsigned alg);

#endif
