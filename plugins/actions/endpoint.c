#include "endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "read.h"

enum { NAME_MAX_LEN = 64, HEADER_NAME_MAX = 128 };

static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE", NULL };

bool
endpoint_is_method (const char *text)
{
  for (const char *const *m = methods; *m != NULL; m++)
    if (strcmp (*m, text) == 0)
      return true;
  return false;
}

/* ---- the URL ---- */

static void
check_url (struct reading *r, const char *name, const struct expr *url)
{
  size_t len, server;
  const char *head = endpoint_literal_head (url, &len);

  server = len != 0 ? endpoint_server_length (head, len) : 0;
  if (server == 0)
    read_wrong (r, name, "bad_url",
                "expected an http or https URL whose server is written out, without templates");
  else if (server == len && url->kind == EXPR_PIECES)
    read_wrong (r, name, "bad_url", "a template can't follow the server without a \"/\" between");
  else if (memchr (url->source->text, '#', url->source->count) != NULL)
    read_wrong (r, name, "bad_url", "a fragment (\"#\") is not sent to a server");
}

/* base_url and path in one (U2-8). */
static const struct value *
joined_url (struct reading *r)
{
  const char *base = read_text (r, "base_url", true, URL_MAX);
  const char *path = read_text (r, "path", true, URL_MAX);
  CLEANUP_TEXT struct text url = { 0 };

  if (base == NULL || path == NULL)
    return NULL;
  if (path[0] != '/')
    read_wrong (r, "path", "bad_url", "expected a path that begins with \"/\"");
  text_add (&url, base);
  while (url.len != 0 && url.data[url.len - 1] == '/')
    url.data[--url.len] = '\0';
  text_add (&url, path);
  return value_string (r->scope->pool, text_get (&url), url.len);
}

static void
read_url (struct reading *r, struct endpoint *endpoint)
{
  const bool joined =
    value_get_z (r->object, "url") == NULL
    && (value_get_z (r->object, "base_url") != NULL || value_get_z (r->object, "path") != NULL);
  const char *name = joined ? "path" : "url";
  const struct place at = { r->at, name, 0 };
  const struct value *url;

  if (!joined && (value_get_z (r->object, "base_url") || value_get_z (r->object, "path")))
    read_wrong (r, "url", "conflicting_members", "either \"url\", or \"base_url\" and \"path\"");
  url = joined
          ? joined_url (r)
          : (read_text (r, "url", true, URL_MAX) != NULL ? value_get_z (r->object, "url") : NULL);
  if (url == NULL)
    return;
  if (expr_read (&endpoint->url, r->scope, &at, url, false))
    check_url (r, name, &endpoint->url);
  else
    r->good = false;
}

/* ---- headers ---- */

static bool
is_header_name (const char *name, size_t len)
{
  static const char token[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                              "qrstuvwxyz";

  return len != 0 && len <= HEADER_NAME_MAX && strspn (name, token) == len;
}

/* What the connection and the body's length are made of is not for documents to say. */
static bool
is_reserved (const char *name)
{
  static const char *const reserved[] = { "host",       "content-length", "transfer-encoding",
                                          "connection", "upgrade",        "te",
                                          "trailer",    "idempotency-key" };

  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strcasecmp (reserved[i], name) == 0)
      return true;
  return false;
}

static bool
read_header (const struct scope *scope, const struct place *at, const struct value_member *member,
             struct endpoint_header *header)
{
  header->name = member->name;
  if (!is_header_name (member->name, member->len))
    return problem (scope->problems, at, "bad_header", NULL, "that is no name of a header");
  if (is_reserved (member->name))
    return problem (scope->problems, at, "bad_header",
                    strcasecmp (member->name, "idempotency-key") == 0
                      ? "write \"idempotency_key\" beside \"headers\""
                      : NULL,
                    "this header is the host's");
  if (!value_is (member->value, VALUE_STRING))
    return problem (scope->problems, at, "wrong_type", NULL, "expected a text");
  return expr_read (&header->value, scope, at, member->value, false);
}

static void
read_headers (struct reading *r, struct endpoint *endpoint)
{
  const struct value *headers = read_value (r, "headers", false);
  const struct place at = { r->at, "headers", 0 };

  if (headers == NULL)
    return;
  if (headers->type != VALUE_OBJECT || headers->count > HEADERS_MAX) {
    read_wrong (r, "headers", "wrong_type", "expected an object of at most %d headers",
                HEADERS_MAX);
    return;
  }
  endpoint->headers = values_alloc (r->scope->pool, headers->count * sizeof *endpoint->headers + 1);
  for (size_t i = 0; endpoint->headers != NULL && i < headers->count; i++) {
    const struct place header = { &at, headers->members[i].name, 0 };
    r->good &= read_header (r->scope, &header, &headers->members[i], &endpoint->headers[i]);
    endpoint->header_count++;
  }
}

/* ---- what is a success ---- */

static bool
add_success (struct endpoint *endpoint, const struct value *value)
{
  const char *text = value_cstring (value);
  const double code = value_number (value);

  if (text != NULL && strlen (text) == 3 && text[0] >= '1' && text[0] <= '5'
      && strcmp (text + 1, "xx") == 0) {
    endpoint->classes |= 1U << (text[0] - '0');
    return true;
  }
  if (code < 100 || code > 599 || code != (int) code || endpoint->code_count == CODES_MAX)
    return false;
  endpoint->codes[endpoint->code_count++] = (int32_t) code;
  return true;
}

static void
read_success (struct reading *r, struct endpoint *endpoint)
{
  const struct value *value = read_value (r, "success", false);
  bool good = true;

  endpoint->success = value;
  if (value == NULL)
    endpoint->classes = 1U << 2;
  else if (value->type != VALUE_ARRAY)
    good = add_success (endpoint, value);
  for (size_t i = 0; value_is (value, VALUE_ARRAY) && i < value->count; i++)
    good &= add_success (endpoint, value->items[i]);
  if (!good || (value_is (value, VALUE_ARRAY) && value->count == 0))
    read_wrong (r, "success", "wrong_type",
                "expected \"2xx\", a status such as 404, or a list of these");
}

bool
endpoint_succeeded (const struct endpoint *endpoint, int32_t status)
{
  for (size_t i = 0; i < endpoint->code_count; i++)
    if (endpoint->codes[i] == status)
      return true;
  return status >= 100 && status < 600 && (endpoint->classes >> (status / 100) & 1) != 0;
}

/* ---- all of it ---- */

static void
read_method (struct reading *r, struct endpoint *endpoint)
{
  const char *method = read_text (r, "method", false, NAME_MAX_LEN);

  endpoint->method = method != NULL ? method : "POST";
  if (!endpoint_is_method (endpoint->method))
    read_wrong (r, "method", "bad_method", "expected GET, POST, PUT, PATCH or DELETE");
}

static void
read_key (struct reading *r, struct endpoint *endpoint)
{
  const struct value *key = read_value (r, "idempotency_key", false);
  const struct place at = { r->at, "idempotency_key", 0 };

  endpoint->key_is = key == NULL || key->type == VALUE_TRUE ? KEY_OF_CALL : KEY_OWN;
  if (value_is (key, VALUE_FALSE))
    endpoint->key_is = KEY_NONE;
  else if (endpoint->key_is == KEY_OWN && key->type != VALUE_STRING)
    read_wrong (r, "idempotency_key", "wrong_type", "expected a text, or false for none");
  else if (endpoint->key_is == KEY_OWN)
    r->good &= expr_read (&endpoint->key, r->scope, &at, key, false);
}

static void
read_name (struct reading *r, struct endpoint *endpoint)
{
  endpoint->name = read_text (r, "name", true, NAME_MAX_LEN);
  if (endpoint->name != NULL
      && strspn (endpoint->name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")
           != strlen (endpoint->name))
    read_wrong (r, "name", "bad_name", "a name is made of a-z, 0-9, \"_\", \".\" and \"-\"");
}

static bool
read_endpoint (struct endpoint *endpoint, const struct scope *scope, const struct place *at,
               const struct value *value)
{
  static const char *const known[] = {
    "name",    "url",     "base_url",        "path",        "method", "headers", "timeout_ms",
    "retries", "success", "idempotency_key", "description", NULL
  };
  struct reading r;

  if (!read_begin (&r, scope, at, value))
    return false;
  read_known (&r, known);
  read_name (&r, endpoint);
  read_url (&r, endpoint);
  read_method (&r, endpoint);
  read_headers (&r, endpoint);
  endpoint->timeout_ms = read_int (&r, "timeout_ms", 1, TIMEOUT_MAX_MS, TIMEOUT_MS);
  endpoint->retries = read_int (&r, "retries", 0, RETRIES_MAX, 0);
  read_key (&r, endpoint);
  read_success (&r, endpoint);
  (void) read_text (&r, "description", false, EXPR_TEXT_MAX);
  return r.good;
}

const struct endpoint *
endpoint_find (const struct endpoints *endpoints, const char *name)
{
  for (size_t i = 0; i < endpoints->count; i++)
    if (strcmp (endpoints->list[i].name, name) == 0)
      return &endpoints->list[i];
  return NULL;
}

/* All names first: templates may tell of the answer of any. */
static void
collect_names (const struct value *list, const char **names)
{
  size_t count = 0;

  for (size_t i = 0; i < list->count; i++) {
    const char *name = value_cstring (value_get_z (list->items[i], "name"));
    if (name != NULL)
      names[count++] = name;
  }
}

static bool
is_new (const struct endpoints *endpoints, const struct endpoint *endpoint,
        struct problems *problems, const struct place *at)
{
  const struct place name = { at, "name", 0 };

  return endpoint_find (endpoints, endpoint->name) == NULL
         || problem (problems, &name, "duplicate_name", NULL, "there are two endpoints \"%s\"",
                     endpoint->name);
}

void
endpoints_read (struct endpoints *endpoints, const struct value *list, const struct place *at,
                struct values *pool, struct problems *problems)
{
  static const char *const none[] = { NULL };
  struct scope scope = { .pool = pool, .problems = problems };
  const char **names;

  *endpoints = (struct endpoints){ .names = none };
  if (list == NULL)
    return;
  if (list->type != VALUE_ARRAY || list->count > ENDPOINTS_MAX) {
    (void) problem (problems, at, "wrong_type", NULL, "expected a list of at most %d endpoints",
                    ENDPOINTS_MAX);
    return;
  }
  names = values_alloc (pool, (list->count + 1) * sizeof *names);
  endpoints->list = values_alloc (pool, list->count * sizeof *endpoints->list + 1);
  if (names == NULL || endpoints->list == NULL)
    return;
  collect_names (list, names);
  scope.endpoints = endpoints->names = names;
  for (size_t i = 0; i < list->count; i++) {
    const struct place item = { at, NULL, i };
    struct endpoint *endpoint = &endpoints->list[endpoints->count];
    *endpoint = (struct endpoint){ 0 };
    if (read_endpoint (endpoint, &scope, &item, list->items[i])
        && is_new (endpoints, endpoint, problems, &item))
      endpoints->count++;
  }
}
