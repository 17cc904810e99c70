#include "digest.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char broken[] = "is broken: two contents with the same digest can be made on purpose. "
                             "Fine against accidents; for security use sha256.";

static const struct algorithm algorithms[] = {
  { "sha256", "SHA2-256", true, NULL },
  { "sha224", "SHA2-224", true, NULL },
  { "sha384", "SHA2-384", true, NULL },
  { "sha512", "SHA2-512", true, NULL },
  { "sha512-256", "SHA2-512/256", true, NULL },
  { "sha3-256", "SHA3-256", true, NULL },
  { "sha3-512", "SHA3-512", true, NULL },
  { "blake2b512", "BLAKE2B-512", true, NULL },
  { "blake2s256", "BLAKE2S-256", true, NULL },
  { "sha1", "SHA1", true, broken },
  { "md5", "MD5", true, broken },
  { "crc32", NULL, false,
    "is a checksum: it finds accidents, and anyone can make another content with the same value." },
};

const struct algorithm *
algorithm_find (const char *name)
{
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
    if (strcmp (algorithms[i].name, name) == 0)
      return &algorithms[i];
  return NULL;
}

struct digest {
  EVP_MD_CTX *hash; /* one of these two; neither: a CRC */
  EVP_MAC_CTX *mac;
  uint32_t crc;
};

/* CRC-32 of ISO 3309, as zlib, PNG and Ethernet have it; four bits at a time. */
static uint32_t
crc_add (uint32_t crc, const unsigned char *data, size_t len)
{
  static const uint32_t table[16] = { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                      0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                      0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                      0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C };

  crc = ~crc;
  for (size_t i = 0; i < len; i++) {
    crc ^= data[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

static bool
start_hash (struct digest *digest, const struct algorithm *algorithm)
{
  EVP_MD *md = EVP_MD_fetch (NULL, algorithm->openssl, NULL);
  bool ok = md != NULL && (digest->hash = EVP_MD_CTX_new ()) != NULL
            && EVP_DigestInit_ex2 (digest->hash, md, NULL) == 1;

  EVP_MD_free (md);
  return ok;
}

static bool
start_mac (struct digest *digest, const struct algorithm *algorithm, const void *key,
           size_t key_len)
{
  EVP_MAC *mac = EVP_MAC_fetch (NULL, "HMAC", NULL);
  OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string (OSSL_MAC_PARAM_DIGEST,
                                                            (char *) algorithm->openssl, 0),
                          OSSL_PARAM_construct_end () };
  bool ok = mac != NULL && (digest->mac = EVP_MAC_CTX_new (mac)) != NULL
            && EVP_MAC_init (digest->mac, key, key_len, params) == 1;

  EVP_MAC_free (mac);
  return ok;
}

struct digest *
digest_new (const struct algorithm *algorithm, const void *key, size_t key_len)
{
  struct digest *digest = calloc (1, sizeof *digest);
  bool ok = digest != NULL;

  if (ok && key != NULL)
    ok = algorithm->keyed && start_mac (digest, algorithm, key, key_len);
  else if (ok && algorithm->openssl != NULL)
    ok = start_hash (digest, algorithm);
  if (ok)
    return digest;
  digest_free (digest);
  return NULL;
}

void
digest_free (struct digest *digest)
{
  if (digest == NULL)
    return;
  EVP_MD_CTX_free (digest->hash);
  EVP_MAC_CTX_free (digest->mac);
  free (digest);
}

bool
digest_add (struct digest *digest, const void *data, size_t len)
{
  if (digest->mac != NULL)
    return EVP_MAC_update (digest->mac, data, len) == 1;
  if (digest->hash != NULL)
    return EVP_DigestUpdate (digest->hash, data, len) == 1;
  digest->crc = crc_add (digest->crc, data, len);
  return true;
}

bool
digest_finish (struct digest *digest, unsigned char out[DIGEST_MAX], size_t *len)
{
  unsigned hash_len = 0;

  if (digest->mac != NULL)
    return EVP_MAC_final (digest->mac, out, len, DIGEST_MAX) == 1;
  if (digest->hash != NULL) {
    bool ok = EVP_DigestFinal_ex (digest->hash, out, &hash_len) == 1;
    *len = hash_len;
    return ok;
  }
  for (size_t i = 0; i < 4; i++)
    out[i] = (unsigned char) (digest->crc >> (24 - 8 * i));
  *len = 4;
  return true;
}
