/* tokens.h - an issuer of tokens for tests: keys, the JWK set that shows them, tokens signed by
 * them. */
#ifndef TOOLHOST_TESTS_TOKENS_H
#define TOOLHOST_TESTS_TOKENS_H

#include <openssl/evp.h>

#include "base/buf.h"

/* A new key for "RS256", "PS256" (RSA of 2048 bits), "ES256" or "EdDSA"; EVP_PKEY_free it. */
EVP_PKEY *token_key (const char *alg);
/* Append the JWK of its public half; `kid` and `extra` (",\"use\":\"sig\"") may be NULL. */
void token_jwk (EVP_PKEY *key, const char *kid, const char *extra, struct buf *out);
/* { "keys": [ … ] } around what is in `keys`. */
void token_set (const struct buf *keys, struct buf *out);
/* A token of these two JSON texts, signed as `alg` says, whatever the header says; the buffer is
 * emptied before.  Returns it as a C string. */
const char *token_sign (EVP_PKEY *key, const char *alg, const char *header, const char *claims,
                        struct buf *out);
/* The same with a signature that is given. */
const char *token_with (const char *header, const char *claims, const void *signature, size_t len,
                        struct buf *out);

#endif
