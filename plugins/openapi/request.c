#include "request.h"

#include "response.h"
#include "url.h"

void
request_free (struct request *request)
{
  text_free (&request->url);
  text_free (&request->cookie);
  payload_free (&request->payload);
}

/* ---- parameters ---- */

/* The argument, or the default of a required one.  NULL: it is left out; *good false: `why`. */
static const struct value *
value_of (const struct operation *op, const struct param *param, const struct value *arguments,
          bool *good, struct text *why)
{
  CLEANUP_TEXT struct text nothing = { 0 };
  const struct value *value = value_get_z (arguments, param->argument);

  if (value != NULL && value->type != VALUE_NULL)
    return value;
  if (!param->required)
    return NULL;
  value = document_get (&op->service->document, param->schema, "default", &nothing).value;
  if (value != NULL)
    return value;
  text_addf (why,
             "No argument or value is provided for the `%s` required parameter of the operation - "
             "`%s`.",
             param->name, op->id);
  *good = false;
  return NULL;
}

static bool
add_query (struct text *url, const struct operation *op, const struct value *arguments,
           struct text *why)
{
  CLEANUP_TEXT struct text query = { 0 };
  bool good = true;

  for (size_t i = 0; good && i < op->params_count; i++) {
    const struct value *value;
    if (op->params[i].in != IN_QUERY)
      continue;
    value = value_of (op, &op->params[i], arguments, &good, why);
    if (value != NULL)
      good = param_query (&query, &op->params[i], value, why);
  }
  if (query.len != 0)
    text_addf (url, "?%s", text_get (&query));
  return good && text_ok (&query);
}

struct headers {
  const char **list;
  size_t count;
};

static void
add_header (struct headers *headers, const char *name, const char *value)
{
  headers->list[headers->count++] = name;
  headers->list[headers->count++] = value;
}

static bool
add_headers (struct headers *headers, struct request *request, const struct operation *op,
             const struct value *arguments, struct values *pool, struct text *why)
{
  bool good = true;

  for (size_t i = 0; good && i < op->params_count; i++) {
    const struct param *param = &op->params[i];
    CLEANUP_TEXT struct text text = { 0 };
    const struct value *value;
    if (param->in != IN_HEADER && param->in != IN_COOKIE)
      continue;
    value = value_of (op, param, arguments, &good, why);
    if (value == NULL)
      continue;
    good = param->in == IN_COOKIE ? param_cookie (&request->cookie, param, value, why)
                                  : param_header (&text, param, value, why);
    if (param->in == IN_HEADER)
      add_header (headers, param->name, values_text (pool, text_get (&text), text.len));
  }
  return good;
}

/* ---- the whole ---- */

static bool
make_url (struct request *request, const struct operation *op, const struct value *arguments,
          struct text *why)
{
  CLEANUP_TEXT struct text path = { 0 };

  return url_path (&path, op->path, op->params, op->params_count, arguments, op->id, why)
         && url_join (&request->url, op->server, text_get (&path), why)
         && add_query (&request->url, op, arguments, why);
}

bool
request_make (struct request *request, const struct operation *op, const struct value *arguments,
              struct values *pool, struct text *why)
{
  struct headers headers = { .list = values_alloc (pool, (2 * op->params_count + 9)
                                                           * sizeof *headers.list) };

  if (headers.list == NULL)
    return false;
  if (!make_url (request, op, arguments, why)
      || !add_headers (&headers, request, op, arguments, pool, why)
      || !body_write (&request->payload, &op->body, &op->service->document, arguments, pool, why))
    return false;
  add_header (&headers, "Accept", "application/json, */*;q=0.8");
  if (request->cookie.len != 0)
    add_header (&headers, "Cookie", text_get (&request->cookie));
  if (request->payload.type.len != 0)
    add_header (&headers, "Content-Type", text_get (&request->payload.type));
  request->headers = headers.list;
  return text_ok (&request->url) && text_ok (&request->payload.bytes);
}

/* A host that has no such header for tools says so; it is not ours to know. */
static toolhost_status
send (toolhost_call *call, const struct operation *op, const struct request *made,
      toolhost_http_response *response)
{
  const struct payload *payload = &made->payload;
  const toolhost_http_request request = {
    TOOLHOST_HTTP_REQUEST,
    .redirects = TOOLHOST_HTTP_NO_REDIRECTS,
    .method = op->method,
    .url = text_get (&made->url),
    .headers = made->headers,
    .body = payload->type.len != 0 ? text_get (&payload->bytes) : NULL,
    .body_len = payload->bytes.len,
    .idempotency_key =
      op->service->keys && !operation_is_idempotent (op) ? toolhost_call_id (call) : NULL,
    .timeout_ms = op->timeout_ms,
  };

  return toolhost_http (call, &request, response);
}

toolhost_status
request_send (toolhost_call *call, const struct operation *op, const struct value *arguments,
              struct values *pool)
{
  CLEANUP_REQUEST struct request request = { 0 };
  CLEANUP_TEXT struct text why = { 0 };
  toolhost_http_response response;

  if (service_is_outdated (op->service)) /* this call is as its tool was told */
    (void) toolhost_rebuild (call->host, "openapi");
  if (!request_make (&request, op, arguments, pool, &why) || !values_ok (pool))
    return toolhost_fail (call, "openapi_error", "%s",
                          why.len != 0 ? text_get (&why) : "There is no memory for the request.");
  if (send (call, op, &request, &response) != TOOLHOST_OK)
    return toolhost_fail (call, response.code, "%s", response.message);
  return response_tell (call, op, text_get (&request.url), &response);
}
