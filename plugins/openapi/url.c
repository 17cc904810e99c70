#include "url.h"

#include <string.h>
#include <strings.h>

/* ---- servers ---- */

static bool
is_among (const struct value *list, const struct text *word)
{
  for (size_t i = 0; i < list->count; i++) {
    CLEANUP_TEXT struct text item = { 0 };
    if (param_plain (&item, list->items[i]) && item.len == word->len
        && memcmp (text_get (&item), text_get (word), word->len) == 0)
      return true;
  }
  return false;
}

/* One "{name}": what the operator says, or else the default; either has to be among those that are
 * allowed. */
static bool
put_variable (struct text *out, const char *name, size_t len, const struct value *variables,
              const struct value *values, struct text *why)
{
  CLEANUP_TEXT struct text word = { 0 };
  const struct value *variable = value_get (variables, name, len);
  const struct value *allowed = value_get_z (variable, "enum"),
                     *value = value_get (values, name, len);

  if (value == NULL)
    value = value_get_z (variable, "default");
  if (value == NULL || !param_plain (&word, value)) {
    text_addf (why, "server variable '%.*s' has no value", (int) len, name);
    return false;
  }
  if (value_is (allowed, VALUE_ARRAY) && !is_among (allowed, &word)) {
    text_addf (why, "server variable '%.*s' is not one of the allowed values", (int) len, name);
    return false;
  }
  percent_encode (out, text_get (&word), word.len, PERCENT_ALL);
  return true;
}

bool
url_server (struct text *out, const struct value *server, const struct value *values,
            struct text *why)
{
  const struct value *variables = value_get_z (server, "variables");
  const char *url = value_cstring (value_get_z (server, "url"));

  if (url == NULL) {
    text_add (why, "a server has no url");
    return false;
  }
  while (*url != '\0') {
    const size_t plain = strcspn (url, "{");
    const char *end = strchr (url, '}');
    text_add_len (out, url, plain);
    url += plain;
    if (*url == '\0')
      break;
    if (end == NULL || end == url + 1) {
      text_add (why, "the url of a server has a brace without its other half");
      return false;
    }
    if (!put_variable (out, url + 1, (size_t) (end - url) - 1, variables, values, why))
      return false;
    url = end + 1;
  }
  while (out->len != 0 && out->data[out->len - 1] == '/')
    out->data[--out->len] = '\0';
  return true;
}

/* Behind "https://"; NULL: it is no such URL. */
static const char *
after_scheme (const char *url)
{
  if (strncasecmp (url, "https://", 8) == 0)
    return url + 8;
  return strncasecmp (url, "http://", 7) == 0 ? url + 7 : NULL;
}

bool
url_is_absolute (const char *url)
{
  const char *host = after_scheme (url);

  return host != NULL && *host != '\0' && *host != '/' && strpbrk (url, "?#@\\ \t\r\n") == NULL;
}

/* ---- paths ---- */

static const struct param *
find_param (const struct param *params, size_t count, const char *name, size_t len)
{
  for (size_t i = 0; i < count; i++)
    if (params[i].in == IN_PATH && strlen (params[i].name) == len
        && memcmp (params[i].name, name, len) == 0)
      return &params[i];
  return NULL;
}

/* A step that is nothing but a place, whose value is empty, would make another path of it. */
static bool
leaves_step_empty (const struct text *out, size_t from, size_t before, char behind)
{
  return out->len == before && before > from && out->data[before - 1] == '/'
         && (behind == '/' || behind == '\0');
}

static bool
put_place (struct text *out, const char *place, size_t len, const struct param *param,
           const struct value *arguments, const char *operation, struct text *why)
{
  const struct value *value = param != NULL ? value_get_z (arguments, param->argument) : NULL;

  if (value != NULL && value->type != VALUE_NULL)
    return param_path (out, param, value, why);
  if (param == NULL || !param->required) {
    text_add_len (out, place, len);
    return true;
  }
  text_addf (why,
             "No argument is provided for the `%s` required parameter of the operation - `%s`.",
             param->name, operation);
  return false;
}

bool
url_path (struct text *out, const char *path_template, const struct param *params, size_t count,
          const struct value *arguments, const char *operation, struct text *why)
{
  const size_t from = out->len;

  for (const char *at = path_template; *at != '\0';) {
    const size_t plain = strcspn (at, "{");
    const char *end = at[plain] != '\0' ? strchr (at + plain, '}') : NULL;
    size_t len, before;
    percent_encode (out, at, plain, PERCENT_PATH);
    before = out->len;
    at += plain;
    if (*at == '\0')
      break;
    len = end != NULL ? (size_t) (end - at) + 1 : strlen (at);
    if (!put_place (out, at, len, end != NULL ? find_param (params, count, at + 1, len - 2) : NULL,
                    arguments, operation, why))
      return false;
    at += len;
    if (leaves_step_empty (out, from, before, *at)) {
      text_addf (why, "The path of the operation - `%s` needs a value for %.*s that is not empty.",
                 operation, (int) len, at - len);
      return false;
    }
  }
  if (!percent_hides_dots (text_get (out) + from, out->len - from))
    return true;
  text_addf (why, "The path of the operation - `%s` holds a dot-segment.", operation);
  return false;
}

void
url_tidy (struct text *out, const char *path)
{
  for (const char *at = path; *at != '\0'; at++)
    if (*at == '{' || *at == '}')
      text_add (out, *at == '{' ? "%7B" : "%7D");
    else
      text_add_len (out, at, 1);
}

/* ---- both ---- */

/* A scheme and a colon before any slash, or two slashes: it names a server of its own. */
static bool
names_server (const char *path)
{
  const size_t letters =
    strspn (path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");

  return (path[0] == '/' && (path[1] == '/' || path[1] == '\\')) || path[0] == '\\'
         || (letters != 0 && path[letters] == ':');
}

/* Up to the end of the host and port. */
static size_t
authority_len (const char *url)
{
  const char *host = after_scheme (url);

  return host != NULL ? (size_t) (host - url) + strcspn (host, "/?#\\") : 0;
}

bool
url_join (struct text *out, const char *server, const char *path, struct text *why)
{
  const size_t authority = authority_len (server), len = strlen (server);

  if (!names_server (path)) {
    text_addf (out, "%s%s", server, path[0] != '/' && path[0] != '\0' ? "/" : "");
    url_tidy (out, path);
    return true;
  }
  if (authority == 0 || authority_len (path) != authority
      || strncasecmp (server, path, authority) != 0) {
    text_addf (why, "The path %.200s does not match the configured server.", path);
    return false;
  }
  if (strncmp (server, path, len) != 0 || (path[len] != '/' && path[len] != '\0')) {
    text_addf (why, "The path %.200s is outside the configured server base path.", path);
    return false;
  }
  url_tidy (out, path);
  return true;
}
