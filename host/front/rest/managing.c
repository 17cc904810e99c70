#include "front/rest/managing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "front/auth/auth.h"
#include "front/encode.h"
#include "front/rest/stats.h"

/* { "status": … } */
static void
reply_status (struct http_exchange *x, int http, const char *status, const char *why)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "status", status);
  if (why != NULL)
    jsonw_name_string (&w, "why", why);
  jsonw_end (&w);
  http_reply_json (x, http, NULL, &out);
}

/* What a function of struct front_manage makes. */
static void
reply_made (struct http_exchange *x, void (*make) (void *ctx, struct buf *out), void *ctx)
{
  CLEANUP_BUF struct buf out = { 0 };

  make (ctx, &out);
  http_reply_json (x, 200, NULL, &out);
}

/* ---- how it is ---- */

void
rest_health_get (struct http_exchange *x)
{
  reply_status (x, 200, "ok", NULL);
}

void
rest_ready_get (const struct front_env *env, struct http_exchange *x)
{
  const struct front_manage *manage = &env->manage;
  const char *why = NULL;

  if (manage->ready (manage->ctx, &why))
    reply_status (x, 200, "ready", NULL);
  else
    reply_status (x, 503, "not_ready", why != NULL ? why : "starting");
}

void
rest_metrics_get (const struct front_env *env, struct http_exchange *x)
{
  const struct front_manage *manage = &env->manage;
  const bool openmetrics = media_named (http_header (x, "accept"), "application/openmetrics-text");
  CLEANUP_BUF struct buf out = { 0 };

  manage->metrics (manage->ctx, openmetrics, &out);
  http_reply (x, 200,
              openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                          : "text/plain; version=0.0.4; charset=utf-8",
              NULL, out.data, out.len);
}

void
rest_top_get (const struct front_env *env, struct http_exchange *x)
{
  reply_made (x, env->manage.top, env->manage.ctx);
}

void
rest_stats_get (const struct front_env *env, struct http_exchange *x)
{
  const struct front_peer *peer = http_request (x)->peer;
  const char *tenant = peer->tenant != NULL ? peer->tenant : "default";
  CLEANUP_BUF struct buf out = { 0 };

  stats_put (&out, front_toolset (env, peer->tenant), env->calls,
             (peer->roles & ROLE_MANAGE) != 0 ? NULL : tenant);
  http_reply_json (x, 200, NULL, &out);
}

void
rest_stats_clear (const struct front_env *env, struct http_exchange *x)
{
  stats_clear (front_toolset (env, http_request (x)->peer->tenant));
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

/* ---- what it serves, and to whom ---- */

void
rest_plugins_get (const struct front_env *env, struct http_exchange *x)
{
  reply_made (x, env->manage.plugins, env->manage.ctx);
}

void
rest_plugin_release (const struct front_env *env, struct http_exchange *x, struct slice plugin)
{
  const struct front_manage *manage = &env->manage;
  CLEANUP_FREE char *name = xstrndup (plugin.data, plugin.len);

  if (strlen (name) != plugin.len || !manage->release (manage->ctx, name))
    http_reply_error (x, 404, "not_found", "There is no such plugin");
  else
    reply_status (x, 200, "released", NULL);
}

void
rest_tenants_get (const struct front_env *env, struct http_exchange *x, struct slice tenant)
{
  const struct front_manage *manage = &env->manage;
  CLEANUP_FREE char *name = tenant.len != 0 ? xstrndup (tenant.data, tenant.len) : NULL;
  CLEANUP_BUF struct buf out = { 0 };

  if ((name != NULL && strlen (name) != tenant.len) || !manage->tenants (manage->ctx, name, &out))
    http_reply_error (x, 404, "not_found", "There is no file of such a tenant");
  else
    http_reply_json (x, 200, NULL, &out);
}

/* NULL: it holds U+0000, or it is not said. */
static char *
text_of (struct slice s)
{
  return s.data != NULL && memchr (s.data, '\0', s.len) == NULL ? xstrndup (s.data, s.len) : NULL;
}

void
rest_pins_get (const struct front_env *env, struct http_exchange *x, struct slice named)
{
  const struct front_manage *manage = &env->manage;
  CLEANUP_FREE char *tenant = text_of (named);
  CLEANUP_BUF struct buf out = { 0 };

  if (tenant == NULL || !manage->pins (manage->ctx, tenant, &out))
    http_reply_error (x, 404, "not_found", "There is no tenant of this name with pins");
  else
    http_reply_json (x, 200, NULL, &out);
}

void
rest_pin_accept (const struct front_env *env, struct http_exchange *x, struct slice named)
{
  const struct front_manage *manage = &env->manage;
  CLEANUP_FREE char *tenant = text_of (named);
  CLEANUP_FREE char *name = text_of (http_query (x, "name"));
  const struct slice wanted = http_query (x, "digest");
  CLEANUP_FREE char *digest = text_of (wanted);
  struct error err = { 0 };

  if (tenant == NULL || name == NULL || (digest == NULL && wanted.data != NULL))
    http_reply_error (x, 400, "bad_request",
                      "expected name=, of what is accepted, and perhaps its digest=");
  else if (!manage->accept (manage->ctx, tenant, name, digest, &err))
    http_reply_error (x, 404, "not_found", "%s", err.text);
  else
    reply_status (x, 200, "accepted", NULL);
}

void
rest_reload (const struct front_env *env, struct http_exchange *x)
{
  const struct front_manage *manage = &env->manage;
  struct error err = { 0 };

  if (!manage->reload (manage->ctx, &err))
    return http_reply_error (x, 422, "bad_configuration", "%s", err.text);
  reply_status (x, 200, "reloaded", NULL);
}
