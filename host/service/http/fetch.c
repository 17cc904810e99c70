#include "service/http/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/probe.h"
#include "service/http/asked.h"
#include "service/http/fetch_trace.h"
#include "service/http/headers.h"
#include "watch/log.h"
#include "watch/pressure.h"

static const char *const fault_names[] = {
  [HTTP_OK] = "ok",
  [HTTP_BAD_REQUEST] = "http_bad_request",
  [HTTP_NOT_GRANTED] = "http_not_granted",
  [HTTP_SSRF_BLOCKED] = "ssrf_blocked",
  [HTTP_NO_NAME] = "http_host_unknown",
  [HTTP_NO_CONNECTION] = "http_no_connection",
  [HTTP_BROKEN_OFF] = "http_broken_off",
  [HTTP_TIMEOUT] = "http_timeout",
  [HTTP_TOO_LARGE] = "http_too_large",
  [HTTP_TOO_MANY_REDIRECTS] = "http_too_many_redirects",
  [HTTP_CIRCUIT_OPEN] = "http_circuit_open",
  [HTTP_BUSY] = "http_busy",
};

const char *
http_fault_name (enum http_fault fault)
{
  return fault_names[fault];
}

struct http_fetch {
  struct http_broker *broker;
  struct http_terms terms;
  const struct http_events *events;
  void *ctx;
  struct arena arena;
  int64_t began_ns, end_ns;
  ev_timer deadline, wait;
  struct http_asked asked;
  struct span *span; /* NULL: it is not sampled */
  /* where it stands */
  struct url url;
  unsigned method;
  bool has_body;
  const struct http_grant *grant;
  char *circuit; /* NULL: nothing is on its way */
  void *question, *transfer;
  struct address addresses[RESOLVED_MAX];
  size_t addresses_count;
  unsigned redirects, tries;
  bool unable; /* there is no transport */
  bool abroad; /* it was redirected to another server */
  /* what came */
  bool headed;
  int status;
  size_t received, waiting;
  bool paused;
  size_t held;
};

static bool step (struct http_fetch *fetch, enum http_fault *fault, struct error *err);

/* ---- the end ---------------------------------------------------------------------------- */

static void
free_circuit (struct http_fetch *fetch)
{
  free (fetch->circuit);
  fetch->circuit = NULL;
}

static void
fetch_free (struct http_fetch *fetch)
{
  struct http_broker *broker = fetch->broker;

  ev_timer_stop (broker->loop, &fetch->deadline);
  ev_timer_stop (broker->loop, &fetch->wait);
  if (fetch->question != NULL)
    broker->resolver.forget (fetch->question);
  if (fetch->transfer != NULL)
    broker->transport.drop (fetch->transfer);
  if (fetch->circuit != NULL)
    circuits_undecided (&broker->circuits, fetch->circuit);
  free_circuit (fetch);
  pressure_release (broker->pressure, fetch->held);
  broker->open--;
  (*fetch->terms.open)--;
  http_asked_clear (&fetch->asked);
  arena_free (&fetch->arena);
  free (fetch);
}

static void
count_end (struct http_counts *counts, enum http_fault fault)
{
  counts->refused += fault == HTTP_NOT_GRANTED || fault == HTTP_SSRF_BLOCKED;
  counts->failed += fault != HTTP_OK;
}

/* Where it went, without the query: that may hold what is nobody's business. */
static void
log_end (const struct http_fetch *fetch, enum http_fault fault, const char *why)
{
  bool refused = fault == HTTP_NOT_GRANTED || fault == HTTP_SSRF_BLOCKED;
  CLEANUP_BUF struct buf url = { 0 };

  if (fetch->broker->log == NULL)
    return;
  url_write_plain (&fetch->url, &url);
  log_event (
    fetch->broker->log, refused ? LOG_WARNING : LOG_INFO, refused ? "http_refused" : "http_request",
    "plugin", fetch->terms.plugin, "tool", fetch->terms.tool, "call", fetch->terms.call, "method",
    http_method_name (fetch->method), "url", buf_cstr (&url), "status",
    fetch->headed ? LOG_INT (fetch->status) : NULL, "fault",
    fault != HTTP_OK ? http_fault_name (fault) : NULL, "why", fault != HTTP_OK ? why : NULL,
    "bytes_sent", LOG_INT (fetch->asked.body_len), "bytes_received", LOG_INT (fetch->received),
    "tries", LOG_INT (fetch->tries), "redirects", LOG_INT (fetch->redirects), "ms",
    LOG_INT ((clock_ns () - fetch->began_ns) / 1000000), NULL);
}

static void
trace_end (struct http_fetch *fetch, enum http_fault fault)
{
  char trace[2 * TRACE_ID + 1];
  const struct fetch_ended ended = { .url = &fetch->url,
                                     .method = fetch->method,
                                     .status = fetch->headed ? fetch->status : 0,
                                     .tries = fetch->tries,
                                     .fault = fault,
                                     .sent = fetch->asked.body_len,
                                     .received = fetch->received };

  PROBE4 (http__end, fetch->terms.call, fetch->url.host, ended.status, fault);
  if (fetch->span != NULL)
    span_trace_id (fetch->span, trace);
  histogram_add_traced (&fetch->broker->time, (uint64_t) (clock_ns () - fetch->began_ns) / 1000,
                        fetch->span != NULL ? trace : NULL);
  fetch_trace_end (fetch->span, &ended);
  fetch->span = NULL;
}

/* What is told of its end. */
static void
note_end (struct http_fetch *fetch, enum http_fault fault, const char *why)
{
  log_end (fetch, fault, why);
  trace_end (fetch, fault);
}

static void
finish (struct http_fetch *fetch, enum http_fault fault, const struct error *why)
{
  const struct http_events *events = fetch->events;
  struct error said = *why;
  void *ctx = fetch->ctx;

  count_end (&fetch->broker->counts, fault);
  note_end (fetch, fault, why->text);
  fetch_free (fetch);
  events->end (ctx, fault, said.text);
}

static void
fail (struct http_fetch *fetch, enum http_fault fault, const char *text)
{
  struct error why;

  (void) error_set (&why, "%s", text);
  finish (fetch, fault, &why);
}

/* What became of what went out last, for those that ask the same server. */
static void
report (struct http_fetch *fetch, bool good)
{
  struct http_broker *broker = fetch->broker;

  if (fetch->circuit == NULL)
    return;
  if (circuits_report (&broker->circuits, fetch->circuit, good, broker->now ())) {
    broker->counts.circuits_opened++;
    if (broker->log != NULL)
      log_event (broker->log, LOG_WARNING, "http_circuit_open", "plugin", fetch->terms.plugin,
                 "host", fetch->url.host, NULL);
  }
  free_circuit (fetch);
}

static void
let_go (struct http_fetch *fetch)
{
  fetch->broker->transport.drop (fetch->transfer);
  fetch->transfer = NULL;
}

/* ---- trying again ----------------------------------------------------------------------- */

static void
on_wait (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct http_fetch *fetch = timer->data;
  enum http_fault fault = HTTP_OK;
  struct error why = { { 0 } };

  (void) loop;
  (void) revents;
  if (!step (fetch, &fault, &why))
    finish (fetch, fault, &why);
}

/* False: it is not worth it, not safe, or there is no time. */
static bool
try_again (struct http_fetch *fetch, int64_t after_ms)
{
  struct http_broker *broker = fetch->broker;
  int64_t wait;

  if (fetch->tries >= broker->retry.tries
      || !http_retry_safe (fetch->method, fetch->asked.key != NULL))
    return false;
  wait = http_retry_wait (&broker->retry, fetch->tries + 1, broker->random (broker->random_ctx),
                          after_ms);
  if (fetch->end_ns != INT64_MAX && clock_ns () + wait * 1000000 >= fetch->end_ns)
    return false;
  broker->counts.retries++;
  ev_timer_set (&fetch->wait, (double) wait / 1000, 0);
  ev_timer_start (broker->loop, &fetch->wait);
  return true;
}

/* ---- redirects -------------------------------------------------------------------------- */

static bool
is_redirect (int status)
{
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* RFC 9110, 15.4: what is asked for at the other place. */
static void
change_method (struct http_fetch *fetch, int status)
{
  if (status == 307 || status == 308 || fetch->method == HTTP_HEAD || fetch->method == HTTP_GET
      || (status != 303 && fetch->method != HTTP_POST))
    return;
  fetch->method = HTTP_GET;
  fetch->has_body = false;
}

static void
go_there (struct http_fetch *fetch, int status, const char *location)
{
  enum http_fault fault = HTTP_NOT_GRANTED;
  struct error why = { { 0 } };
  struct url to;

  if (fetch->redirects == fetch->asked.redirects_max) {
    fail (fetch, HTTP_TOO_MANY_REDIRECTS, "it was redirected too often");
    return;
  }
  fetch->redirects++;
  fetch->broker->counts.redirects++;
  if (!url_follow (&to, &fetch->url, location, strlen (location), &fetch->arena, &why)) {
    (void) error_wrap (&why, "it was redirected to a URL that ");
    finish (fetch, HTTP_NOT_GRANTED, &why);
    return;
  }
  fetch->abroad = fetch->abroad || !url_same_origin (&fetch->url, &to);
  fetch->url = to;
  change_method (fetch, status);
  if (!step (fetch, &fault, &why)) {
    (void) error_wrap (&why, "it was redirected: ");
    finish (fetch, fault, &why);
  }
}

/* ---- what the transport says ------------------------------------------------------------ */

static bool
is_too_large (const struct http_fetch *fetch, const struct http_header *headers, size_t count)
{
  const char *length = http_header_find (headers, count, "content-length");

  return length != NULL && fetch->method != HTTP_HEAD && strspn (length, "0123456789") < 19
         && (unsigned long long) atoll (length) > fetch->asked.response_max;
}

static void
tell_head (struct http_fetch *fetch, const struct http_header *headers, size_t count)
{
  CLEANUP_BUF struct buf url = { 0 };
  struct http_answer answer = { .status = fetch->status,
                                .headers = headers,
                                .headers_count = count,
                                .redirects = fetch->redirects,
                                .tries = fetch->tries };

  url_write (&fetch->url, &url);
  answer.url = buf_cstr (&url);
  fetch->headed = true;
  fetch->events->head (fetch->ctx, &answer);
}

static void
on_head (void *ctx, int status, const struct http_header *headers, size_t count)
{
  struct http_fetch *fetch = ctx;
  const char *location = http_header_find (headers, count, "location");
  const char *after = http_header_find (headers, count, "retry-after");

  fetch->status = status;
  if (is_redirect (status) && location != NULL && fetch->asked.redirects_max != 0) {
    CLEANUP_FREE char *copy = xstrdup (location);
    report (fetch, true);
    let_go (fetch);
    go_there (fetch, status, copy);
    return;
  }
  report (fetch, status < 500 || status == 501 || status == 505);
  if (http_retry_status (status) && try_again (fetch, http_retry_after (after)))
    let_go (fetch);
  else if (is_too_large (fetch, headers, count))
    fail (fetch, HTTP_TOO_LARGE, "the answer is larger than it may be");
  else
    tell_head (fetch, headers, count);
}

static bool
on_body (void *ctx, const char *data, size_t len)
{
  struct http_fetch *fetch = ctx;

  fetch->paused = fetch->waiting >= HTTP_WINDOW;
  if (fetch->paused)
    return false;
  fetch->received += len;
  fetch->broker->counts.received += len;
  if (fetch->received > fetch->asked.response_max) {
    fail (fetch, HTTP_TOO_LARGE, "the answer is larger than it may be");
    return true;
  }
  fetch->waiting += len;
  fetch->events->body (fetch->ctx, data, len);
  return true;
}

static enum http_fault
fault_of (enum http_failure failure)
{
  switch (failure) {
  case HTTP_FINE:
    return HTTP_OK;
  case HTTP_CONNECT:
    return HTTP_NO_CONNECTION;
  case HTTP_BLOCKED:
    return HTTP_SSRF_BLOCKED;
  case HTTP_HEADERS:
    return HTTP_TOO_LARGE;
  case HTTP_BROKEN:
    break;
  }
  return HTTP_BROKEN_OFF;
}

static void
on_end (void *ctx, enum http_failure failure, const char *text)
{
  struct http_fetch *fetch = ctx;
  bool server = failure == HTTP_CONNECT || failure == HTTP_BROKEN;

  fetch->transfer = NULL;
  if (server)
    report (fetch, false);
  if (server && !fetch->headed && try_again (fetch, 0))
    return;
  fail (fetch, fault_of (failure), failure == HTTP_BLOCKED ? "its address is not public" : text);
}

static const struct http_hop_events hop_events = { .head = on_head,
                                                   .body = on_body,
                                                   .end = on_end };

/* ---- sending ---------------------------------------------------------------------------- */

static void
send_it (struct http_fetch *fetch)
{
  struct http_hop hop = { .method = fetch->method,
                          .url = &fetch->url,
                          .body = fetch->has_body ? fetch->asked.body : NULL,
                          .body_len = fetch->has_body ? fetch->asked.body_len : 0,
                          .addresses = fetch->addresses,
                          .addresses_count = fetch->addresses_count,
                          .private_too = fetch->grant->private_too };

  fetch->tries++;
  fetch->broker->counts.sent += hop.body_len;
  hop.target = http_asked_target (&fetch->url, fetch->grant, &fetch->arena);
  hop.headers = http_asked_headers (&fetch->asked, fetch->grant, fetch->abroad, fetch->has_body,
                                    &fetch->arena, &hop.headers_count);
  fetch->transfer =
    fetch->broker->transport.begin (fetch->broker->transport.ctx, &hop, &hop_events, fetch);
  if (fetch->transfer != NULL)
    return;
  fetch->unable = true;
  ev_timer_stop (fetch->broker->loop, &fetch->deadline);
  ev_timer_set (&fetch->deadline, 0, 0);
  ev_timer_start (fetch->broker->loop, &fetch->deadline);
}

/* ---- a step ----------------------------------------------------------------------------- */

/* All of them, or none is used: a name that has one address of the house has no business here. */
static bool
addresses_ok (const struct http_fetch *fetch, enum http_fault *fault, struct error *err)
{
  *fault = HTTP_SSRF_BLOCKED;
  for (size_t i = 0; i < fetch->addresses_count; i++)
    if (!address_allowed (&fetch->addresses[i], fetch->grant->private_too))
      return error_set (err, "%s has an address that is not public (%s)", fetch->url.host,
                        address_kind_name (address_kind (&fetch->addresses[i])));
  return true;
}

static void
on_resolved (void *ctx, const struct address *addresses, size_t count, const char *why)
{
  struct http_fetch *fetch = ctx;
  enum http_fault fault = HTTP_NO_NAME;
  struct error said = { { 0 } };

  fetch->question = NULL;
  memcpy (fetch->addresses, addresses, count * sizeof *addresses);
  fetch->addresses_count = count;
  if (count == 0)
    (void) error_set (&said, "no address is known of %s: %s", fetch->url.host, why);
  else if (addresses_ok (fetch, &fault, &said)) {
    send_it (fetch);
    return;
  }
  finish (fetch, fault, &said);
}

static bool
is_granted (struct http_fetch *fetch, struct error *err)
{
  CLEANUP_BUF struct buf url = { 0 };
  bool method_only = false;

  fetch->grant = http_grants_find (fetch->terms.grants, &fetch->url, fetch->method, &method_only);
  if (fetch->grant != NULL && http_narrowing_matches (fetch->terms.narrowed, &fetch->url))
    return true;
  url_write_plain (&fetch->url, &url);
  if (fetch->grant != NULL)
    return error_set (err, "%s is not granted to this tool", buf_cstr (&url));
  return error_set (err, method_only ? "the method is not granted for %s" : "%s is not granted",
                    buf_cstr (&url));
}

static bool
circuit_is_closed (struct http_fetch *fetch, struct error *err)
{
  CLEANUP_BUF struct buf key = { 0 };
  double wait;

  buf_printf (&key, "%s ", fetch->terms.plugin);
  url_write_origin (&fetch->url, &key);
  wait = circuits_admit (&fetch->broker->circuits, buf_cstr (&key), fetch->broker->now ());
  if (wait > 0)
    return error_set (err, "%s failed several times in a row; the next try is in %.0f s",
                      fetch->url.host, wait < 1 ? 1 : wait);
  free_circuit (fetch);
  fetch->circuit = xstrdup (key.data);
  return true;
}

/* Towards fetch->url, from its grant on.  False: *fault and err say why it goes no further. */
static bool
step (struct http_fetch *fetch, enum http_fault *fault, struct error *err)
{
  struct http_broker *broker = fetch->broker;

  *fault = HTTP_NOT_GRANTED;
  if (!is_granted (fetch, err))
    return false;
  if (fetch->url.literal) {
    fetch->addresses[0] = fetch->url.address;
    fetch->addresses_count = 1;
    if (!addresses_ok (fetch, fault, err))
      return false;
  }
  *fault = HTTP_CIRCUIT_OPEN;
  if (!circuit_is_closed (fetch, err))
    return false;
  if (fetch->url.literal)
    send_it (fetch);
  else
    fetch->question =
      broker->resolver.look_up (broker->resolver.ctx, fetch->url.host, on_resolved, fetch);
  return true;
}

/* ---- the beginning ---------------------------------------------------------------------- */

static void
on_deadline (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct http_fetch *fetch = timer->data;

  (void) loop;
  (void) revents;
  if (fetch->unable) {
    fail (fetch, HTTP_NO_CONNECTION, "the daemon has no way to make requests");
    return;
  }
  if (!fetch->headed)
    report (fetch, false);
  fail (fetch, HTTP_TIMEOUT, "there was no answer in time");
}

static void
set_deadline (struct http_fetch *fetch, int64_t timeout_ms)
{
  double left;

  fetch->began_ns = clock_ns ();
  fetch->end_ns = fetch->terms.deadline_ns;
  if (timeout_ms > 0 && timeout_ms < (fetch->end_ns - fetch->began_ns) / 1000000)
    fetch->end_ns = fetch->began_ns + timeout_ms * 1000000;
  if (fetch->end_ns == INT64_MAX)
    return;
  left = (double) (fetch->end_ns - fetch->began_ns) / 1e9;
  ev_now_update (fetch->broker->loop);
  ev_timer_set (&fetch->deadline, left > 0 ? left : 0, 0);
  ev_timer_start (fetch->broker->loop, &fetch->deadline);
}

static bool
has_room (struct http_fetch *fetch, size_t body_len, struct error *err)
{
  if (*fetch->terms.open > fetch->terms.open_max)
    return error_set (err, "%u requests of its plugin are open already", fetch->terms.open_max);
  if (!pressure_hold (fetch->broker->pressure, HTTP_WINDOW + body_len))
    return error_set (err, "the daemon is short of memory");
  fetch->held = HTTP_WINDOW + body_len;
  return true;
}

struct http_fetch *
http_fetch_new (struct http_broker *broker, const struct http_ask *request,
                const struct http_terms *terms, const struct http_events *events, void *ctx,
                enum http_fault *fault, struct error *err)
{
  struct http_fetch *fetch = xcalloc (1, sizeof *fetch);
  char traceparent[TRACEPARENT_LEN + 1];
  struct http_terms traced = *terms;
  bool good;

  fetch->broker = broker;
  fetch->terms = *terms;
  fetch->events = events;
  fetch->ctx = ctx;
  ev_timer_init (&fetch->deadline, on_deadline, 0, 0);
  ev_timer_init (&fetch->wait, on_wait, 0, 0);
  fetch->deadline.data = fetch->wait.data = fetch;
  broker->open++;
  (*terms->open)++;
  broker->counts.requests++;
  set_deadline (fetch, request->timeout_ms);
  PROBE3 (http__begin, terms->call, terms->plugin, request->url);
  fetch->span = fetch_trace_begin (&traced, fetch->began_ns, traceparent);
  *fault = HTTP_BUSY;
  good = has_room (fetch, request->body_len, err);
  if (good) {
    *fault = HTTP_BAD_REQUEST;
    good = http_asked_read (&fetch->asked, request, &traced, &fetch->arena, err);
    fetch->url = fetch->asked.url;
    fetch->method = fetch->asked.method;
    fetch->has_body = fetch->asked.has_body;
    good = good && step (fetch, fault, err);
  }
  if (good)
    return fetch;
  count_end (&broker->counts, *fault);
  if (*fault != HTTP_BAD_REQUEST && *fault != HTTP_BUSY)
    log_end (fetch, *fault, err->text);
  trace_end (fetch, *fault);
  fetch_free (fetch);
  return NULL;
}

void
http_fetch_taken (struct http_fetch *fetch, size_t bytes)
{
  fetch->waiting -= bytes < fetch->waiting ? bytes : fetch->waiting;
  if (!fetch->paused || fetch->waiting > HTTP_WINDOW / 2 || fetch->transfer == NULL)
    return;
  fetch->paused = false;
  fetch->broker->transport.resume (fetch->transfer);
}

void
http_fetch_drop (struct http_fetch *fetch)
{
  struct error why = { { 0 } };

  (void) error_set (&why, "its call has ended");
  fetch->broker->counts.failed++;
  note_end (fetch, HTTP_TIMEOUT, why.text);
  fetch_free (fetch);
}
