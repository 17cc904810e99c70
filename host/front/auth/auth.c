#include "front/auth/auth.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "front/auth/keys.h"
#include "watch/metrics.h"

/* Signatures checked in a second.  One costs up to 0.1 ms, so that strangers who send tokens they
 * made up get a tenth of a processor; who was checked before and who has a key do not notice. */
enum { CHECKS_PER_SECOND = 1000 };

struct auth {
  struct log *log;
  int64_t (*now) (void *ctx);
  void *now_ctx;
  unsigned (*most) (void *ctx, const char *tenant); /* NULL: all roles */
  void *most_ctx;
  bool (*unknown) (void *ctx); /* NULL: keys come from a file */
  void *unknown_ctx;
  struct oauth *oauth; /* NULL: not configured */
  struct bearer_keys keys;
  struct verified verified;
  bool required;  /* by configuration */
  bool exposed;   /* … and because of where we listen */
  int64_t second; /* that `checks` are counted in */
  unsigned checks;
  int64_t logged_at;
  uint64_t admitted, refused, put_off;
};

static int64_t
wall_seconds (void *ctx)
{
  (void) ctx;
  return clock_wall_ms () / 1000;
}

struct auth *
auth_new (struct log *log)
{
  struct auth *auth = xcalloc (1, sizeof *auth);

  auth->log = log;
  auth->now = wall_seconds;
  return auth;
}

static void
drop (struct auth *auth)
{
  oauth_free (auth->oauth);
  if (auth->keys.list != NULL)
    OPENSSL_cleanse (auth->keys.list, auth->keys.count * sizeof *auth->keys.list);
  keys_free (&auth->keys);
  verified_clear (&auth->verified);
}

void
auth_free (struct auth *auth)
{
  if (auth == NULL)
    return;
  drop (auth);
  free (auth);
}

static bool
take (struct auth *fresh, const struct auth_settings *settings, struct error *err)
{
  if (settings->has_oauth && (fresh->oauth = oauth_new (&settings->oauth, err)) == NULL)
    return false;
  return settings->keys_file == NULL
         || keys_read (&fresh->keys, settings->keys_dir, settings->keys_file, err)
         || error_wrap (err, "keys_file: ");
}

bool
auth_follow (struct auth *auth, const struct auth_settings *settings, struct error *err)
{
  struct auth fresh = { .oauth = NULL };

  if (!take (&fresh, settings, err)) {
    drop (&fresh);
    return error_wrap (err, "auth: ");
  }
  if (auth->oauth != NULL && fresh.oauth != NULL)
    oauth_keep_keys (fresh.oauth, auth->oauth);
  drop (auth);
  auth->oauth = fresh.oauth;
  auth->keys = fresh.keys;
  auth->required = settings->required || settings->has_oauth;
  return true;
}

bool
auth_take_keys (struct auth *auth, const char *text, size_t len, struct error *err)
{
  if (auth->oauth == NULL)
    return error_set (err, "OAuth is not configured any more");
  if (!oauth_take_keys (auth->oauth, text, len, err))
    return false;
  verified_clear (&auth->verified);
  return true;
}

void
auth_set_unknown (struct auth *auth, bool (*unknown) (void *ctx), void *ctx)
{
  auth->unknown = unknown;
  auth->unknown_ctx = ctx;
}

bool
auth_is_possible (const struct auth *auth)
{
  return auth != NULL && (auth->oauth != NULL || auth->keys.count != 0);
}

void
auth_expose (struct auth *auth)
{
  auth->exposed = true;
}

void
auth_set_clock (struct auth *auth, int64_t (*now) (void *ctx), void *ctx)
{
  auth->now = now;
  auth->now_ctx = ctx;
}

void
auth_set_most (struct auth *auth, unsigned (*most) (void *ctx, const char *tenant), void *ctx)
{
  auth->most = most;
  auth->most_ctx = ctx;
}

/* ---- refusals ---- */

/* A refusal as RFC 6750 section 3 has it. */
struct refusal {
  int status;
  const char *code;    /* of our body */
  const char *error;   /* of WWW-Authenticate; NULL: nothing was shown */
  const char *message; /* a sentence of our own: nothing of the token is in it */
  unsigned roles;      /* that were needed */
};

static void
put_challenge (const struct auth *auth, const struct refusal *why, struct buf *out)
{
  const char *separator = " ";

  buf_puts (out, "WWW-Authenticate: Bearer");
  if (auth == NULL || auth->oauth == NULL) {
    buf_puts (out, " realm=\"toolhost\"");
    separator = ", ";
  }
  if (why->error != NULL) {
    buf_printf (out, "%serror=\"%s\", error_description=\"%s\"", separator, why->error,
                why->message);
    separator = ", ";
  }
  if (auth != NULL && auth->oauth != NULL) {
    buf_printf (out, "%sresource_metadata=\"%s\", scope=\"", separator,
                oauth_metadata_url (auth->oauth));
    oauth_scopes_for (auth->oauth, why->roles, out);
    buf_puts (out, "\"");
  }
  buf_puts (out, "\r\n");
}

static void
put_body (const struct refusal *why, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "code", why->code);
  jsonw_name_string (&w, "message", why->message);
  jsonw_end (&w);
  jsonw_end (&w);
}

static bool
refuse (const struct auth *auth, struct http_exchange *x, const struct refusal *why)
{
  CLEANUP_BUF struct buf headers = { 0 };
  CLEANUP_BUF struct buf body = { 0 };

  put_challenge (auth, why, &headers);
  put_body (why, &body);
  http_reply_json (x, why->status, buf_cstr (&headers), &body);
  return false;
}

/* One line a second: strangers must not fill the log. */
static void
note_refused (struct auth *auth, const char *why)
{
  int64_t now = auth->now (auth->now_ctx);

  auth->refused++;
  if (auth->logged_at == now)
    return;
  auth->logged_at = now;
  log_event (auth->log, LOG_NOTICE, "auth_refused", "why", why, "refused_so_far",
             LOG_INT (auth->refused), NULL);
}

static bool
refuse_token (struct auth *auth, struct http_exchange *x, const char *why)
{
  note_refused (auth, why);
  return refuse (auth, x,
                 &(struct refusal){ 401, "invalid_token", "invalid_token", why, ROLE_CALL });
}

static bool
refuse_form (struct auth *auth, struct http_exchange *x)
{
  static const char why[] = "Authorization: expected Bearer and one token";

  note_refused (auth, why);
  return refuse (auth, x,
                 &(struct refusal){ 400, "invalid_request", "invalid_request", why, ROLE_CALL });
}

static bool
refuse_nobody (struct auth *auth, struct http_exchange *x)
{
  note_refused (auth, "nothing was shown");
  return refuse (auth, x,
                 &(struct refusal){ 401, "unauthorized", NULL,
                                    "This takes a key or an access token: Authorization: Bearer …",
                                    ROLE_CALL });
}

/* ---- what was shown ---- */

/* The token of "Bearer TOKEN"; data NULL: nothing of this scheme. */
static struct slice
shown (const struct http_exchange *x)
{
  static const char scheme[] = "Bearer";
  struct slice header = http_header (x, "authorization");
  size_t len = sizeof scheme - 1;

  if (header.data == NULL || header.len < len || strncasecmp (header.data, scheme, len) != 0
      || (header.len > len && header.data[len] != ' '))
    return (struct slice){ NULL, 0 };
  while (len < header.len && header.data[len] == ' ')
    len++;
  return (struct slice){ header.data + len, header.len - len };
}

/* b64token of RFC 6750; a second header or token is none. */
static bool
is_token (struct slice s)
{
  static const char good[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";

  for (size_t i = 0; i < s.len; i++)
    if (s.data[i] == '\0' || strchr (good, s.data[i]) == NULL)
      return false;
  return s.len != 0 && s.len <= JWT_MAX;
}

static bool
may_check (struct auth *auth, int64_t now)
{
  if (auth->second != now) {
    auth->second = now;
    auth->checks = 0;
  }
  return auth->checks++ < CHECKS_PER_SECOND;
}

/* From here on it is served as this caller's. */
static bool
admit (struct auth *auth, struct http_exchange *x, const struct caller *caller)
{
  const struct http_request *request = http_request (x);
  struct front_peer *peer = arena_alloc (request->arena, sizeof *peer);

  auth->admitted++;
  *peer = *request->peer;
  peer->principal = arena_strndup (request->arena, caller->principal, strlen (caller->principal));
  peer->tenant = arena_strndup (request->arena, caller->tenant, strlen (caller->tenant));
  peer->roles = caller->roles;
  if (auth->most != NULL)
    peer->roles &= auth->most (auth->most_ctx, peer->tenant);
  http_set_peer (x, peer);
  return true;
}

static bool
admit_key (struct auth *auth, struct http_exchange *x, const struct bearer_key *key)
{
  char principal[8 + KEY_WORD_MAX] = "key:";

  strcat (principal, key->name);
  return admit (auth, x,
                &(struct caller){ .principal = principal,
                                  .tenant = key->tenant,
                                  .roles = roles_whole (key->roles) });
}

/* The token may be good: the issuer's keys are on their way. */
static bool
is_early (const struct auth *auth, enum jwt_verdict verdict)
{
  if (verdict == JWT_NO_KEYS)
    return true;
  return verdict == JWT_KEY && auth->unknown != NULL && auth->unknown (auth->unknown_ctx);
}

static bool
put_off (struct auth *auth, struct http_exchange *x, int status, const char *code,
         const char *message)
{
  const struct refusal why = { status, code, NULL, message, 0 };
  CLEANUP_BUF struct buf body = { 0 };

  auth->put_off++;
  put_body (&why, &body);
  http_reply_json (x, status, "Retry-After: 1\r\n", &body);
  return false;
}

static bool
admit_jwt (struct auth *auth, struct http_exchange *x, struct slice token)
{
  int64_t now = auth->now (auth->now_ctx);
  const struct caller *known = verified_find (&auth->verified, token.data, token.len, now);
  struct caller caller;
  enum jwt_verdict verdict;

  if (known != NULL)
    return admit (auth, x, known);
  if (!may_check (auth, now))
    return put_off (auth, x, 429, "too_many_tokens", "Too many new tokens at a time; try again");
  verdict = oauth_check (auth->oauth, token.data, token.len, now, http_request (x)->arena, &caller);
  if (is_early (auth, verdict))
    return put_off (auth, x, 503, "keys_unavailable",
                    "The issuer's keys are being fetched; try again");
  if (verdict != JWT_GOOD)
    return refuse_token (auth, x, jwt_problem (verdict));
  verified_add (&auth->verified, token.data, token.len, &caller);
  return admit (auth, x, &caller);
}

static bool
admit_token (struct auth *auth, struct http_exchange *x, struct slice token)
{
  const struct bearer_key *key;

  if (!is_token (token))
    return refuse_form (auth, x);
  key = keys_find (&auth->keys, token.data, token.len);
  if (key != NULL)
    return admit_key (auth, x, key);
  if (key_looks (token.data, token.len) || auth->oauth == NULL)
    return refuse_token (auth, x, "The key is not known");
  return admit_jwt (auth, x, token);
}

/* ---- requests ---- */

static bool
is_get (const struct http_request *request)
{
  return slice_is (request->method, "GET") || slice_is (request->method, "HEAD");
}

/* Whoever asks may know that we live, and what we speak. */
static bool
is_probe (const struct http_request *request)
{
  return is_get (request)
         && (slice_is (request->path, "/healthz") || slice_is (request->path, "/readyz")
             || slice_is (request->path, "/openapi.json"));
}

static bool
is_metadata (const struct auth *auth, const struct http_request *request)
{
  return auth->oauth != NULL && is_get (request)
         && oauth_is_metadata_path (auth->oauth, request->path.data, request->path.len);
}

bool
auth_admit (struct auth *auth, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  struct slice token;

  if (auth == NULL || is_probe (request))
    return true;
  if (is_metadata (auth, request)) {
    const struct buf *metadata = oauth_metadata (auth->oauth);
    http_reply_json (x, 200, "Cache-Control: max-age=300\r\n", metadata);
    return false;
  }
  token = shown (x);
  if (token.data != NULL)
    return admit_token (auth, x, token);
  if (request->peer->local || !(auth->required || auth->exposed))
    return true;
  return refuse_nobody (auth, x);
}

bool
auth_allows (const struct auth *auth, struct http_exchange *x, unsigned roles)
{
  unsigned has = http_request (x)->peer->roles;

  if ((roles & ~has) == 0)
    return true;
  if (!auth_is_possible (auth)) {
    http_reply_error (x, 403, "not_allowed",
                      "Only root or the daemon's own user may do this, over the local socket");
    return false;
  }
  return refuse (auth, x,
                 &(struct refusal){ 403, "insufficient_scope", "insufficient_scope",
                                    "The caller has not the role that this takes", roles | has });
}

/* ---- figures ---- */

void
auth_metrics (const struct auth *auth, struct buf *out)
{
  const struct {
    const char *label;
    uint64_t count;
  } rows[] = { { "outcome=\"admitted\"", auth->admitted },
               { "outcome=\"refused\"", auth->refused },
               { "outcome=\"put_off\"", auth->put_off } };

  metrics_head (out, "toolhost_auth_total", "counter", "Requests that showed, or lacked, a token.");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    metrics_sample (out, "toolhost_auth_total", rows[i].label, (double) rows[i].count);
}
