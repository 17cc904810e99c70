/* digest.h - one digest in the making: a hash, an HMAC or a CRC, whichever the algorithm is. */
#ifndef TOOLHOST_HASH_DIGEST_H
#define TOOLHOST_HASH_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

struct algorithm {
  const char *name;
  const char *openssl; /* its name in libcrypto; NULL: CRC-32 */
  bool keyed;          /* HMAC can use it */
  const char *note;    /* what a user must know before trusting it; NULL: nothing */
};

/* NULL: no such algorithm. */
const struct algorithm *algorithm_find (const char *name);

enum { DIGEST_MAX = 64 };

struct digest;

/* With a key: an HMAC.  NULL: libcrypto does not offer it here (a FIPS provider knows no MD5), or
 * there is no memory. */
struct digest *digest_new (const struct algorithm *algorithm, const void *key, size_t key_len);
void digest_free (struct digest *digest);
bool digest_add (struct digest *digest, const void *data, size_t len);
/* Once, at the end. */
bool digest_finish (struct digest *digest, unsigned char out[DIGEST_MAX], size_t *len);

#endif
