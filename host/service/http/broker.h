/* broker.h - HTTP for tools, which have no network: the daemon makes their requests, where the
 * operator has granted it.  What all requests of a daemon share; fetch.h is about one.  Loop
 * thread only. */
#ifndef TOOLHOST_SERVICE_HTTP_BROKER_H
#define TOOLHOST_SERVICE_HTTP_BROKER_H

#include <ev.h>
#include <stdint.h>

#include "service/http/circuit.h"
#include "service/http/resolver.h"
#include "service/http/retry.h"
#include "service/http/transport.h"
#include "watch/metrics.h"

struct buf;
struct log;
struct pressure;

/* Since the start. */
struct http_counts {
  uint64_t requests; /* of tools */
  uint64_t failed;   /* without an answer */
  uint64_t refused;  /* not granted, or an address that is not public */
  uint64_t retries, redirects;
  uint64_t circuits_opened;
  uint64_t sent, received; /* bytes of bodies */
};

struct http_broker {
  struct ev_loop *loop;
  struct log *log;
  struct http_transport transport;
  struct http_resolver resolver;
  struct http_retry retry;
  struct pressure *pressure;    /* NULL: there is room for everything */
  double (*now) (void);         /* seconds of a steady clock */
  double (*random) (void *ctx); /* from 0 up to 1 */
  void *random_ctx;
  struct circuits circuits;
  struct http_counts counts;
  struct histogram time; /* of requests, however they ended */
  unsigned open;         /* fetches */
};

/* Defaults of what can be set after it; borrows the log. */
void http_broker_init (struct http_broker *broker, struct ev_loop *loop, struct log *log,
                       struct http_transport transport, struct http_resolver resolver);
/* No fetch may be open. */
void http_broker_clear (struct http_broker *broker);

/* Append the counts, as metrics_render does. */
void http_broker_metrics (const struct http_broker *broker, bool exemplars, struct buf *out);

#endif
