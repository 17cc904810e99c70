#include "daemon/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/offload.h"
#include "catalog/discovery.h"
#include "catalog/store.h"
#include "daemon/ceiling.h"
#include "daemon/describe_cache.h"
#include "daemon/intake.h"
#include "daemon/listen.h"
#include "daemon/notify.h"
#include "daemon/paths.h"
#include "daemon/plugins.h"
#include "daemon/policies.h"
#include "daemon/privileges.h"
#include "daemon/sandbox.h"
#include "daemon/settings.h"
#include "front/http/http.h"
#include "front/mcp/mcp.h"
#include "front/rest/rest.h"
#include "front/stdio/stdio.h"
#include "pool/pool.h"
#include "pool/spawn.h"
#include "pool/unit.h"
#include "watch/log.h"
#include "watch/metrics.h"

#ifndef TOOLHOST_VERSION
#define TOOLHOST_VERSION "0.0.0"
#define TOOLHOST_BUILD_ID "dev"
#endif

/* Two threads for files, so that a huge one does not hold the others up. */
enum {
  LISTENERS_MAX = 16,
  OFFLOAD_THREADS = 2,
  OWN_DESCRIPTORS = 48,
  WORKER_DESCRIPTORS = 8 /* of a process, and of its plugin */
};

/* Seconds a client on standard input waits for plugins to be described. */
static const double STDIO_PATIENCE = 1.5;

struct host {
  struct ev_loop *loop;
  struct config config;
  int config_dir, state_dir, worker, log_fd;
  struct identity identity;
  struct spawner *spawner;
  struct sandbox_facts sandbox;
  struct buf sandbox_json;
  ev_io launcher; /* readable when it is gone */
  bool failed;
  struct notify *notify;
  struct log *log;
  struct metrics *metrics;
  struct ceiling ceiling;
  size_t descriptors; /* that the daemon may have */
  struct policies *policies;
  struct offload *offload;
  struct store *store;
  struct describe_cache *cache;
  struct intake *intake;
  struct catalog *catalog;
  struct pool pool;
  struct plugins *plugins;
  struct discovery *discovery;
  struct calls *calls;
  struct front_env env;
  struct http_server *http;
  struct mcp_http *mcp;
  struct rest *rest;
  struct stdio_front *stdio;
  int listeners[LISTENERS_MAX];
  char bound[LISTENERS_MAX][80];
  size_t listeners_count;
  bool inherited; /* the listeners are a service manager's */
  char *single;
  int single_fd;    /* opened while still root: its folder may be private */
  int single_errno; /* why not */
  bool serve_stdio, stopping;
  ev_timer patience; /* with stdio: how long a plugin may keep the client waiting */
  ev_timer drain;    /* while stopping: look whether everything has ended */
  ev_tstamp stop_by, kill_by;
  ev_signal hup, term, interrupt;
  bool (*reconfigure) (void *ctx, struct config *config, struct error *err);
  void *reconfigure_ctx;
};

/* ---- what the parts ask of each other ---- */

static void
on_found (void *ctx, const char *name, const char *path, const struct source *source)
{
  plugins_found (((struct host *) ctx)->plugins, name, path, source);
}

static void
on_gone (void *ctx, const char *name)
{
  plugins_gone (((struct host *) ctx)->plugins, name);
}

static void
on_refused (void *ctx, const char *name, const char *path, const char *why)
{
  plugins_refused (((struct host *) ctx)->plugins, name, path, why);
}

static void
on_scanned (void *ctx)
{
  plugins_scanned (((struct host *) ctx)->plugins);
}

static const struct discovery_events discovery_events = {
  .found = on_found, .gone = on_gone, .refused = on_refused, .scanned = on_scanned
};

static void
policy_for (void *ctx, const char *name, struct policy *policy)
{
  struct host *host = ctx;
  policies_get (host->policies, name, host->config.require, policy);
}

static size_t
hashes_in_use (void *ctx, char (**list)[SHA256_HEX])
{
  return plugins_hashes (((struct host *) ctx)->plugins, list);
}

static void
on_stdio_ended (void *ctx)
{
  host_stop (ctx);
}

/* Standard input is read from here on: what came before waits in its pipe, so that nobody who
 * starts a daemon and asks at once is told that there are no tools. */
static void
begin_stdio (struct host *host)
{
  ev_timer_stop (host->loop, &host->patience);
  if (host->serve_stdio && host->stdio == NULL && !host->stopping)
    host->stdio = stdio_front_new (&host->env, STDIN_FILENO, STDOUT_FILENO, on_stdio_ended, host);
}

/* A plugin that hangs while it is loaded is not worth the wait; the others are served. */
static void
on_patience (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  begin_stdio (timer->data);
}

static void
tell_ready (struct host *host)
{
  char status[96];

  (void) snprintf (status, sizeof status, "%zu plugins, %zu tools", plugins_count (host->plugins),
                   (size_t) catalog_toolset (host->catalog)->count);
  notify_ready (host->notify, status);
}

static void
on_ready (void *ctx)
{
  struct host *host = ctx;

  log_event (host->log, LOG_INFO, "ready", "plugins", LOG_INT (plugins_count (host->plugins)),
             "tools", LOG_INT (catalog_toolset (host->catalog)->count), NULL);
  tell_ready (host);
  begin_stdio (host);
}

static bool
manage_ready (void *ctx, const char **why_not)
{
  struct host *host = ctx;

  *why_not =
    host->stopping ? "the daemon is draining" : "plugins are still being asked what they offer";
  return !host->stopping && plugins_ready (host->plugins);
}

static void
pool_metric (struct buf *out, const char *name, const char *type, const char *help, double value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, value);
}

static void
manage_metrics (void *ctx, struct buf *out)
{
  struct host *host = ctx;

  metrics_render (
    host->metrics,
    &(struct metrics_names){ .outcome = calls_outcome_name, .repair = calls_repair_name }, out);
  ceiling_metrics (&host->ceiling, out);
  plugins_metrics (host->plugins, out);
  pool_metric (out, "toolhost_workers", "gauge", "Worker processes alive.", host->pool.workers);
  pool_metric (out, "toolhost_workers_killed_total", "counter",
               "Worker processes the daemon killed.", (double) host->pool.killed);
  pool_metric (out, "toolhost_tools", "gauge", "Tools in the toolset.",
               (double) catalog_toolset (host->catalog)->count);
  pool_metric (out, "toolhost_log_dropped_total", "counter", "Log lines a slow sink did not take.",
               (double) log_dropped (host->log));
  if (host->sandbox_json.len != 0)
    sandbox_metric (&host->sandbox, out);
  if (host->http != NULL)
    http_server_metrics (host->http, out);
}

static void
manage_plugins (void *ctx, struct buf *out)
{
  plugins_render (((struct host *) ctx)->plugins, out);
}

static bool
manage_release (void *ctx, const char *name)
{
  return plugins_release (((struct host *) ctx)->plugins, name);
}

/* What is left when the daemon itself and all workers it may start have theirs; where that is next
 * to nothing, a quarter. */
static size_t
manage_connections_room (void *ctx)
{
  const struct host *host = ctx;
  size_t others = OWN_DESCRIPTORS + (size_t) host->pool.workers_max * WORKER_DESCRIPTORS;

  return host->descriptors > others + host->descriptors / 4 ? host->descriptors - others
                                                            : host->descriptors / 4;
}

static bool
manage_reload (void *ctx, struct error *err)
{
  return host_reload (ctx, err);
}

static void
on_request (void *ctx, struct http_exchange *x)
{
  struct host *host = ctx;

  if (slice_is (http_request (x)->path, "/mcp"))
    mcp_http_handle (host->mcp, x);
  else
    rest_handle (host->rest, x);
}

/* ---- making it ---- */

/* Returns how many there may be. */
static size_t
raise_descriptor_limit (void)
{
  struct rlimit limit = { 1024, 1024 };

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void) setrlimit (RLIMIT_NOFILE, &limit);
    (void) getrlimit (RLIMIT_NOFILE, &limit);
  }
  return (size_t) limit.rlim_cur;
}

static bool
open_log (struct host *host, bool quiet, struct error *err)
{
  host->log_fd = STDERR_FILENO;
  if (host->config.log_file != NULL) {
    host->log_fd =
      open (host->config.log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
    if (host->log_fd < 0)
      return error_set (err, "log file %s: %s", host->config.log_file, strerror (errno));
  }
  if (!quiet)
    host->log =
      log_new (host->log_fd, (enum log_level) log_level_from_name (host->config.log_level));
  return true;
}

/* The state folder is made and given to the user the daemon becomes. */
static bool
open_state (struct host *host, struct error *err)
{
  const char *path = host->config.state_dir;

  host->state_dir = -1;
  if (path == NULL)
    return true;
  if (mkdir (path, 0700) == 0 && geteuid () == 0)
    (void) !chown (path, host->identity.uid, host->identity.gid);
  host->state_dir = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (host->state_dir < 0)
    return error_set (err, "state folder %s: %s", path, strerror (errno));
  return true;
}

static void
add_listener (struct host *host, int fd, const char *name)
{
  (void) snprintf (host->bound[host->listeners_count], sizeof *host->bound, "%s", name);
  host->listeners[host->listeners_count++] = fd;
}

/* What a service manager has opened is served instead of what the configuration names. */
static bool
take_inherited (struct host *host, struct error *err)
{
  int count = listen_inherited (host->listeners, host->bound, LISTENERS_MAX, err);

  host->listeners_count = count > 0 ? (size_t) count : 0;
  host->inherited = count > 0;
  return count >= 0;
}

static bool
bind_all (struct host *host, struct error *err)
{
  uid_t owner = geteuid () == 0 ? host->identity.uid : geteuid ();
  gid_t group = geteuid () == 0 ? host->identity.gid : getegid ();

  if (!take_inherited (host, err))
    return false;
  if (host->inherited)
    return true;
  for (char **address = host->config.listen; address != NULL && *address != NULL; address++) {
    char bound[80];
    int fd;
    if (host->listeners_count == LISTENERS_MAX - 1)
      return error_set (err, "more than %d addresses to listen on", LISTENERS_MAX - 1);
    fd = listen_tcp (*address, bound, err);
    if (fd < 0)
      return false;
    add_listener (host, fd, bound);
  }
  if (host->config.socket != NULL) {
    int fd = listen_unix (host->config.socket, owner, group, err);
    if (fd < 0)
      return false;
    add_listener (host, fd, host->config.socket);
  }
  return true;
}

static bool
add_plugin_dirs (struct host *host, bool standard, struct error *err)
{
  char **dirs;
  bool ok = true;

  for (char **dir = host->config.plugin_dirs; ok && dir != NULL && *dir != NULL; dir++)
    ok = discovery_add (host->discovery, *dir, true, err);
  if (!ok || !standard)
    return ok;
  dirs = paths_plugin_dirs ();
  for (char **dir = dirs; *dir != NULL; dir++)
    (void) discovery_add (host->discovery, *dir, false, NULL);
  settings_free_strings (dirs);
  return true;
}

static void
set_breaker (struct breaker_settings *breaker, const struct config *config)
{
  breaker->max_crashes = (unsigned) config->max_crashes;
  breaker->window = (double) config->crash_window_ms / 1000;
  breaker->quarantine = (double) config->quarantine_ms / 1000;
  breaker->quarantine_max = (double) config->quarantine_max_ms / 1000;
}

static void
make_pool (struct host *host)
{
  struct pool_settings settings;

  pool_settings_default (&settings);
  settings.spawner = host->spawner;
  settings.build = TOOLHOST_BUILD_ID;
  settings.grace = (double) host->config.grace_ms / 1000;
  settings.drain = (double) host->config.drain_ms / 1000;
  settings.idle_stop = (double) host->config.idle_stop_ms / 1000;
  settings.start_timeout = (double) host->config.start_timeout_ms / 1000;
  set_breaker (&settings.breaker, &host->config);
  pool_init (&host->pool, host->loop, host->log, &settings);
  host->pool.tenants.running_max = (unsigned) host->config.tenant_running_max;
  host->pool.pressure = &host->ceiling.pressure;
}

/* What is kept for speed is given back. */
static void
relieve (void *ctx)
{
  struct host *host = ctx;

  calls_trim (host->calls);
  if (host->http != NULL)
    http_server_relieve (host->http);
}

/* What keeps plugins and what is known of them. */
static void
make_store (struct host *host)
{
  struct describe_cache_needs cache = { .dir = host->state_dir,
                                        .build = TOOLHOST_BUILD_ID,
                                        .log = host->log };
  struct intake_needs intake = {
    .loop = host->loop, .log = host->log, .used = hashes_in_use, .ctx = host
  };
  struct error err = { 0 };

  host->offload = offload_new (host->loop, OFFLOAD_THREADS);
  host->store = store_new (host->state_dir, (uint64_t) host->config.plugin_max, &err);
  if (err.text[0] != '\0')
    log_event (host->log, LOG_WARNING, "plugin_store_failed", "why", err.text, NULL);
  cache.offload = intake.offload = host->offload;
  host->cache = intake.cache = describe_cache_new (&cache);
  intake.store = host->store;
  host->intake = intake_new (&intake);
}

static void
make_core (struct host *host)
{
  const struct calls_settings calls = { .pressure = &host->ceiling.pressure,
                                        .deadline_ms = host->config.deadline_ms,
                                        .running_max = (unsigned) host->config.running_max,
                                        .json_depth = (unsigned) host->config.json_depth,
                                        .log_per_second =
                                          (unsigned) host->config.log_calls_per_second,
                                        .repair = (enum repair_mode) host->config.repair };
  struct plugins_needs needs = { .pool = &host->pool,
                                 .log = host->log,
                                 .describe_parallel = (unsigned) host->config.describe_parallel,
                                 .policy = policy_for,
                                 .ready = on_ready,
                                 .ctx = host };

  host->metrics = metrics_new ();
  host->catalog = catalog_new ();
  ceiling_init (&host->ceiling, host->loop, host->log, (uint64_t) host->config.memory_max, relieve,
                host);
  make_store (host);
  make_pool (host);
  needs.catalog = host->catalog;
  needs.sandbox = host->sandbox_json.len != 0 ? buf_cstr (&host->sandbox_json) : NULL;
  needs.cache = host->cache;
  needs.intake = host->intake;
  host->plugins = plugins_new (&needs);
  host->calls = calls_new (host->loop, host->log, host->metrics, &calls);
}

static void
make_fronts (struct host *host)
{
  struct http_limits limits = http_default_limits;

  host->env = (struct front_env){ .loop = host->loop,
                                  .calls = host->calls,
                                  .catalog = host->catalog,
                                  .log = host->log,
                                  .pressure = &host->ceiling.pressure,
                                  .version = TOOLHOST_VERSION,
                                  .instructions = host->config.instructions,
                                  .body_max = (size_t) host->config.body_max,
                                  .json_depth = (unsigned) host->config.json_depth,
                                  .page_size = (size_t) host->config.page_size,
                                  .hosts = (const char *const *) host->config.allowed_hosts,
                                  .origins = (const char *const *) host->config.allowed_origins,
                                  .manage = { .ctx = host,
                                              .ready = manage_ready,
                                              .metrics = manage_metrics,
                                              .plugins = manage_plugins,
                                              .release = manage_release,
                                              .reload = manage_reload,
                                              .connections_room = manage_connections_room } };
  if (host->listeners_count == 0)
    return;
  limits.body_max = host->env.body_max;
  limits.connections_max = (unsigned) host->config.connections_max;
  limits.connections_per_peer_max = (unsigned) host->config.connections_per_peer_max;
  host->mcp = mcp_http_new (&host->env);
  host->rest = rest_new (&host->env);
  host->http = http_server_new (&host->env, &limits, on_request, host);
}

/* Before anything is bound: what it inherits is as little as there is. */
static bool
start_spawner (struct host *host, struct error *err)
{
  const struct spawner_settings settings = { .program = host->worker,
                                             .user = host->identity.uid,
                                             .group = host->identity.gid,
                                             .uid_first = (uid_t) host->config.worker_uid_first,
                                             .uid_count =
                                               (unsigned) host->config.worker_uid_count };

  if (host->identity.uid - settings.uid_first < settings.uid_count)
    return error_set (err, "worker_uids: %u to %u holds the uid %u of user %s, whom the daemon is",
                      settings.uid_first, settings.uid_first + settings.uid_count - 1,
                      host->identity.uid, host->identity.name);
  host->spawner = spawner_new (&settings, err);
  return host->spawner != NULL;
}

/* Everything that needs root's rights, in one place; they are gone when this returns. */
static bool
use_privileges (struct host *host, const struct host_options *options, struct error *err)
{
  if (!identity_find (host->config.user, strcmp (host->config.user, "toolhost") != 0,
                      &host->identity, err))
    return false;
  host->descriptors = raise_descriptor_limit ();
  if (!start_spawner (host, err))
    return false;
  host->discovery = discovery_new (host->loop, &discovery_events, host);
  if (!open_log (host, options->quiet, err) || !open_state (host, err) || !bind_all (host, err)
      || !add_plugin_dirs (host, options->standard_dirs, err))
    return false;
  host->policies = policies_read (host->config_dir, err);
  return host->policies != NULL && identity_become (&host->identity, err);
}

/* A daemon that could not keep what it promises does not begin.  For one plugin alone its own
 * worker says so. */
static bool
find_sandbox (struct host *host, struct error *err)
{
  struct json_writer w = { .out = &host->sandbox_json };

  if (host->single != NULL)
    return true;
  if (!sandbox_find (&host->sandbox, host->loop, host->spawner, host->worker, err))
    return error_wrap (err, "no worker can be confined here: ");
  if (!sandbox_holds (&host->sandbox, host->config.require, err))
    return false;
  sandbox_json (&host->sandbox, &w);
  return true;
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
  host->serve_stdio = options->stdio;
  host->reconfigure = options->reconfigure;
  host->reconfigure_ctx = options->reconfigure_ctx;
  host->single = options->single != NULL ? xstrdup (options->single) : NULL;
  host->single_fd = options->single != NULL ? open (options->single, O_RDONLY | O_CLOEXEC) : -1;
  host->single_errno = errno;
  memset (&options->config, 0, sizeof options->config);
  if (!use_privileges (host, options, err) || !find_sandbox (host, err)) {
    host_free (host);
    return NULL;
  }
  make_core (host);
  make_fronts (host);
  return host;
}

/* ---- running ---- */

static void
on_hup (struct ev_loop *loop, ev_signal *signal, int revents)
{
  struct host *host = signal->data;
  struct error err = { 0 };

  (void) loop;
  (void) revents;
  (void) host_reload (host, &err);
}

static void
on_stop_signal (struct ev_loop *loop, ev_signal *signal, int revents)
{
  (void) loop;
  (void) revents;
  host_stop (signal->data);
}

static void
watch_signal (struct host *host, ev_signal *watcher, int number,
              void (*act) (struct ev_loop *, ev_signal *, int))
{
  ev_signal_init (watcher, act, number);
  watcher->data = host;
  ev_signal_start (host->loop, watcher);
  ev_unref (host->loop);
}

/* Without it no worker can be started, and none of its uids killed: what runs may end, and a
 * service manager starts us anew. */
static void
on_launcher_gone (struct ev_loop *loop, ev_io *io, int revents)
{
  struct host *host = io->data;

  (void) revents;
  ev_io_stop (loop, io);
  ev_ref (loop);
  log_event (host->log, LOG_ERROR, "launcher_lost", "pid",
             LOG_INT (spawner_launcher (host->spawner)), "why",
             "the process that starts workers is gone; the daemon ends", NULL);
  host->failed = true;
  host_stop (host);
}

static void
watch_launcher (struct host *host)
{
  int fd = spawner_fd (host->spawner);

  if (fd < 0)
    return;
  ev_io_init (&host->launcher, on_launcher_gone, fd, EV_READ);
  host->launcher.data = host;
  ev_io_start (host->loop, &host->launcher);
  ev_unref (host->loop);
}

/* One file or folder, by its path, as if it had been found. */
static void
find_single (struct host *host)
{
  const char *slash = strrchr (host->single, '/');
  CLEANUP_FREE char *name = xstrdup (slash != NULL ? slash + 1 : host->single);
  char *dot = strrchr (name, '.');
  struct source source = { .fd = host->single_fd };
  struct error err = { 0 };

  host->single_fd = -1;
  if (dot != NULL && dot != name)
    *dot = '\0';
  if (source.fd >= 0 && discovery_look (name, &source, &err))
    plugins_found (host->plugins, name, host->single, &source);
  else {
    plugins_refused (host->plugins, name, host->single,
                     source.fd < 0 ? strerror (host->single_errno) : err.text);
    fd_cleanup (&source.fd);
  }
  plugins_scanned (host->plugins);
}

void
host_start (struct host *host)
{
  (void) signal (SIGPIPE, SIG_IGN);
  watch_launcher (host);
  if (host->single != NULL) {
    find_single (host);
    return;
  }
  watch_signal (host, &host->hup, SIGHUP, on_hup);
  watch_signal (host, &host->term, SIGTERM, on_stop_signal);
  watch_signal (host, &host->interrupt, SIGINT, on_stop_signal);
  for (size_t i = 0; i < host->listeners_count; i++) {
    http_server_listen (host->http, host->listeners[i]);
    host->listeners[i] = -1;
    log_event (host->log, LOG_INFO, "listening", "address", host->bound[i], NULL);
  }
  sandbox_log (&host->sandbox, host->log);
  log_event (host->log, LOG_INFO, "started", "version", TOOLHOST_VERSION, "build",
             TOOLHOST_BUILD_ID, "user", host->identity.name, "pid", LOG_INT (getpid ()), NULL);
  if (host->serve_stdio) {
    ev_timer_init (&host->patience, on_patience, STDIO_PATIENCE, 0);
    host->patience.data = host;
    ev_timer_start (host->loop, &host->patience);
  }
  discovery_start (host->discovery);
}

static void
shut_down_pool (struct host *host)
{
  calls_cancel_all (host->calls);
  plugins_shutdown (host->plugins);
  host->stop_by = 0;
}

/* While stopping: calls first, then workers, then the loop. */
static void
on_drain (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct host *host = timer->data;

  (void) revents;
  if (host->stop_by != 0 && (calls_running (host->calls) == 0 || ev_now (loop) >= host->stop_by))
    shut_down_pool (host);
  if (host->stop_by == 0 && (host->pool.workers == 0 || ev_now (loop) >= host->kill_by))
    ev_break (loop, EVBREAK_ALL);
}

void
host_stop (struct host *host)
{
  if (host->stopping)
    return;
  host->stopping = true;
  notify_stopping (host->notify);
  log_event (host->log, LOG_INFO, "stopping", "calls", LOG_INT (calls_running (host->calls)), NULL);
  calls_drain (host->calls);
  if (host->http != NULL)
    http_server_drain (host->http);
  host->stop_by = ev_now (host->loop) + (double) host->config.drain_ms / 1000;
  host->kill_by = host->stop_by + 2;
  ev_timer_init (&host->drain, on_drain, 0, 0.02);
  host->drain.data = host;
  ev_timer_start (host->loop, &host->drain);
}

/* ---- reload ---- */

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
  host->config.require = now.require;
  calls_set_repair (host->calls, (enum repair_mode) now.repair);
  host->pool.settings.grace = (double) now.grace_ms / 1000;
  host->pool.settings.drain = (double) now.drain_ms / 1000;
  host->pool.settings.idle_stop = (double) now.idle_stop_ms / 1000;
  set_breaker (&host->pool.settings.breaker, &now);
  host->pool.tenants.running_max = (unsigned) now.tenant_running_max;
  ceiling_set_max (&host->ceiling, (uint64_t) now.memory_max);
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
  return true;
}

bool
host_reload (struct host *host, struct error *err)
{
  bool ok;

  if (!host_ready (host))
    return reload (host, err);
  notify_reloading (host->notify);
  ok = reload (host, err);
  tell_ready (host);
  return ok;
}

/* ---- the end ---- */

static void
stop_signal (struct host *host, ev_signal *watcher)
{
  if (!ev_is_active (watcher))
    return;
  ev_ref (host->loop);
  ev_signal_stop (host->loop, watcher);
}

static void
close_all (struct host *host)
{
  for (size_t i = 0; i < host->listeners_count; i++)
    fd_cleanup (&host->listeners[i]);
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
  stop_signal (host, &host->hup);
  stop_signal (host, &host->term);
  stop_signal (host, &host->interrupt);
  if (ev_is_active (&host->launcher)) {
    ev_ref (host->loop);
    ev_io_stop (host->loop, &host->launcher);
  }
  ev_timer_stop (host->loop, &host->drain);
  ev_timer_stop (host->loop, &host->patience);
  ceiling_clear (&host->ceiling);
  stdio_front_free (host->stdio);
  http_server_free (host->http);
  mcp_http_free (host->mcp);
  rest_free (host->rest);
  if (host->calls != NULL) {
    calls_cancel_all (host->calls);
    plugins_free (host->plugins);
    catalog_free (host->catalog);
    calls_free (host->calls);
    pool_clear (&host->pool);
  }
  spawner_free (host->spawner);
  notify_free (host->notify);
  sandbox_facts_free (&host->sandbox);
  buf_free (&host->sandbox_json);
  discovery_free (host->discovery);
  offload_free (host->offload);
  intake_free (host->intake);
  store_free (host->store);
  describe_cache_free (host->cache);
  metrics_free (host->metrics);
  policies_free (host->policies);
  log_event (host->log, LOG_INFO, "stopped", NULL);
  log_free (host->log);
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
