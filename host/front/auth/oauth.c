#include "front/auth/oauth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "front/auth/keys.h"
#include "front/auth/roles.h"

#define WELL_KNOWN "/.well-known/oauth-protected-resource"

enum { SCOPES_MAX = 64, SCOPE_MAX = 128, URI_MAX = 1024 };

struct scope {
  char *name;
  unsigned roles; /* with all they hold */
};

struct oauth {
  char *issuer, *tenant_claim;
  char **audiences; /* the resource first; ends with NULL */
  int64_t leeway;
  char *jwks_url; /* NULL: they are of a file */
  struct jwks *keys;
  size_t scope_count;
  struct scope scopes[SCOPES_MAX];
  char *path; /* of the resource: "/mcp", or "" */
  struct buf metadata, url;
};

/* ---- URIs ---- */

/* Nothing in it that would have to be escaped in a header or in JSON. */
static bool
is_plain (const char *uri)
{
  size_t len = 0;

  for (; uri[len] != '\0'; len++)
    if ((unsigned char) uri[len] <= ' ' || (unsigned char) uri[len] >= 0x7f || uri[len] == '"'
        || uri[len] == '\\' || uri[len] == '#' || len == URI_MAX)
      return false;
  return true;
}

/* Where the authority begins; NULL: it is no https URI, nor an http one of this machine. */
static const char *
authority_of (const char *uri)
{
  static const char *const starts[] = { "http://localhost", "http://127.0.0.1", "http://[::1]" };

  if (!is_plain (uri))
    return NULL;
  if (strncmp (uri, "https://", 8) == 0)
    return uri[8] != '\0' && uri[8] != '/' && uri[8] != '?' ? uri + 8 : NULL;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    size_t len = strlen (starts[i]);
    if (strncmp (uri, starts[i], len) == 0 && (uri[len] == '\0' || strchr (":/", uri[len]) != NULL))
      return uri + 7;
  }
  return NULL;
}

static bool
check_uri (const char *name, const char *uri, struct error *err)
{
  if (uri == NULL)
    return error_set (err, "%s is missing; OAuth needs resource, issuer, and jwks_url or jwks_file",
                      name);
  return authority_of (uri) != NULL
         || error_set (err, "%s: expected an https:// URI without fragment, got \"%.100s\"", name,
                       uri);
}

/* ---- scopes ---- */

static bool
is_scope (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if ((unsigned char) text[i] <= ' ' || (unsigned char) text[i] >= 0x7f || text[i] == '"'
        || text[i] == '\\')
      return false;
  return len != 0 && len <= SCOPE_MAX && !(len == 14 && memcmp (text, "offline_access", 14) == 0);
}

static bool
roles_of (const struct json_tape *tape, const struct json_node *list, struct arena *arena,
          unsigned *roles)
{
  *roles = 0;
  if (!json_is (list, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    size_t len;
    const char *name = json_string (tape, n, arena, &len);
    unsigned role = name != NULL ? role_find (name, len) : 0;
    if (role == 0)
      return false;
    *roles |= role;
  }
  return *roles != 0;
}

static void
add_scope (struct oauth *oauth, const char *name, size_t len, unsigned roles)
{
  oauth->scopes[oauth->scope_count++] =
    (struct scope){ .name = xstrndup (name, len), .roles = roles_whole (roles) };
}

static void
default_scopes (struct oauth *oauth)
{
  CLEANUP_BUF struct buf name = { 0 };

  for (unsigned i = 0; role_names[i] != NULL; i++) {
    name.len = 0;
    buf_printf (&name, "toolhost:%s", role_names[i]);
    add_scope (oauth, name.data, name.len, 1U << i);
  }
}

static bool
read_scopes (struct oauth *oauth, const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;

  if (!json_read (&tape, text, strlen (text), &json_default_limits, &arena)
      || !json_is (root = json_root (&tape), JSON_OBJECT) || root->count == 0
      || root->count > SCOPES_MAX)
    return error_set (err, "scopes: expected an object of 1 to %d scopes", SCOPES_MAX);
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (json_next (n))) {
    size_t len;
    const char *name = json_string (&tape, n, &arena, &len);
    unsigned roles;
    if (!is_scope (name, len))
      return error_set (err, "scopes: expected scopes of printable ASCII, and not offline_access");
    if (!roles_of (&tape, json_next (n), &arena, &roles))
      return error_set (err, "scopes: /%.*s: expected a list of roles", (int) len, name);
    add_scope (oauth, name, len, roles);
  }
  return true;
}

/* The scope that gives this role and the least besides. */
static const struct scope *
least_for (const struct oauth *oauth, unsigned role)
{
  const struct scope *least = NULL;

  for (size_t i = 0; i < oauth->scope_count; i++) {
    const struct scope *s = &oauth->scopes[i];
    if ((s->roles & role) != 0
        && (least == NULL || __builtin_popcount (s->roles) < __builtin_popcount (least->roles)))
      least = s;
  }
  return least;
}

void
oauth_scopes_for (const struct oauth *oauth, unsigned roles, struct buf *out)
{
  unsigned given = 0;
  const char *separator = "";

  for (unsigned role = ROLE_MANAGE; role != 0; role >>= 1) {
    const struct scope *s = (roles & role & ~given) != 0 ? least_for (oauth, role) : NULL;
    if (s == NULL)
      continue;
    buf_puts (out, separator);
    buf_puts (out, s->name);
    separator = " ";
    given |= s->roles;
  }
}

/* ---- metadata ---- */

static void
put_list (struct json_writer *w, const char *name, const char *const *list)
{
  jsonw_name (w, name);
  jsonw_array (w);
  for (; *list != NULL; list++)
    jsonw_string (w, *list);
  jsonw_end (w);
}

static void
make_metadata (struct oauth *oauth, const struct oauth_settings *settings)
{
  const char *const issuer[] = { settings->issuer, NULL };
  const char *const header[] = { "header", NULL };
  const char *const *servers = settings->servers;
  const char *names[SCOPES_MAX + 1] = { NULL };
  struct json_writer w = { .out = &oauth->metadata };

  for (size_t i = 0; i < oauth->scope_count; i++)
    names[i] = oauth->scopes[i].name;
  jsonw_object (&w);
  jsonw_name_string (&w, "resource", settings->resource);
  put_list (&w, "authorization_servers", servers != NULL && *servers != NULL ? servers : issuer);
  put_list (&w, "scopes_supported", names);
  put_list (&w, "bearer_methods_supported", header);
  jsonw_name_string (&w, "resource_name", "toolhost");
  jsonw_end (&w);
}

/* RFC 9728 section 3.1: between authority and path. */
static void
make_url (struct oauth *oauth, const char *resource)
{
  const char *authority = authority_of (resource);
  const char *path = authority + strcspn (authority, "/?");

  oauth->path = xstrndup (path, strcspn (path, "?"));
  if (strcmp (oauth->path, "/") == 0)
    oauth->path[0] = '\0';
  buf_printf (&oauth->url, "%.*s" WELL_KNOWN "%s", (int) (path - resource), resource, oauth->path);
}

const struct buf *
oauth_metadata (const struct oauth *oauth)
{
  return &oauth->metadata;
}

const char *
oauth_metadata_url (const struct oauth *oauth)
{
  return oauth->url.data;
}

static bool
is_text (const char *text, size_t len, const char *wanted)
{
  return strlen (wanted) == len && memcmp (text, wanted, len) == 0;
}

bool
oauth_is_metadata_path (const struct oauth *oauth, const char *path, size_t len)
{
  size_t known = sizeof WELL_KNOWN - 1;

  if (len < known || memcmp (path, WELL_KNOWN, known) != 0)
    return false;
  path += known;
  len -= known;
  return len == 0 || is_text (path, len, "/mcp") || is_text (path, len, oauth->path);
}

/* ---- life ---- */

static struct jwks *
read_keys (const char *path, struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  CLEANUP_BUF struct buf text = { 0 };
  struct stat st;
  ssize_t got = 0;
  struct jwks *keys;

  if (fd < 0 || fstat (fd, &st) < 0) {
    error_set (err, "jwks_file: %s: %s", path, strerror (errno));
    return NULL;
  }
  if (!S_ISREG (st.st_mode) || (st.st_mode & S_IWOTH) != 0) {
    error_set (err, "jwks_file: %s: expected a file that not everybody may write", path);
    return NULL;
  }
  while (text.len <= JWKS_TEXT_MAX && (got = read (fd, buf_reserve (&text, 8192), 8192)) > 0)
    text.len += (size_t) got;
  keys = got < 0 ? (error_set (err, "%s", strerror (errno)), NULL)
                 : jwks_read (text.data, text.len, err);
  if (keys == NULL)
    error_wrap (err, "jwks_file: %s: ", path);
  return keys;
}

static void
copy_audiences (struct oauth *oauth, const struct oauth_settings *settings)
{
  size_t count = 0;

  while (settings->audiences != NULL && settings->audiences[count] != NULL)
    count++;
  oauth->audiences = xcalloc (count + 2, sizeof *oauth->audiences);
  oauth->audiences[0] = xstrdup (settings->resource);
  for (size_t i = 0; i < count; i++)
    oauth->audiences[i + 1] = xstrdup (settings->audiences[i]);
}

static bool
check_settings (const struct oauth_settings *settings, struct error *err)
{
  if (!check_uri ("resource", settings->resource, err)
      || !check_uri ("issuer", settings->issuer, err))
    return false;
  for (const char *const *s = settings->servers; s != NULL && *s != NULL; s++)
    if (!check_uri ("authorization_servers", *s, err))
      return false;
  if ((settings->jwks_file != NULL) == (settings->jwks_url != NULL))
    return error_set (err, "jwks_url: expected either it or jwks_file, for the issuer's keys");
  return settings->jwks_url == NULL || check_uri ("jwks_url", settings->jwks_url, err);
}

struct oauth *
oauth_new (const struct oauth_settings *settings, struct error *err)
{
  struct oauth *oauth;

  if (!check_settings (settings, err))
    return NULL;
  oauth = xcalloc (1, sizeof *oauth);
  oauth->issuer = xstrdup (settings->issuer);
  oauth->tenant_claim = settings->tenant_claim != NULL ? xstrdup (settings->tenant_claim) : NULL;
  oauth->leeway = settings->leeway;
  copy_audiences (oauth, settings);
  if (settings->scopes == NULL)
    default_scopes (oauth);
  else if (!read_scopes (oauth, settings->scopes, err)) {
    oauth_free (oauth);
    return NULL;
  }
  make_metadata (oauth, settings);
  make_url (oauth, settings->resource);
  if (settings->jwks_url != NULL) {
    oauth->jwks_url = xstrdup (settings->jwks_url);
    return oauth;
  }
  oauth->keys = read_keys (settings->jwks_file, err);
  if (oauth->keys != NULL)
    return oauth;
  oauth_free (oauth);
  return NULL;
}

bool
oauth_take_keys (struct oauth *oauth, const char *text, size_t len, struct error *err)
{
  struct jwks *keys = jwks_read (text, len, err);

  if (keys == NULL)
    return false;
  jwks_free (oauth->keys);
  oauth->keys = keys;
  return true;
}

void
oauth_keep_keys (struct oauth *oauth, struct oauth *old)
{
  if (oauth->jwks_url == NULL || old->jwks_url == NULL
      || strcmp (oauth->jwks_url, old->jwks_url) != 0 || strcmp (oauth->issuer, old->issuer) != 0)
    return;
  jwks_free (oauth->keys);
  oauth->keys = old->keys;
  old->keys = NULL;
}

void
oauth_free (struct oauth *oauth)
{
  if (oauth == NULL)
    return;
  for (size_t i = 0; i < oauth->scope_count; i++)
    free (oauth->scopes[i].name);
  for (char **a = oauth->audiences; *a != NULL; a++)
    free (*a);
  free (oauth->audiences);
  jwks_free (oauth->keys);
  buf_free (&oauth->metadata);
  buf_free (&oauth->url);
  free (oauth->issuer);
  free (oauth->jwks_url);
  free (oauth->tenant_claim);
  free (oauth->path);
  free (oauth);
}

/* ---- tokens ---- */

static unsigned
roles_of_scope (const struct oauth *oauth, const char *text, size_t len)
{
  for (size_t i = 0; i < oauth->scope_count; i++)
    if (is_text (text, len, oauth->scopes[i].name))
      return oauth->scopes[i].roles;
  return 0;
}

/* "a b c"; scopes that are not ours give nothing. */
static unsigned
roles_of_scopes (const struct oauth *oauth, const char *text, size_t len)
{
  unsigned roles = 0;

  for (size_t at = 0; at < len;) {
    const char *blank = memchr (text + at, ' ', len - at);
    size_t stop = blank != NULL ? (size_t) (blank - text) : len;
    roles |= roles_of_scope (oauth, text + at, stop - at);
    at = stop + 1;
  }
  return roles;
}

/* `scope` is RFC 9068's; `scp` is what others call it, as a text or a list. */
static unsigned
roles_of_token (const struct oauth *oauth, const struct json_tape *claims, struct arena *arena)
{
  const struct json_node *node = json_member (claims, json_root (claims), "scope");
  unsigned roles = 0;
  size_t len;
  const char *text;

  if (node == NULL)
    node = json_member (claims, json_root (claims), "scp");
  text = json_string (claims, node, arena, &len);
  if (text != NULL)
    return roles_of_scopes (oauth, text, len);
  if (json_is (node, JSON_ARRAY))
    for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n))
      if ((text = json_string (claims, n, arena, &len)) != NULL)
        roles |= roles_of_scope (oauth, text, len);
  return roles;
}

static const char *
tenant_of (const struct oauth *oauth, const struct json_tape *claims, struct arena *arena)
{
  const char *tenant;

  if (oauth->tenant_claim == NULL)
    return "default";
  tenant =
    json_cstring (claims, json_member (claims, json_root (claims), oauth->tenant_claim), arena);
  return tenant != NULL && key_word (tenant, strlen (tenant)) ? tenant : NULL;
}

/* "ISSUER#SUBJECT", and "TENANT/" before it for one that has a name: no tenant has a ':' and no
 * issuer a '#', so that two callers never share one. */
static const char *
principal_of (const struct oauth *oauth, const char *tenant, const char *subject,
              struct arena *arena)
{
  CLEANUP_BUF struct buf name = { 0 };

  if (oauth->tenant_claim != NULL)
    buf_printf (&name, "%s/", tenant);
  buf_printf (&name, "%s#%s", oauth->issuer, subject);
  return arena_strndup (arena, name.data, name.len);
}

enum jwt_verdict
oauth_check (const struct oauth *oauth, const char *token, size_t len, int64_t now,
             struct arena *arena, struct caller *caller)
{
  const struct jwt_rules rules = { .issuer = oauth->issuer,
                                   .audiences = (const char *const *) oauth->audiences,
                                   .leeway = oauth->leeway };
  struct json_tape claims;
  struct jwt_claims found;
  enum jwt_verdict verdict =
    oauth->keys != NULL ? jwt_open (oauth->keys, token, len, arena, &claims) : JWT_NO_KEYS;

  if (verdict == JWT_GOOD)
    verdict = jwt_check (&claims, &rules, now, arena, &found);
  if (verdict != JWT_GOOD)
    return verdict;
  caller->tenant = tenant_of (oauth, &claims, arena);
  if (caller->tenant == NULL)
    return JWT_TENANT;
  caller->principal = principal_of (oauth, caller->tenant, found.subject, arena);
  caller->roles = roles_of_token (oauth, &claims, arena);
  caller->expires = found.expires;
  return JWT_GOOD;
}
