#include "service/http/fetch_trace.h"

#include <stdio.h>

struct span *
fetch_trace_begin (struct http_terms *terms, int64_t now, char room[TRACEPARENT_LEN + 1])
{
  struct span *span = span_child (terms->span, SPAN_CLIENT, now);

  if (span == NULL)
    return NULL;
  span_traceparent (span, room);
  terms->traceparent = room;
  terms->tracestate = span_tracestate (span);
  return span;
}

/* Where it went, without the query: that may hold what is nobody's business. */
static void
put_url (struct span *span, const struct url *url)
{
  CLEANUP_BUF struct buf plain = { 0 };

  if (url->host[0] == '\0')
    return;
  url_write_plain (url, &plain);
  span_text_len (span, "url.full", plain.data, plain.len);
  span_text (span, "server.address", url->host);
  span_int (span, "server.port", url->port);
}

void
fetch_trace_end (struct span *span, const struct fetch_ended *ended)
{
  char status[12];

  if (span == NULL)
    return;
  if (ended->method != 0) {
    span_name (span, "%s", http_method_name (ended->method));
    span_text (span, "http.request.method", http_method_name (ended->method));
  }
  else
    span_name (span, "HTTP");
  put_url (span, ended->url);
  span_int (span, "http.request.body.size", (int64_t) ended->sent);
  if (ended->tries > 1)
    span_int (span, "http.request.resend_count", (int64_t) ended->tries - 1);
  if (ended->status != 0) {
    span_int (span, "http.response.status_code", ended->status);
    span_int (span, "http.response.body.size", (int64_t) ended->received);
  }
  (void) snprintf (status, sizeof status, "%d", ended->status);
  if (ended->fault != HTTP_OK)
    span_fail (span, http_fault_name (ended->fault), NULL);
  else if (ended->status >= 400)
    span_fail (span, status, NULL);
  span_end (span, 0);
}
