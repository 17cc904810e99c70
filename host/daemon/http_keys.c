#include "daemon/http_keys.h"

#include <string.h>

#include "base/json_c.h"

static const char LIKE[] = "expected a URL like \"https://api.example.com/v1/*\": ";

/* ---- one grant -------------------------------------------------------------------------- */

static bool
read_methods (struct http_grant *grant, struct json_object *value, struct error *err)
{
  size_t count;

  if (!json_object_is_type (value, json_type_array))
    return error_set (err, "/methods: expected a list of methods");
  count = json_object_array_length (value);
  grant->methods = 0;
  for (size_t i = 0; i < count; i++) {
    struct json_object *item = json_object_array_get_idx (value, i);
    const char *name =
      json_object_is_type (item, json_type_string) ? json_object_get_string (item) : "";
    unsigned method = http_method_find (name, strlen (name));
    if (method == 0)
      return error_set (err,
                        "/methods/%zu: expected GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS", i);
    grant->methods |= method;
  }
  return count != 0 || error_set (err, "/methods: expected at least one");
}

static bool
read_private (struct http_grant *grant, struct json_object *value, struct error *err)
{
  if (!json_object_is_type (value, json_type_boolean))
    return error_set (err, "/private: expected true or false");
  grant->private_too = json_object_get_boolean (value);
  return !grant->private_too || !grant->pattern.any_host
         || error_set (err,
                       "/private: name the host: addresses that are not public are granted one "
                       "by one");
}

static bool
read_extras (struct http_grant *grant, bool query, const char *key, struct json_object *value,
             struct error *err)
{
  if (!json_object_is_type (value, json_type_object))
    return error_set (err, "/%s: expected an object of texts", key);
  json_object_object_foreach (value, name, text)
  {
    if (!json_object_is_type (text, json_type_string))
      return error_set (err, "/%s/%s: expected a text", key, name);
    if (!http_grant_add_extra (grant, query, name, json_object_get_string (text), err))
      return error_wrap (err, "/%s/%s: ", key, name);
  }
  return true;
}

static bool
read_key (struct http_grant *grant, const char *name, struct json_object *value, struct error *err)
{
  static const char *const names[] = { "url", "methods", "private", "headers", "query", NULL };
  const char *near;

  if (strcmp (name, "url") == 0)
    return true;
  if (strcmp (name, "methods") == 0)
    return read_methods (grant, value, err);
  if (strcmp (name, "private") == 0)
    return read_private (grant, value, err);
  if (strcmp (name, "headers") == 0 || strcmp (name, "query") == 0)
    return read_extras (grant, *name == 'q', name, value, err);
  near = error_nearest (name, names);
  return near != NULL ? error_set (err, "/%s: unknown key; did you mean \"%s\"?", name, near)
                      : error_set (err, "/%s: unknown key", name);
}

static struct http_grant *
add_pattern (struct http_grants *grants, struct json_object *url, struct error *err)
{
  struct http_grant *grant = NULL;

  if (json_object_is_type (url, json_type_string))
    grant = http_grants_add (grants, json_object_get_string (url), err);
  else
    (void) error_set (err, "it is no text");
  if (grant == NULL)
    (void) error_wrap (err, ": %s", LIKE);
  return grant;
}

static bool
read_grant (struct http_grants *grants, struct json_object *item, struct error *err)
{
  struct json_object *url = NULL;
  struct http_grant *grant;

  if (!json_object_is_type (item, json_type_object))
    return add_pattern (grants, item, err) != NULL;
  (void) json_object_object_get_ex (item, "url", &url);
  grant = add_pattern (grants, url, err);
  if (grant == NULL)
    return error_wrap (err, "/url");
  json_object_object_foreach (item, name, value)
  {
    if (!read_key (grant, name, value, err))
      return false;
  }
  return true;
}

/* ---- the lists -------------------------------------------------------------------------- */

bool
http_keys_grants (struct http_grants *grants, struct json_object *value, struct error *err)
{
  size_t count;

  http_grants_free (grants);
  if (!json_object_is_type (value, json_type_array))
    return error_set (err, "expected a list of URLs like \"https://api.example.com/v1/*\"");
  count = json_object_array_length (value);
  for (size_t i = 0; i < count; i++)
    if (!read_grant (grants, json_object_array_get_idx (value, i), err))
      return error_wrap (err, "/%zu", i);
  return true;
}

bool
http_keys_secrets (struct secrets *secrets, struct json_object *value, struct error *err)
{
  secrets_free (secrets);
  if (!json_object_is_type (value, json_type_object))
    return error_set (err, "expected an object of names and files");
  json_object_object_foreach (value, name, path)
  {
    if (!secret_name_ok (name))
      return error_set (err, "/%s: expected a name of A-Za-z0-9_-", name);
    if (!json_object_is_type (path, json_type_string) || json_object_get_string (path)[0] != '/')
      return error_set (err, "/%s: expected the absolute path of a file", name);
    if (!secrets_add (secrets, name, json_object_get_string (path), err))
      return error_wrap (err, "/%s: ", name);
  }
  return true;
}
