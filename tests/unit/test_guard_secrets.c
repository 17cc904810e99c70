/* Keys: those of well-known issuers, what only looks like one, and texts too random for words.  The
 * keys are made up, and written in pieces so that no scanner takes them for more. */
#include "guard_rig.h"

#define REDACT "{\"guard\":\"secrets\",\"action\":\"redact\"}"
#define A36 "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
#define HEX32 "0a1b2c3d4e5f60718293a4b5c6d7e8f9"

static const struct {
  const char *text, *redacted;
} texts[] = {
  { "AKIA"
    "IOSFODNN7EXAMPLE",
    "[secret]" },
  { "id=ASIA"
    "IOSFODNN7EXAMPLE;",
    "id=[secret];" },
  { "token ghp_" A36 ".", "token [secret]." },
  { "github_pat_" A36 "_" A36, "[secret]" },
  { "glpat-"
    "a1B2c3D4e5F6g7H8i9J0",
    "[secret]" },
  { "xoxb-"
    "123456789012-abcdefABCDEF",
    "[secret]" },
  { "sk_live_"
    "a1B2c3D4e5F6g7H8i9J0",
    "[secret]" },
  { "whsec_"
    "a1B2c3D4e5F6g7H8i9J0k1L2",
    "[secret]" },
  { "AIza"
    "SyA1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q",
    "[secret]" },
  { "sk-ant-"
    "api03-a1B2c3D4e5F6g7H8i9J0",
    "[secret]" },
  { "sk-proj-"
    "a1B2c3D4e5F6g7H8i9J0",
    "[secret]" },
  { "Bearer sk-" A36, "Bearer [secret]" },
  { "hf_"
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7",
    "[secret]" },
  { "npm_" A36, "[secret]" },
  { "shpat_" HEX32, "[secret]" },
  { "thk_"
    "0a1b2c3d_"
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3D",
    "[secret]" },
  { "jwt eyJ"
    "hbGciOiJIUzI1NiJ9.eyJ"
    "zdWIiOiIxIn0.c2lnbmF0dXJl0 end",
    "jwt [secret] end" },
  { "x -----BEGIN RSA PRIVATE "
    "KEY-----\\nMIIB\\n-----END RSA PRIVATE KEY----- y",
    "x [secret] y" },
  { "-----BEGIN OPENSSH PRIVATE "
    "KEY-----\\nb3BlbnNzaC1rZXk",
    "[secret]" },
  { "-----BEGIN PGP PRIVATE "
    "KEY BLOCK-----\\nx\\n-----END PGP PRIVATE KEY BLOCK-----",
    "[secret]" },
  { "postgres://app:hunter2@db.example.com/x", "postgres://app:[secret]@db.example.com/x" },
  { "https://u:p%40ss@example.com and https://v:q1@example.com",
    "https://u:[secret]@example.com and https://v:[secret]@example.com" },
};

static const char *const controls[] = {
  "AKIA",
  "AKIAIOSFODNN7EXAMPLEX",
  "AKIAiosfodnn7example",
  "XAKIAIOSFODNN7EXAMPLE",
  "ghp_short",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "sk-learn-is-a-library-for-machine-learning",
  "task-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6",
  "sk-1234",
  "sk_live_",
  "xoxb-your-token-here",
  "eyJ is how a token begins",
  "eyJhbGciOiJIUzI1NiJ9.eyJ",
  "-----BEGIN CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\\nMIIB\\n-----END PUBLIC KEY-----",
  "----- BEGIN -----",
  "https://example.com:8080/a@b",
  "https://user@example.com/",
  "https://user:@example.com/",
  "https://user:$PASSWORD@example.com/",
  "https://user:***@example.com/",
  "https://user:<password>@example.com/",
  "https://example.com/?q=a:b@c",
  "a://b",
  "550e8400-e29b-41d4-a716-446655440000",
  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  "npm_package_version",
};

static void
check_text (const struct guard *guard, const char *text, const char *expected)
{
  CLEANUP_BUF struct buf value = { 0 }, answer = { 0 }, wanted = { 0 };

  buf_printf (&value, "{\"t\":\"%s\"}", text);
  if (expected == NULL)
    buf_puts (&wanted, "allow");
  else
    buf_printf (&wanted, "{\"t\":\"%s\"}", expected);
  guard_answer (guard, GUARD_OUTPUT, value.data, value.len, &answer);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&answer), buf_cstr (&wanted));
  if (strcmp (answer.data, wanted.data) != 0)
    printf ("# %s: %s\n", text, answer.data);
}

static void
keys_are_found (void)
{
  struct guard *guard = guard_of (REDACT);

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check_text (guard, texts[i].text, texts[i].redacted);
  guard_free (guard);
}

static void
what_only_looks_like_a_key_is_not (void)
{
  struct guard *guard = guard_of (REDACT);

  for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
    check_text (guard, controls[i], NULL);
  guard_free (guard);
}

static const struct guard_row rows[] = {
  { "{\"guard\":\"secrets\"}",
    "{\"env\":{\"K\":\"AKIA"
    "IOSFODNN7EXAMPLE\"}}",
    "reject: The arguments hold an AWS access key (/env/K), which must not be passed on.", 0 },
  { "{\"guard\":\"secrets\"}", "{\"message\":\"https://u:pw@example.com\"}",
    "reject: The result holds a URL with a password, which", GUARD_OUTPUT },
  { "{\"guard\":\"secrets\",\"kinds\":[\"pem\",\"url\"]}",
    "{\"k\":\"AKIA"
    "IOSFODNN7EXAMPLE\"}",
    "allow", 0 },
  { "{\"guard\":\"secrets\",\"action\":\"redact\",\"replacement\":\"(key)\"}",
    "{\"k\":\"ghp_" A36 "\"}", "{\"k\":\"(key)\"}", 0 },
};

static void
what_is_done_about_them (void)
{
  GUARD_CHECK_ROWS (rows);
}

static void
random_texts (void)
{
  static const char *const random[] = { "q8Zr2LwX0vTn5KdYb1Ms",
                                        "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                        "tok_7Hq2LmZx94TbVw0RkYpJ" };
  static const char *const words[] = { "internationalization_of_words",
                                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
                                       "550e8400-e29b-41d4-a716-446655440000",
                                       "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                                       "a text of many short words, each of which is none",
                                       "q8Zr2LwX0v" };
  struct guard *guard = guard_of ("{\"guard\":\"secrets\",\"action\":\"redact\",\"entropy\":4.2}");
  struct guard *off = guard_of (REDACT);

  for (size_t i = 0; i < sizeof random / sizeof *random; i++) {
    check_text (guard, random[i], "[secret]");
    check_text (off, random[i], NULL);
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    check_text (guard, words[i], NULL);
  guard_free (guard);
  guard_free (off);
}

static const struct guard_bad bad[] = {
  { "{\"guard\":\"secrets\",\"kinds\":[]}", "/kinds: expected a list like [\"aws\", \"pem\"]" },
  { "{\"guard\":\"secrets\",\"kinds\":[\"aws\",\"githb\"]}",
    "/kinds/1: expected \"aws\", \"github\", \"gitlab\", \"slack\", \"stripe\", \"google\", "
    "\"ai\", "
    "\"jwt\", \"pem\", \"url\" or \"other\", got \"githb\"; did you mean \"github\"?" },
  { "{\"guard\":\"secrets\",\"entropy\":\"high\"}",
    "/entropy: expected bits of each character, from 3 to 6" },
  { "{\"guard\":\"secrets\",\"entropy\":8}",
    "/entropy: expected bits of each character, from 3 to 6" },
};

static void
bad_configurations_are_refused (void)
{
  GUARD_CHECK_BAD (bad);
}

static CU_TestInfo tests[] = { { "keys are found", keys_are_found },
                               { "what only looks like a key is not",
                                 what_only_looks_like_a_key_is_not },
                               { "what is done about them", what_is_done_about_them },
                               { "random texts, where they are looked for", random_texts },
                               { "bad configurations are refused", bad_configurations_are_refused },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "guard secrets", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
