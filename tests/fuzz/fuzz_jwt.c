/* A JWK set, NUL, a token: nobody can sign, so that what passes is luck; claims, which no
 * signature protects here, are read without harm. */
#include "fuzz.h"

#include "front/auth/jwt.h"

static const char *const audiences[] = { "us", NULL };
static const struct jwt_rules rules = { .issuer = "as", .audiences = audiences, .leeway = 30 };

static void
check_claims (const struct piece *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct jwt_claims claims;

  if (!json_read (&tape, text->text, text->len, &json_default_limits, &arena)
      || jwt_check (&tape, &rules, 1000, &arena, &claims) != JWT_GOOD)
    return;
  HOLDS (claims.expires > 1000);
  HOLDS (claims.subject[0] != '\0' && strlen (claims.subject) <= 255);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = { 0 };
  CLEANUP_PIECE struct piece token = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape claims;
  struct error err = { { 0 } };
  struct jwks *set;

  split (data, size, &text, &token);
  check_claims (&token);
  set = jwks_read (text.text, text.len, &err);
  HOLDS ((set == NULL) == (err.text[0] != '\0'));
  if (set != NULL)
    (void) jwt_open (set, token.text, token.len, &arena, &claims);
  jwks_free (set);
  return 0;
}
