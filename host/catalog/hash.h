/* hash.h - SHA-256, bit by bit, as hex.  Any thread; a hash belongs to one at a time. */
#ifndef TOOLHOST_CATALOG_HASH_H
#define TOOLHOST_CATALOG_HASH_H

#include <stddef.h>

struct hash;

enum { SHA256_BYTES = 32, SHA256_HEX = 65 /* with the NUL */ };

struct hash *hash_new (void);
void hash_add (struct hash *hash, const void *data, size_t len);
/* The hash of all that was added; frees. */
void hash_end (struct hash *hash, char hex[SHA256_HEX]);
/* … as the bytes that it is. */
void hash_end_bytes (struct hash *hash, unsigned char bytes[SHA256_BYTES]);
void hash_free (struct hash *hash);

static inline void
hash_cleanup (struct hash **hash)
{
  hash_free (*hash);
}
#define CLEANUP_HASH __attribute__ ((cleanup (hash_cleanup)))

#endif
