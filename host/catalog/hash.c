#include "catalog/hash.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* OpenSSL refuses only for want of memory, or because it has no SHA-256 at all. */
static void
need (int ok)
{
  if (ok == 1)
    return;
  (void) fputs ("toolhost: SHA-256 is not to be had\n", stderr);
  abort ();
}

struct hash *
hash_new (void)
{
  EVP_MD_CTX *context = EVP_MD_CTX_new ();

  need (context != NULL);
  need (EVP_DigestInit_ex (context, EVP_sha256 (), NULL));
  return (struct hash *) context;
}

void
hash_add (struct hash *hash, const void *data, size_t len)
{
  need (EVP_DigestUpdate ((EVP_MD_CTX *) hash, data, len));
}

void
hash_free (struct hash *hash)
{
  EVP_MD_CTX_free ((EVP_MD_CTX *) hash);
}

void
hash_end_bytes (struct hash *hash, unsigned char bytes[SHA256_BYTES])
{
  need (EVP_DigestFinal_ex ((EVP_MD_CTX *) hash, bytes, NULL));
  hash_free (hash);
}

void
hash_end (struct hash *hash, char hex[SHA256_HEX])
{
  unsigned char digest[SHA256_BYTES];

  hash_end_bytes (hash, digest);
  for (unsigned i = 0; i < sizeof digest; i++)
    (void) snprintf (hex + 2 * i, 3, "%02x", digest[i]);
}
