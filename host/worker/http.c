#include "worker/http.h"

#include <string.h>

#include "base/json_write.h"
#include "worker/host_table.h"
#include "worker/tool_call.h"

enum {
  CHUNK = FRAME_MAX - sizeof (struct frame_head) - sizeof (struct frame_service),
  TELL_EVERY = FRAME_SERVICE_WINDOW / 4
};

/* A request that is made. */
struct asking_http {
  struct tool_call *call;
  toolhost_http_request want; /* zero beyond what the plugin knows of */
  toolhost_http_response *response;
  struct service_body *body;
  size_t untold; /* bytes that were used since the daemon last heard of it */
  bool ended;
  toolhost_status status;
};

static toolhost_status
refused (toolhost_http_response *response, const char *message)
{
  response->code = "http_bad_request";
  response->message = message;
  return TOOLHOST_BAD_VALUE;
}

/* ---- the request ------------------------------------------------------------------------ */

static bool
has_body (const toolhost_http_request *want)
{
  return want->json != NULL || want->body != NULL || want->body_len != 0;
}

static void
write_headers (const toolhost_http_request *want, struct json_writer *w)
{
  jsonw_name (w, "headers");
  jsonw_array (w);
  for (const char *const *h = want->headers; h != NULL && h[0] != NULL && h[1] != NULL; h += 2) {
    jsonw_array (w);
    jsonw_string (w, h[0]);
    jsonw_string (w, h[1]);
    jsonw_end (w);
  }
  if (want->json != NULL) {
    jsonw_array (w);
    jsonw_string (w, "Content-Type");
    jsonw_string (w, "application/json");
    jsonw_end (w);
  }
  jsonw_end (w);
}

static void
write_head (const toolhost_http_request *want, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "url", want->url);
  if (want->method != NULL)
    jsonw_name_string (&w, "method", want->method);
  write_headers (want, &w);
  if (want->idempotency_key != NULL)
    jsonw_name_string (&w, "idempotency_key", want->idempotency_key);
  if (want->timeout_ms > 0)
    jsonw_name_int (&w, "timeout_ms", want->timeout_ms);
  if (want->response_max != 0)
    jsonw_name_int (&w, "response_max", (int64_t) want->response_max);
  if (want->redirects != 0)
    jsonw_name_int (&w, "redirects",
                    want->redirects == TOOLHOST_HTTP_NO_REDIRECTS ? 0 : want->redirects);
  jsonw_name_bool (&w, "body", has_body (want));
  jsonw_end (&w);
}

static void
tell (const struct asking_http *a, enum frame_service_what what, uint64_t head_len,
      uint64_t body_len, const void *data, size_t len)
{
  const struct frame_service head = {
    .what = what, .number = a->call->service.number, .head_len = head_len, .body_len = body_len
  };

  a->call->host->port->service (a->call->host->ctx, a->call, &head, data, len);
}

/* Head and body, cut into frames. */
static void
send_request (const struct asking_http *a, const struct buf *head)
{
  const toolhost_http_request *want = &a->want;
  const char *body = want->json != NULL ? want->json : want->body;
  size_t len = want->json != NULL ? strlen (want->json) : want->body_len;
  enum frame_service_what what = FRAME_SERVICE_HTTP;
  CLEANUP_BUF struct buf whole = { 0 };

  buf_append (&whole, head->data, head->len);
  buf_append (&whole, body, len);
  for (size_t at = 0; at < whole.len;) {
    size_t piece = whole.len - at < CHUNK ? whole.len - at : CHUNK;
    tell (a, what, head->len, len, whole.data + at, piece);
    what = FRAME_SERVICE_MORE;
    at += piece;
  }
}

/* ---- the answer ------------------------------------------------------------------------- */

static void
take_headers (struct asking_http *a, const struct json_tape *tape, const struct json_node *list)
{
  struct arena *arena = &a->call->arena;
  const char **headers = arena_alloc (arena, (2 * (size_t) list->count + 1) * sizeof *headers);
  size_t count = 0;

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const struct json_node *name = json_first (n);
    headers[count++] = json_cstring (tape, name, arena);
    headers[count++] = json_cstring (tape, json_next (name), arena);
  }
  headers[count] = NULL;
  a->response->headers = headers;
}

/* The daemon's JSON, which is of our build. */
static void
take_head (struct asking_http *a, const char *data, size_t len)
{
  struct arena *arena = &a->call->arena;
  const char *text = arena_strndup (arena, data, len);
  struct json_tape tape;
  const struct json_node *root;
  int64_t status = 0;

  if (!json_read (&tape, text, len, &json_default_limits, arena))
    return;
  root = json_root (&tape);
  (void) json_int64 (&tape, json_member (&tape, root, "status"), &status);
  a->response->status = (int32_t) status;
  a->response->url = json_cstring (&tape, json_member (&tape, root, "url"), arena);
  take_headers (a, &tape, json_member (&tape, root, "headers"));
}

static void
end (struct asking_http *a, toolhost_status status)
{
  a->ended = true;
  a->status = status;
}

static void
take_body (struct asking_http *a, const char *data, size_t len)
{
  toolhost_status status = TOOLHOST_OK;

  if (a->want.on_body != NULL)
    status = a->want.on_body (a->want.ctx, data, len);
  else
    buf_append (&a->body->bytes, data, len);
  a->untold += len;
  if (status != TOOLHOST_OK) {
    tell (a, FRAME_SERVICE_STOP, 0, 0, NULL, 0);
    a->response->code = "http_stopped";
    a->response->message = "The tool ended the request.";
    end (a, status);
  }
}

static void
take_end (struct asking_http *a, const struct frame_served *head, const char *data, size_t len)
{
  size_t code = head->code_len < len ? head->code_len : len;

  a->response->code = arena_strndup (&a->call->arena, data, code);
  a->response->message = arena_strndup (&a->call->arena, data + code, len - code);
  end (a, service_status (head));
}

static void
take_letters (struct asking_http *a)
{
  struct frame_served head;
  const char *data;
  size_t len, at = 0;

  while (!a->ended && service_next (&a->call->service, &at, &head, &data, &len)) {
    if (head.what == FRAME_SERVED_HEAD)
      take_head (a, data, len);
    else if (head.what == FRAME_SERVED_BODY)
      take_body (a, data, len);
    else
      take_end (a, &head, data, len);
  }
  if (!a->ended && a->untold >= TELL_EVERY) {
    tell (a, FRAME_SERVICE_TAKEN, 0, a->untold, NULL, 0);
    a->untold = 0;
  }
}

static void
give_up (struct asking_http *a)
{
  tell (a, FRAME_SERVICE_STOP, 0, 0, NULL, 0);
  a->response->code = "http_timeout";
  a->response->message = "The call was cancelled, or its time is up.";
  end (a, TOOLHOST_CANCELLED);
}

/* ---- all of it -------------------------------------------------------------------------- */

static struct service_body *
new_body (struct tool_call *call)
{
  struct service_body *body = arena_alloc (&call->arena, sizeof *body);

  *body = (struct service_body){ .next = call->service.bodies };
  call->service.bodies = body;
  return body;
}

toolhost_status
http_ask (struct tool_call *call, const toolhost_http_request *request,
          toolhost_http_response *response)
{
  struct asking_http a = { .call = call, .response = response };
  CLEANUP_BUF struct buf head = { 0 };
  size_t known = request->struct_size < sizeof a.want ? request->struct_size : sizeof a.want;

  memcpy (&a.want, request, known);
  if (a.want.url == NULL || known < offsetof (toolhost_http_request, headers))
    return refused (response, "The request has no URL.");
  if (a.want.json != NULL && a.want.body_len != 0)
    return refused (response, "The request has two bodies.");
  write_head (&a.want, &head);
  if (head.len > FRAME_SERVICE_HEAD_MAX)
    return refused (response, "URL and headers are too long.");
  service_begin (call);
  a.body = new_body (call);
  send_request (&a, &head);
  while (!a.ended)
    if (service_take (call))
      take_letters (&a);
    else if (tool_call_is_over (call))
      give_up (&a);
    else
      call->host->port->await (call->host->ctx, call);
  response->body = buf_cstr (&a.body->bytes);
  response->body_len = a.body->bytes.len;
  return a.status;
}
