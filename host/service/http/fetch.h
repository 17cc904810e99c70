/* fetch.h - one request of a tool, from its grant to the last byte of its answer: looked up,
 * checked, sent, followed where it is redirected, tried again where that is safe.  Loop thread
 * only.
 *
 * Every step asks the grants again: a redirect leads nowhere that the tool could not have gone by
 * itself.  Every address of a name is checked, and the connection is made to one of those. */
#ifndef TOOLHOST_SERVICE_HTTP_FETCH_H
#define TOOLHOST_SERVICE_HTTP_FETCH_H

#include "service/http/broker.h"
#include "service/http/rules.h"

struct span; /* watch/trace.h */

enum http_fault {
  HTTP_OK,
  HTTP_BAD_REQUEST,  /* the tool's: no URL, no method, a header it may not send */
  HTTP_NOT_GRANTED,  /* by the operator */
  HTTP_SSRF_BLOCKED, /* granted by name, and the address is none to connect to */
  HTTP_NO_NAME,      /* no address is known of the host */
  HTTP_NO_CONNECTION,
  HTTP_BROKEN_OFF,
  HTTP_TIMEOUT,
  HTTP_TOO_LARGE,
  HTTP_TOO_MANY_REDIRECTS,
  HTTP_CIRCUIT_OPEN, /* its server failed too often */
  HTTP_BUSY,         /* the plugin has as many requests open as it may, or memory is short */
  HTTP_FAULTS
};
/* "ssrf_blocked", "http_timeout" …: the code that the tool gets. */
const char *http_fault_name (enum http_fault fault);

enum { HTTP_REDIRECTS_DEFAULT = 5, HTTP_REDIRECTS_MAX = 20, HTTP_WINDOW = 128 * 1024 };

/* What the tool asks; everything is copied. */
struct http_ask {
  const char *method; /* upper case; NULL: GET, with a body POST */
  const char *url;
  const struct http_header *headers;
  size_t headers_count;
  const char *idempotency_key; /* NULL: none */
  const void *body;
  size_t body_len;
  bool has_body;
  int64_t timeout_ms;  /* 0: as long as the call has */
  size_t response_max; /* bytes of the body; 0: what the operator says */
  unsigned redirects;  /* to be followed at most */
};

/* For whom, and what the operator says to it.  Borrowed, for as long as the fetch lives. */
struct http_terms {
  const char *plugin, *tool, *call;
  const struct http_grants *grants;
  char *const *narrowed;                /* patterns of this tool; NULL: all that its plugin has */
  size_t response_max;                  /* bytes */
  int64_t deadline_ns;                  /* CLOCK_MONOTONIC; INT64_MAX: none */
  const char *traceparent, *tracestate; /* NULL: none */
  const struct span *span;              /* the request is part of it; NULL: it is not sampled */
  unsigned *open;                       /* fetches of this plugin */
  unsigned open_max;
};

/* An answer's head. */
struct http_answer {
  int status;
  const struct http_header *headers;
  size_t headers_count;
  const char *url; /* where it came from, as the tool may know it */
  unsigned redirects, tries;
};

struct http_events {
  void (*head) (void *ctx, const struct http_answer *answer);
  /* At most a transport's piece.  The fetch pauses while more than HTTP_WINDOW bytes have not
   * been told by http_fetch_taken. */
  void (*body) (void *ctx, const char *data, size_t len);
  /* Exactly once, unless it is dropped; the fetch is gone when this is called.  `text` is a
   * sentence for the tool. */
  void (*end) (void *ctx, enum http_fault fault, const char *text);
};

struct http_fetch;

/* Begin.  NULL: it was refused, *fault and err say why, and no event will come.  Events never come
 * before this returns. */
struct http_fetch *http_fetch_new (struct http_broker *broker, const struct http_ask *request,
                                   const struct http_terms *terms, const struct http_events *events,
                                   void *ctx, enum http_fault *fault, struct error *err);
/* So many bytes of the body were used. */
void http_fetch_taken (struct http_fetch *fetch, size_t bytes);
/* Nobody wants it any more. */
void http_fetch_drop (struct http_fetch *fetch);

#endif
