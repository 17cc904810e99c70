#include "front/auth/jwks.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_tape.h"

enum {
  RSA_BITS_MIN = 2048,
  RSA_BITS_MAX = 8192,
  EXPONENT_BYTES_MAX = 8,
  COORDINATE = 32, /* bytes, of P-256 and Ed25519 */
  KID_MAX = 256
};

static const struct json_limits limits = {
  .depth = 8, .nodes = 8192, .members = 256, .number_len = 64
};

/* What reading one key looks at. */
struct reading {
  const struct json_tape *tape;
  const struct json_node *jwk;
  struct arena arena;
};

unsigned
jws_alg_find (const char *name, size_t len)
{
  static const struct {
    const char *name;
    unsigned alg;
  } algs[] = { { "RS256", JWS_RS256 },
               { "PS256", JWS_PS256 },
               { "ES256", JWS_ES256 },
               { "EdDSA", JWS_EDDSA },
               { "Ed25519", JWS_EDDSA } /* RFC 9864 */ };

  for (size_t i = 0; i < sizeof algs / sizeof *algs; i++)
    if (strlen (algs[i].name) == len && memcmp (algs[i].name, name, len) == 0)
      return algs[i].alg;
  return 0;
}

/* ---- members ---- */

static const struct json_node *
member (const struct reading *r, const char *name)
{
  return json_member (r->tape, r->jwk, name);
}

/* The bytes of a member of base64url, at most `max` of them; NULL: it is none. */
static const unsigned char *
bytes_of (struct reading *r, const char *name, size_t max, size_t *len)
{
  size_t text_len;
  const char *text = json_string (r->tape, member (r, name), &r->arena, &text_len);
  char *bytes;

  if (text == NULL || text_len > max * 4 / 3 + 4)
    return NULL;
  bytes = arena_alloc (&r->arena, base64_room (text_len));
  if (!base64_decode (BASE64_URL, text, text_len, bytes, len) || *len == 0 || *len > max)
    return NULL;
  return (unsigned char *) bytes;
}

/* ---- making keys ---- */

static EVP_PKEY *
from_params (const char *type, OSSL_PARAM_BLD *build)
{
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param (build);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name (NULL, type, NULL);
  EVP_PKEY *key = NULL;

  if (params == NULL || context == NULL || EVP_PKEY_fromdata_init (context) != 1
      || EVP_PKEY_fromdata (context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
    key = NULL;
  EVP_PKEY_CTX_free (context);
  OSSL_PARAM_free (params);
  return key;
}

static EVP_PKEY *
make_rsa (struct reading *r)
{
  size_t n_len, e_len;
  const unsigned char *n = bytes_of (r, "n", RSA_BITS_MAX / 8, &n_len);
  const unsigned char *e = bytes_of (r, "e", EXPONENT_BYTES_MAX, &e_len);
  OSSL_PARAM_BLD *build;
  BIGNUM *modulus, *exponent;
  EVP_PKEY *key = NULL;

  if (n == NULL || e == NULL)
    return NULL;
  build = OSSL_PARAM_BLD_new ();
  modulus = BN_bin2bn (n, (int) n_len, NULL);
  exponent = BN_bin2bn (e, (int) e_len, NULL);
  if (build != NULL && modulus != NULL && exponent != NULL && BN_num_bits (modulus) >= RSA_BITS_MIN
      && BN_is_odd (exponent) && !BN_is_one (exponent)
      && OSSL_PARAM_BLD_push_BN (build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
      && OSSL_PARAM_BLD_push_BN (build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
    key = from_params ("RSA", build);
  BN_free (modulus);
  BN_free (exponent);
  OSSL_PARAM_BLD_free (build);
  return key;
}

/* A point that is not on the curve is refused by libcrypto. */
static EVP_PKEY *
make_ec (struct reading *r)
{
  unsigned char point[1 + 2 * COORDINATE] = { POINT_CONVERSION_UNCOMPRESSED };
  size_t x_len, y_len;
  const unsigned char *x = bytes_of (r, "x", COORDINATE, &x_len);
  const unsigned char *y = bytes_of (r, "y", COORDINATE, &y_len);
  OSSL_PARAM_BLD *build;
  EVP_PKEY *key = NULL;

  if (x == NULL || y == NULL || x_len != COORDINATE || y_len != COORDINATE)
    return NULL;
  memcpy (point + 1, x, COORDINATE);
  memcpy (point + 1 + COORDINATE, y, COORDINATE);
  build = OSSL_PARAM_BLD_new ();
  if (build != NULL
      && OSSL_PARAM_BLD_push_utf8_string (build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1
      && OSSL_PARAM_BLD_push_octet_string (build, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point)
           == 1)
    key = from_params ("EC", build);
  OSSL_PARAM_BLD_free (build);
  return key;
}

static EVP_PKEY *
make_ed25519 (struct reading *r)
{
  size_t len;
  const unsigned char *x = bytes_of (r, "x", COORDINATE, &len);

  return x != NULL && len == COORDINATE
           ? EVP_PKEY_new_raw_public_key (EVP_PKEY_ED25519, NULL, x, len)
           : NULL;
}

/* Kinds of keys; those that are not here can't be used. */
static const struct kind {
  const char *kty, *crv; /* crv NULL: it has none */
  unsigned algs;
  EVP_PKEY *(*make) (struct reading *r);
} kinds[] = {
  { "RSA", NULL, JWS_RS256 | JWS_PS256, make_rsa },
  { "EC", "P-256", JWS_ES256, make_ec },
  { "OKP", "Ed25519", JWS_EDDSA, make_ed25519 },
};

/* ---- one key ---- */

static const struct kind *
kind_of (const struct reading *r)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (json_equals (r->tape, member (r, "kty"), kinds[i].kty)
        && (kinds[i].crv == NULL || json_equals (r->tape, member (r, "crv"), kinds[i].crv)))
      return &kinds[i];
  return NULL;
}

static bool
verifies (const struct reading *r)
{
  const struct json_node *ops = member (r, "key_ops");
  bool found = ops == NULL;

  if (member (r, "use") != NULL && !json_equals (r->tape, member (r, "use"), "sig"))
    return false;
  if (json_is (ops, JSON_ARRAY))
    for (const struct json_node *n = json_first (ops); n != json_end (ops); n = json_next (n))
      found |= json_equals (r->tape, n, "verify");
  return found;
}

/* Of those its kind can, the one it says it is for. */
static unsigned
algs_of (struct reading *r, const struct kind *kind)
{
  const struct json_node *alg = member (r, "alg");
  size_t len;
  const char *name;

  if (alg == NULL)
    return kind->algs;
  name = json_string (r->tape, alg, &r->arena, &len);
  return name != NULL ? jws_alg_find (name, len) & kind->algs : 0;
}

static bool
add_key (struct jwks *set, struct reading *r, const struct kind *kind, unsigned algs,
         struct error *err)
{
  const char *kid = json_cstring (r->tape, member (r, "kid"), &r->arena);
  struct jwk *jwk = &set->keys[set->count];

  if (member (r, "kid") != NULL && (kid == NULL || strlen (kid) > KID_MAX))
    return error_set (err, "kid: expected a string of at most %d bytes", KID_MAX);
  for (size_t i = 0; kid != NULL && i < set->count; i++)
    if (set->keys[i].kid != NULL && strcmp (set->keys[i].kid, kid) == 0)
      return error_set (err, "another key has the same kid");
  if (set->count == JWKS_KEYS_MAX)
    return error_set (err, "it holds more than %d keys", JWKS_KEYS_MAX);
  jwk->key = kind->make (r);
  if (jwk->key == NULL)
    return error_set (err, "it is no proper %s key%s", kind->kty,
                      kind->make == make_rsa ? " of 2048 to 8192 bits" : "");
  jwk->kid = kid != NULL ? xstrdup (kid) : NULL;
  jwk->algs = algs;
  set->count++;
  return true;
}

static bool
read_one (struct jwks *set, struct reading *r, struct error *err)
{
  const struct kind *kind;
  unsigned algs;

  if (!json_is (r->jwk, JSON_OBJECT))
    return error_set (err, "expected an object");
  if (json_equals (r->tape, member (r, "kty"), "oct") || member (r, "d") != NULL
      || member (r, "k") != NULL)
    return error_set (err, "it is a secret; only public keys belong here");
  kind = kind_of (r);
  if (kind == NULL || !verifies (r) || (algs = algs_of (r, kind)) == 0)
    return true;
  return add_key (set, r, kind, algs, err);
}

/* ---- the set ---- */

static bool
read_all (struct jwks *set, struct reading *r, struct error *err)
{
  const struct json_node *keys = json_member (r->tape, json_root (r->tape), "keys");
  unsigned place = 0;

  if (!json_is (keys, JSON_ARRAY))
    return error_set (err, "expected { \"keys\": […] }");
  for (r->jwk = json_first (keys); r->jwk != json_end (keys); r->jwk = json_next (r->jwk), place++)
    if (!read_one (set, r, err))
      return error_wrap (err, "/keys/%u: ", place);
  return set->count != 0 || error_set (err, "it holds no key that tokens can be checked with");
}

struct jwks *
jwks_read (const char *text, size_t len, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct reading r = { .tape = &tape };
  struct jwks *set;
  bool good;

  if (len > JWKS_TEXT_MAX || !json_read (&tape, text, len, &limits, &arena)) {
    error_set (err, "%s",
               len > JWKS_TEXT_MAX ? "it is longer than 256 KiB" : "it is no JSON as it should be");
    return NULL;
  }
  set = xcalloc (1, sizeof *set);
  good = read_all (set, &r, err);
  arena_free (&r.arena);
  if (good)
    return set;
  jwks_free (set);
  return NULL;
}

void
jwks_free (struct jwks *set)
{
  if (set == NULL)
    return;
  for (size_t i = 0; i < set->count; i++) {
    EVP_PKEY_free (set->keys[i].key);
    free (set->keys[i].kid);
  }
  free (set);
}

const struct jwk *
jwks_find (const struct jwks *set, const char *kid, unsigned alg)
{
  const struct jwk *found = NULL;

  for (size_t i = 0; i < set->count; i++) {
    const struct jwk *jwk = &set->keys[i];
    if ((jwk->algs & alg) == 0)
      continue;
    if (kid == NULL && found != NULL)
      return NULL;
    if (kid == NULL || (jwk->kid != NULL && strcmp (jwk->kid, kid) == 0))
      found = jwk;
  }
  return found;
}
