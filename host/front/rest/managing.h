/* managing.h - how the daemon is: GET /healthz, /readyz, /metrics, /v1/top, /v1/stats; what it
 * serves, and to whom: /v1/plugins, /v1/tenants and their pins, POST /v1/reload.  Used by rest.c.
 * Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_MANAGING_H
#define TOOLHOST_FRONT_REST_MANAGING_H

#include "front/front.h"
#include "front/http/http.h"

void rest_health_get (struct http_exchange *x);
/* 503 with the reason until it serves. */
void rest_ready_get (const struct front_env *env, struct http_exchange *x);
/* In Prometheus' text format, or as OpenMetrics where that is accepted. */
void rest_metrics_get (const struct front_env *env, struct http_exchange *x);
void rest_top_get (const struct front_env *env, struct http_exchange *x);
/* Who manages sees the circuits of all tenants, others those of their own. */
void rest_stats_get (const struct front_env *env, struct http_exchange *x);
/* Of the tools that the caller is served. */
void rest_stats_clear (const struct front_env *env, struct http_exchange *x);

void rest_plugins_get (const struct front_env *env, struct http_exchange *x);
/* What holds this plugin back ends. */
void rest_plugin_release (const struct front_env *env, struct http_exchange *x,
                          struct slice plugin);
/* All tenants (an empty name), or one. */
void rest_tenants_get (const struct front_env *env, struct http_exchange *x, struct slice tenant);
void rest_pins_get (const struct front_env *env, struct http_exchange *x, struct slice named);
/* ?name= and perhaps ?digest=, of what changed and is accepted. */
void rest_pin_accept (const struct front_env *env, struct http_exchange *x, struct slice named);
/* Configuration, policies and tenants are read anew. */
void rest_reload (const struct front_env *env, struct http_exchange *x);

#endif
