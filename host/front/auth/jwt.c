#include "front/auth/jwt.h"

#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"

enum { SUBJECT_MAX = 255, ES256_HALF = 32, SECONDS_MAX = INT32_MAX, SIGNATURE_MAX = 1024 };

static const struct json_limits limits = {
  .depth = 16, .nodes = 2048, .members = 256, .number_len = 32
};

const char *
jwt_problem (enum jwt_verdict verdict)
{
  static const char *const problems[JWT_VERDICTS] = {
    [JWT_GOOD] = "The token is good",
    [JWT_MALFORMED] = "The token is malformed",
    [JWT_ALGORITHM] = "The token's algorithm is not accepted",
    [JWT_KEY] = "The token's key is not known",
    [JWT_SIGNATURE] = "The token's signature is wrong",
    [JWT_ISSUER] = "The token is of another issuer",
    [JWT_AUDIENCE] = "The token is for another audience",
    [JWT_EXPIRED] = "The token has expired",
    [JWT_EARLY] = "The token is not valid yet",
    [JWT_SUBJECT] = "The token has no proper subject",
    [JWT_TENANT] = "The token names no proper tenant",
    [JWT_NO_KEYS] = "The issuer's keys are not known yet",
  };

  return problems[verdict];
}

/* ---- form ---- */

struct part {
  const char *text;
  size_t len;
};

/* The three parts, none of them empty. */
static bool
split (const char *token, size_t len, struct part parts[3])
{
  const char *end = token + len;

  for (int i = 0; i < 3; i++) {
    const char *dot = i < 2 ? memchr (token, '.', (size_t) (end - token)) : end;
    if (dot == NULL || dot == token)
      return false;
    parts[i] = (struct part){ token, (size_t) (dot - token) };
    token = dot < end ? dot + 1 : end;
  }
  return memchr (parts[2].text, '.', parts[2].len) == NULL;
}

static bool
read_object (const struct part *part, struct arena *arena, struct json_tape *tape)
{
  char *text = arena_alloc (arena, base64_room (part->len));
  size_t len;

  return base64_decode (BASE64_URL, part->text, part->len, text, &len)
         && json_read (tape, text, len, &limits, arena) && json_is (json_root (tape), JSON_OBJECT);
}

/* ---- header ---- */

static bool
is_access_token (const char *typ)
{
  static const char *const types[] = { "JWT", "at+jwt", "application/at+jwt", "application/jwt" };

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcasecmp (typ, types[i]) == 0)
      return true;
  return false;
}

static bool
good_type (const struct json_tape *header, struct arena *arena)
{
  const struct json_node *typ = json_member (header, json_root (header), "typ");
  const char *text = json_cstring (header, typ, arena);

  return typ == NULL || (text != NULL && is_access_token (text));
}

static enum jwt_verdict
find_key (const struct jwks *keys, const struct json_tape *header, struct arena *arena,
          unsigned *alg, const struct jwk **jwk)
{
  const struct json_node *root = json_root (header);
  const struct json_node *kid_node = json_member (header, root, "kid");
  const char *kid = json_cstring (header, kid_node, arena);
  size_t len;
  const char *name = json_string (header, json_member (header, root, "alg"), arena, &len);

  if (json_member (header, root, "crit") != NULL || json_member (header, root, "enc") != NULL
      || json_member (header, root, "zip") != NULL || !good_type (header, arena)
      || (kid_node != NULL && kid == NULL))
    return JWT_MALFORMED;
  *alg = name != NULL ? jws_alg_find (name, len) : 0;
  if (*alg == 0)
    return JWT_ALGORITHM;
  *jwk = jwks_find (keys, kid, *alg);
  return *jwk != NULL ? JWT_GOOD : JWT_KEY;
}

/* ---- signature ---- */

/* RFC 7518 section 3.4 has r and s side by side, libcrypto takes DER. */
static bool
es256_to_der (const unsigned char *raw, size_t len, unsigned char *der, size_t *der_len)
{
  ECDSA_SIG *signature = ECDSA_SIG_new ();
  BIGNUM *r = BN_bin2bn (raw, ES256_HALF, NULL);
  BIGNUM *s = BN_bin2bn (raw + ES256_HALF, (int) len - ES256_HALF, NULL);
  int written = 0;

  if (signature != NULL && r != NULL && s != NULL && ECDSA_SIG_set0 (signature, r, s) == 1) {
    r = s = NULL;
    written = i2d_ECDSA_SIG (signature, &der);
  }
  ECDSA_SIG_free (signature);
  BN_free (r);
  BN_free (s);
  *der_len = written > 0 ? (size_t) written : 0;
  return written > 0;
}

static bool
set_padding (EVP_PKEY_CTX *context, unsigned alg)
{
  if (alg == JWS_RS256)
    return EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_PADDING) == 1;
  if (alg == JWS_PS256)
    return EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_PSS_PADDING) == 1
           && EVP_PKEY_CTX_set_rsa_pss_saltlen (context, RSA_PSS_SALTLEN_DIGEST) == 1
           && EVP_PKEY_CTX_set_rsa_mgf1_md (context, EVP_sha256 ()) == 1;
  return true;
}

static bool
verify (const struct jwk *jwk, unsigned alg, const char *signed_text, size_t signed_len,
        const unsigned char *signature, size_t len)
{
  EVP_MD_CTX *context = EVP_MD_CTX_new ();
  EVP_PKEY_CTX *key_context = NULL;
  const EVP_MD *digest = alg == JWS_EDDSA ? NULL : EVP_sha256 ();
  bool good =
    context != NULL && EVP_DigestVerifyInit (context, &key_context, digest, NULL, jwk->key) == 1
    && set_padding (key_context, alg)
    && EVP_DigestVerify (context, signature, len, (const unsigned char *) signed_text, signed_len)
         == 1;

  EVP_MD_CTX_free (context);
  return good;
}

static bool
check_signature (const struct jwk *jwk, unsigned alg, const char *token, const struct part *part)
{
  unsigned char bytes[SIGNATURE_MAX + 4], der[2 * ES256_HALF + 16];
  size_t signed_len = (size_t) (part->text - 1 - token), len, der_len;

  if (base64_room (part->len) > sizeof bytes
      || !base64_decode (BASE64_URL, part->text, part->len, (char *) bytes, &len))
    return false;
  if (alg != JWS_ES256)
    return verify (jwk, alg, token, signed_len, bytes, len);
  return len == (size_t) 2 * ES256_HALF && es256_to_der (bytes, len, der, &der_len)
         && verify (jwk, alg, token, signed_len, der, der_len);
}

enum jwt_verdict
jwt_open (const struct jwks *keys, const char *token, size_t len, struct arena *arena,
          struct json_tape *claims)
{
  struct part parts[3];
  struct json_tape header;
  const struct jwk *jwk;
  unsigned alg;
  enum jwt_verdict verdict;

  if (len > JWT_MAX || !split (token, len, parts) || parts[0].len > JWT_HEADER_MAX
      || !read_object (&parts[0], arena, &header))
    return JWT_MALFORMED;
  verdict = find_key (keys, &header, arena, &alg, &jwk);
  if (verdict != JWT_GOOD)
    return verdict;
  if (!check_signature (jwk, alg, token, &parts[2]))
    return JWT_SIGNATURE;
  return read_object (&parts[1], arena, claims) ? JWT_GOOD : JWT_MALFORMED;
}

/* ---- claims ---- */

static bool
is_one_of (const struct json_tape *claims, const struct json_node *value, const char *const *wanted)
{
  for (; *wanted != NULL; wanted++)
    if (json_equals (claims, value, *wanted))
      return true;
  return false;
}

static bool
good_audience (const struct json_tape *claims, const char *const *wanted)
{
  const struct json_node *aud = json_member (claims, json_root (claims), "aud");

  if (!json_is (aud, JSON_ARRAY))
    return aud != NULL && is_one_of (claims, aud, wanted);
  for (const struct json_node *n = json_first (aud); n != json_end (aud); n = json_next (n))
    if (is_one_of (claims, n, wanted))
      return true;
  return false;
}

/* A NumericDate, which may have a fraction.  1: it is there; 0: it is not; -1: it is none. */
static int
read_time (const struct json_tape *claims, const char *name, double *seconds)
{
  const struct json_node *node = json_member (claims, json_root (claims), name);

  if (node == NULL)
    return 0;
  return json_is (node, JSON_NUMBER) && json_double (claims, node, seconds) && *seconds >= 0
             && *seconds <= (double) SECONDS_MAX * 2
           ? 1
           : -1;
}

static enum jwt_verdict
check_times (const struct json_tape *claims, int64_t leeway, int64_t now, int64_t *expires)
{
  double exp = 0, nbf = 0, iat = 0, latest = (double) (now + leeway);
  int has_nbf = read_time (claims, "nbf", &nbf), has_iat = read_time (claims, "iat", &iat);

  if (read_time (claims, "exp", &exp) != 1 || has_nbf < 0 || has_iat < 0)
    return JWT_MALFORMED;
  *expires = (int64_t) exp + leeway;
  if (*expires <= now)
    return JWT_EXPIRED;
  return (has_nbf == 1 && nbf > latest) || (has_iat == 1 && iat > latest) ? JWT_EARLY : JWT_GOOD;
}

static bool
good_subject (const char *subject)
{
  size_t len = 0;

  if (subject == NULL)
    return false;
  for (; subject[len] != '\0'; len++)
    if ((unsigned char) subject[len] < ' ' || subject[len] == 0x7f || len == SUBJECT_MAX)
      return false;
  return len != 0;
}

enum jwt_verdict
jwt_check (const struct json_tape *claims, const struct jwt_rules *rules, int64_t now,
           struct arena *arena, struct jwt_claims *out)
{
  const struct json_node *root = json_root (claims);
  enum jwt_verdict verdict;

  if (!json_equals (claims, json_member (claims, root, "iss"), rules->issuer))
    return JWT_ISSUER;
  if (!good_audience (claims, rules->audiences))
    return JWT_AUDIENCE;
  verdict = check_times (claims, rules->leeway, now, &out->expires);
  if (verdict != JWT_GOOD)
    return verdict;
  out->subject = json_cstring (claims, json_member (claims, root, "sub"), arena);
  return good_subject (out->subject) ? JWT_GOOD : JWT_SUBJECT;
}
