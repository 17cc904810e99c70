#include "service/http/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "service/http/headers.h"

/* ---- reading ---------------------------------------------------------------------------- */

struct http_grant *
http_grants_add (struct http_grants *grants, const char *pattern, struct error *err)
{
  struct http_grant grant = { .methods = HTTP_METHODS_ALL };

  if (!http_pattern_read (&grant.pattern, pattern, err)) {
    http_pattern_clear (&grant.pattern);
    return NULL;
  }
  grants->list = xrealloc (grants->list, (grants->count + 1) * sizeof *grants->list);
  grants->list[grants->count] = grant;
  return &grants->list[grants->count++];
}

static bool
is_query_name (const char *name)
{
  size_t len =
    strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~[]");

  return len != 0 && name[len] == '\0';
}

bool
http_grant_add_extra (struct http_grant *grant, bool query, const char *name, const char *text,
                      struct error *err)
{
  struct http_extra *extra;

  if (query ? !is_query_name (name) : !http_header_allowed (name, strlen (name)))
    return error_set (err, query ? "no name of a parameter" : "no header that may be added");
  if (!http_header_value_ok (text, strlen (text)))
    return error_set (err, "it holds what no header may");
  grant->extras = xrealloc (grant->extras, (grant->extras_count + 1) * sizeof *grant->extras);
  extra = &grant->extras[grant->extras_count++];
  *extra = (struct http_extra){ .query = query, .name = xstrdup (name), .text = xstrdup (text) };
  return true;
}

/* "Bearer ${key}" with the secret `key` in it. */
static bool
fill (struct http_extra *extra, const struct secrets *secrets, struct error *err)
{
  struct buf value = { 0 };
  bool good = true;

  for (const char *at = extra->text; good && *at != '\0';) {
    const char *open = strstr (at, "${"), *close = open != NULL ? strchr (open, '}') : NULL;
    const char *secret;
    if (close == NULL) {
      buf_puts (&value, at);
      break;
    }
    buf_append (&value, at, (size_t) (open - at));
    secret = secrets_find (secrets, open + 2, (size_t) (close - open - 2));
    if (secret != NULL)
      buf_puts (&value, secret);
    else
      good = error_set (err, "%s: there is no secret \"%.*s\": name it and its file in /secrets",
                        extra->name, (int) (close - open - 2), open + 2);
    at = close + 1;
  }
  (void) buf_cstr (&value);
  if (good && !http_header_value_ok (value.data, value.len))
    good = error_set (err, "%s: the secret holds what no header may", extra->name);
  secret_free (extra->value);
  extra->value = value.data;
  return good;
}

bool
http_grants_fill (struct http_grants *grants, const struct secrets *secrets, struct error *err)
{
  for (size_t i = 0; i < grants->count; i++)
    for (size_t j = 0; j < grants->list[i].extras_count; j++)
      if (!fill (&grants->list[i].extras[j], secrets, err))
        return error_wrap (err, "/permissions/http/%zu/%s/", i,
                           grants->list[i].extras[j].query ? "query" : "headers");
  return true;
}

/* ---- the list --------------------------------------------------------------------------- */

static void
grant_free (struct http_grant *grant)
{
  http_pattern_clear (&grant->pattern);
  for (size_t i = 0; i < grant->extras_count; i++) {
    free (grant->extras[i].name);
    free (grant->extras[i].text);
    secret_free (grant->extras[i].value);
  }
  free (grant->extras);
}

void
http_grants_free (struct http_grants *grants)
{
  for (size_t i = 0; i < grants->count; i++)
    grant_free (&grants->list[i]);
  free (grants->list);
  memset (grants, 0, sizeof *grants);
}

static struct http_grant
grant_copy (const struct http_grant *grant)
{
  struct http_grant copy = *grant;

  copy.pattern = http_pattern_copy (&grant->pattern);
  copy.extras = xcalloc (grant->extras_count, sizeof *copy.extras);
  for (size_t i = 0; i < grant->extras_count; i++) {
    const struct http_extra *extra = &grant->extras[i];
    copy.extras[i] =
      (struct http_extra){ extra->query, xstrdup (extra->name), xstrdup (extra->text),
                           extra->value != NULL ? xstrdup (extra->value) : NULL };
  }
  return copy;
}

struct http_grants
http_grants_copy (const struct http_grants *grants)
{
  struct http_grants copy = { .count = grants->count };

  copy.list = xcalloc (grants->count, sizeof *copy.list);
  for (size_t i = 0; i < grants->count; i++)
    copy.list[i] = grant_copy (&grants->list[i]);
  return copy;
}

static bool
extra_same (const struct http_extra *a, const struct http_extra *b)
{
  const char *x = a->value != NULL ? a->value : "", *y = b->value != NULL ? b->value : "";

  return a->query == b->query && strcmp (a->name, b->name) == 0 && strcmp (a->text, b->text) == 0
         && strcmp (x, y) == 0;
}

static bool
grant_same (const struct http_grant *a, const struct http_grant *b)
{
  if (strcmp (a->pattern.text, b->pattern.text) != 0 || a->methods != b->methods
      || a->private_too != b->private_too || a->extras_count != b->extras_count)
    return false;
  for (size_t i = 0; i < a->extras_count; i++)
    if (!extra_same (&a->extras[i], &b->extras[i]))
      return false;
  return true;
}

bool
http_grants_same (const struct http_grants *a, const struct http_grants *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!grant_same (&a->list[i], &b->list[i]))
      return false;
  return true;
}

/* ---- for people ------------------------------------------------------------------------- */

static void
render_extras (const struct http_grant *grant, bool query, struct json_writer *w)
{
  bool any = false;

  for (size_t i = 0; i < grant->extras_count; i++) {
    const struct http_extra *extra = &grant->extras[i];
    if (extra->query != query)
      continue;
    if (!any) {
      jsonw_name (w, query ? "query" : "headers");
      jsonw_object (w);
    }
    any = true;
    jsonw_name_len (w, extra->name, strlen (extra->name));
    jsonw_string (w, extra->text);
  }
  if (any)
    jsonw_end (w);
}

void
http_grants_render (const struct http_grants *grants, struct json_writer *w)
{
  jsonw_array (w);
  for (size_t i = 0; i < grants->count; i++) {
    const struct http_grant *grant = &grants->list[i];
    jsonw_object (w);
    jsonw_name_string (w, "url", grant->pattern.text);
    if (grant->methods != HTTP_METHODS_ALL)
      jsonw_name_bits (w, "methods", grant->methods, http_method_names);
    if (grant->private_too)
      jsonw_name_bool (w, "private", true);
    render_extras (grant, false, w);
    render_extras (grant, true, w);
    jsonw_end (w);
  }
  jsonw_end (w);
}

/* ---- matching --------------------------------------------------------------------------- */

const struct http_grant *
http_grants_find (const struct http_grants *grants, const struct url *url, unsigned method,
                  bool *method_only)
{
  const struct http_grant *best = NULL;

  *method_only = false;
  for (size_t i = 0; i < grants->count; i++) {
    const struct http_grant *grant = &grants->list[i];
    if (!http_pattern_matches (&grant->pattern, url))
      continue;
    if ((grant->methods & method) == 0)
      *method_only = true;
    else if (best == NULL || http_pattern_closer (&grant->pattern, &best->pattern))
      best = grant;
  }
  return best;
}

static bool
is_covered (const struct http_grants *grants, const struct http_pattern *narrow)
{
  for (size_t i = 0; i < grants->count; i++)
    if (http_pattern_covers (&grants->list[i].pattern, narrow))
      return true;
  return false;
}

bool
http_narrowing_ok (const struct http_grants *grants, char *const *patterns, struct error *err)
{
  for (; patterns != NULL && *patterns != NULL; patterns++) {
    struct http_pattern pattern;
    bool good = http_pattern_read (&pattern, *patterns, err);
    if (good && !is_covered (grants, &pattern))
      good = error_set (err,
                        "\"%s\" is not within what the plugin is granted "
                        "(/permissions/http)",
                        *patterns);
    http_pattern_clear (&pattern);
    if (!good)
      return false;
  }
  return true;
}

bool
http_narrowing_matches (char *const *patterns, const struct url *url)
{
  bool matches = patterns == NULL;

  for (; !matches && *patterns != NULL; patterns++) {
    struct http_pattern pattern;
    matches = http_pattern_read (&pattern, *patterns, NULL) && http_pattern_matches (&pattern, url);
    http_pattern_clear (&pattern);
  }
  return matches;
}
