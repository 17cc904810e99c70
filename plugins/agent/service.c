#include "service.h"

#include <string.h>

#include "../common/sse.h"
#include "agent.h"

enum { BODY_MAX = 8 << 20, EVENT_MAX = 4 << 20, SHOWN_MAX = 200 };

/* An answer as it comes. */
struct answer {
  toolhost_call *call;
  const toolhost_http_response *response;
  const struct protocol *protocol;
  struct turn *turn;
  struct sse events;
  struct text body;
  bool as_events, decided;
  size_t shown; /* of the turn's text */
  double *told;
};

static bool
is_event_stream (const toolhost_http_response *response)
{
  static const char type[] = "text/event-stream";
  const char *told = toolhost_http_header (response, "content-type");

  return response->status == 200 && told != NULL && strncmp (told, type, sizeof type - 1) == 0;
}

/* The end of what has come, as far as it is shown, with no character cut. */
static void
show (struct answer *a)
{
  const char *text = text_get (&a->turn->text);
  size_t from = a->shown, len = a->turn->text.len;

  if (len <= from)
    return;
  if (len - from > SHOWN_MAX)
    from = len - SHOWN_MAX;
  while (from < len && ((unsigned char) text[from] & 0xC0) == 0x80)
    from++;
  a->shown = len;
  toolhost_progress (a->call, ++*a->told, 0, "%.*s", (int) (len - from), text + from);
}

static bool
take_event (void *ctx, const struct sse_event *event)
{
  struct answer *a = ctx;

  turn_take_event (a->turn, a->protocol, event->data, event->len);
  show (a);
  return a->turn->state == TURN_RUNS;
}

static toolhost_status
on_body (void *ctx, const void *data, size_t len)
{
  static const char large[] = "its answer is too long", bad[] = "its events can't be read";
  struct answer *a = ctx;

  if (toolhost_cancelled (a->call))
    return TOOLHOST_CANCELLED;
  if (!a->decided)
    a->as_events = is_event_stream (a->response);
  a->decided = true;
  if (!a->as_events) {
    text_add_len (&a->body, data, len);
    if (a->body.len <= BODY_MAX && text_ok (&a->body))
      return TOOLHOST_OK;
    turn_fail (a->turn, large, sizeof large - 1);
    return TOOLHOST_FAILED;
  }
  if (sse_feed (&a->events, data, len, take_event, a))
    return TOOLHOST_OK;
  if (a->turn->state == TURN_RUNS)
    turn_fail (a->turn, bad, sizeof bad - 1);
  return TOOLHOST_FAILED; /* all that matters has come */
}

/* ---- the end ---------------------------------------------------------------------------- */

/* What is no answer of 200 is an error, which may say more. */
static void
take_refusal (struct answer *a)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *body = value_parse (&pool, text_get (&a->body), a->body.len);
  CLEANUP_TEXT struct text why = { 0 };
  size_t len;

  text_addf (&why, "the service answered %d", (int) a->response->status);
  len = why.len;
  if (body != NULL) {
    text_add (&why, ": ");
    error_of (&why, body);
  }
  if (why.len == len + 2)
    len = why.len - 2;
  else
    len = why.len;
  turn_fail (a->turn, text_get (&why), len);
}

static void
take_end (struct answer *a, toolhost_status status)
{
  static const char cut[] = "its answer ended in the middle";
  CLEANUP_TEXT struct text why = { 0 };

  if (a->turn->state != TURN_RUNS)
    return;
  if (status != TOOLHOST_OK) {
    text_addf (&why, "%s (%s)", a->response->message, a->response->code);
    turn_fail (a->turn, text_get (&why), why.len);
  }
  else if (a->response->status < 200 || a->response->status > 299)
    take_refusal (a);
  else if (!a->as_events)
    turn_take_whole (a->turn, a->protocol, text_get (&a->body), a->body.len);
  else if (a->turn->task.len == 0) /* a task may go on without us */
    turn_fail (a->turn, cut, sizeof cut - 1);
  show (a);
}

/* ---- the request ------------------------------------------------------------------------ */

static void
put_headers (const struct question *q, const char *list[8])
{
  const char *const *more = q->agent->protocol->headers;
  size_t count = 0;

  list[count++] = "Accept";
  list[count++] = q->agent->stream ? "text/event-stream, application/json" : "application/json";
  for (; more != NULL && more[0] != NULL && count < 6; more += 2) {
    list[count++] = more[0];
    list[count++] = more[1];
  }
  list[count] = NULL;
}

bool
service_ask (toolhost_call *call, const struct question *q, struct turn *turn, double *told)
{
  static const char memory[] = "there is no memory for it";
  CLEANUP_TEXT struct text body = { 0 };
  toolhost_http_response response;
  struct answer a = {
    .call = call, .response = &response, .protocol = q->agent->protocol, .turn = turn, .told = told
  };
  const char *headers[8];
  toolhost_http_request request = { TOOLHOST_HTTP_REQUEST,
                                    .redirects = TOOLHOST_HTTP_NO_REDIRECTS,
                                    .method = "POST",
                                    .url = text_get (&q->agent->endpoint),
                                    .headers = headers,
                                    .on_body = on_body,
                                    .ctx = &a };
  toolhost_status status;

  a.events.lines.max = EVENT_MAX;
  put_headers (q, headers);
  q->agent->protocol->write (&body, q);
  request.json = text_get (&body);
  if (!text_ok (&body)) {
    turn_fail (turn, memory, sizeof memory - 1);
    return true;
  }
  status = toolhost_http (call, &request, &response);
  if (status != TOOLHOST_CANCELLED)
    take_end (&a, status);
  sse_free (&a.events);
  text_free (&a.body);
  return status != TOOLHOST_CANCELLED;
}
