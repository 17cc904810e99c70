#include "daemon/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "daemon/host_parts.h"

/* A daemon that could not keep what it promises does not begin.  For one plugin alone its own
 * worker says so. */
static bool
judge_sandbox (struct host *host, struct error *err)
{
  struct json_writer w = { .out = &host->sandbox_json };

  if (host->single != NULL)
    return true;
  if (!sandbox_answer (&host->sandbox_question, &host->sandbox, err))
    return error_wrap (err, "no worker can be confined here: ");
  if (!sandbox_holds (&host->sandbox, host->config.require, err))
    return false;
  sandbox_json (&host->sandbox, &w);
  return true;
}

/* A worker is asked what confines it while everything else is made; nothing is served before it has
 * told. */
static bool
make_all (struct host *host, const struct host_options *options, struct error *err)
{
  if (!host_open (host, options, err))
    return false;
  if (host->single == NULL)
    sandbox_ask (&host->sandbox_question, host->loop, host->spawner, host->worker);
  if (!host_open_store (host, err) || !host_open_audit (host, err))
    return false;
  host_make_core (host);
  host_watch_auth (host);
  return host_make_fronts (host, err) && judge_sandbox (host, err);
}

struct host *
host_new (struct ev_loop *loop, struct host_options *options, struct error *err)
{
  struct host *host = xcalloc (1, sizeof *host);

  host->loop = loop;
  host->notify = options->single == NULL ? notify_new (loop) : NULL;
  host->config = options->config;
  host->config_dir = options->config_dir;
  host->worker = options->worker;
  host->state_dir = -1;
  host->tenants_dir = host->tools_dir = -1;
  host->serve_stdio = options->stdio;
  host->reconfigure = options->reconfigure;
  host->reconfigure_ctx = options->reconfigure_ctx;
  host->single = options->single != NULL ? xstrdup (options->single) : NULL;
  host->record_fd = -1;
  host->single_fd = options->single != NULL ? open (options->single, O_RDONLY | O_CLOEXEC) : -1;
  host->single_errno = errno;
  memset (&options->config, 0, sizeof options->config);
  if (!make_all (host, options, err)) {
    host_free (host);
    return NULL;
  }
  return host;
}

static void
close_all (struct host *host)
{
  for (size_t i = 0; i < host->listeners_count; i++) {
    fd_cleanup (&host->listeners[i]);
    for (int64_t k = 0; host->beside[i] != NULL && k < host->config.threads - 1; k++)
      fd_cleanup (&host->beside[i][k]);
    free (host->beside[i]);
  }
  if (host->config.socket != NULL && host->listeners_count != 0 && !host->inherited)
    (void) unlink (host->config.socket);
  fd_cleanup (&host->config_dir);
  fd_cleanup (&host->state_dir);
  fd_cleanup (&host->worker);
  if (host->config.log_file != NULL)
    fd_cleanup (&host->log_fd);
}

void
host_free (struct host *host)
{
  if (host == NULL)
    return;
  sandbox_forget (&host->sandbox_question);
  host_unwatch (host);
  ev_timer_stop (host->loop, &host->drain);
  ev_timer_stop (host->loop, &host->patience);
  turns_clear (&host->turns);
  ceiling_clear (&host->ceiling);
  stdio_front_free (host->stdio);
  http_server_free (host->http);
  tls_server_free (host->tls);
  mcp_http_free (host->mcp);
  rest_free (host->rest);
  ws_front_free (host->ws);
  host_drop_realtime (host);
  host_drop_phone (host);
  host_free_sessions (host);
  if (host->calls != NULL) {
    calls_cancel_all (host->calls);
    offload_free (host->readers); /* nobody waits for what they read */
    changes_free (host->changes);
    toolsets_free (host->toolsets);
    host->toolsets = NULL;
    plugins_free (host->plugins);
    tenancies_free (host->tenancies);
    catalog_free (host->catalog);
    host_close_store (host);
    calls_free (host->calls);
    results_free (host->results);
    pool_clear (&host->pool);
  }
  host_close_store (host);
  host_free_manage (host);
  host_stop_fetching_keys (host);
  host_free_phone (host);
  host_free_realtime (host);
  host_close_trace (host);
  host_free_http (host);
  host_free_trace (host);
  host_unwatch_tenants (host);
  host_unwatch_tools (host);
  tenant_files_free (&host->tenants);
  seal_keys_free (host->seal);
  host_unwatch_auth (host);
  notify_free (host->notify);
  sandbox_facts_free (&host->sandbox);
  buf_free (&host->sandbox_json);
  discovery_free (host->discovery);
  offload_free (host->offload);
  intake_free (host->intake);
  copies_free (host->copies);
  describe_cache_free (host->cache);
  pins_free (host->pins);
  metrics_free (host->metrics);
  policies_free (host->policies);
  log_event (host->log, LOG_INFO, "stopped", NULL);
  host_close_audit (host);
  log_free (host->log);
  spawner_free (host->spawner); /* after the last thread: all leave the daemon's cgroup with it */
  close_all (host);
  config_free (&host->config);
  fd_cleanup (&host->single_fd);
  free (host->single);
  free (host);
}

bool
host_failed (const struct host *host)
{
  return host->failed;
}

bool
host_ready (const struct host *host)
{
  return plugins_ready (host->plugins);
}

struct catalog *
host_catalog (const struct host *host)
{
  return host->catalog;
}

struct calls *
host_calls (const struct host *host)
{
  return host->calls;
}

void
host_render_plugins (struct host *host, struct buf *out)
{
  plugins_render (host->plugins, out);
}
