#include "daemon/trace_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "service/http/fetch.h"
#include "watch/metrics.h"

enum { ANSWER_MAX = 64 * 1024, TRIES = 5, OPEN_MAX = 2 };

struct trace_export {
  struct trace_export_settings settings;
  struct tracer *tracer;
  ev_timer timer;
  struct buf head; /* of every body, up to the spans */
  struct buf body; /* of the batch under way; empty: none is */
  size_t spans;    /* in it */
  unsigned tries, open;
  struct http_fetch *fetch;
  int status;
  struct buf answer;
  bool closing, flushing, failing;
  uint64_t sent, lost, rejected;
};

static void
wake_in (struct trace_export *export, double seconds)
{
  struct ev_loop *loop = export->settings.loop;

  if (ev_is_active (&export->timer) && ev_timer_remaining (loop, &export->timer) <= seconds)
    return;
  ev_timer_stop (loop, &export->timer);
  ev_timer_set (&export->timer, seconds, 0);
  ev_timer_start (loop, &export->timer);
}

/* ---- the body ---------------------------------------------------------------------------- */

static void
put_attribute (struct json_writer *w, const char *key, const char *text)
{
  jsonw_object (w);
  jsonw_name_string (w, "key", key);
  jsonw_name (w, "value");
  jsonw_object (w);
  jsonw_name_string (w, "stringValue", text);
  jsonw_end (w);
  jsonw_end (w);
}

static bool
is_ours (const struct config_trace *config, const char *key)
{
  return strcmp (key, "service.version") == 0
         || (strcmp (key, "service.name") == 0 && config->service_name != NULL);
}

/* What the operator says of where this runs. */
static bool
put_attributes (const struct config_trace *config, struct json_writer *w)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root, *value;
  struct json_tape tape;
  bool named = false;

  if (config->attributes == NULL
      || !json_read (&tape, config->attributes, strlen (config->attributes), &json_default_limits,
                     &arena))
    return false;
  root = json_root (&tape);
  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (value)) {
    const char *key = json_cstring (&tape, n, &arena), *text;
    value = json_next (n);
    text = json_cstring (&tape, value, &arena);
    if (key == NULL || text == NULL || is_ours (config, key))
      continue;
    named = named || strcmp (key, "service.name") == 0;
    put_attribute (w, key, text);
  }
  return named;
}

/* Everything up to the spans; the writer's levels are closed by TAIL. */
static const char TAIL[] = "]}]}]}";

static void
make_head (const struct trace_export_settings *settings, struct buf *head)
{
  const struct config_trace *config = settings->config;
  struct json_writer w = { .out = head };

  jsonw_object (&w);
  jsonw_name (&w, "resourceSpans");
  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name (&w, "resource");
  jsonw_object (&w);
  jsonw_name (&w, "attributes");
  jsonw_array (&w);
  if (!put_attributes (config, &w))
    put_attribute (&w, "service.name",
                   config->service_name != NULL ? config->service_name : "toolhost");
  put_attribute (&w, "service.version", settings->version);
  jsonw_end (&w);
  jsonw_end (&w);
  jsonw_name (&w, "scopeSpans");
  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name (&w, "scope");
  jsonw_object (&w);
  jsonw_name_string (&w, "name", "toolhost");
  jsonw_name_string (&w, "version", settings->version);
  jsonw_end (&w);
  jsonw_name (&w, "spans");
  jsonw_array (&w);
}

/* ---- how it went ------------------------------------------------------------------------- */

static void
batch_ends (struct trace_export *export)
{
  buf_free (&export->body);
  export->spans = 0;
  export->tries = 0;
}

static void
went_wrong (struct trace_export *export, const char *why)
{
  if (!export->failing)
    log_event (export->settings.log, LOG_WARNING, "trace_export_failed", "endpoint",
               export->settings.config->endpoint, "why", why, NULL);
  export->failing = true;
}

/* Some of it may have been refused: { "partialSuccess": { "rejectedSpans": "3" } }. */
static uint64_t
count_rejected (const struct trace_export *export)
{
  static const char at[] = "/partialSuccess/rejectedSpans";
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *node;
  struct json_tape tape;
  const char *text;
  unsigned long long count;
  size_t len;

  if (export->answer.len == 0
      || !json_read (&tape, export->answer.data, export->answer.len, &json_default_limits, &arena))
    return 0;
  node = json_pointer (&tape, json_root (&tape), at, sizeof at - 1);
  if (node == NULL)
    return 0;
  text = json_raw (&tape, node, &len);
  count = strtoull (text + (*text == '"'), NULL, 10);
  return count < export->spans ? count : export->spans;
}

static void
went_well (struct trace_export *export)
{
  const uint64_t rejected = count_rejected (export);

  export->rejected += rejected;
  export->sent += export->spans - rejected;
  if (rejected != 0)
    log_event (export->settings.log, LOG_WARNING, "trace_spans_rejected", "spans",
               LOG_INT (rejected), NULL);
  if (export->failing)
    log_event (export->settings.log, LOG_NOTICE, "trace_export_recovered", "endpoint",
               export->settings.config->endpoint, NULL);
  export->failing = false;
  batch_ends (export);
}

/* What OTLP says is worth another try; a server that can't be reached is, too. */
static bool
is_passing (enum http_fault fault, int status)
{
  if (fault == HTTP_OK)
    return status == 429 || status == 502 || status == 503 || status == 504;
  return fault == HTTP_NO_CONNECTION || fault == HTTP_BROKEN_OFF || fault == HTTP_TIMEOUT
         || fault == HTTP_NO_NAME || fault == HTTP_CIRCUIT_OPEN || fault == HTTP_BUSY;
}

static void
try_again (struct trace_export *export)
{
  const struct trace_export_settings *settings = &export->settings;
  const double wait = settings->again * (double) (1U << (export->tries - 1));

  ev_timer_stop (settings->loop, &export->timer);
  wake_in (export, wait * (0.75 + settings->random (settings->ctx) / 2));
}

static void
failed (struct trace_export *export, enum http_fault fault, const char *why)
{
  went_wrong (export, why);
  if (is_passing (fault, export->status) && export->tries < TRIES && !export->flushing)
    return try_again (export);
  export->lost += export->spans;
  batch_ends (export);
}

static void
look_for_more (struct trace_export *export)
{
  const size_t waiting = tracer_counts (export->tracer).waiting;

  if (waiting == 0)
    export->flushing = false;
  else if (export->body.len == 0)
    wake_in (export, export->flushing || waiting >= (size_t) export->settings.config->batch
                       ? 0
                       : (double) export->settings.config->delay_ms / 1000);
}

static void
on_head (void *ctx, const struct http_answer *answer)
{
  ((struct trace_export *) ctx)->status = answer->status;
}

static void
on_body (void *ctx, const char *data, size_t len)
{
  struct trace_export *export = ctx;

  buf_append (&export->answer, data, len);
  http_fetch_taken (export->fetch, len);
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  struct trace_export *export = ctx;
  char why[256];

  export->fetch = NULL;
  if (fault != HTTP_OK)
    (void) snprintf (why, sizeof why, "%s: %s", http_fault_name (fault), text);
  else
    (void) snprintf (why, sizeof why, "it was answered with status %d", export->status);
  if (fault == HTTP_OK && export->status >= 200 && export->status < 300)
    went_well (export);
  else
    failed (export, fault, why);
  buf_free (&export->answer);
  look_for_more (export);
}

static const struct http_events events = { .head = on_head, .body = on_body, .end = on_end };

/* ---- sending ----------------------------------------------------------------------------- */

/* Take what waits, unless a batch is still to be delivered.  False: there is nothing. */
static bool
has_batch (struct trace_export *export)
{
  if (export->body.len != 0)
    return true;
  if (tracer_counts (export->tracer).waiting == 0)
    return false;
  buf_append (&export->body, export->head.data, export->head.len);
  export->spans = tracer_take (export->tracer, &export->body);
  buf_puts (&export->body, TAIL);
  return true;
}

static void
post (struct trace_export *export)
{
  const struct config_trace *config = export->settings.config;
  struct http_header headers[] = { { "Content-Type", "application/json" } };
  const struct http_ask ask = { .method = "POST",
                                .url = config->endpoint,
                                .headers = headers,
                                .headers_count = sizeof headers / sizeof *headers,
                                .body = export->body.data,
                                .body_len = export->body.len,
                                .has_body = true };
  const struct http_terms terms = { .plugin = "trace",
                                    .grants = &config->grants,
                                    .response_max = ANSWER_MAX,
                                    .deadline_ns = clock_ns () + config->timeout_ms * 1000000,
                                    .open = &export->open,
                                    .open_max = OPEN_MAX };
  enum http_fault fault = HTTP_OK;
  struct error err = { { 0 } };

  export->tries++;
  export->status = 0;
  export->fetch =
    http_fetch_new (export->settings.broker, &ask, &terms, &events, export, &fault, &err);
  if (export->fetch != NULL)
    return;
  failed (export, fault, err.text);
  look_for_more (export);
}

static void
on_time (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct trace_export *export = timer->data;

  (void) loop;
  (void) revents;
  if (export->fetch == NULL && !export->closing && has_batch (export))
    post (export);
}

/* A batch that waits for another try is not hurried by what comes behind it. */
static void
on_ready (void *ctx, size_t waiting)
{
  struct trace_export *export = ctx;

  if (export->closing || export->body.len != 0 || waiting == 0)
    return;
  if (waiting == (size_t) export->settings.config->batch)
    wake_in (export, 0);
  else if (!ev_is_active (&export->timer))
    look_for_more (export);
}

/* ---- its life ---------------------------------------------------------------------------- */

struct trace_export *
trace_export_new (const struct trace_export_settings *settings)
{
  const struct config_trace *config = settings->config;
  struct trace_export *export = xcalloc (1, sizeof *export);
  const struct tracer_settings tracer = { .ratio = config->ratio,
                                          .parent_based = config->parent_based,
                                          .content = config->content,
                                          .queue_max = (size_t) config->queue_max };

  export->settings = *settings;
  ev_timer_init (&export->timer, on_time, 0, 0);
  export->timer.data = export;
  export->tracer = tracer_new (&tracer, on_ready, export);
  make_head (settings, &export->head);
  if (config->ignored.len != 0) {
    CLEANUP_FREE char *names = xstrndup (config->ignored.data, config->ignored.len);
    log_event (settings->log, LOG_WARNING, "trace_variables_ignored", "names", names, NULL);
  }
  return export;
}

struct tracer *
trace_export_tracer (const struct trace_export *export)
{
  return export->tracer;
}

void
trace_export_flush (struct trace_export *export)
{
  if (export == NULL || export->closing)
    return;
  export->flushing = true;
  if (export->fetch == NULL)
    wake_in (export, 0);
}

bool
trace_export_is_idle (const struct trace_export *export)
{
  return export == NULL || export->closing
         || (export->fetch == NULL && tracer_counts (export->tracer).waiting == 0
             && export->body.len == 0);
}

void
trace_export_metrics (const struct trace_export *export, struct buf *out)
{
  const struct tracer_counts counts = tracer_counts (export->tracer);

  metrics_head (out, "toolhost_trace_spans_total", "counter",
                "Spans that were sent, found no room in the queue, could not be delivered, were "
                "refused by the collector.");
  metrics_sample (out, "toolhost_trace_spans_total", "outcome=\"sent\"", (double) export->sent);
  metrics_sample (out, "toolhost_trace_spans_total", "outcome=\"dropped\"",
                  (double) counts.dropped);
  metrics_sample (out, "toolhost_trace_spans_total", "outcome=\"failed\"", (double) export->lost);
  metrics_sample (out, "toolhost_trace_spans_total", "outcome=\"rejected\"",
                  (double) export->rejected);
  metrics_head (out, "toolhost_trace_queue", "gauge", "Spans that wait to be sent.");
  metrics_sample (out, "toolhost_trace_queue", NULL, (double) (counts.waiting + export->spans));
}

void
trace_export_close (struct trace_export *export)
{
  if (export == NULL)
    return;
  export->closing = true;
  ev_timer_stop (export->settings.loop, &export->timer);
  if (export->fetch != NULL)
    http_fetch_drop (export->fetch);
  export->fetch = NULL;
}

void
trace_export_free (struct trace_export *export)
{
  if (export == NULL)
    return;
  trace_export_close (export);
  tracer_free (export->tracer);
  buf_free (&export->head);
  buf_free (&export->body);
  buf_free (&export->answer);
  free (export);
}
