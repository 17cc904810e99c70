#include "service/http/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "service/http/asked.h"
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

struct http_exchange {
  struct http_broker *broker;
  struct http_terms terms;
  const struct http_events *events;
  void *ctx;
  struct arena arena;
  int64_t began_ns, end_ns;
  ev_timer deadline, wait;
  struct http_asked asked;
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

static bool step (struct http_exchange *ex, enum http_fault *fault, struct error *err);

/* ---- the end ---------------------------------------------------------------------------- */

static void
free_circuit (struct http_exchange *ex)
{
  free (ex->circuit);
  ex->circuit = NULL;
}

static void
exchange_free (struct http_exchange *ex)
{
  struct http_broker *broker = ex->broker;

  ev_timer_stop (broker->loop, &ex->deadline);
  ev_timer_stop (broker->loop, &ex->wait);
  if (ex->question != NULL)
    broker->resolver.forget (ex->question);
  if (ex->transfer != NULL)
    broker->transport.drop (ex->transfer);
  if (ex->circuit != NULL)
    circuits_undecided (&broker->circuits, ex->circuit);
  free_circuit (ex);
  pressure_release (broker->pressure, ex->held);
  broker->open--;
  (*ex->terms.open)--;
  http_asked_clear (&ex->asked);
  arena_free (&ex->arena);
  free (ex);
}

static void
count_end (struct http_counts *counts, enum http_fault fault)
{
  counts->refused += fault == HTTP_NOT_GRANTED || fault == HTTP_SSRF_BLOCKED;
  counts->failed += fault != HTTP_OK;
}

/* Where it went, without the query: that may hold what is nobody's business. */
static void
log_end (const struct http_exchange *ex, enum http_fault fault, const char *why)
{
  bool refused = fault == HTTP_NOT_GRANTED || fault == HTTP_SSRF_BLOCKED;
  CLEANUP_BUF struct buf url = { 0 };

  if (ex->broker->log == NULL)
    return;
  url_write_plain (&ex->url, &url);
  log_event (ex->broker->log, refused ? LOG_WARNING : LOG_INFO,
             refused ? "http_refused" : "http_request", "plugin", ex->terms.plugin, "tool",
             ex->terms.tool, "call", ex->terms.call, "method", http_method_name (ex->method), "url",
             buf_cstr (&url), "status", ex->headed ? LOG_INT (ex->status) : NULL, "fault",
             fault != HTTP_OK ? http_fault_name (fault) : NULL, "why",
             fault != HTTP_OK ? why : NULL, "bytes_sent", LOG_INT (ex->asked.body_len),
             "bytes_received", LOG_INT (ex->received), "tries", LOG_INT (ex->tries), "redirects",
             LOG_INT (ex->redirects), "ms", LOG_INT ((clock_ns () - ex->began_ns) / 1000000), NULL);
}

static void
finish (struct http_exchange *ex, enum http_fault fault, const struct error *why)
{
  const struct http_events *events = ex->events;
  struct error said = *why;
  void *ctx = ex->ctx;

  count_end (&ex->broker->counts, fault);
  log_end (ex, fault, why->text);
  exchange_free (ex);
  events->end (ctx, fault, said.text);
}

static void
fail (struct http_exchange *ex, enum http_fault fault, const char *text)
{
  struct error why;

  (void) error_set (&why, "%s", text);
  finish (ex, fault, &why);
}

/* What became of what went out last, for those that ask the same server. */
static void
report (struct http_exchange *ex, bool good)
{
  struct http_broker *broker = ex->broker;

  if (ex->circuit == NULL)
    return;
  if (circuits_report (&broker->circuits, ex->circuit, good, broker->now ())) {
    broker->counts.circuits_opened++;
    if (broker->log != NULL)
      log_event (broker->log, LOG_WARNING, "http_circuit_open", "plugin", ex->terms.plugin, "host",
                 ex->url.host, NULL);
  }
  free_circuit (ex);
}

static void
let_go (struct http_exchange *ex)
{
  ex->broker->transport.drop (ex->transfer);
  ex->transfer = NULL;
}

/* ---- trying again ----------------------------------------------------------------------- */

static void
on_wait (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct http_exchange *ex = timer->data;
  enum http_fault fault = HTTP_OK;
  struct error why = { { 0 } };

  (void) loop;
  (void) revents;
  if (!step (ex, &fault, &why))
    finish (ex, fault, &why);
}

/* False: it is not worth it, not safe, or there is no time. */
static bool
try_again (struct http_exchange *ex, int64_t after_ms)
{
  struct http_broker *broker = ex->broker;
  int64_t wait;

  if (ex->tries >= broker->retry.tries || !http_retry_safe (ex->method, ex->asked.key != NULL))
    return false;
  wait =
    http_retry_wait (&broker->retry, ex->tries + 1, broker->random (broker->random_ctx), after_ms);
  if (ex->end_ns != INT64_MAX && clock_ns () + wait * 1000000 >= ex->end_ns)
    return false;
  broker->counts.retries++;
  ev_timer_set (&ex->wait, (double) wait / 1000, 0);
  ev_timer_start (broker->loop, &ex->wait);
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
change_method (struct http_exchange *ex, int status)
{
  if (status == 307 || status == 308 || ex->method == HTTP_HEAD || ex->method == HTTP_GET
      || (status != 303 && ex->method != HTTP_POST))
    return;
  ex->method = HTTP_GET;
  ex->has_body = false;
}

static void
go_there (struct http_exchange *ex, int status, const char *location)
{
  enum http_fault fault = HTTP_NOT_GRANTED;
  struct error why = { { 0 } };
  struct url to;

  if (ex->redirects == ex->asked.redirects_max) {
    fail (ex, HTTP_TOO_MANY_REDIRECTS, "it was redirected too often");
    return;
  }
  ex->redirects++;
  ex->broker->counts.redirects++;
  if (!url_follow (&to, &ex->url, location, strlen (location), &ex->arena, &why)) {
    (void) error_wrap (&why, "it was redirected to a URL that ");
    finish (ex, HTTP_NOT_GRANTED, &why);
    return;
  }
  ex->abroad = ex->abroad || !url_same_origin (&ex->url, &to);
  ex->url = to;
  change_method (ex, status);
  if (!step (ex, &fault, &why)) {
    (void) error_wrap (&why, "it was redirected: ");
    finish (ex, fault, &why);
  }
}

/* ---- what the transport says ------------------------------------------------------------ */

static bool
is_too_large (const struct http_exchange *ex, const struct http_header *headers, size_t count)
{
  const char *length = http_header_find (headers, count, "content-length");

  return length != NULL && ex->method != HTTP_HEAD && strspn (length, "0123456789") < 19
         && (unsigned long long) atoll (length) > ex->asked.response_max;
}

static void
tell_head (struct http_exchange *ex, const struct http_header *headers, size_t count)
{
  CLEANUP_BUF struct buf url = { 0 };
  struct http_answer answer = { .status = ex->status,
                                .headers = headers,
                                .headers_count = count,
                                .redirects = ex->redirects,
                                .tries = ex->tries };

  url_write (&ex->url, &url);
  answer.url = buf_cstr (&url);
  ex->headed = true;
  ex->events->head (ex->ctx, &answer);
}

static void
on_head (void *ctx, int status, const struct http_header *headers, size_t count)
{
  struct http_exchange *ex = ctx;
  const char *location = http_header_find (headers, count, "location");
  const char *after = http_header_find (headers, count, "retry-after");

  ex->status = status;
  if (is_redirect (status) && location != NULL && ex->asked.redirects_max != 0) {
    CLEANUP_FREE char *copy = xstrdup (location);
    report (ex, true);
    let_go (ex);
    go_there (ex, status, copy);
    return;
  }
  report (ex, status < 500 || status == 501 || status == 505);
  if (http_retry_status (status) && try_again (ex, http_retry_after (after)))
    let_go (ex);
  else if (is_too_large (ex, headers, count))
    fail (ex, HTTP_TOO_LARGE, "the answer is larger than it may be");
  else
    tell_head (ex, headers, count);
}

static bool
on_body (void *ctx, const char *data, size_t len)
{
  struct http_exchange *ex = ctx;

  ex->paused = ex->waiting >= HTTP_WINDOW;
  if (ex->paused)
    return false;
  ex->received += len;
  ex->broker->counts.received += len;
  if (ex->received > ex->asked.response_max) {
    fail (ex, HTTP_TOO_LARGE, "the answer is larger than it may be");
    return true;
  }
  ex->waiting += len;
  ex->events->body (ex->ctx, data, len);
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
  struct http_exchange *ex = ctx;
  bool server = failure == HTTP_CONNECT || failure == HTTP_BROKEN;

  ex->transfer = NULL;
  if (server)
    report (ex, false);
  if (server && !ex->headed && try_again (ex, 0))
    return;
  fail (ex, fault_of (failure), failure == HTTP_BLOCKED ? "its address is not public" : text);
}

static const struct http_hop_events hop_events = { .head = on_head,
                                                   .body = on_body,
                                                   .end = on_end };

/* ---- sending ---------------------------------------------------------------------------- */

static void
send_it (struct http_exchange *ex)
{
  struct http_hop hop = { .method = ex->method,
                          .url = &ex->url,
                          .body = ex->has_body ? ex->asked.body : NULL,
                          .body_len = ex->has_body ? ex->asked.body_len : 0,
                          .addresses = ex->addresses,
                          .addresses_count = ex->addresses_count,
                          .private_too = ex->grant->private_too };

  ex->tries++;
  ex->broker->counts.sent += hop.body_len;
  hop.target = http_asked_target (&ex->url, ex->grant, &ex->arena);
  hop.headers = http_asked_headers (&ex->asked, ex->grant, ex->abroad, ex->has_body, &ex->arena,
                                    &hop.headers_count);
  ex->transfer = ex->broker->transport.begin (ex->broker->transport.ctx, &hop, &hop_events, ex);
  if (ex->transfer != NULL)
    return;
  ex->unable = true;
  ev_timer_stop (ex->broker->loop, &ex->deadline);
  ev_timer_set (&ex->deadline, 0, 0);
  ev_timer_start (ex->broker->loop, &ex->deadline);
}

/* ---- a step ----------------------------------------------------------------------------- */

/* All of them, or none is used: a name that has one address of the house has no business here. */
static bool
addresses_ok (const struct http_exchange *ex, enum http_fault *fault, struct error *err)
{
  *fault = HTTP_SSRF_BLOCKED;
  for (size_t i = 0; i < ex->addresses_count; i++)
    if (!address_allowed (&ex->addresses[i], ex->grant->private_too))
      return error_set (err, "%s has an address that is not public (%s)", ex->url.host,
                        address_kind_name (address_kind (&ex->addresses[i])));
  return true;
}

static void
on_resolved (void *ctx, const struct address *addresses, size_t count, const char *why)
{
  struct http_exchange *ex = ctx;
  enum http_fault fault = HTTP_NO_NAME;
  struct error said = { { 0 } };

  ex->question = NULL;
  memcpy (ex->addresses, addresses, count * sizeof *addresses);
  ex->addresses_count = count;
  if (count == 0)
    (void) error_set (&said, "no address is known of %s: %s", ex->url.host, why);
  else if (addresses_ok (ex, &fault, &said)) {
    send_it (ex);
    return;
  }
  finish (ex, fault, &said);
}

static bool
is_granted (struct http_exchange *ex, struct error *err)
{
  CLEANUP_BUF struct buf url = { 0 };
  bool method_only = false;

  ex->grant = http_grants_find (ex->terms.grants, &ex->url, ex->method, &method_only);
  if (ex->grant != NULL && http_narrowing_matches (ex->terms.narrowed, &ex->url))
    return true;
  url_write_plain (&ex->url, &url);
  if (ex->grant != NULL)
    return error_set (err, "%s is not granted to this tool", buf_cstr (&url));
  return error_set (err, method_only ? "the method is not granted for %s" : "%s is not granted",
                    buf_cstr (&url));
}

static bool
circuit_is_closed (struct http_exchange *ex, struct error *err)
{
  CLEANUP_BUF struct buf key = { 0 };
  double wait;

  buf_printf (&key, "%s ", ex->terms.plugin);
  url_write_origin (&ex->url, &key);
  wait = circuits_admit (&ex->broker->circuits, buf_cstr (&key), ex->broker->now ());
  if (wait > 0)
    return error_set (err, "%s failed several times in a row; the next try is in %.0f s",
                      ex->url.host, wait < 1 ? 1 : wait);
  free_circuit (ex);
  ex->circuit = xstrdup (key.data);
  return true;
}

/* Towards ex->url, from its grant on.  False: *fault and err say why it goes no further. */
static bool
step (struct http_exchange *ex, enum http_fault *fault, struct error *err)
{
  struct http_broker *broker = ex->broker;

  *fault = HTTP_NOT_GRANTED;
  if (!is_granted (ex, err))
    return false;
  if (ex->url.literal) {
    ex->addresses[0] = ex->url.address;
    ex->addresses_count = 1;
    if (!addresses_ok (ex, fault, err))
      return false;
  }
  *fault = HTTP_CIRCUIT_OPEN;
  if (!circuit_is_closed (ex, err))
    return false;
  if (ex->url.literal)
    send_it (ex);
  else
    ex->question = broker->resolver.look_up (broker->resolver.ctx, ex->url.host, on_resolved, ex);
  return true;
}

/* ---- the beginning ---------------------------------------------------------------------- */

static void
on_deadline (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct http_exchange *ex = timer->data;

  (void) loop;
  (void) revents;
  if (ex->unable) {
    fail (ex, HTTP_NO_CONNECTION, "the daemon has no way to make requests");
    return;
  }
  if (!ex->headed)
    report (ex, false);
  fail (ex, HTTP_TIMEOUT, "there was no answer in time");
}

static void
set_deadline (struct http_exchange *ex, int64_t timeout_ms)
{
  double left;

  ex->began_ns = clock_ns ();
  ex->end_ns = ex->terms.deadline_ns;
  if (timeout_ms > 0 && timeout_ms < (ex->end_ns - ex->began_ns) / 1000000)
    ex->end_ns = ex->began_ns + timeout_ms * 1000000;
  if (ex->end_ns == INT64_MAX)
    return;
  left = (double) (ex->end_ns - ex->began_ns) / 1e9;
  ev_now_update (ex->broker->loop);
  ev_timer_set (&ex->deadline, left > 0 ? left : 0, 0);
  ev_timer_start (ex->broker->loop, &ex->deadline);
}

static bool
has_room (struct http_exchange *ex, size_t body_len, struct error *err)
{
  if (*ex->terms.open > ex->terms.open_max)
    return error_set (err, "%u requests of its plugin are open already", ex->terms.open_max);
  if (!pressure_hold (ex->broker->pressure, HTTP_WINDOW + body_len))
    return error_set (err, "the daemon is short of memory");
  ex->held = HTTP_WINDOW + body_len;
  return true;
}

struct http_exchange *
http_exchange_new (struct http_broker *broker, const struct http_request *request,
                   const struct http_terms *terms, const struct http_events *events, void *ctx,
                   enum http_fault *fault, struct error *err)
{
  struct http_exchange *ex = xcalloc (1, sizeof *ex);
  bool good;

  ex->broker = broker;
  ex->terms = *terms;
  ex->events = events;
  ex->ctx = ctx;
  ev_timer_init (&ex->deadline, on_deadline, 0, 0);
  ev_timer_init (&ex->wait, on_wait, 0, 0);
  ex->deadline.data = ex->wait.data = ex;
  broker->open++;
  (*terms->open)++;
  broker->counts.requests++;
  set_deadline (ex, request->timeout_ms);
  *fault = HTTP_BUSY;
  good = has_room (ex, request->body_len, err);
  if (good) {
    *fault = HTTP_BAD_REQUEST;
    good = http_asked_read (&ex->asked, request, terms, &ex->arena, err);
    ex->url = ex->asked.url;
    ex->method = ex->asked.method;
    ex->has_body = ex->asked.has_body;
    good = good && step (ex, fault, err);
  }
  if (good)
    return ex;
  count_end (&broker->counts, *fault);
  if (*fault != HTTP_BAD_REQUEST && *fault != HTTP_BUSY)
    log_end (ex, *fault, err->text);
  exchange_free (ex);
  return NULL;
}

void
http_exchange_taken (struct http_exchange *ex, size_t bytes)
{
  ex->waiting -= bytes < ex->waiting ? bytes : ex->waiting;
  if (!ex->paused || ex->waiting > HTTP_WINDOW / 2 || ex->transfer == NULL)
    return;
  ex->paused = false;
  ex->broker->transport.resume (ex->transfer);
}

void
http_exchange_drop (struct http_exchange *ex)
{
  struct error why = { { 0 } };

  (void) error_set (&why, "its call has ended");
  ex->broker->counts.failed++;
  log_end (ex, HTTP_TIMEOUT, why.text);
  exchange_free (ex);
}
