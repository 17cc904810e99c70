/* fetch_trace.h - the span of a request, as the conventions for HTTP clients have it.  For fetch.c
 * alone. */
#ifndef TOOLHOST_SERVICE_HTTP_FETCH_TRACE_H
#define TOOLHOST_SERVICE_HTTP_FETCH_TRACE_H

#include "service/http/fetch.h"
#include "watch/trace.h"

/* Begin it, part of terms->span, and have the next server told of it instead of what `terms` names;
 * `room` keeps that.  NULL: the call is not sampled, and `terms` stay as they are. */
struct span *fetch_trace_begin (struct http_terms *terms, int64_t now,
                                char room[TRACEPARENT_LEN + 1]);

struct fetch_ended {
  const struct url *url;
  unsigned method;
  int status; /* 0: there was no answer */
  unsigned tries;
  enum http_fault fault;
  size_t sent, received;
};
void fetch_trace_end (struct span *span, const struct fetch_ended *ended);

#endif
