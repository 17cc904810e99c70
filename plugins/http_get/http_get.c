/* http_get.c - the tool: what stands at a URL that the operator has granted.  The daemon makes the
 * request; this process has no network. */
#include <toolhost.h>

#include "../common/text.h"
#include "../common/utf8.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "http_get",
    "title": "Get a URL",
    "description": "Fetch what stands at a URL with GET, following redirects. Which URLs may be fetched, the operator says.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "url": {
          "type": "string",
          "minLength": 8,
          "maxLength": 8192,
          "description": "Absolute, http or https, percent-encoded.",
          "examples": ["https://example.com/"]
        },
        "accept": {
          "type": "string",
          "maxLength": 200,
          "description": "Media types wanted, as the Accept header lists them."
        },
        "max_bytes": {
          "type": "integer",
          "minimum": 1,
          "maximum": 8388608,
          "default": 262144,
          "description": "Of a longer body only the beginning is returned."
        }
      },
      "required": ["url"],
      "additionalProperties": false
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "status": { "type": "integer" },
        "url": { "type": "string", "description": "Where it came from, after redirects." },
        "contentType": { "type": "string" },
        "bytes": { "type": "integer", "minimum": 0, "description": "Of the body, as returned." },
        "truncated": { "type": "boolean", "description": "The body is longer." }
      },
      "required": ["status", "url", "contentType", "bytes", "truncated"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Get a URL",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": true
    }
  });
  /* clang-format on */
}

/* A body as it comes, no further than is wanted. */
struct body {
  struct text bytes;
  size_t max;
  bool truncated;
};

enum { ENOUGH = 12000 }; /* a status of ours: the beginning is there */

static toolhost_status
keep (void *ctx, const void *data, size_t len)
{
  struct body *body = ctx;
  size_t left = body->max - body->bytes.len;

  text_add_len (&body->bytes, data, len < left ? len : left);
  body->truncated = len > left;
  return body->truncated ? ENOUGH : TOOLHOST_OK;
}

/* The last character of a beginning may be cut in two. */
static bool
is_text (struct body *body)
{
  size_t len = body->bytes.len;

  for (size_t cut = 1; body->truncated && cut < 4 && cut < len; cut++)
    if (!utf8_valid (body->bytes.data, body->bytes.len))
      body->bytes.len = len - cut;
  return utf8_valid (body->bytes.data, body->bytes.len);
}

static void
add_body (toolhost_call *call, struct body *body, const toolhost_http_response *response,
          const char *type)
{
  if (body->bytes.len == 0)
    return;
  if (is_text (body))
    toolhost_text_len (call, body->bytes.data, body->bytes.len);
  else if (strncmp (type, "image/", 6) == 0)
    toolhost_image (call, body->bytes.data, body->bytes.len, type);
  else
    toolhost_blob (call, response->url, type, body->bytes.data, body->bytes.len);
}

static void
add_facts (toolhost_call *call, const struct body *body, const toolhost_http_response *response,
           const char *type)
{
  CLEANUP_TEXT struct text json = { 0 };

  json_open (&json, '{');
  json_name_int (&json, "status", response->status);
  json_name_string (&json, "url", response->url);
  json_name_string (&json, "contentType", type);
  json_name_int (&json, "bytes", (int64_t) body->bytes.len);
  json_name_bool (&json, "truncated", body->truncated);
  json_close (&json, '}');
  toolhost_json_len (call, json.data, json.len);
}

static toolhost_status
fetch (toolhost_call *call, struct body *body)
{
  const char *accept[] = { "Accept", toolhost_arg_string_or (call, "accept", "*/*"), NULL };
  const toolhost_http_request request = { TOOLHOST_HTTP_REQUEST,
                                          .url = toolhost_arg_string (call, "url"),
                                          .headers = accept, .on_body = keep, .ctx = body };
  toolhost_http_response response;
  toolhost_status status = toolhost_http (call, &request, &response);
  const char *type = toolhost_http_header (&response, "content-type");

  if (status != TOOLHOST_OK && status != ENOUGH)
    return toolhost_fail (call, response.code, "%s", response.message);
  if (!text_ok (&body->bytes))
    return toolhost_fail (call, "out_of_memory", "There is no memory for the body.");
  if (type == NULL)
    type = "application/octet-stream";
  add_body (call, body, &response, type);
  add_facts (call, body, &response, type);
  return TOOLHOST_OK;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  struct body body = { .max = (size_t) toolhost_arg_int (call, "max_bytes", 262144) };
  toolhost_status status = fetch (call, &body);

  (void) self;
  text_free (&body.bytes);
  return status;
}

static const toolhost_tool http_get = { TOOLHOST_TOOL, .definition = definition,
                                        .execute = execute };

TOOLHOST_PLUGIN (.name = "http_get", .version = "1.0",
                 .description = "What stands at URLs the operator has granted.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&http_get))
