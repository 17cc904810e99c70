/* courier.c - toolhost_http as a tool: what is asked comes from its arguments, and what came of it
 * is its text, as JSON. */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "courier",
    "description" : "Asks servers.",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "url" : { "type" : "string" },
        "method" : { "type" : "string" },
        "header" : { "type" : "string" },
        "value" : { "type" : "string" },
        "json" : { "type" : "string" },
        "body_len" : { "type" : "integer" },
        "key" : { "type" : "string" },
        "timeout_ms" : { "type" : "integer" },
        "response_max" : { "type" : "integer" },
        "redirects" : { "type" : "integer" },
        "pause_ms" : { "type" : "integer", "description" : "After each piece of the body." },
        "stop_after" : { "type" : "integer", "description" : "Bytes." },
        "times" : { "type" : "integer" }
      },
      "required" : ["url"]
    }
  });
}

static const char *
other_definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "courier_two",
    "description" : "Asks servers, too.",
    "inputSchema" : { "type" : "object", "properties" : { "url" : { "type" : "string" } } }
  });
}

/* A body as it streams by. */
struct stream {
  toolhost_call *call;
  int64_t pause_ms, stop_after;
  int64_t bytes, pieces;
  uint32_t sum;
};

static toolhost_status
on_body (void *ctx, const void *data, size_t len)
{
  struct stream *s = ctx;

  for (size_t i = 0; i < len; i++)
    s->sum = s->sum * 31 + ((const unsigned char *) data)[i];
  s->bytes += (int64_t) len;
  s->pieces++;
  if (s->pause_ms > 0 && toolhost_sleep (s->call, s->pause_ms) != TOOLHOST_OK)
    return TOOLHOST_CANCELLED;
  return s->stop_after > 0 && s->bytes >= s->stop_after ? TOOLHOST_FAILED : TOOLHOST_OK;
}

/* A JSON string of a text that may hold anything. */
static void
put_string (char **at, const char *text, size_t len)
{
  *(*at)++ = '"';
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char) text[i];
    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
      *(*at)++ = (char) c;
    else
      *at += sprintf (*at, "\\u%04x", c);
  }
  *(*at)++ = '"';
}

static size_t
room_for (const toolhost_http_response *r)
{
  size_t room = 1024 + 6 * (r->body_len + strlen (r->url) + strlen (r->message));

  for (const char *const *h = r->headers; h != NULL && *h != NULL; h++)
    room += 6 * strlen (*h) + 8;
  return room;
}

static void
tell (toolhost_call *call, toolhost_status status, const toolhost_http_response *r,
      const struct stream *s)
{
  char *text = malloc (room_for (r)), *at = text;

  at += sprintf (at, "{\"is\":%d,\"status\":%d,\"code\":", (int) status, (int) r->status);
  put_string (&at, r->code, strlen (r->code));
  at += sprintf (at, ",\"message\":");
  put_string (&at, r->message, strlen (r->message));
  at += sprintf (at, ",\"url\":");
  put_string (&at, r->url, strlen (r->url));
  at += sprintf (at, ",\"streamed\":%lld,\"pieces\":%lld,\"sum\":%u,\"headers\":{",
                 (long long) s->bytes, (long long) s->pieces, s->sum);
  for (const char *const *h = r->headers; h != NULL && h[0] != NULL; h += 2) {
    at += sprintf (at, h == r->headers ? "" : ",");
    put_string (&at, h[0], strlen (h[0]));
    *at++ = ':';
    put_string (&at, h[1], strlen (h[1]));
  }
  at += sprintf (at, "},\"body\":");
  put_string (&at, r->body, r->body_len);
  *at++ = '}';
  toolhost_text_len (call, text, (size_t) (at - text));
  free (text);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *headers[] = { toolhost_arg_string_or (call, "header", NULL),
                            toolhost_arg_string_or (call, "value", ""), NULL };
  struct stream s = {
    call, toolhost_arg_int (call, "pause_ms", 0), toolhost_arg_int (call, "stop_after", 0), 0, 0, 0
  };
  size_t body_len = (size_t) toolhost_arg_int (call, "body_len", 0);
  char *body = body_len != 0 ? calloc (1, body_len) : NULL;
  toolhost_http_request request = {
    TOOLHOST_HTTP_REQUEST,
    .redirects = (uint32_t) toolhost_arg_int (call, "redirects", 0),
    .method = toolhost_arg_string (call, "method"),
    .url = toolhost_arg_string (call, "url"),
    .headers = headers,
    .json = toolhost_arg_string (call, "json"),
    .body = body,
    .body_len = body_len,
    .idempotency_key = toolhost_arg_string (call, "key"),
    .timeout_ms = toolhost_arg_int (call, "timeout_ms", 0),
    .response_max = (size_t) toolhost_arg_int (call, "response_max", 0),
  };
  toolhost_http_response response;
  toolhost_status status = TOOLHOST_OK;

  (void) self;
  if (toolhost_has_arg (call, "pause_ms") || s.stop_after > 0) {
    request.on_body = on_body;
    request.ctx = &s;
  }
  for (int64_t i = 0; i < toolhost_arg_int (call, "times", 1) && status == TOOLHOST_OK; i++)
    status = toolhost_http (call, &request, &response);
  tell (call, status, &response, &s);
  free (body);
  return TOOLHOST_OK;
}

static const toolhost_tool courier = { TOOLHOST_TOOL, .definition = definition,
                                       .execute = execute };
static const toolhost_tool courier_two = { TOOLHOST_TOOL, .definition = other_definition,
                                           .execute = execute };

TOOLHOST_PLUGIN (.name = "courier", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&courier, &courier_two))
