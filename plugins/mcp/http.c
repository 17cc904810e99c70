/* A server with a URL: each message is a request of its own, made by the host (the operator grants
 * the URL, and adds what is secret); the answer is one message, or a stream of them. */
#include <string.h>

#include "../common/sse.h"
#include "upstream.h"

enum { HEADERS_ROOM = 2 * HEADERS_MAX + 48, RESUMES_MAX = 5, RESUME_MAX_MS = 5000 };

/* An answer as it comes. */
struct hearing {
  struct asking *asking;
  toolhost_http_response response;
  int64_t id; /* of the request */
  struct sse sse;
  struct text body; /* what is no stream */
  bool too_long;
  bool answered;
};

/* ---- what is sent ---- */

struct headers {
  const char *list[HEADERS_ROOM];
  size_t count;
  char session[UPSTREAM_SESSION_MAX];
};

static void
add (struct headers *headers, const char *name, const char *value)
{
  if (headers->count + 2 < HEADERS_ROOM) {
    headers->list[headers->count++] = name;
    headers->list[headers->count++] = value;
  }
}

static void
set_headers (struct headers *headers, const struct asking *asking, const char *last_id)
{
  struct upstream *upstream = asking->upstream;

  pthread_mutex_lock (&upstream->lock);
  memcpy (headers->session, upstream->session, sizeof headers->session);
  pthread_mutex_unlock (&upstream->lock);
  add (headers, "Accept",
       last_id != NULL ? "text/event-stream" : "application/json, text/event-stream");
  if (asking->modern) {
    add (headers, "MCP-Protocol-Version", MODERN_REVISION);
    add (headers, "Mcp-Method", asking->method);
    if (asking->name != NULL)
      add (headers, "Mcp-Name", asking->name);
  }
  else if (upstream->revision[0] != '\0')
    add (headers, "MCP-Protocol-Version", upstream->revision);
  if (!asking->modern && headers->session[0] != '\0')
    add (headers, "Mcp-Session-Id", headers->session);
  if (last_id != NULL)
    add (headers, "Last-Event-ID", last_id);
  for (const char *const *h = asking->extra; h != NULL && h[0] != NULL; h += 2)
    add (headers, h[0], h[1]);
  for (char **h = upstream->config.headers; h != NULL && h[0] != NULL; h += 2)
    add (headers, h[0], h[1]);
}

/* ---- what comes ---- */

/* False: that was the answer. */
static bool
take_message (struct hearing *hearing, const char *text, size_t len)
{
  CLEANUP_VALUES struct values pool = { 0 };
  struct asking *asking = hearing->asking;
  struct message message;

  message_read (&message, &pool, text, len);
  if (message.kind == MESSAGE_NOTIFICATION)
    upstream_progress (asking, &message);
  /* An error without an id is about what could not be read: this. */
  if ((message.kind != MESSAGE_RESULT && message.kind != MESSAGE_ERROR)
      || (message.id != hearing->id && !(message.kind == MESSAGE_ERROR && message.id < 0)))
    return true;
  message_read (&message, &asking->pool, text, len);
  asking->result = message.kind == MESSAGE_RESULT ? message.result : NULL;
  asking->error = message.kind == MESSAGE_ERROR ? message.error : NULL;
  hearing->answered = asking->result != NULL || asking->error != NULL;
  return !hearing->answered;
}

static bool
on_event (void *ctx, const struct sse_event *event)
{
  return event->len == 0 || take_message (ctx, event->data, event->len);
}

static bool
is_stream (const toolhost_http_response *response)
{
  const char *type = toolhost_http_header (response, "content-type");

  return type != NULL && strncmp (type, "text/event-stream", 17) == 0;
}

static toolhost_status
on_body (void *ctx, const void *data, size_t len)
{
  struct hearing *hearing = ctx;
  size_t max = (size_t) hearing->asking->upstream->config.message_max;

  if (is_stream (&hearing->response)) {
    bool more = sse_feed (&hearing->sse, data, len, on_event, hearing);
    hearing->too_long = hearing->sse.lines.too_long;
    return more ? TOOLHOST_OK : TOOLHOST_FAILED;
  }
  hearing->too_long = len > max || hearing->body.len > max - len;
  if (!hearing->too_long)
    text_add_len (&hearing->body, data, len);
  return hearing->too_long ? TOOLHOST_FAILED : TOOLHOST_OK;
}

static void
hearing_free (struct hearing *hearing)
{
  sse_free (&hearing->sse);
  text_free (&hearing->body);
}

/* ---- what becomes of it ---- */

static bool
say_status (struct asking *asking, int status)
{
  const char *name = asking->upstream->config.name;

  asking->status = status;
  if (status == 401 || status == 403)
    return asking_failed (
      asking, "upstream_unauthorized",
      "%s does not let us in (status %d): its credentials are the operator's to "
      "grant.",
      name, status);
  return asking_failed (asking, "upstream_lost", "%s answered with status %d and no message.", name,
                        status);
}

static bool
conclude (struct hearing *hearing, toolhost_status status)
{
  struct asking *asking = hearing->asking;
  const char *name = asking->upstream->config.name;

  if (!hearing->answered && !hearing->too_long && hearing->body.len != 0)
    (void) take_message (hearing, text_get (&hearing->body), hearing->body.len);
  asking->status = hearing->response.status;
  if (hearing->answered && asking->status != 401 && asking->status != 403)
    return asking->result != NULL;
  if (hearing->too_long)
    return asking_failed (asking, "upstream_protocol", "%s said a message that is too long.", name);
  if (status != TOOLHOST_OK && hearing->response.status == 0) {
    asking->late =
      strcmp (hearing->response.code, "http_timeout") == 0 || upstream_now () >= asking->until;
    return asking_failed (asking, asking->late ? "upstream_timeout" : "upstream_unavailable",
                          "%s did not answer: %s", name, hearing->response.message);
  }
  if (hearing->response.status < 200 || hearing->response.status > 299)
    return say_status (asking, hearing->response.status);
  asking->late =
    upstream_now () >= asking->until || strcmp (hearing->response.code, "http_timeout") == 0;
  return asking_failed (
    asking, asking->late ? "upstream_timeout" : "upstream_lost",
    asking->late ? "%s did not answer in time." : "%s ended its answer before it was whole.", name);
}

static toolhost_status
request (struct hearing *hearing, const char *method, const struct text *message,
         const char *last_id)
{
  struct asking *asking = hearing->asking;
  struct headers headers = { .count = 0 };
  int64_t left = asking->until - upstream_now ();
  toolhost_http_request want = { TOOLHOST_HTTP_REQUEST,
                                 .url = asking->upstream->config.url,
                                 .method = method,
                                 .timeout_ms = left > 1 ? left : 1,
                                 .redirects = TOOLHOST_HTTP_NO_REDIRECTS,
                                 .on_body = on_body,
                                 .ctx = hearing };

  set_headers (&headers, asking, last_id);
  want.headers = headers.list;
  if (message != NULL)
    want.json = text_get (message);
  return toolhost_http (asking->call, &want, &hearing->response);
}

/* A server may hang up and go on in another request, from the last event on (2025-11-25). */
static toolhost_status
resume (struct hearing *hearing, toolhost_status status)
{
  struct asking *asking = hearing->asking;

  for (int i = 0; i < RESUMES_MAX && !hearing->answered && !hearing->too_long && !asking->modern
                  && is_stream (&hearing->response) && hearing->sse.id.len != 0;
       i++) {
    CLEANUP_TEXT struct text last = { 0 };
    int64_t wait = hearing->sse.retry_ms < RESUME_MAX_MS ? hearing->sse.retry_ms : RESUME_MAX_MS;
    if (upstream_now () + wait >= asking->until
        || toolhost_sleep (asking->call, wait > 0 ? wait : 100) != TOOLHOST_OK)
      break;
    text_add (&last, text_get (&hearing->sse.id));
    status = request (hearing, "GET", NULL, text_get (&last));
  }
  return status;
}

/* Who hangs up says nothing to an older server; it has to be told. */
static void
cancel (struct asking *asking, int64_t id)
{
  CLEANUP_TEXT struct text params = { 0 }, message = { 0 };

  if (asking->modern || !asking->late || strcmp (asking->method, "tools/call") != 0)
    return;
  text_addf (&params, "\"requestId\":%lld,\"reason\":\"the time is up\"", (long long) id);
  message_notification (&message, "notifications/cancelled", text_get (&params));
  (void) http_tell (asking, &message);
}

static void
keep_session (struct asking *asking, const toolhost_http_response *response)
{
  const char *session = toolhost_http_header (response, "mcp-session-id");

  if (strcmp (asking->method, "initialize") == 0 && session != NULL
      && strlen (session) < UPSTREAM_SESSION_MAX)
    upstream_set_session (asking->upstream, session);
}

bool
http_ask (struct asking *asking, int64_t id, const struct text *message)
{
  struct hearing hearing = { .asking = asking, .id = id };
  toolhost_status status;
  bool good;

  hearing.sse.lines.max = (size_t) asking->upstream->config.message_max;
  status = resume (&hearing, request (&hearing, "POST", message, NULL));
  good = conclude (&hearing, status);
  if (good)
    keep_session (asking, &hearing.response);
  else
    cancel (asking, id);
  hearing_free (&hearing);
  return good;
}

bool
http_tell (struct asking *asking, const struct text *message)
{
  struct asking other = { .upstream = asking->upstream,
                          .call = asking->call,
                          .method = "notifications",
                          .params = "",
                          .until = upstream_now () + 2000 };
  struct hearing hearing = { .asking = &other };
  toolhost_status status;

  hearing.sse.lines.max = 64 * 1024;
  status = request (&hearing, "POST", message, NULL);
  hearing_free (&hearing);
  asking_free (&other);
  return status == TOOLHOST_OK && hearing.response.status < 300;
}
