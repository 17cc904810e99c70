/* Who is admitted over HTTP, and what the others hear. */
#include <fcntl.h>
#include <sys/stat.h>

#include "fake_http.h"
#include "front/auth/auth.h"
#include "front/auth/keys.h"
#include "tap.h"
#include "tokens.h"

#define METADATA "resource_metadata=\"https://us.example/.well-known/oauth-protected-resource/mcp\""

enum { NOW = 1800000000 };

struct bed {
  struct auth *auth;
  EVP_PKEY *key;
  char folder[40];
  char bearer_key[KEY_LEN + 1];
  struct buf token;
  int64_t now;
};

static int64_t
clock_of (void *ctx)
{
  return ((struct bed *) ctx)->now;
}

static void
write_file (const struct bed *bed, const char *name, const struct buf *text)
{
  char path[80];
  FILE *f;

  snprintf (path, sizeof path, "%s/%s", bed->folder, name);
  f = fopen (path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL (f);
  (void) fchmod (fileno (f), 0600);
  (void) fwrite (text->data, 1, text->len, f);
  (void) fclose (f);
}

static struct auth_settings
settings_of (const struct bed *bed, bool oauth, char paths[2][80])
{
  snprintf (paths[0], 80, "%s/jwks", bed->folder);
  snprintf (paths[1], 80, "%s/keys", bed->folder);
  return (struct auth_settings){ .has_oauth = oauth,
                                 .oauth = { .resource = "https://us.example/mcp",
                                            .issuer = "https://as.example",
                                            .jwks_file = paths[0],
                                            .tenant_claim = "org",
                                            .leeway = 30 },
                                 .keys_dir = AT_FDCWD,
                                 .keys_file = paths[1] };
}

static void
bed_open (struct bed *bed, bool oauth, unsigned roles)
{
  CLEANUP_BUF struct buf jwks = { 0 };
  CLEANUP_BUF struct buf set = { 0 };
  CLEANUP_BUF struct buf line = { 0 };
  struct bearer_key key = { .roles = roles, .tenant = "acme", .name = "bot" };
  struct error err = { 0 };
  char paths[2][80];
  struct auth_settings settings;

  *bed = (struct bed){ .folder = "/tmp/toolhost-auth-XXXXXX", .now = NOW };
  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (bed->folder));
  bed->key = token_key ("EdDSA");
  token_jwk (bed->key, "k", NULL, &jwks);
  token_set (&jwks, &set);
  write_file (bed, "jwks", &set);
  (void) key_make (&key, bed->bearer_key);
  key_write (&key, &line);
  write_file (bed, "keys", &line);
  bed->auth = auth_new (NULL);
  auth_set_clock (bed->auth, clock_of, bed);
  settings = settings_of (bed, oauth, paths);
  CU_ASSERT_TRUE_FATAL (auth_follow (bed->auth, &settings, &err));
}

static void
bed_close (struct bed *bed)
{
  char paths[2][80];

  (void) settings_of (bed, true, paths);
  auth_free (bed->auth);
  EVP_PKEY_free (bed->key);
  buf_free (&bed->token);
  (void) unlink (paths[0]);
  (void) unlink (paths[1]);
  (void) rmdir (bed->folder);
}

static const char *
token_of (struct bed *bed, const char *sub, const char *rest)
{
  CLEANUP_BUF struct buf claims = { 0 };

  buf_printf (&claims,
              "{\"iss\":\"https://as.example\",\"aud\":\"https://us.example/mcp\",\"org\":\"acme\","
              "\"exp\":1800000060,\"sub\":\"%s\"%s}",
              sub, rest);
  return token_sign (bed->key, "EdDSA", "{\"alg\":\"EdDSA\",\"kid\":\"k\"}", buf_cstr (&claims),
                     &bed->token);
}

/* Ask for /mcp as `peer`, showing `token` (NULL: nothing).  True: admitted, and still open. */
static bool
ask (struct bed *bed, struct fake_answer *a, const struct front_peer *peer, const char *scheme,
     const char *token)
{
  CLEANUP_BUF struct buf headers = { 0 };

  if (token != NULL)
    buf_printf (&headers, "authorization: %s%s\n", scheme, token);
  fake_http_request (a, peer, "POST", "/mcp", buf_cstr (&headers), "{}");
  return auth_admit (bed->auth, a->x);
}

static bool
has (const struct fake_answer *a, const char *text)
{
  return strstr (a->headers, text) != NULL;
}

/* ---- nothing shown ---- */

static void
test_nobody (void)
{
  struct fake_answer a;
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "", NULL));
  CU_ASSERT_EQUAL (a.status, 401);
  CU_ASSERT_TRUE (has (&a, "WWW-Authenticate: Bearer " METADATA ", scope=\"toolhost:call\"\r\n"));
  fake_answer_free (&a);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_manager, "", NULL)); /* the local socket */
  CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->principal, "uid:0");
  fake_answer_free (&a);
  bed_close (&bed);
}

static void
test_keys_alone_leave_loopback_open (void)
{
  struct fake_answer a;
  struct bed bed;

  bed_open (&bed, false, ROLE_CALL);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "", NULL));
  CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->principal, "anonymous");
  CU_ASSERT_FALSE (auth_allows (bed.auth, a.x, ROLE_MANAGE));
  CU_ASSERT_EQUAL (a.status, 403);
  CU_ASSERT_TRUE (has (&a, "Bearer realm=\"toolhost\", error=\"insufficient_scope\""));
  fake_answer_free (&a);
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", "x")); /* but not for wrong keys */
  CU_ASSERT_EQUAL (a.status, 401);
  fake_answer_free (&a);
  auth_expose (bed.auth);
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "", NULL));
  CU_ASSERT_EQUAL (a.status, 401);
  CU_ASSERT_TRUE (has (&a, "WWW-Authenticate: Bearer realm=\"toolhost\"\r\n"));
  fake_answer_free (&a);
  bed_close (&bed);
}

static void
test_what_everybody_may_see (void)
{
  static const struct {
    const char *method, *path;
    bool admitted;
    int status;
  } rows[] = {
    { "GET", "/healthz", true, 0 },
    { "HEAD", "/readyz", true, 0 },
    { "POST", "/healthz", false, 401 },
    { "GET", "/.well-known/oauth-protected-resource", false, 200 },
    { "GET", "/.well-known/oauth-protected-resource/mcp", false, 200 },
    { "GET", "/.well-known/oauth-protected-resource/other", false, 401 },
    { "GET", "/v1/tools", false, 401 },
    { "GET", "/", false, 401 },
  };
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fake_answer a;
    fake_http_request (&a, &fake_anonymous, rows[i].method, rows[i].path, "", NULL);
    CU_ASSERT_EQUAL (auth_admit (bed.auth, a.x), rows[i].admitted);
    CU_ASSERT_EQUAL (a.status, rows[i].status);
    if (a.status == 200)
      CU_ASSERT_STRING_EQUAL (
        fake_http_body (&a),
        "{\"resource\":\"https://us.example/mcp\",\"authorization_servers\":["
        "\"https://as.example\"],\"scopes_supported\":[\"toolhost:list\",\"toolhost:call\","
        "\"toolhost:observe\",\"toolhost:approve\",\"toolhost:manage\"],"
        "\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"toolhost\"}");
    fake_answer_free (&a);
  }
  bed_close (&bed);
}

/* ---- something shown ---- */

static void
test_a_key (void)
{
  struct fake_answer a;
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "bEARER  ", bed.bearer_key));
  CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->principal, "key:bot");
  CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->tenant, "acme");
  CU_ASSERT_TRUE (auth_allows (bed.auth, a.x, ROLE_CALL | ROLE_LIST));
  CU_ASSERT_FALSE (auth_allows (bed.auth, a.x, ROLE_OBSERVE));
  CU_ASSERT_EQUAL (a.status, 403);
  fake_answer_free (&a);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_manager, "Bearer ", bed.bearer_key)); /* not root's roles */
  CU_ASSERT_FALSE (auth_allows (bed.auth, a.x, ROLE_MANAGE));
  fake_answer_free (&a);
  bed_close (&bed);
}

static void
test_a_token (void)
{
  struct fake_answer a;
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  for (int i = 0; i < 2; i++) { /* the second time it is remembered */
    CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ",
                         token_of (&bed, "alice", ",\"scope\":\"email toolhost:list\"")));
    CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->principal, "acme/https://as.example#alice");
    CU_ASSERT_STRING_EQUAL (http_request (a.x)->peer->tenant, "acme");
    CU_ASSERT_EQUAL (http_request (a.x)->peer->roles, ROLE_LIST);
    CU_ASSERT_FALSE (auth_allows (bed.auth, a.x, ROLE_CALL));
    CU_ASSERT_EQUAL (a.status, 403);
    CU_ASSERT_TRUE (has (&a, "Bearer error=\"insufficient_scope\", error_description=\""));
    CU_ASSERT_TRUE (has (&a, METADATA ", scope=\"toolhost:call\"\r\n"));
    fake_answer_free (&a);
  }
  bed.now = NOW + 90;
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", bed.token.data));
  CU_ASSERT_TRUE (has (&a, "error=\"invalid_token\", error_description=\"The token has expired\""));
  fake_answer_free (&a);
  bed_close (&bed);
}

static void
test_scopes (void)
{
  static const struct {
    const char *rest;
    unsigned roles;
  } rows[] = {
    { "", 0 },
    { ",\"scope\":\"toolhost:call\"", ROLE_CALL | ROLE_LIST },
    { ",\"scope\":\"toolhost:callx toolhost:cal\"", 0 },
    { ",\"scope\":\"toolhost:observe toolhost:list\"", ROLE_OBSERVE | ROLE_LIST },
    { ",\"scp\":[\"toolhost:manage\",7]", ROLES_ALL },
    { ",\"scp\":\"toolhost:approve\"", ROLE_APPROVE | ROLE_LIST },
    { ",\"scope\":7,\"scp\":\"toolhost:manage\"", 0 },
  };
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fake_answer a;
    CU_ASSERT_TRUE_FATAL (
      ask (&bed, &a, &fake_anonymous, "Bearer ", token_of (&bed, "alice", rows[i].rest)));
    CU_ASSERT_EQUAL (http_request (a.x)->peer->roles, rows[i].roles);
    fake_answer_free (&a);
  }
  bed_close (&bed);
}

static void
test_what_is_no_token (void)
{
  static const struct {
    const char *scheme, *token;
    int status;
  } rows[] = {
    { "Bearer", "", 400 },      { "Bearer ", "a b", 400 },   { "Bearer ", "a, Bearer b", 400 },
    { "Bearer ", "a\"b", 400 }, { "Bearer ", "a.b.c", 401 }, { "Basic ", "YTpi", 401 },
    { "Bearerx ", "a", 401 },
  };
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fake_answer a;
    CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, rows[i].scheme, rows[i].token));
    CU_ASSERT_EQUAL (a.status, rows[i].status);
    fake_answer_free (&a);
  }
  bed_close (&bed);
}

/* Strangers' tokens are put off when there are too many; known callers do not notice. */
static void
test_flood (void)
{
  CLEANUP_FREE char *good = NULL;
  struct fake_answer a;
  struct bed bed;
  int last = 0;

  bed_open (&bed, true, ROLE_CALL);
  good = xstrdup (token_of (&bed, "alice", ""));
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ", good));
  fake_answer_free (&a);
  for (int i = 0; i < 1100; i++) {
    CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", "made.up.token"));
    last = a.status;
    fake_answer_free (&a);
  }
  CU_ASSERT_EQUAL (last, 429);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ", good));
  fake_answer_free (&a);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ", bed.bearer_key));
  fake_answer_free (&a);
  bed.now++;
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", "made.up.token"));
  CU_ASSERT_EQUAL (a.status, 401);
  fake_answer_free (&a);
  bed_close (&bed);
}

/* ---- settings ---- */

static void
test_files_read_again (void)
{
  CLEANUP_BUF struct buf nothing = { 0 };
  struct fake_answer a;
  struct error err = { 0 };
  char paths[2][80];
  struct auth_settings settings;
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  settings = settings_of (&bed, true, paths);
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ", token_of (&bed, "alice", "")));
  fake_answer_free (&a);
  buf_puts (&nothing, "# none\n");
  write_file (&bed, "jwks", &nothing); /* half written: nothing changes */
  write_file (&bed, "keys", &nothing);
  CU_ASSERT_FALSE (auth_follow (bed.auth, &settings, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "auth: jwks_file: "));
  CU_ASSERT_TRUE (ask (&bed, &a, &fake_anonymous, "Bearer ", bed.bearer_key));
  fake_answer_free (&a);
  settings.has_oauth = false;
  CU_ASSERT_TRUE (auth_follow (bed.auth, &settings, &err));
  CU_ASSERT_FALSE (auth_is_possible (bed.auth));
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", bed.bearer_key));
  fake_answer_free (&a);
  CU_ASSERT_FALSE (ask (&bed, &a, &fake_anonymous, "Bearer ", bed.token.data));
  fake_answer_free (&a);
  bed_close (&bed);
}

static void
test_settings_that_are_refused (void)
{
  static const struct {
    const char *resource, *issuer, *scopes, *problem;
  } rows[] = {
    { NULL, "https://a", NULL,
      "auth: resource is missing; OAuth needs resource, issuer, and jwks_url or jwks_file" },
    { "http://us.example", "https://a", NULL,
      "auth: resource: expected an https:// URI without fragment, got \"http://us.example\"" },
    { "https://us.example/#a", "https://a", NULL,
      "auth: resource: expected an https:// URI without fragment, got \"https://us.example/#a\"" },
    { "http://localhost.evil.example", "https://a", NULL,
      "auth: resource: expected an https:// URI without fragment, got "
      "\"http://localhost.evil.example\"" },
    { "https://us.example", "as", NULL,
      "auth: issuer: expected an https:// URI without fragment, got \"as\"" },
    { "https://us.example", "https://a", "{\"offline_access\":[\"call\"]}",
      "auth: scopes: expected scopes of printable ASCII, and not offline_access" },
    { "https://us.example", "https://a", "{\"a\":[\"fly\"]}",
      "auth: scopes: /a: expected a list of roles" },
  };
  struct bed bed;

  bed_open (&bed, true, ROLE_CALL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char paths[2][80];
    struct auth_settings settings = settings_of (&bed, true, paths);
    struct error err = { 0 };
    settings.oauth.resource = rows[i].resource;
    settings.oauth.issuer = rows[i].issuer;
    settings.oauth.scopes = rows[i].scopes;
    CU_ASSERT_FALSE (auth_follow (bed.auth, &settings, &err));
    CU_ASSERT_STRING_EQUAL (err.text, rows[i].problem);
  }
  bed_close (&bed);
}

static CU_TestInfo tests[] = {
  { "nothing shown", test_nobody },
  { "keys alone leave loopback open", test_keys_alone_leave_loopback_open },
  { "what everybody may see", test_what_everybody_may_see },
  { "a key", test_a_key },
  { "a token", test_a_token },
  { "scopes", test_scopes },
  { "what is no token", test_what_is_no_token },
  { "a flood of tokens", test_flood },
  { "files are read again", test_files_read_again },
  { "settings that are refused", test_settings_that_are_refused },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "auth", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
