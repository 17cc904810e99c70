#include "security.h"

#include <string.h>
#include <strings.h>

/* ---- what is needed ---- */

static bool
is_served (const struct service *service, const char *scheme)
{
  const struct value *list = service->credentials;

  for (size_t i = 0; list != NULL && i < list->count; i++)
    if (strcmp (list->items[i]->text, scheme) == 0)
      return true;
  return false;
}

/* All schemes of one requirement; the first that is missing. */
static const char *
missing_of (const struct service *service, const struct value *requirement)
{
  for (size_t i = 0; value_is (requirement, VALUE_OBJECT) && i < requirement->count; i++)
    if (!is_served (service, requirement->members[i].name))
      return requirement->members[i].name;
  return NULL;
}

const char *
security_missing (const struct service *service, const struct value *operation)
{
  const struct value *list = value_get_z (operation, "security");
  const char *missing = NULL;

  if (list == NULL)
    list = value_get_z (service->document.root, "security");
  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++) {
    const char *scheme = missing_of (service, list->items[i]);
    if (scheme == NULL)
      return NULL; /* any one of them will do */
    missing = missing != NULL ? missing : scheme;
  }
  return missing;
}

/* ---- schemes ---- */

static const struct value *
schemes (const struct service *service)
{
  return value_get_z (value_get_z (service->document.root, "components"), "securitySchemes");
}

static const struct value *
scheme_at (struct service *service, const struct value *scheme)
{
  CLEANUP_TEXT struct text why = { 0 };

  return document_deref (&service->document, (struct located){ scheme, 0 }, &why).value;
}

static bool
says (const struct value *object, const char *member, const char *word)
{
  const char *text = value_cstring (value_get_z (object, member));

  return text != NULL && strcasecmp (text, word) == 0;
}

bool
security_is_credential (struct service *service, const struct param *param)
{
  static const char *const places[] = {
    [IN_PATH] = "", [IN_QUERY] = "query", [IN_HEADER] = "header", [IN_COOKIE] = "cookie"
  };
  const struct value *all = schemes (service);

  for (size_t i = 0; value_is (all, VALUE_OBJECT) && i < all->count; i++) {
    const struct value *scheme = scheme_at (service, all->members[i].value);
    const char *name = value_cstring (value_get_z (scheme, "name"));
    if (says (scheme, "type", "apiKey") && says (scheme, "in", places[param->in]) && name != NULL
        && (param->in == IN_HEADER ? strcasecmp (name, param->name) : strcmp (name, param->name))
             == 0)
      return true;
  }
  return false;
}

/* ---- policies ---- */

static void
add_secret_name (struct text *out, const struct service *service, const char *scheme)
{
  text_addf (out, "%s_", service->name);
  for (; *scheme != '\0' && out->len < 64; scheme++) {
    const bool plain = (*scheme >= 'a' && *scheme <= 'z') || (*scheme >= 'A' && *scheme <= 'Z')
                       || (*scheme >= '0' && *scheme <= '9') || *scheme == '-';
    text_add_len (out, plain ? scheme : "_", 1);
  }
}

/* Where it goes, and what stands there: "headers", "X-Api-Key", "${secret}". */
static bool
describe (const struct value *scheme, const char *secret, const char **where, const char **name,
          struct text *value)
{
  const char *key = value_cstring (value_get_z (scheme, "name"));

  *where = says (scheme, "in", "query") ? "query" : "headers";
  *name = says (scheme, "in", "cookie") ? "Cookie" : key;
  if (says (scheme, "type", "apiKey") && key != NULL) {
    if (says (scheme, "in", "cookie"))
      text_addf (value, "%s=", key);
    text_addf (value, "${%s}", secret);
    return true;
  }
  *where = "headers";
  *name = "Authorization";
  if (says (scheme, "type", "http") && says (scheme, "scheme", "basic"))
    text_addf (value, "Basic ${%s}", secret); /* the secret is user:password in base64 */
  else if ((says (scheme, "type", "http") && says (scheme, "scheme", "bearer"))
           || says (scheme, "type", "oauth2") || says (scheme, "type", "openIdConnect"))
    text_addf (value, "Bearer ${%s}", secret);
  else
    return false;
  return true;
}

static void
write_grant (struct text *out, const char *server, const char *where, const char *name,
             const char *value)
{
  CLEANUP_TEXT struct text url = { 0 };

  text_addf (&url, "%s/*", server);
  json_open (out, '{');
  json_name_string (out, "url", text_get (&url));
  json_name (out, where);
  json_open (out, '{');
  json_name_string (out, name, value);
  json_close (out, '}');
  json_close (out, '}');
}

bool
security_policy (struct service *service, const char *scheme, const char *server, struct text *out)
{
  const struct value *source = scheme_at (service, value_get_z (schemes (service), scheme));
  CLEANUP_TEXT struct text secret = { 0 }, value = { 0 }, path = { 0 };
  const char *where, *name;

  add_secret_name (&secret, service, scheme);
  text_addf (&path, "/etc/toolhost/secrets/%s", text_get (&secret));
  if (!describe (source, text_get (&secret), &where, &name, &value))
    return false;
  json_open (out, '{');
  json_name (out, "permissions");
  json_open (out, '{');
  json_name (out, "http");
  json_open (out, '[');
  write_grant (out, server, where, name, text_get (&value));
  json_close (out, ']');
  json_close (out, '}');
  json_name (out, "secrets");
  json_open (out, '{');
  json_name_string (out, text_get (&secret), text_get (&path));
  json_close (out, '}');
  json_close (out, '}');
  return true;
}
