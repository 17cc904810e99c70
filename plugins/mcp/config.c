#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "../common/near.h"
#include "../common/value.h"

struct reading {
  toolhost_build *build;
  struct values pool;
  char where[64]; /* of the server that is read */
};

static bool
wrong (const struct reading *r, const char *name, const char *expected)
{
  CLEANUP_TEXT struct text pointer = { 0 };

  text_addf (&pointer, "%s%s%s", r->where, name[0] != '\0' ? "/" : "", name);
  (void) toolhost_build_error (r->build, text_get (&pointer), "expected %s", expected);
  return false;
}

/* ---- values ---- */

static bool
take_text (const struct reading *r, const char *name, const struct value *value, char **into)
{
  const char *text = value_cstring (value);

  if (text == NULL)
    return wrong (r, name, "a text");
  free (*into);
  *into = strdup (text);
  return *into != NULL || wrong (r, name, "memory");
}

static bool
take_number (const struct reading *r, const char *name, const struct value *value, int64_t least,
             int64_t most, int64_t *into)
{
  char expected[96];
  double number = value_is (value, VALUE_NUMBER) ? value_number (value) : -1;

  *into = (int64_t) number;
  if (number >= (double) least && number <= (double) most && (double) *into == number)
    return true;
  (void) snprintf (expected, sizeof expected, "a whole number from %lld to %lld", (long long) least,
                   (long long) most);
  return wrong (r, name, expected);
}

static bool
take_patterns (const struct reading *r, const struct value *value, char ***into)
{
  if (!value_is (value, VALUE_ARRAY) || value->count > PATTERNS_MAX)
    return wrong (r, "tools", "a list of names or patterns like \"get-*\"");
  *into = calloc (value->count + 1, sizeof **into);
  for (size_t i = 0; *into != NULL && i < value->count; i++)
    if (!take_text (r, "tools", value->items[i], &(*into)[i]))
      return false;
  return *into != NULL || wrong (r, "tools", "memory");
}

static bool
take_headers (const struct reading *r, const struct value *value, char ***into)
{
  if (!value_is (value, VALUE_OBJECT) || value->count > HEADERS_MAX)
    return wrong (r, "headers", "an object of texts");
  *into = calloc (2 * value->count + 1, sizeof **into);
  for (size_t i = 0; *into != NULL && i < value->count; i++) {
    (*into)[2 * i] = strdup (value->members[i].name);
    if ((*into)[2 * i] == NULL
        || !take_text (r, "headers", value->members[i].value, &(*into)[2 * i + 1]))
      return false;
  }
  return *into != NULL || wrong (r, "headers", "memory");
}

static bool
take_era (const struct reading *r, const struct value *value, enum era *era)
{
  static const char *const names[] = { "auto", "modern", "legacy" };
  const char *text = value_cstring (value);

  for (unsigned i = 0; text != NULL && i < sizeof names / sizeof *names; i++)
    if (strcmp (names[i], text) == 0) {
      *era = (enum era) i;
      return true;
    }
  return wrong (r, "era", "\"auto\", \"modern\" or \"legacy\"");
}

/* ---- one server ---- */

static bool
unknown (const struct reading *r, const char *name)
{
  static const char *const names[] = { "name",    "process",     "url",     "prefix", "tools",
                                       "era",     "timeout",     "connect", "grace",  "retry",
                                       "headers", "message_max", NULL };
  CLEANUP_TEXT struct text pointer = { 0 }, why = { 0 };
  struct near near = { .word = name };

  for (const char *const *known = names; *known != NULL; known++)
    near_offer (&near, *known);
  text_addf (&pointer, "%s/%s", r->where, name);
  text_add (&why, "there is no such member");
  near_say (&near, &why);
  (void) toolhost_build_error (r->build, text_get (&pointer), "%s", text_get (&why));
  return false;
}

static bool
take_member (const struct reading *r, struct server_config *server, const char *name,
             const struct value *value)
{
  const struct {
    const char *name;
    char **text;
    int64_t *number, least, most;
  } members[] = {
    { "name", &server->name, NULL, 0, 0 },
    { "process", &server->process, NULL, 0, 0 },
    { "url", &server->url, NULL, 0, 0 },
    { "prefix", &server->prefix, NULL, 0, 0 },
    { "timeout", NULL, &server->timeout_ms, 100, 86400000 },
    { "connect", NULL, &server->connect_ms, 100, 600000 },
    { "grace", NULL, &server->grace_ms, 0, 600000 },
    { "retry", NULL, &server->retry_ms, 1000, 86400000 },
    { "message_max", NULL, &server->message_max, 1024, 64 << 20 },
  };

  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (strcmp (members[i].name, name) == 0)
      return members[i].text != NULL
               ? take_text (r, name, value, members[i].text)
               : take_number (r, name, value, members[i].least, members[i].most, members[i].number);
  if (strcmp (name, "tools") == 0)
    return take_patterns (r, value, &server->tools);
  if (strcmp (name, "headers") == 0)
    return take_headers (r, value, &server->headers);
  if (strcmp (name, "era") == 0)
    return take_era (r, value, &server->era);
  return unknown (r, name);
}

static bool
is_name (const char *text, size_t most)
{
  size_t len = strlen (text);

  return len <= most
         && strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
              == len;
}

static bool
check_server (const struct reading *r, const struct server_config *server)
{
  if (server->name == NULL || server->name[0] == '\0' || !is_name (server->name, 64))
    return wrong (r, "name", "a name of 1 to 64 of A-Za-z0-9_-");
  if ((server->process != NULL) == (server->url != NULL))
    return wrong (r, "", "\"process\", a program by the operator's name for it, or \"url\"");
  if (server->url != NULL && strncmp (server->url, "http://", 7) != 0
      && strncmp (server->url, "https://", 8) != 0)
    return wrong (r, "url", "a URL that begins with https:// or http://");
  if (server->process != NULL && server->headers != NULL)
    return wrong (r, "headers", "none: a program is not asked over HTTP");
  return is_name (server->prefix, 32) || wrong (r, "prefix", "at most 32 of A-Za-z0-9_-");
}

static bool
take_server (const struct reading *r, struct server_config *server, const struct value *value)
{
  if (!value_is (value, VALUE_OBJECT))
    return wrong (r, "", "an object with a name, and a process or a url");
  *server = (struct server_config){ .prefix = strdup (""),
                                    .timeout_ms = 60000,
                                    .connect_ms = 10000,
                                    .grace_ms = 2000,
                                    .retry_ms = 30000,
                                    .message_max = 4 << 20 };
  if (server->prefix == NULL)
    return wrong (r, "", "memory");
  for (size_t i = 0; i < value->count; i++)
    if (!take_member (r, server, value->members[i].name, value->members[i].value))
      return false;
  return check_server (r, server);
}

/* ---- all of them ---- */

static bool
take_servers (struct reading *r, struct config *config, const struct value *list)
{
  if (!value_is (list, VALUE_ARRAY) || list->count > SERVERS_MAX)
    return wrong (r, "servers", "a list of at most 32 servers");
  for (size_t i = 0; i < list->count; i++) {
    (void) snprintf (r->where, sizeof r->where, "/servers/%zu", i);
    config->count++;
    if (!take_server (r, &config->servers[i], list->items[i]))
      return false;
    for (size_t other = 0; other < i; other++)
      if (strcmp (config->servers[other].name, config->servers[i].name) == 0)
        return wrong (r, "name", "another name: a server before it has this one");
  }
  return true;
}

bool
config_read (struct config *config, toolhost_build *build, const char *text, size_t len)
{
  struct reading r = { .build = build };
  const struct value *root = value_parse (&r.pool, text, len);
  const struct value *servers = value_get_z (root, "servers");
  bool good = true;

  for (size_t i = 0; good && root != NULL && i < root->count; i++)
    if (strcmp (root->members[i].name, "servers") != 0) {
      (void) toolhost_build_error (
        build, "", "there is no member \"%s\"; did you mean \"servers\"?", root->members[i].name);
      good = false;
    }
  good = good && take_servers (&r, config, servers);
  values_free (&r.pool);
  return good;
}

static void
free_list (char **list, bool pairs)
{
  for (size_t i = 0; list != NULL && (list[i] != NULL || (pairs && i % 2 == 1)); i++)
    free (list[i]);
  free (list);
}

void
server_config_free (struct server_config *server)
{
  free (server->name);
  free (server->process);
  free (server->url);
  free (server->prefix);
  free_list (server->tools, false);
  free_list (server->headers, true);
  *server = (struct server_config){ 0 };
}

/* "*" stands for any characters, "?" for one. */
static bool
matches (const char *pattern, const char *name)
{
  for (; *pattern != '\0' && *pattern != '*'; pattern++, name++)
    if (*name == '\0' || (*pattern != '?' && *pattern != *name))
      return false;
  if (*pattern == '\0')
    return *name == '\0';
  for (; *name != '\0'; name++)
    if (matches (pattern + 1, name))
      return true;
  return matches (pattern + 1, name);
}

bool
config_wants (const struct server_config *server, const char *tool)
{
  for (char **pattern = server->tools; pattern != NULL && *pattern != NULL; pattern++)
    if (matches (*pattern, tool))
      return true;
  return server->tools == NULL;
}
