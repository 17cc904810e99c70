/* Tokens: exactly those that the issuer signed for us pass. */
#include <openssl/hmac.h>
#include <openssl/x509.h>

#include "base/json_tape.h"
#include "front/auth/jwt.h"
#include "tap.h"
#include "tokens.h"

enum { NOW = 1800000000 };

static const char claims_text[] =
  "{\"iss\":\"https://as.example\",\"aud\":\"https://us.example/mcp\","
  "\"sub\":\"alice\",\"exp\":1800000060}";

static struct jwks *
set_of (const struct buf *keys)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };
  struct jwks *set;

  token_set (keys, &text);
  set = jwks_read (text.data, text.len, &err);
  CU_ASSERT_STRING_EQUAL (err.text, "");
  return set;
}

static enum jwt_verdict
open_token (const struct jwks *set, const char *token)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape claims;

  return jwt_open (set, token, strlen (token), &arena, &claims);
}

/* ---- signatures ---- */

static const char *const algs[] = { "RS256", "PS256", "ES256", "EdDSA" };

static void
test_each_algorithm (void)
{
  for (size_t i = 0; i < sizeof algs / sizeof *algs; i++) {
    CLEANUP_BUF struct buf keys = { 0 };
    CLEANUP_BUF struct buf token = { 0 };
    CLEANUP_ARENA struct arena arena = { 0 };
    EVP_PKEY *key = token_key (algs[i]);
    char header[64];
    struct json_tape claims;
    struct jwks *set;

    snprintf (header, sizeof header, "{\"alg\":\"%s\",\"kid\":\"k\"}", algs[i]);
    token_jwk (key, "k", NULL, &keys);
    set = set_of (&keys);
    token_sign (key, algs[i], header, claims_text, &token);
    CU_ASSERT_EQUAL (jwt_open (set, token.data, token.len, &arena, &claims), JWT_GOOD);
    CU_ASSERT_TRUE (
      json_equals (&claims, json_member (&claims, json_root (&claims), "sub"), "alice"));
    jwks_free (set);
    EVP_PKEY_free (key);
  }
}

/* No character may be another one: neither of header nor claims nor signature. */
static void
test_every_character_counts (void)
{
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  CLEANUP_BUF struct buf keys = { 0 };
  CLEANUP_BUF struct buf token = { 0 };
  EVP_PKEY *key = token_key ("EdDSA");
  struct jwks *set;

  token_jwk (key, NULL, NULL, &keys);
  set = set_of (&keys);
  token_sign (key, "EdDSA", "{\"alg\":\"EdDSA\"}", claims_text, &token);
  for (size_t i = 0; i < token.len; i++) {
    char was = token.data[i];
    const char *at = strchr (alphabet, was);
    token.data[i] = at != NULL ? alphabet[(at - alphabet + 1) % 64] : 'A';
    CU_ASSERT_NOT_EQUAL (open_token (set, token.data), JWT_GOOD);
    token.data[i] = was;
  }
  for (size_t len = 0; len < token.len; len++) {
    CLEANUP_FREE char *part = xstrndup (token.data, len);
    CU_ASSERT_NOT_EQUAL (open_token (set, part), JWT_GOOD);
  }
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_GOOD);
  jwks_free (set);
  EVP_PKEY_free (key);
}

/* The public key as the secret of an HMAC; none at all; an algorithm of another kind of key. */
static void
test_confusion_of_algorithms (void)
{
  CLEANUP_BUF struct buf keys = { 0 };
  CLEANUP_BUF struct buf token = { 0 };
  EVP_PKEY *rsa = token_key ("RS256"), *ec = token_key ("ES256");
  unsigned char *der = NULL, mac[32] = { 0 };
  unsigned mac_len = 32;
  int der_len = i2d_PUBKEY (rsa, &der);
  struct jwks *set;

  token_jwk (rsa, "r", NULL, &keys);
  token_jwk (ec, "e", NULL, &keys);
  set = set_of (&keys);
  token_with ("{\"alg\":\"HS256\",\"kid\":\"r\"}", claims_text, mac, 32, &token);
  HMAC (EVP_sha256 (), der, der_len, (unsigned char *) token.data,
        (size_t) (strrchr (token.data, '.') - token.data), mac, &mac_len);
  token_with ("{\"alg\":\"HS256\",\"kid\":\"r\"}", claims_text, mac, 32, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_ALGORITHM);
  CU_ASSERT_EQUAL (open_token (set, token_with ("{\"alg\":\"none\"}", claims_text, "x", 1, &token)),
                   JWT_ALGORITHM);
  CU_ASSERT_EQUAL (open_token (set, token_with ("{\"alg\":\"none\"}", claims_text, "", 0, &token)),
                   JWT_MALFORMED);
  CU_ASSERT_EQUAL (open_token (set, token_with ("{\"alg\":\"nOnE\"}", claims_text, "x", 1, &token)),
                   JWT_ALGORITHM);
  CU_ASSERT_EQUAL (open_token (set, token_with ("{\"kid\":\"r\"}", claims_text, "x", 1, &token)),
                   JWT_ALGORITHM);
  token_sign (rsa, "RS256", "{\"alg\":\"ES256\",\"kid\":\"r\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_KEY);
  token_sign (rsa, "RS256", "{\"alg\":\"PS256\",\"kid\":\"r\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_SIGNATURE);
  token_sign (ec, "ES256", "{\"alg\":\"ES256\",\"kid\":\"r\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_KEY);
  OPENSSL_free (der);
  jwks_free (set);
  EVP_PKEY_free (rsa);
  EVP_PKEY_free (ec);
}

static void
test_which_key (void)
{
  CLEANUP_BUF struct buf keys = { 0 };
  CLEANUP_BUF struct buf token = { 0 };
  EVP_PKEY *a = token_key ("ES256"), *b = token_key ("ES256"), *bound = token_key ("RS256");
  struct jwks *set;

  token_jwk (a, "a", ",\"use\":\"sig\"", &keys);
  token_jwk (b, "b", NULL, &keys);
  token_jwk (bound, "p", ",\"alg\":\"PS256\"", &keys);
  set = set_of (&keys);
  token_sign (a, "ES256", "{\"alg\":\"ES256\",\"kid\":\"a\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_GOOD);
  token_sign (a, "ES256", "{\"alg\":\"ES256\",\"kid\":\"b\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_SIGNATURE);
  token_sign (a, "ES256", "{\"alg\":\"ES256\",\"kid\":\"c\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_KEY);
  token_sign (a, "ES256", "{\"alg\":\"ES256\"}", claims_text, &token); /* which of the two? */
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_KEY);
  token_sign (bound, "RS256", "{\"alg\":\"RS256\",\"kid\":\"p\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_KEY);
  token_sign (bound, "PS256", "{\"alg\":\"PS256\"}", claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_GOOD);
  jwks_free (set);
  EVP_PKEY_free (a);
  EVP_PKEY_free (b);
  EVP_PKEY_free (bound);
}

static void
test_headers (void)
{
  static const struct {
    const char *header;
    enum jwt_verdict verdict;
  } rows[] = {
    { "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}", JWT_GOOD },
    { "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\"}", JWT_GOOD },
    { "{\"alg\":\"EdDSA\",\"typ\":\"application/at+JWT\"}", JWT_GOOD },
    { "{\"alg\":\"Ed25519\"}", JWT_GOOD },
    { "{\"alg\":\"EdDSA\",\"jku\":\"https://evil.example/\",\"x5c\":[]}", JWT_GOOD },
    { "{\"alg\":\"EdDSA\",\"typ\":\"dpop+jwt\"}", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\",\"typ\":7}", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\",\"crit\":[\"b64\"],\"b64\":false}", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\",\"zip\":\"DEF\"}", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\",\"kid\":7}", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\",\"alg\":\"EdDSA\"}", JWT_MALFORMED },
    { "{\"alg\":[\"EdDSA\"]}", JWT_ALGORITHM },
    { "[\"EdDSA\"]", JWT_MALFORMED },
    { "{\"alg\":\"EdDSA\"", JWT_MALFORMED },
  };
  CLEANUP_BUF struct buf keys = { 0 };
  CLEANUP_BUF struct buf token = { 0 };
  CLEANUP_BUF struct buf long_header = { 0 };
  EVP_PKEY *key = token_key ("EdDSA");
  struct jwks *set;

  token_jwk (key, NULL, NULL, &keys);
  set = set_of (&keys);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CU_ASSERT_EQUAL (
      open_token (set, token_sign (key, "EdDSA", rows[i].header, claims_text, &token)),
      rows[i].verdict);
  buf_printf (&long_header, "{\"alg\":\"EdDSA\",\"x\":\"%01000d\"}", 0);
  token_sign (key, "EdDSA", buf_cstr (&long_header), claims_text, &token);
  CU_ASSERT_EQUAL (open_token (set, token.data), JWT_MALFORMED);
  CU_ASSERT_EQUAL (open_token (set, token_sign (key, "EdDSA", rows[0].header, "[]", &token)),
                   JWT_MALFORMED);
  jwks_free (set);
  EVP_PKEY_free (key);
}

/* ---- claims ---- */

static enum jwt_verdict
check (const char *text, int64_t now, struct jwt_claims *out, struct arena *arena)
{
  static const char *const audiences[] = { "https://us.example/mcp", "other", NULL };
  const struct jwt_rules rules = { .issuer = "https://as.example",
                                   .audiences = audiences,
                                   .leeway = 30 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, text, strlen (text), &json_default_limits, arena));
  return jwt_check (&tape, &rules, now, arena, out);
}

#define CLAIMS(iss, aud, rest) "{\"iss\":" iss ",\"aud\":" aud "," rest "}"
#define ISS "\"https://as.example\""
#define AUD "\"https://us.example/mcp\""
#define SUB "\"sub\":\"alice\""
#define EXP "\"exp\":1800000000"

static void
test_claims (void)
{
  static const struct {
    const char *text;
    enum jwt_verdict verdict;
  } rows[] = {
    { CLAIMS (ISS, AUD, SUB "," EXP), JWT_GOOD },
    { CLAIMS (ISS, "[\"x\"," AUD "]", SUB "," EXP), JWT_GOOD },
    { CLAIMS (ISS, "\"other\"", SUB "," EXP), JWT_GOOD },
    { CLAIMS (ISS, AUD, SUB ",\"exp\":1800000000.5"), JWT_GOOD },
    { CLAIMS ("\"https://as.example/\"", AUD, SUB "," EXP), JWT_ISSUER },
    { CLAIMS ("[" ISS "]", AUD, SUB "," EXP), JWT_ISSUER },
    { CLAIMS (ISS, "\"https://us.example/mcp/\"", SUB "," EXP), JWT_AUDIENCE },
    { CLAIMS (ISS, "\"https://us.example\"", SUB "," EXP), JWT_AUDIENCE },
    { CLAIMS (ISS, "[]", SUB "," EXP), JWT_AUDIENCE },
    { CLAIMS (ISS, "null", SUB "," EXP), JWT_AUDIENCE },
    { CLAIMS (ISS, AUD, SUB), JWT_MALFORMED },
    { CLAIMS (ISS, AUD, SUB ",\"exp\":\"1800000000\""), JWT_MALFORMED },
    { CLAIMS (ISS, AUD, SUB ",\"exp\":1e300"), JWT_MALFORMED },
    { CLAIMS (ISS, AUD, SUB ",\"exp\":-1"), JWT_MALFORMED },
    { CLAIMS (ISS, AUD, SUB "," EXP ",\"nbf\":1800000030"), JWT_GOOD },
    { CLAIMS (ISS, AUD, SUB "," EXP ",\"nbf\":1800000031"), JWT_EARLY },
    { CLAIMS (ISS, AUD, SUB "," EXP ",\"iat\":1800000031"), JWT_EARLY },
    { CLAIMS (ISS, AUD, SUB "," EXP ",\"nbf\":true"), JWT_MALFORMED },
    { CLAIMS (ISS, AUD, EXP), JWT_SUBJECT },
    { CLAIMS (ISS, AUD, EXP ",\"sub\":\"\""), JWT_SUBJECT },
    { CLAIMS (ISS, AUD, EXP ",\"sub\":7"), JWT_SUBJECT },
    { CLAIMS (ISS, AUD, EXP ",\"sub\":\"a\\nb\""), JWT_SUBJECT },
    { CLAIMS (ISS, AUD, EXP ",\"sub\":\"a\\u0000b\""), JWT_SUBJECT },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct jwt_claims out;
    CU_ASSERT_EQUAL (check (rows[i].text, NOW, &out, &arena), rows[i].verdict);
  }
}

static void
test_times (void)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct jwt_claims out;

  CU_ASSERT_EQUAL (check (CLAIMS (ISS, AUD, SUB "," EXP), NOW + 29, &out, &arena), JWT_GOOD);
  CU_ASSERT_EQUAL (out.expires, NOW + 30);
  CU_ASSERT_STRING_EQUAL (out.subject, "alice");
  CU_ASSERT_EQUAL (check (CLAIMS (ISS, AUD, SUB "," EXP), NOW + 30, &out, &arena), JWT_EXPIRED);
}

/* ---- sets ---- */

static void
test_sets (void)
{
  static const struct {
    const char *keys, *problem;
  } rows[] = {
    { "", "it holds no key that tokens can be checked with" },
    { "{\"kty\":\"oct\",\"k\":\"AAAA\"}", "/keys/0: it is a secret; only public keys belong here" },
    { "{\"kty\":\"RSA\",\"n\":\"AAAA\",\"e\":\"AQAB\",\"d\":\"AAAA\"}",
      "/keys/0: it is a secret; only public keys belong here" },
    { "{\"kty\":\"RSA\",\"n\":\"_____w\",\"e\":\"AQAB\"}",
      "/keys/0: it is no proper RSA key of 2048 to 8192 bits" },
    { "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAA\",\"y\":\"AAAA\"}",
      "/keys/0: it is no proper EC key" },
    { "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\","
      "\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\"}",
      "/keys/0: it is no proper EC key" },
    { "{\"kty\":\"EC\",\"crv\":\"P-521\"}", "it holds no key that tokens can be checked with" },
    { "7", "/keys/0: expected an object" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_BUF struct buf text = { 0 };
    struct error err = { 0 };
    buf_printf (&text, "{\"keys\":[%s]}", rows[i].keys);
    CU_ASSERT_PTR_NULL (jwks_read (text.data, text.len, &err));
    CU_ASSERT_STRING_EQUAL (err.text, rows[i].problem);
  }
}

static void
test_sets_of_several (void)
{
  CLEANUP_BUF struct buf keys = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  EVP_PKEY *key = token_key ("EdDSA");
  struct error err = { 0 };
  struct jwks *set;

  token_jwk (key, "a", ",\"use\":\"enc\"", &keys);
  token_jwk (key, "b", ",\"key_ops\":[\"sign\"]", &keys);
  token_jwk (key, "c", ",\"alg\":\"RS256\"", &keys);
  token_jwk (key, "d", ",\"key_ops\":[\"verify\"]", &keys);
  set = set_of (&keys);
  CU_ASSERT_PTR_NOT_NULL_FATAL (set);
  CU_ASSERT_EQUAL (set->count, 1);
  CU_ASSERT_STRING_EQUAL (set->keys[0].kid, "d");
  jwks_free (set);
  token_jwk (key, "d", NULL, &keys);
  token_set (&keys, &text);
  CU_ASSERT_PTR_NULL (jwks_read (text.data, text.len, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "/keys/4: another key has the same kid");
  CU_ASSERT_PTR_NULL (jwks_read ("[]", 2, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "expected { \"keys\": […] }");
  EVP_PKEY_free (key);
}

static CU_TestInfo tests[] = {
  { "each algorithm", test_each_algorithm },
  { "every character counts", test_every_character_counts },
  { "confusion of algorithms", test_confusion_of_algorithms },
  { "which key", test_which_key },
  { "headers", test_headers },
  { "claims", test_claims },
  { "times", test_times },
  { "sets that are refused", test_sets },
  { "sets of several keys", test_sets_of_several },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "jwt", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
