/* traced.h - what the headers of a request say of a trace (W3C Trace Context), and its span by
 * OpenTelemetry's conventions for HTTP servers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_TRACED_H
#define TOOLHOST_FRONT_TRACED_H

#include "front/http/http.h"
#include "watch/trace.h"

/* False, and *parent is none: they say nothing.  Borrows from the request. */
bool traced_parent (const struct http_exchange *x, struct trace_parent *parent);

/* The metadata of a call (a JSON object, or data NULL) with what the headers say, in the exchange's
 * arena; as they are where they name a trace themselves, or the headers none. */
struct slice traced_metadata (const struct http_exchange *x, struct slice metadata);

/* Do the metadata of a call name a trace themselves? */
bool traced_is_told (struct slice metadata, struct arena *arena);

/* When the request was there, of clock_ns. */
int64_t traced_came (const struct front_env *env, const struct http_exchange *x);

/* Begin the span of a request of this route ("/v1/tools/{name}/call"), part of what the metadata or
 * the headers name.  NULL: it is not sampled. */
struct span *traced_begin (const struct front_env *env, const struct http_exchange *x,
                           const char *route, struct slice metadata);
/* It is answered; 0: its peer has gone.  NULL is fine. */
void traced_end (struct span *span, int status);

#endif
