#include "front/auth/verified.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct verified_token {
  unsigned char hash[VERIFIED_HASH];
  struct caller caller; /* principal NULL: the place is free */
};

static bool
hash_of (const char *token, size_t len, unsigned char hash[VERIFIED_HASH])
{
  unsigned written;

  return EVP_Digest (token, len, hash, &written, EVP_sha256 (), NULL) == 1;
}

static struct verified_token *
place_of (const struct verified *verified, const unsigned char hash[VERIFIED_HASH])
{
  return &verified->slots[(hash[0] << 8 | hash[1]) % VERIFIED_MAX];
}

static void
forget (struct verified_token *t)
{
  free ((char *) t->caller.principal);
  free ((char *) t->caller.tenant);
  *t = (struct verified_token){ .hash = { 0 } };
}

const struct caller *
verified_find (const struct verified *verified, const char *token, size_t len, int64_t now)
{
  unsigned char hash[VERIFIED_HASH];
  const struct verified_token *t;

  if (verified->slots == NULL || !hash_of (token, len, hash))
    return NULL;
  t = place_of (verified, hash);
  return t->caller.principal != NULL && CRYPTO_memcmp (t->hash, hash, sizeof hash) == 0
             && now < t->caller.expires
           ? &t->caller
           : NULL;
}

void
verified_add (struct verified *verified, const char *token, size_t len, const struct caller *caller)
{
  unsigned char hash[VERIFIED_HASH];
  struct verified_token *t;

  if (!hash_of (token, len, hash))
    return;
  if (verified->slots == NULL)
    verified->slots = xcalloc (VERIFIED_MAX, sizeof *verified->slots);
  t = place_of (verified, hash);
  forget (t);
  memcpy (t->hash, hash, sizeof hash);
  t->caller = *caller;
  t->caller.principal = xstrdup (caller->principal);
  t->caller.tenant = xstrdup (caller->tenant);
}

void
verified_clear (struct verified *verified)
{
  for (size_t i = 0; verified->slots != NULL && i < VERIFIED_MAX; i++)
    forget (&verified->slots[i]);
  free (verified->slots);
  verified->slots = NULL;
}
