/* request.h - the head of a request as a worker writes it, read as an enemy's; and that of an
 * answer, as a worker gets it.  Pure functions.
 *
 *   { "method", "url", "headers": [[name, value], …], "idempotency_key", "timeout_ms",
 *     "response_max", "redirects", "body" }       "url" alone is required; "body": there is one */
#ifndef TOOLHOST_SERVICE_HTTP_REQUEST_H
#define TOOLHOST_SERVICE_HTTP_REQUEST_H

#include "service/http/fetch.h"

/* Texts live in `arena`.  False: it is not that. */
bool http_ask_read (struct http_ask *request, const char *json, size_t len, struct arena *arena);

void http_answer_write (const struct http_answer *answer, struct buf *out);

#endif
