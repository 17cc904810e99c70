#include "pool/serving.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/utf8.h"
#include "pool/fleet.h"
#include "pool/worker.h"
#include "service/http/request.h"
#include "watch/pressure.h"

enum { PIECE = FRAME_MAX - sizeof (struct frame_head) - sizeof (struct frame_served) };

struct serving {
  struct slot *slot;
  uint32_t number;  /* of the request that is open, or was last */
  bool open;        /* it has begun to come, and END was not sent */
  struct buf whole; /* head and body, as far as they have come */
  size_t head_len, body_len;
  enum frame_service_what what; /* whose these are */
  struct http_fetch *fetch;     /* it is on its way */
  struct invoker invoker;       /* waits for other tools, while its `leave` is there */
  struct phone_asker asker;     /* waits for the telephone, while `phoning` */
  bool phoning;
};

/* ---- down ------------------------------------------------------------------------------- */

static void
put (const struct serving *s, struct frame_served *served, const char *a, size_t a_len,
     const char *b, size_t b_len)
{
  served->number = s->number;
  worker_put_served (s->slot->worker, s->slot->nonce, served, a, a_len, b, b_len);
}

static void
put_end (struct serving *s, enum frame_served_status status, const char *code, const char *text)
{
  struct frame_served served = { .what = FRAME_SERVED_END,
                                 .status = status,
                                 .code_len = (uint32_t) strlen (code) };

  s->open = false;
  s->fetch = NULL;
  put (s, &served, code, strlen (code), text, strlen (text));
}

static void
put_bytes (struct serving *s, const char *data, size_t len)
{
  struct frame_served served = { .what = FRAME_SERVED_BODY };

  while (len != 0) {
    size_t piece = len < PIECE ? len : PIECE;
    put (s, &served, data, piece, NULL, 0);
    data += piece;
    len -= piece;
  }
}

static enum frame_served_status
status_of (enum http_fault fault)
{
  switch (fault) {
  case HTTP_OK:
    return FRAME_SERVED_OK;
  case HTTP_NOT_GRANTED:
  case HTTP_SSRF_BLOCKED:
    return FRAME_SERVED_NOT_GRANTED;
  case HTTP_BAD_REQUEST:
    return FRAME_SERVED_BAD_VALUE;
  default:
    return FRAME_SERVED_FAILED;
  }
}

static void
on_head (void *ctx, const struct http_answer *answer)
{
  struct frame_served served = { .what = FRAME_SERVED_HEAD };
  CLEANUP_BUF struct buf json = { 0 };
  struct serving *s = ctx;

  http_answer_write (answer, &json);
  if (json.len <= PIECE) {
    put (s, &served, json.data, json.len, NULL, 0);
    return;
  }
  http_fetch_drop (s->fetch);
  put_end (s, FRAME_SERVED_FAILED, http_fault_name (HTTP_TOO_LARGE),
           "the headers of the answer are larger than they may be");
}

static void
on_body (void *ctx, const char *data, size_t len)
{
  struct serving *s = ctx;

  s->slot->job->services.received += len;
  put_bytes (s, data, len);
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  put_end (ctx, status_of (fault), fault == HTTP_OK ? "" : http_fault_name (fault), text);
}

static const struct http_events events = { .head = on_head, .body = on_body, .end = on_end };

/* ---- a request -------------------------------------------------------------------------- */

/* What the caller sent along, for whoever looks at the whole way of a request later. */
static void
read_trace (const struct job *job, struct http_terms *terms, struct arena *arena)
{
  static const char parent[] = "/metadata/traceparent", state[] = "/metadata/tracestate";
  const struct json_node *root;
  struct json_tape tape;

  if (job->meta == NULL
      || !json_read (&tape, job->meta, job->meta_len, &json_default_limits, arena))
    return;
  root = json_root (&tape);
  terms->traceparent =
    json_cstring (&tape, json_pointer (&tape, root, parent, sizeof parent - 1), arena);
  terms->tracestate =
    json_cstring (&tape, json_pointer (&tape, root, state, sizeof state - 1), arena);
}

static void
set_terms (struct serving *s, struct http_terms *terms, struct arena *arena)
{
  const struct worker *worker = s->slot->worker;
  const struct policy *policy = worker->policy;
  const struct job *job = s->slot->job;
  const struct policy_tool *tool =
    job->name != NULL ? policy_tools_find (&policy->tools, job->name) : NULL;

  *terms = (struct http_terms){ .plugin = worker->name,
                                .tool = job->name,
                                .call = job->id,
                                .grants = &policy->http,
                                .narrowed = tool != NULL ? tool->http : NULL,
                                .response_max = (size_t) policy->http_response,
                                .deadline_ns = job->deadline_ns,
                                .span = job->span,
                                .open = &worker->fleet->http_open,
                                .open_max = (unsigned) policy->http_open };
  read_trace (job, terms, arena);
}

/* All of it has come.  False: it can't be read. */
static bool
begin (struct serving *s)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct http_broker *broker = s->slot->worker->pool->http;
  enum http_fault fault = HTTP_NOT_GRANTED;
  struct error why = { { 0 } };
  struct http_ask request;
  struct http_terms terms;

  if (!http_ask_read (&request, s->whole.data, s->head_len, &arena))
    return false;
  request.body = s->whole.data + s->head_len;
  request.body_len = s->body_len;
  s->slot->job->services.requests++;
  s->slot->job->services.sent += s->body_len;
  set_terms (s, &terms, &arena);
  if (broker == NULL)
    (void) error_set (&why, "this daemon makes no requests");
  else
    s->fetch = http_fetch_new (broker, &request, &terms, &events, s, &fault, &why);
  buf_reset (&s->whole, 0);
  if (s->fetch == NULL)
    put_end (s, status_of (fault), http_fault_name (fault), why.text);
  return true;
}

/* ---- other tools ------------------------------------------------------------------------ */

static void
waits_for_tools (struct serving *s, bool waits)
{
  struct worker *worker = s->slot->worker;

  worker->invoking += waits ? 1U : -1U;
  if (waits) /* it may be the last one that had no room */
    fleet_want (worker->fleet);
}

static void
on_invoked (struct invoker *invoker, enum frame_served_status status, const char *json, size_t len)
{
  struct serving *s = (struct serving *) ((char *) invoker - offsetof (struct serving, invoker));

  waits_for_tools (s, false);
  invoker->leave = NULL;
  put_bytes (s, json, len);
  put_end (s, status, "", "");
}

static bool
begin_invoke (struct serving *s)
{
  struct job *job = s->slot->job;
  CLEANUP_BUF struct buf asked = { 0 };

  buf_swap (&asked, &s->whole);
  waits_for_tools (s, true);
  s->invoker = (struct invoker){ .answered = on_invoked };
  if (job->events->invoke (job, asked.data, asked.len, &s->invoker))
    return true;
  waits_for_tools (s, false);
  return false;
}

static bool
list_tools (struct serving *s)
{
  struct job *job = s->slot->job;
  CLEANUP_BUF struct buf asked = { 0 };
  CLEANUP_BUF struct buf list = { 0 };
  enum frame_served_status status;

  buf_swap (&asked, &s->whole);
  status = job->events->tools (job, asked.data, asked.len, &list);
  if (status == 0)
    return false;
  chatter_charge (&s->slot->worker->chatter, list.len);
  put_bytes (s, list.data, list.len);
  put_end (s, status, "", "");
  return true;
}

/* What it asks for has begun to come: the first bytes of a JSON text. */
static bool take_bytes (struct serving *s, const char *data, size_t len);

static bool
take_invoke (struct serving *s, const struct frame_service *head, const char *data, size_t len)
{
  if (s->open || head->number != s->number + 1 || head->head_len == 0
      || head->head_len > FRAME_INVOKE_MAX || head->body_len != 0)
    return false;
  s->number = head->number;
  s->open = true;
  s->what = (enum frame_service_what) head->what;
  s->head_len = head->head_len;
  s->body_len = 0;
  if (!pressure_take (s->slot->worker->pool->pressure, head->head_len)) {
    put_end (s, FRAME_SERVED_FAILED, "", "");
    return true;
  }
  return take_bytes (s, data, len);
}

/* ---- what comes in pieces --------------------------------------------------------------- */

static bool
take_bytes (struct serving *s, const char *data, size_t len)
{
  size_t due = s->head_len + s->body_len;

  if (len > due - s->whole.len)
    return false;
  buf_append (&s->whole, data, len);
  if (s->whole.len < due)
    return true;
  if (s->what == FRAME_SERVICE_HTTP)
    return begin (s);
  return s->what == FRAME_SERVICE_INVOKE ? begin_invoke (s) : list_tools (s);
}

/* More than may be sent is not even kept. */
static bool
take_http (struct serving *s, const struct frame_service *head, const char *data, size_t len)
{
  const struct policy *policy = s->slot->worker->policy;

  if (s->open || head->number != s->number + 1 || head->head_len == 0
      || head->head_len > FRAME_SERVICE_HEAD_MAX)
    return false;
  s->number = head->number;
  s->open = true;
  s->what = FRAME_SERVICE_HTTP;
  if (head->body_len > (uint64_t) policy->http_request) {
    put_end (s, FRAME_SERVED_FAILED, http_fault_name (HTTP_TOO_LARGE),
             "the request is larger than it may be");
    return true;
  }
  if (!pressure_take (s->slot->worker->pool->pressure, head->head_len + head->body_len)) {
    put_end (s, FRAME_SERVED_FAILED, http_fault_name (HTTP_BUSY), "the daemon is short of memory");
    return true;
  }
  s->head_len = head->head_len;
  s->body_len = head->body_len;
  return take_bytes (s, data, len);
}

/* ---- the telephone ---------------------------------------------------------------------- */

_Static_assert((int) FRAME_SERVICE_SAY - (int) FRAME_SERVICE_REFER == (int) PHONE_SAY,
               "acts and frames are in one order");

static void
on_phoned (struct phone_asker *asker, const char *why)
{
  struct serving *s = (struct serving *) ((char *) asker - offsetof (struct serving, asker));

  s->phoning = false;
  put_end (s, why == NULL ? FRAME_SERVED_OK : FRAME_SERVED_FAILED, "", why != NULL ? why : "");
}

/* NULL: it may be asked. */
static const char *
phone_is_refused (const struct slot *slot, enum phone_act act)
{
  const struct job *job = slot->job;
  const struct policy *policy = slot->worker->policy;

  if (job->name == NULL || (policy_phone (policy, job->name) & 1U << act) == 0)
    return "the operator has not granted this tool that (permissions.call_service)";
  return job->phone == NULL ? "the session is no telephone call" : NULL;
}

static bool
take_phone (struct serving *s, const struct frame_service *head, const char *data, size_t len)
{
  const enum phone_act act = (enum phone_act) (head->what - FRAME_SERVICE_REFER);
  const char *refused;

  if (s->open || head->number != s->number + 1 || head->head_len > len
      || head->body_len != len - head->head_len || memchr (data, '\0', len) != NULL
      || !utf8_valid (data, len))
    return false;
  s->number = head->number;
  s->open = true;
  refused = phone_is_refused (s->slot, act);
  if (refused != NULL) {
    put_end (s, FRAME_SERVED_NOT_GRANTED, "", refused);
    return true;
  }
  CLEANUP_FREE char *text = xstrndup (data, head->head_len);
  CLEANUP_FREE char *key = xstrndup (data + head->head_len, head->body_len);
  s->phoning = true;
  s->asker.answered = on_phoned;
  call_service_ask (s->slot->job->phone, act, text, *key != '\0' ? key : NULL, &s->asker);
  return true;
}

/* ---- the session ------------------------------------------------------------------------ */

/* Its session answers at once. */
static bool
take_state (struct serving *s, const struct frame_service *head, const char *data, size_t len)
{
  struct job *job = s->slot->job;
  CLEANUP_BUF struct buf answer = { 0 };
  enum frame_served_status status;
  size_t cost = 0;

  if (s->open || head->number != s->number + 1 || head->head_len != len || len > FRAME_STATE_MAX
      || !job->in_session)
    return false;
  s->number = head->number;
  status = job->events->state (job, data, len, &answer, &cost);
  if (status == 0)
    return false;
  chatter_charge (&s->slot->worker->chatter, cost);
  put_bytes (s, answer.data, answer.len);
  put_end (s, status, "", "");
  return true;
}

/* ---- all of it -------------------------------------------------------------------------- */

static void
stop (struct serving *s)
{
  if (s->phoning)
    call_service_leave (&s->asker);
  s->phoning = false;
  if (s->fetch != NULL)
    http_fetch_drop (s->fetch);
  s->fetch = NULL;
  if (s->invoker.leave != NULL) {
    s->invoker.leave (&s->invoker);
    s->invoker.leave = NULL;
    waits_for_tools (s, false);
  }
  s->open = false;
  buf_reset (&s->whole, 0);
}

/* What speaks of a request that has ended meanwhile is late, and no fault. */
static bool
take_other (struct serving *s, const struct frame_service *head, const char *data, size_t len)
{
  if (head->number != s->number)
    return false;
  switch (head->what) {
  case FRAME_SERVICE_MORE:
    return !s->open || (s->fetch == NULL && s->invoker.leave == NULL && take_bytes (s, data, len));
  case FRAME_SERVICE_TAKEN:
    if (s->fetch != NULL)
      http_fetch_taken (s->fetch, head->body_len);
    return len == 0;
  case FRAME_SERVICE_STOP:
    stop (s);
    return len == 0;
  default:
    return false;
  }
}

/* While building there is no session, no telephone, and nobody to call for. */
static bool
refuse_to_build (struct serving *s, const struct frame_service *head)
{
  if (s->open || head->number != s->number + 1)
    return false;
  s->number = head->number;
  put_end (s, FRAME_SERVED_NOT_GRANTED, "", "a builder may not ask for that");
  return true;
}

bool
serving_take (struct slot *slot, const char *payload, size_t len)
{
  struct frame_service head;

  if (len < sizeof head)
    return false;
  memcpy (&head, payload, sizeof head);
  if (slot->job == NULL) /* it was cancelled, and has not heard of it */
    return true;
  if (slot->serving == NULL) {
    slot->serving = xcalloc (1, sizeof *slot->serving);
    slot->serving->slot = slot;
  }
  payload += sizeof head;
  len -= sizeof head;
  if (slot->nonce == FRAME_BUILD_CALL && head.what != FRAME_SERVICE_HTTP
      && head.what != FRAME_SERVICE_MORE && head.what != FRAME_SERVICE_TAKEN
      && head.what != FRAME_SERVICE_STOP)
    return refuse_to_build (slot->serving, &head);
  if (head.what == FRAME_SERVICE_HTTP)
    return take_http (slot->serving, &head, payload, len);
  if (head.what >= FRAME_SERVICE_REFER && head.what <= FRAME_SERVICE_SAY)
    return take_phone (slot->serving, &head, payload, len);
  if (head.what == FRAME_SERVICE_STATE)
    return take_state (slot->serving, &head, payload, len);
  if (head.what == FRAME_SERVICE_TOOLS || head.what == FRAME_SERVICE_INVOKE)
    return take_invoke (slot->serving, &head, payload, len);
  return take_other (slot->serving, &head, payload, len);
}

void
serving_end (struct slot *slot)
{
  if (slot->serving == NULL)
    return;
  stop (slot->serving);
  buf_free (&slot->serving->whole);
  free (slot->serving);
  slot->serving = NULL;
}
