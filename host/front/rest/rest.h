/* rest.h - the plain HTTP paths: /v1/tools, /v1/calls, /v1/sessions, /v1/plugins, /healthz,
 * /readyz, /metrics, /. Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_H
#define TOOLHOST_FRONT_REST_H

#include "front/front.h"
#include "front/http/http.h"

struct rest;

struct rest *rest_new (const struct front_env *env);
/* Any request that is not /mcp. */
void rest_handle (struct rest *rest, struct http_exchange *x);
/* For fronts beside this one that are in its table: may the request go there, by the parameters of
 * its query?  False: it was answered. */
bool rest_takes (struct rest *rest, struct http_exchange *x);
/* Append the description of all that is served over HTTP, OpenAPI 3.1 (openapi.h). */
void rest_describe (const char *version, struct buf *out);
/* The table that routes: also of what other fronts serve.  For tests. */
struct route;
const struct route *rest_routes (size_t *count);
/* The daemon is stopping: event streams end, sessions and calls go on. */
void rest_drain (struct rest *rest);
void rest_free (struct rest *rest);

#endif
