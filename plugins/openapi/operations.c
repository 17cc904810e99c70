#include "operations.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "definition.h"
#include "names.h"
#include "schema.h"
#include "security.h"
#include "url.h"
#include "wanted.h"

enum { PARAMS_MAX = 256 };

/* One operation of a document, as it is read. */
struct candidate {
  struct service *service;
  struct located item; /* its path item */
  struct operation operation;
  struct text *why;
  const char *scheme; /* whose credentials are missing */
};

static const char *const methods[][2] = {
  { "get", "GET" }, { "head", "HEAD" },   { "options", "OPTIONS" }, { "post", "POST" },
  { "put", "PUT" }, { "patch", "PATCH" }, { "delete", "DELETE" },
};

/* ---- names ---- */

static bool
id_is_taken (const struct service *service, const char *id)
{
  for (size_t i = 0; i < service->count; i++)
    if (strcmp (service->operations[i].id, id) == 0)
      return true;
  return false;
}

static bool
name_is_taken (const struct service *service, const char *name)
{
  for (size_t i = 0; i < service->count; i++)
    if (strcmp (service->operations[i].name, name) == 0)
      return true;
  return false;
}

static const char *
keep (struct candidate *c, const struct text *text)
{
  return values_text (&c->service->pool, text_get (text), text->len);
}

/* The id: the document's, or one that is made; two paths may come to the same. */
static bool
find_id (struct candidate *c)
{
  struct operation *op = &c->operation;
  const char *id = value_cstring (value_get_z (op->source.value, "operationId"));
  CLEANUP_TEXT struct text made = { 0 };
  size_t len;

  if (!c->service->derive) {
    if (id == NULL || id[0] == '\0')
      text_add (c->why, "it has no operationId (\"names\": \"derive\" makes one)");
    else if (id_is_taken (c->service, id))
      text_addf (c->why, "its operationId %.200s is that of an earlier operation", id);
    op->id = id;
    return c->why->len == 0;
  }
  names_derive (&made, op->method, op->path);
  len = made.len;
  for (unsigned n = 2; id_is_taken (c->service, text_get (&made)) && text_ok (&made); n++) {
    made.len = len;
    text_addf (&made, "_%u", n);
  }
  op->id = keep (c, &made);
  return true;
}

static bool
find_name (struct candidate *c, const struct value *override)
{
  struct operation *op = &c->operation;
  const char *said = value_cstring (value_get_z (override, "name"));
  CLEANUP_TEXT struct text name = { 0 };

  names_tool (&name, c->service->prefix, said != NULL ? said : op->id);
  op->name = keep (c, &name);
  if (!name_is_taken (c->service, op->name))
    return true;
  text_addf (c->why, "its name %s is that of an earlier operation", op->name);
  return false;
}

/* ---- servers and paths ---- */

static const struct value *
first_server (const struct value *of)
{
  const struct value *servers = value_get_z (of, "servers");

  return value_is (servers, VALUE_ARRAY) && servers->count != 0 ? servers->items[0] : NULL;
}

static bool
find_server (struct candidate *c)
{
  const struct value *server = first_server (c->operation.source.value);
  CLEANUP_TEXT struct text url = { 0 };

  if (c->service->server != NULL) {
    text_add (&url, c->service->server);
    while (url.len != 0 && url.data[url.len - 1] == '/')
      url.data[--url.len] = '\0';
    c->operation.server = keep (c, &url);
    return true;
  }
  server = server != NULL ? server : first_server (c->item.value);
  server = server != NULL ? server : first_server (c->service->document.root);
  if (server != NULL && !url_server (&url, server, c->service->server_variables, c->why))
    return false;
  if (!url_is_absolute (text_get (&url))) {
    text_add (c->why, "the document does not say at which http or https server it is: set "
                      "\"server\"");
    return false;
  }
  c->operation.server = keep (c, &url);
  return true;
}

static bool
check_path (struct candidate *c)
{
  CLEANUP_TEXT struct text url = { 0 };
  const char *path = c->operation.path;

  if (percent_hides_dots (path, strlen (path))) {
    text_add (c->why, "its path holds a dot-segment");
    return false;
  }
  if (strpbrk (path, "?#") != NULL) {
    text_add (c->why, "its path holds a query or a fragment");
    return false;
  }
  return url_join (&url, c->operation.server, path, c->why);
}

/* ---- parameters ---- */

struct params {
  struct param list[PARAMS_MAX];
  size_t count;
};

/* Headers that are no argument: what OpenAPI leaves to clients, what the daemon writes itself, and
 * those that credentials travel in. */
static bool
is_no_argument (const struct param *param)
{
  static const char *const names[] = { "Accept",          "Content-Type",      "Authorization",
                                       "Accept-Encoding", "Connection",        "Host",
                                       "Content-Length",  "Transfer-Encoding", "Cookie",
                                       "X-Api-Key",       "Api-Key",           "X-Auth-Token" };

  for (size_t i = 0; param->in == IN_HEADER && i < sizeof names / sizeof *names; i++)
    if (strcasecmp (param->name, names[i]) == 0)
      return true;
  return false;
}

static bool
is_in_template (const char *path, const char *name)
{
  CLEANUP_TEXT struct text place = { 0 };

  text_addf (&place, "{%s}", name);
  return strstr (path, text_get (&place)) != NULL;
}

/* One that the operation says in the place of its path item's takes that place. */
static bool
add_param (struct candidate *c, struct params *params, const struct param *param)
{
  size_t i = 0;

  if (is_no_argument (param) || security_is_credential (c->service, param)
      || (param->in == IN_PATH && !is_in_template (c->operation.path, param->name)))
    return true;
  while (i < params->count
         && (params->list[i].in != param->in || strcmp (params->list[i].name, param->name) != 0))
    i++;
  if (i == PARAMS_MAX) {
    text_addf (c->why, "it has more than %d parameters", (int) PARAMS_MAX);
    return false;
  }
  params->list[i] = *param;
  params->count += i == params->count;
  return true;
}

static bool
read_params (struct candidate *c, struct located of, struct params *params)
{
  const struct value *list = value_get_z (of.value, "parameters");

  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++) {
    struct param param;
    const struct located source =
      document_deref (&c->service->document, (struct located){ list->items[i], of.file }, c->why);
    if (source.value == NULL || !param_read (&param, source, &c->service->pool, c->why)
        || !add_param (c, params, &param))
      return false;
  }
  return true;
}

/* Every place of the path has its parameter. */
static bool
check_template (struct candidate *c, const struct params *params)
{
  for (const char *at = strchr (c->operation.path, '{'); at != NULL; at = strchr (at + 1, '{')) {
    const size_t len = strcspn (at + 1, "}");
    size_t i = 0;
    while (i < params->count
           && !(params->list[i].in == IN_PATH && strlen (params->list[i].name) == len
                && memcmp (params->list[i].name, at + 1, len) == 0))
      i++;
    if (i == params->count) {
      text_addf (c->why, "its path has the place {%.*s} without a parameter", (int) len, at + 1);
      return false;
    }
  }
  return true;
}

/* ---- arguments ---- */

static bool
argument_is_taken (const struct operation *op, const char *name)
{
  for (size_t i = 0; i < op->params_count; i++)
    if (op->params[i].argument != NULL && strcmp (op->params[i].argument, name) == 0)
      return true;
  for (size_t i = 0; i < op->body.members_count; i++)
    if (op->body.members[i].argument != NULL && strcmp (op->body.members[i].argument, name) == 0)
      return true;
  return false;
}

static const char *
argument_name (struct candidate *c, const char *name, const char *otherwise)
{
  CLEANUP_TEXT struct text made = { 0 };
  size_t len;

  names_argument (&made, name);
  if (argument_is_taken (&c->operation, text_get (&made)))
    text_addf (&made, "_%s", otherwise);
  len = made.len;
  for (unsigned n = 2; argument_is_taken (&c->operation, text_get (&made)) && text_ok (&made);
       n++) {
    made.len = len;
    text_addf (&made, "_%u", n);
  }
  return keep (c, &made);
}

static bool
settle_params (struct candidate *c, const struct params *params)
{
  static const char *const places[] = {
    [IN_PATH] = "path", [IN_QUERY] = "query", [IN_HEADER] = "header", [IN_COOKIE] = "cookie"
  };
  struct operation *op = &c->operation;

  op->params = values_alloc (&c->service->pool, params->count * sizeof *op->params + 1);
  if (op->params == NULL)
    return false;
  for (size_t i = 0; i < params->count; i++) {
    struct param param = params->list[i];
    param.argument = argument_name (c, param.name, places[param.in]);
    op->params[op->params_count++] = param;
  }
  return true;
}

/* ---- the body ---- */

static bool
is_required (const struct value *schema, const char *name)
{
  const struct value *list = value_get_z (schema, "required");

  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++)
    if (value_is (list->items[i], VALUE_STRING) && strcmp (list->items[i]->text, name) == 0)
      return true;
  return false;
}

/* Its members as arguments, where it is an object that has no more than these. */
static void
flatten (struct candidate *c)
{
  struct body *body = &c->operation.body;
  const struct located schema = document_deref (&c->service->document, body->schema, c->why);
  const struct value *properties = value_get_z (schema.value, "properties");

  if (!value_is (properties, VALUE_OBJECT) || properties->count == 0
      || value_get_z (schema.value, "allOf") != NULL || value_get_z (schema.value, "anyOf") != NULL
      || value_get_z (schema.value, "oneOf") != NULL)
    return;
  body->members = values_alloc (&c->service->pool, properties->count * sizeof *body->members);
  for (size_t i = 0; body->members != NULL && i < properties->count; i++) {
    const char *name = properties->members[i].name;
    if (schema_is_hidden (&c->service->document,
                          (struct located){ properties->members[i].value, schema.file }, true))
      continue;
    body->members[body->members_count] =
      (struct body_member){ name, argument_name (c, name, "body"),
                            is_required (schema.value, name) };
    body->members_count++;
  }
  if (body->members_count != 0)
    body->argument = NULL;
}

static bool
find_body (struct candidate *c)
{
  struct operation *op = &c->operation;
  const struct located source =
    document_get (&c->service->document, op->source, "requestBody", c->why);

  if (source.value == NULL)
    return c->why->len == 0;
  if (!body_read (&op->body, &c->service->document, source, &c->service->pool, op->id, c->why))
    return false;
  if (c->service->flat && op->body.media != MEDIA_TEXT
      && !body_fits (&op->body, &c->service->document, op->id, c->why))
    return false;
  if (c->service->flat && op->body.media != MEDIA_TEXT)
    flatten (c);
  if (op->body.argument != NULL)
    op->body.argument = argument_name (c, "body", "request");
  return c->why->len == 0;
}

/* ---- one ---- */

static bool
find_credentials (struct candidate *c)
{
  c->scheme = security_missing (c->service, c->operation.source.value);
  if (c->scheme == NULL)
    return true;
  text_addf (c->why,
             "it needs the credentials \"%.80s\": add them to the policy, and their name to "
             "\"credentials\"",
             c->scheme);
  return false;
}

static void
take_override (struct candidate *c, const struct value *override)
{
  const struct value *timeout = value_get_z (override, "timeout");

  c->operation.description = value_cstring (value_get_z (override, "description"));
  c->operation.timeout_ms =
    timeout != NULL ? (int64_t) value_number (timeout) : c->service->timeout_ms;
  c->operation.trim = config_trim (value_get_z (override, "response"), c->service->trim);
}

static bool
read_one (struct candidate *c)
{
  const struct value *override;
  struct params *params;
  bool good;

  if (!find_id (c))
    return false;
  override = value_get_z (c->service->overrides, c->operation.id);
  take_override (c, override);
  params = calloc (1, sizeof *params);
  good = params != NULL && find_name (c, override) && find_server (c) && check_path (c)
         && read_params (c, c->item, params) && read_params (c, c->operation.source, params)
         && check_template (c, params) && settle_params (c, params) && find_body (c)
         && find_credentials (c) && definition_make (&c->operation, c->why);
  free (params);
  return good;
}

/* ---- all ---- */

static bool
take (struct service *service, const struct operation *operation)
{
  struct operation *list = service->operations;

  if ((service->count & (service->count - 1)) == 0) { /* there is room for powers of two */
    const size_t room = service->count != 0 ? 2 * service->count : 1;
    list = values_alloc (&service->pool, room * sizeof *list);
    if (list == NULL)
      return false;
    if (service->count != 0)
      memcpy (list, service->operations, service->count * sizeof *list);
    service->operations = list;
  }
  list[service->count++] = *operation;
  return true;
}

static bool
read_operation (struct service *service, const char *path, struct located item, size_t method,
                const struct left_out *left_out, struct text *why)
{
  CLEANUP_TEXT struct text reason = { 0 };
  struct candidate c = {
    .service = service,
    .item = item,
    .operation = { .service = service,
                   .method = methods[method][1],
                   .path = path,
                   .source = { value_get_z (item.value, methods[method][0]), item.file } },
    .why = &reason,
  };
  const char *id = value_cstring (value_get_z (c.operation.source.value, "operationId"));

  if (!value_is (c.operation.source.value, VALUE_OBJECT)
      || !wanted_is (service, &c.operation, id != NULL ? id : ""))
    return true;
  if (read_one (&c))
    return take (service, &c.operation);
  if (!values_ok (&service->pool) || !text_ok (&reason))
    return false;
  left_out->tell (left_out->ctx, c.operation.method, path, text_get (&reason), c.scheme,
                  c.operation.server);
  if (!service->strict)
    return true;
  text_addf (why, "%s %.120s: %s", c.operation.method, path, text_get (&reason));
  return false;
}

bool
operations_read (struct service *service, const struct left_out *left_out, struct text *why)
{
  const struct value *paths = value_get_z (service->document.root, "paths");

  for (size_t i = 0; value_is (paths, VALUE_OBJECT) && i < paths->count; i++) {
    CLEANUP_TEXT struct text reason = { 0 };
    const struct located item =
      document_deref (&service->document, (struct located){ paths->members[i].value, 0 }, &reason);
    if (item.value == NULL)
      left_out->tell (left_out->ctx, "*", paths->members[i].name, text_get (&reason), NULL, NULL);
    for (size_t m = 0; item.value != NULL && m < sizeof methods / sizeof *methods; m++)
      if (!read_operation (service, paths->members[i].name, item, m, left_out, why))
        return false;
  }
  return values_ok (&service->pool);
}
