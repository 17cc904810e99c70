#include "daemon/host_parts.h"

/* Seconds until a batch is sent a second time. */
static const double AGAIN = 1;

static double
dice (void *ctx)
{
  return pool_random (ctx);
}

bool
host_open_trace (struct host *host, struct error *err)
{
  if (host->single != NULL) /* one call of a command is nobody's trace */
    host->config.trace.disabled = true;
  return trace_config_make (&host->config.trace, err);
}

void
host_make_trace (struct host *host)
{
  const struct trace_export_settings settings = { .loop = host->loop,
                                                  .log = host->log,
                                                  .broker = &host->trace_broker,
                                                  .config = &host->config.trace,
                                                  .version = TOOLHOST_VERSION,
                                                  .again = AGAIN,
                                                  .random = dice,
                                                  .ctx = &host->pool };

  if (!trace_config_on (&host->config.trace))
    return;
  /* What it does is neither logged nor counted as requests of tools, and never on a cassette. */
  http_broker_init (&host->trace_broker, host->loop, NULL, http_curl_transport (host->curl),
                    http_dns_resolver (host->dns));
  host->trace_broker.random = dice;
  host->trace_broker.random_ctx = &host->pool;
  host->trace = trace_export_new (&settings);
}

struct tracer *
host_tracer (const struct host *host)
{
  return host->trace != NULL ? trace_export_tracer (host->trace) : NULL;
}

/* Spans may still end after it. */
void
host_close_trace (struct host *host)
{
  if (host->trace == NULL)
    return;
  trace_export_close (host->trace);
  http_broker_clear (&host->trace_broker);
}

void
host_free_trace (struct host *host)
{
  trace_export_free (host->trace);
  host->trace = NULL;
}
