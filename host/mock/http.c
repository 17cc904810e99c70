/* What a plugin under test asks of servers, and what its test has them answer. */
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "mock/inside.h"

enum { PIECE = 16 * 1024 };

/* An answer to a method and a URL. */
struct canned {
  struct canned *next;
  char *method, *url;
  bool once;       /* it is the answer to one request alone */
  struct buf head; /* JSON, as a daemon writes it */
  struct buf body;
};

static void
free_canned (struct canned *canned)
{
  free (canned->method);
  free (canned->url);
  buf_free (&canned->head);
  buf_free (&canned->body);
  free (canned);
}

void
mock_free_http (struct toolhost_mock *mock)
{
  for (struct canned *c = mock->canned, *next; c != NULL; c = next) {
    next = c->next;
    free_canned (c);
  }
  buf_free (&mock->request);
  buf_free (&mock->requests);
}

static void
write_head (const struct canned *canned, int32_t status, const char *const *headers,
            struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_int (&w, "status", status);
  jsonw_name_string (&w, "url", canned->url);
  jsonw_name (&w, "headers");
  jsonw_array (&w);
  for (; headers != NULL && headers[0] != NULL && headers[1] != NULL; headers += 2) {
    jsonw_array (&w);
    jsonw_string (&w, headers[0]);
    jsonw_string (&w, headers[1]);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}

static struct canned *
new_canned (const char *method, const char *url, int32_t status, const char *const *headers,
            const void *body, size_t len)
{
  struct canned *canned = xcalloc (1, sizeof *canned);

  canned->method = xstrdup (method);
  canned->url = xstrdup (url);
  write_head (canned, status, headers, &canned->head);
  buf_append (&canned->body, body, len);
  return canned;
}

void
toolhost_mock_http (toolhost_mock *mock, const char *method, const char *url, int32_t status,
                    const char *const *headers, const void *body, size_t len)
{
  struct canned *canned = new_canned (method, url, status, headers, body, len);

  canned->next = mock->canned; /* the latest is found first */
  mock->canned = canned;
}

/* In their order, before all that were given for good. */
void
toolhost_mock_http_once (toolhost_mock *mock, const char *method, const char *url, int32_t status,
                         const char *const *headers, const void *body, size_t len)
{
  struct canned *canned = new_canned (method, url, status, headers, body, len);
  struct canned **at = &mock->canned;

  canned->once = true;
  while (*at != NULL && (*at)->once)
    at = &(*at)->next;
  canned->next = *at;
  *at = canned;
}

static void
use_up (struct toolhost_mock *mock, const struct canned *used)
{
  struct canned **at = &mock->canned, *gone;

  if (used == NULL || !used->once)
    return;
  while (*at != used)
    at = &(*at)->next;
  gone = *at;
  *at = gone->next;
  free_canned (gone);
}

const char *
toolhost_mock_http_requests (toolhost_mock *mock)
{
  return buf_cstr (&mock->requests);
}

/* ---- the port --------------------------------------------------------------------------- */

static void
deliver (struct tool_call *call, const struct frame_served *head, const char *data, size_t len)
{
  CLEANUP_BUF struct buf letter = { 0 };

  buf_append (&letter, head, sizeof *head);
  buf_append (&letter, data, len);
  service_deliver (call, letter.data, letter.len);
}

static void
deliver_end (struct tool_call *call, uint32_t number, enum frame_served_status status,
             const char *code, const char *text)
{
  const struct frame_served head = { .what = FRAME_SERVED_END,
                                     .number = number,
                                     .status = status,
                                     .code_len = (uint32_t) strlen (code) };
  CLEANUP_BUF struct buf words = { 0 };

  buf_printf (&words, "%s%s", code, text);
  deliver (call, &head, words.data, words.len);
}

static void
answer (struct tool_call *call, uint32_t number, const struct canned *canned)
{
  struct frame_served head = { .what = FRAME_SERVED_HEAD, .number = number };

  if (canned == NULL) {
    deliver_end (call, number, FRAME_SERVED_NOT_GRANTED, "http_not_granted",
                 "the test has no answer for this request");
    return;
  }
  deliver (call, &head, canned->head.data, canned->head.len);
  head.what = FRAME_SERVED_BODY;
  for (size_t at = 0; at < canned->body.len; at += PIECE) {
    size_t left = canned->body.len - at;
    deliver (call, &head, canned->body.data + at, left < PIECE ? left : PIECE);
  }
  deliver_end (call, number, FRAME_SERVED_OK, "", "");
}

static const struct canned *
find (const struct toolhost_mock *mock, const char *method, const char *url)
{
  const struct canned *canned = mock->canned;

  while (canned != NULL && (strcmp (canned->method, method) != 0 || strcmp (canned->url, url) != 0))
    canned = canned->next;
  return canned;
}

/* Head and body are there: take note of them, and answer. */
static void
take_request (struct toolhost_mock *mock, struct tool_call *call, uint32_t number)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const char *head = mock->request.data, *url, *method;
  const struct canned *canned;
  struct json_tape tape;

  if (!json_read (&tape, head, mock->head_len, &json_default_limits, &arena))
    return;
  url = json_cstring (&tape, json_member (&tape, json_root (&tape), "url"), &arena);
  method = json_cstring (&tape, json_member (&tape, json_root (&tape), "method"), &arena);
  if (method == NULL)
    method = json_is (json_member (&tape, json_root (&tape), "body"), JSON_TRUE) ? "POST" : "GET";
  buf_printf (&mock->requests, "%s %.*s %.*s\n", method, (int) mock->head_len, head,
              (int) mock->body_len, head + mock->head_len);
  canned = find (mock, method, url);
  answer (call, number, canned);
  use_up (mock, canned);
}

static void
deliver_all (struct tool_call *call, uint32_t number, const struct buf *json)
{
  const struct frame_served body = { .what = FRAME_SERVED_BODY, .number = number };

  deliver (call, &body, json->data, json->len);
  deliver_end (call, number, FRAME_SERVED_OK, "", "");
}

/* All of what is asked for has come. */
static void
take_whole (struct toolhost_mock *mock, struct tool_call *call, uint32_t number)
{
  CLEANUP_BUF struct buf out = { 0 };

  if (mock->asked == FRAME_SERVICE_HTTP) {
    take_request (mock, call, number);
    return;
  }
  mock_invoke (mock, mock->asked, mock->request.data, mock->request.len, &out);
  deliver_all (call, number, &out);
}

/* What it wants of its session is answered at once. */
static void
take_state (struct toolhost_mock *mock, struct tool_call *call, uint32_t number, const char *data,
            size_t len)
{
  const struct frame_served body = { .what = FRAME_SERVED_BODY, .number = number };
  CLEANUP_BUF struct buf out = { 0 };
  enum frame_served_status status = mock_state (mock, data, len, &out);

  deliver (call, &body, buf_cstr (&out), out.len);
  deliver_end (call, number, status, "", "");
}

void
mock_service (struct toolhost_mock *mock, struct tool_call *call, const struct frame_service *head,
              const void *data, size_t len)
{
  if (head->what == FRAME_SERVICE_STATE) {
    take_state (mock, call, head->number, data, len);
    return;
  }
  if (head->what == FRAME_SERVICE_HTTP || head->what == FRAME_SERVICE_TOOLS
      || head->what == FRAME_SERVICE_INVOKE) {
    mock->asked = (enum frame_service_what) head->what;
    buf_reset (&mock->request, PIECE);
    mock->head_len = head->head_len;
    mock->body_len = head->body_len;
  }
  else if (head->what != FRAME_SERVICE_MORE)
    return;
  buf_append (&mock->request, data, len);
  if (mock->request.len == mock->head_len + mock->body_len)
    take_whole (mock, call, head->number);
}
