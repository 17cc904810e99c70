#include "service/http/broker.h"

#include <string.h>
#include <time.h>

#include "watch/metrics.h"

static double
steady (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static double
middle (void *ctx)
{
  (void) ctx;
  return 0.5;
}

void
http_broker_init (struct http_broker *broker, struct ev_loop *loop, struct log *log,
                  struct http_transport transport, struct http_resolver resolver)
{
  *broker = (struct http_broker){ .loop = loop,
                                  .log = log,
                                  .transport = transport,
                                  .resolver = resolver,
                                  .retry = { .tries = 3, .base_ms = 200, .cap_ms = 5000 },
                                  .now = steady,
                                  .random = middle };
}

void
http_broker_clear (struct http_broker *broker)
{
  circuits_clear (&broker->circuits);
  histogram_clear (&broker->time);
}

void
http_broker_metrics (const struct http_broker *broker, bool exemplars, struct buf *out)
{
  const struct http_counts *counts = &broker->counts;
  const struct {
    const char *name, *help;
    uint64_t count;
  } rows[] = {
    { "toolhost_http_requests_total", "HTTP requests of tools.", counts->requests },
    { "toolhost_http_failed_total", "Those that got no answer.", counts->failed },
    { "toolhost_http_refused_total", "Those that were not granted, or led to no public address.",
      counts->refused },
    { "toolhost_http_retries_total", "Times one was sent again.", counts->retries },
    { "toolhost_http_redirects_total", "Redirects that were followed.", counts->redirects },
    { "toolhost_http_circuits_opened_total", "Times a server was left alone for a while.",
      counts->circuits_opened },
    { "toolhost_http_sent_bytes_total", "Bytes of their bodies.", counts->sent },
    { "toolhost_http_received_bytes_total", "Bytes of the bodies of answers.", counts->received },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    metrics_head (out, rows[i].name, "counter", rows[i].help);
    metrics_sample (out, rows[i].name, NULL, (double) rows[i].count);
  }
  metrics_head (out, "toolhost_http_seconds", "histogram", "Time of HTTP requests of tools.");
  histogram_render (&broker->time, "toolhost_http_seconds", NULL, exemplars, out);
  metrics_head (out, "toolhost_http_open", "gauge", "HTTP requests that are under way.");
  metrics_sample (out, "toolhost_http_open", NULL, broker->open);
}
