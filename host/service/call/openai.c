#include "service/call/openai.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "service/http/fetch.h"

enum { ANSWER_MAX = 64 * 1024, OPEN_MAX = 10000 };

struct openai {
  struct http_broker *broker;
  struct http_grants grants;
  char *url;
  double timeout;
  unsigned open; /* requests */
};

/* ---- the service ---- */

static bool
add_grant (struct openai *openai, const struct openai_settings *settings, struct error *err)
{
  CLEANUP_BUF struct buf pattern = { 0 };
  struct http_grant *grant;

  buf_printf (&pattern, "%s/calls/*", settings->url);
  grant = http_grants_add (&openai->grants, buf_cstr (&pattern), err);
  if (grant == NULL)
    return false;
  grant->private_too = settings->private_too;
  return http_grant_add_extra (grant, false, "Authorization", "Bearer ${key}", err)
         && http_grants_fill (&openai->grants, settings->secrets, err);
}

struct openai *
openai_new (const struct openai_settings *settings, struct error *err)
{
  struct openai *openai = xcalloc (1, sizeof *openai);

  openai->broker = settings->broker;
  openai->url = xstrdup (settings->url);
  openai->timeout = settings->timeout;
  if (add_grant (openai, settings, err))
    return openai;
  openai_free (openai);
  return NULL;
}

void
openai_free (struct openai *openai)
{
  if (openai == NULL)
    return;
  http_grants_free (&openai->grants);
  free (openai->url);
  free (openai);
}

bool
openai_call_id_ok (const char *call_id)
{
  const size_t len = strspn (call_id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789_-.");

  return len >= 1 && len <= OPENAI_CALL_ID_MAX && call_id[len] == '\0' && strcmp (call_id, ".") != 0
         && strcmp (call_id, "..") != 0;
}

/* ---- a request ---- */

static void
on_head (void *ctx, const struct http_answer *answer)
{
  ((struct openai_request *) ctx)->status = answer->status;
}

/* What it says is nothing that we would read. */
static void
on_body (void *ctx, const char *data, size_t len)
{
  struct openai_request *request = ctx;

  (void) data;
  http_fetch_taken (request->fetch, len);
}

static void
forget (struct openai_request *request)
{
  free (request->call_id);
  request->call_id = NULL;
  request->fetch = NULL;
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  struct openai_request *request = ctx;
  const bool done = fault == HTTP_OK && request->status >= 200 && request->status < 300;
  CLEANUP_BUF struct buf why = { 0 };

  forget (request);
  if (fault != HTTP_OK)
    buf_printf (&why, "%s: %s", http_fault_name (fault), text);
  else if (!done)
    buf_printf (&why, "the service answered with status %d", request->status);
  request->ended (request, fault == HTTP_OK ? request->status : 0, done ? NULL : buf_cstr (&why));
}

static const struct http_events events = { .head = on_head, .body = on_body, .end = on_end };

struct posted {
  const char *verb, *body, *key;
  size_t body_len;
};

static void
post (struct openai *openai, const char *call_id, const struct posted *posted,
      struct openai_request *request)
{
  static const struct http_header json = { "Content-Type", "application/json" };
  CLEANUP_BUF struct buf url = { 0 };
  struct http_ask ask = { .method = "POST",
                          .headers = &json,
                          .headers_count = posted->body != NULL,
                          .idempotency_key = posted->key,
                          .body = posted->body != NULL ? posted->body : "",
                          .body_len = posted->body_len,
                          .has_body = true };
  struct http_terms terms = { .plugin = "openai",
                              .tool = posted->verb,
                              .grants = &openai->grants,
                              .response_max = ANSWER_MAX,
                              .open = &openai->open,
                              .open_max = OPEN_MAX };
  struct error err = { { 0 } };
  enum http_fault fault = HTTP_BAD_REQUEST;

  request->fetch = NULL;
  request->call_id = NULL;
  request->status = 0;
  if (!openai_call_id_ok (call_id))
    return request->ended (request, 0, "there is no call of such an id");
  buf_printf (&url, "%s/calls/%s/%s", openai->url, call_id, posted->verb);
  ask.url = buf_cstr (&url);
  terms.call = request->call_id = xstrdup (call_id);
  terms.deadline_ns = clock_ns () + (int64_t) (openai->timeout * 1e9);
  request->fetch = http_fetch_new (openai->broker, &ask, &terms, &events, request, &fault, &err);
  if (request->fetch != NULL)
    return;
  forget (request);
  request->ended (request, 0, err.text);
}

void
openai_drop (struct openai_request *request)
{
  if (request->fetch != NULL)
    http_fetch_drop (request->fetch);
  forget (request);
}

void
openai_accept (struct openai *openai, const char *call_id, const char *session, size_t len,
               struct openai_request *request)
{
  post (openai, call_id, &(struct posted){ .verb = "accept", .body = session, .body_len = len },
        request);
}

static void
post_member (struct openai *openai, const char *call_id, struct posted *posted,
             const struct buf *body, struct openai_request *request)
{
  posted->body = body->data;
  posted->body_len = body->len;
  post (openai, call_id, posted, request);
}

void
openai_reject (struct openai *openai, const char *call_id, int status,
               struct openai_request *request)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct json_writer w = { .out = &body };

  jsonw_object (&w);
  jsonw_name_int (&w, "status_code", status);
  jsonw_end (&w);
  post_member (openai, call_id, &(struct posted){ .verb = "reject" }, &body, request);
}

void
openai_refer (struct openai *openai, const char *call_id, const char *target_uri, const char *key,
              struct openai_request *request)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct json_writer w = { .out = &body };

  jsonw_object (&w);
  jsonw_name (&w, "target_uri");
  jsonw_stringf (&w, "%s%s", target_uri[0] == '+' ? "tel:" : "", target_uri);
  jsonw_end (&w);
  post_member (openai, call_id, &(struct posted){ .verb = "refer", .key = key }, &body, request);
}

void
openai_hangup (struct openai *openai, const char *call_id, struct openai_request *request)
{
  post (openai, call_id, &(struct posted){ .verb = "hangup" }, request);
}

/* ---- as a call service ---- */

struct openai_call {
  struct openai *openai;
  struct openai_voice voice;
  char *call_id;
};

struct openai_order {
  struct openai_request request; /* first: it is handed back */
  struct phone_order *order;
};

static void
on_ended (struct openai_request *request, int status, const char *why)
{
  struct openai_order *o = (struct openai_order *) request;
  struct phone_order *order = o->order;

  (void) status;
  free (o);
  phone_order_end (order, why);
}

static struct openai_request *
request_of (struct phone_order *order)
{
  struct openai_order *o = xcalloc (1, sizeof *o);

  o->request.ended = on_ended;
  o->order = order;
  order->way = o;
  return &o->request;
}

static void
refer (void *ctx, struct phone_order *order)
{
  const struct openai_call *call = ctx;

  openai_refer (call->openai, call->call_id, order->text, order->key, request_of (order));
}

static void
hangup (void *ctx, struct phone_order *order)
{
  const struct openai_call *call = ctx;

  openai_hangup (call->openai, call->call_id, request_of (order));
}

static void
say (void *ctx, struct phone_order *order)
{
  const struct openai_call *call = ctx;
  const bool said =
    call->voice.say != NULL
    && call->voice.say (call->voice.ctx, call->call_id, order->text, strlen (order->text));

  phone_order_end (order, said ? NULL : "the daemon is not connected to the call");
}

static void
drop (struct phone_order *order)
{
  openai_drop (order->way);
  free (order->way);
}

static void
free_call (void *ctx)
{
  struct openai_call *call = ctx;

  free (call->call_id);
  free (call);
}

static const struct phone_way openai_way = {
  .name = "openai", .refer = refer, .hangup = hangup, .say = say, .drop = drop, .free = free_call
};

struct call_service *
call_service_openai (struct openai *openai, struct openai_voice voice, const char *call_id)
{
  struct openai_call *call = xcalloc (1, sizeof *call);

  call->openai = openai;
  call->voice = voice;
  call->call_id = xstrdup (call_id);
  return call_service_new (&openai_way, call, call_id);
}
