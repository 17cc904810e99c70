/* trace_export.h - finished spans are posted to an OpenTelemetry collector: OTLP over HTTP, in
 * JSON, batch after batch, by the broker, on the loop.
 *
 * What can't be delivered is tried again a few times while others wait behind it in the tracer's
 * queue; then it is lost, and counted.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_TRACE_EXPORT_H
#define TOOLHOST_DAEMON_TRACE_EXPORT_H

#include <ev.h>

#include "daemon/trace_config.h"
#include "service/http/broker.h"
#include "watch/log.h"
#include "watch/trace.h"

struct trace_export;

struct trace_export_settings {
  struct ev_loop *loop;
  struct log *log;
  struct http_broker *broker;        /* one of its own: what it does is no tool's request */
  const struct config_trace *config; /* with its grants; borrowed */
  const char *version;               /* of the daemon */
  double again;                      /* seconds until the second try; then each is twice as late */
  double (*random) (void *ctx);      /* from 0 up to 1 */
  void *ctx;
};

/* With a tracer whose spans it sends. */
struct trace_export *trace_export_new (const struct trace_export_settings *settings);
/* Nothing is sent any more; the tracer stays, for spans that end later. */
void trace_export_close (struct trace_export *export);
/* NULL is fine. */
void trace_export_free (struct trace_export *export);

struct tracer *trace_export_tracer (const struct trace_export *export);
/* Send what there is now. */
void trace_export_flush (struct trace_export *export);
/* Nothing is on its way, and nothing is to be sent at once; true of NULL. */
bool trace_export_is_idle (const struct trace_export *export);
/* Append what is counted. */
void trace_export_metrics (const struct trace_export *export, struct buf *out);

#endif
