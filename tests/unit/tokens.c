#include "tokens.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

static void
need (bool good)
{
  if (!good)
    abort ();
}

EVP_PKEY *
token_key (const char *alg)
{
  EVP_PKEY *key = strcmp (alg, "ES256") == 0   ? EVP_EC_gen ("P-256")
                  : strcmp (alg, "EdDSA") == 0 ? EVP_PKEY_Q_keygen (NULL, NULL, "ED25519")
                                               : EVP_RSA_gen (2048);

  need (key != NULL);
  return key;
}

static void
put_bytes (const char *name, const unsigned char *bytes, size_t len, struct buf *out)
{
  buf_printf (out, ",\"%s\":\"", name);
  base64_encode (BASE64_URL, (const char *) bytes, len, out);
  buf_putc (out, '"');
}

static void
put_number (EVP_PKEY *key, const char *param, const char *name, int pad, struct buf *out)
{
  BIGNUM *number = NULL;
  unsigned char bytes[1024];
  int len;

  need (EVP_PKEY_get_bn_param (key, param, &number) == 1);
  len = pad != 0 ? BN_bn2binpad (number, bytes, pad) : BN_bn2bin (number, bytes);
  need (len > 0);
  put_bytes (name, bytes, (size_t) len, out);
  BN_free (number);
}

void
token_jwk (EVP_PKEY *key, const char *kid, const char *extra, struct buf *out)
{
  unsigned char raw[64];
  size_t len = sizeof raw;

  if (out->len != 0)
    buf_putc (out, ',');
  switch (EVP_PKEY_get_base_id (key)) {
  case EVP_PKEY_RSA:
    buf_puts (out, "{\"kty\":\"RSA\"");
    put_number (key, OSSL_PKEY_PARAM_RSA_N, "n", 0, out);
    put_number (key, OSSL_PKEY_PARAM_RSA_E, "e", 0, out);
    break;
  case EVP_PKEY_EC:
    buf_puts (out, "{\"kty\":\"EC\",\"crv\":\"P-256\"");
    put_number (key, OSSL_PKEY_PARAM_EC_PUB_X, "x", 32, out);
    put_number (key, OSSL_PKEY_PARAM_EC_PUB_Y, "y", 32, out);
    break;
  default:
    need (EVP_PKEY_get_raw_public_key (key, raw, &len) == 1);
    buf_puts (out, "{\"kty\":\"OKP\",\"crv\":\"Ed25519\"");
    put_bytes ("x", raw, len, out);
  }
  if (kid != NULL)
    buf_printf (out, ",\"kid\":\"%s\"", kid);
  buf_printf (out, "%s}", extra != NULL ? extra : "");
}

void
token_set (const struct buf *keys, struct buf *out)
{
  out->len = 0;
  buf_puts (out, "{\"keys\":[");
  buf_append (out, keys->data, keys->len);
  buf_puts (out, "]}");
}

/* r and s side by side. */
static void
from_der (unsigned char *bytes, size_t *len)
{
  const unsigned char *der = bytes;
  ECDSA_SIG *signature = d2i_ECDSA_SIG (NULL, &der, (long) *len);

  need (signature != NULL && BN_bn2binpad (ECDSA_SIG_get0_r (signature), bytes, 32) == 32
        && BN_bn2binpad (ECDSA_SIG_get0_s (signature), bytes + 32, 32) == 32);
  ECDSA_SIG_free (signature);
  *len = 64;
}

static size_t
sign (EVP_PKEY *key, const char *alg, const struct buf *text, unsigned char bytes[1024])
{
  EVP_MD_CTX *context = EVP_MD_CTX_new ();
  EVP_PKEY_CTX *key_context = NULL;
  const EVP_MD *digest = strcmp (alg, "EdDSA") == 0 ? NULL : EVP_sha256 ();
  size_t len = 1024;

  need (EVP_DigestSignInit (context, &key_context, digest, NULL, key) == 1);
  if (strcmp (alg, "PS256") == 0)
    need (EVP_PKEY_CTX_set_rsa_padding (key_context, RSA_PKCS1_PSS_PADDING) == 1
          && EVP_PKEY_CTX_set_rsa_pss_saltlen (key_context, RSA_PSS_SALTLEN_DIGEST) == 1);
  need (EVP_DigestSign (context, bytes, &len, (const unsigned char *) text->data, text->len) == 1);
  EVP_MD_CTX_free (context);
  if (strcmp (alg, "ES256") == 0)
    from_der (bytes, &len);
  return len;
}

static void
put_text (const char *header, const char *claims, struct buf *out)
{
  out->len = 0;
  base64_encode (BASE64_URL, header, strlen (header), out);
  buf_putc (out, '.');
  base64_encode (BASE64_URL, claims, strlen (claims), out);
}

const char *
token_sign (EVP_PKEY *key, const char *alg, const char *header, const char *claims, struct buf *out)
{
  unsigned char bytes[1024];
  size_t len;

  put_text (header, claims, out);
  len = sign (key, alg, out, bytes);
  buf_putc (out, '.');
  base64_encode (BASE64_URL, (const char *) bytes, len, out);
  return buf_cstr (out);
}

const char *
token_with (const char *header, const char *claims, const void *signature, size_t len,
            struct buf *out)
{
  put_text (header, claims, out);
  buf_putc (out, '.');
  base64_encode (BASE64_URL, signature, len, out);
  return buf_cstr (out);
}
