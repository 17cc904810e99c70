#include "daemon/host_parts.h"

static void
forget (void *ctx, const char *name)
{
  discovery_forget (ctx, name);
}

/* Of a new configuration, what can change while running. */
static bool
reload_config (struct host *host, struct error *err)
{
  struct config now = { 0 };

  if (host->reconfigure == NULL)
    return true;
  config_init (&now);
  if (!host->reconfigure (host->reconfigure_ctx, &now, err)) {
    config_free (&now);
    return false;
  }
  if (now.ask_key_file != NULL && !seal_keys_read (host->seal, now.ask_key_file, err)) {
    config_free (&now);
    return error_wrap (err, "asks.key_file: ");
  }
  if (!host_follow_tls (host, &now, err) || !host_follow_auth (host, &now, err)) {
    config_free (&now);
    return false;
  }
  host_follow_config (host, &now);
  config_free (&now);
  return true;
}

static bool
reload (struct host *host, struct error *err)
{
  struct policies *now = policies_read (host->config_dir, err);

  if (now == NULL || !reload_config (host, err)) {
    policies_free (now);
    log_event (host->log, LOG_ERROR, "reload_failed", "why", err->text, NULL);
    return false;
  }
  policies_free (host->policies);
  host->policies = now;
  plugins_each_changed (host->plugins, forget, host->discovery);
  discovery_scan (host->discovery);
  log_event (host->log, LOG_INFO, "reloaded", NULL);
  toolsets_doubt (host->toolsets);
  if (!host_read_tenants (host, err))
    return error_wrap (err, "all else was read again, but not all of tenants.d: ");
  return host_read_tools (host, err)
         || error_wrap (err, "all else was read again, but not all of tools.d: ");
}

bool
host_reload (struct host *host, struct error *err)
{
  bool ok;

  if (!host_ready (host))
    return reload (host, err);
  notify_reloading (host->notify);
  ok = reload (host, err);
  host_tell_ready (host);
  return ok;
}
