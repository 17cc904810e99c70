#include <string.h>
#include <unistd.h>

#include "daemon/host_parts.h"

enum {
  OWN_DESCRIPTORS = 48,
  WORKER_DESCRIPTORS = 8, /* of a process, and of its plugin */
  THREAD_DESCRIPTORS = 8  /* of a loop, and what it listens on */
};

/* Seconds a client on standard input waits for plugins to be described. */
static const double STDIO_PATIENCE = 1.5;

/* ---- what they ask of the daemon ---- */

static bool
manage_ready (void *ctx, const char **why_not)
{
  struct host *host = ctx;

  *why_not =
    host->stopping ? "the daemon is draining" : "plugins are still being asked what they offer";
  return !host->stopping && plugins_ready (host->plugins) && toolsets_are_built (host->toolsets);
}

static void
pool_metric (struct buf *out, const char *name, const char *type, const char *help, double value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, value);
}

static void
manage_metrics (void *ctx, bool openmetrics, struct buf *out)
{
  struct host *host = ctx;

  metrics_head (out, "toolhost_build_info", "gauge", "1, and what runs.");
  metrics_sample (out, "toolhost_build_info", "version=\"" TOOLHOST_VERSION "\"", 1);
  metrics_render (
    host->metrics,
    &(struct metrics_names){ .outcome = calls_outcome_name, .repair = calls_repair_name },
    openmetrics, out);
  ceiling_metrics (&host->ceiling, out);
  turns_metrics (&host->turns, out);
  plugins_metrics (host->plugins, out);
  http_broker_metrics (&host->broker, openmetrics, out);
  host_store_metrics (host, out);
  host_audit_metrics (host, out);
  host_outbox_metrics (host, out);
  if (host->trace != NULL)
    trace_export_metrics (host->trace, out);
  pool_metric (out, "toolhost_workers", "gauge", "Worker processes alive.", host->pool.workers);
  pool_metric (out, "toolhost_workers_killed_total", "counter",
               "Worker processes the daemon killed.", (double) host->pool.killed);
  pool_metric (out, "toolhost_worker_rests_total", "counter",
               "Times a worker said so much that it had to wait.", (double) host->pool.rests);
  pool_metric (out, "toolhost_tools", "gauge", "Tools in the toolset.",
               (double) catalog_toolset (host->catalog)->count);
  if (host->results != NULL) {
    pool_metric (out, "toolhost_results_kept", "gauge", "Results kept to be read in pages.",
                 (double) results_count (host->results));
    pool_metric (out, "toolhost_results_kept_bytes", "gauge", "Bytes of them.",
                 (double) results_bytes (host->results));
  }
  pool_metric (out, "toolhost_log_dropped_total", "counter", "Log lines a slow sink did not take.",
               (double) log_dropped (host->log));
  if (host->sandbox_json.len != 0)
    sandbox_metric (&host->sandbox, out);
  if (host->sessions != NULL)
    pool_metric (out, "toolhost_sessions", "gauge", "Conversations that are open.",
                 (double) sessions_count (host->sessions));
  if (host->realtime != NULL)
    pool_metric (out, "toolhost_realtime_calls", "gauge", "Telephone calls that are attended.",
                 (double) realtime_count (host->realtime));
  if (host->http != NULL) {
    http_server_metrics (host->http, out);
    auth_metrics (host->auth, out);
  }
  if (openmetrics)
    metrics_as_openmetrics (out);
}

static bool
manage_tenants (void *ctx, const char *name, struct buf *out)
{
  return toolsets_render (((struct host *) ctx)->toolsets, name, out);
}

static bool
manage_pins (void *ctx, const char *tenant, struct buf *out)
{
  struct pinned *pinned = toolsets_pinned (((struct host *) ctx)->toolsets, tenant);

  if (pinned != NULL)
    pinned_render (pinned, out);
  return pinned != NULL;
}

static bool
manage_accept (void *ctx, const char *tenant, const char *name, const char *digest,
               struct error *err)
{
  switch (toolsets_accept (((struct host *) ctx)->toolsets, tenant, name, digest)) {
  case PINS_ACCEPTED:
    return true;
  case PINS_NOT_KEPT:
    return error_set (err, "no tenant %.80s has \"pin\" in its file", tenant);
  case PINS_IS_ANOTHER:
    return error_set (err, "what waits as %.80s has another digest", name);
  case PINS_NOTHING_WAITS:
    break;
  }
  return error_set (err, "nothing of this name waits: %.80s", name);
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
  size_t others = OWN_DESCRIPTORS + (size_t) host->pool.workers_max * WORKER_DESCRIPTORS
                  + (size_t) (host->config.threads - 1) * THREAD_DESCRIPTORS;

  return host->descriptors > others + host->descriptors / 4 ? host->descriptors - others
                                                            : host->descriptors / 4;
}

static bool
manage_reload (void *ctx, struct error *err)
{
  return host_reload (ctx, err);
}

/* Fronts of one path each, which the table of REST describes. */
static void
on_own_path (struct host *host, struct http_exchange *x, bool talks)
{
  if (!rest_takes (host->rest, x))
    return;
  if (talks)
    ws_front_handle (host->ws, x);
  else
    host_phone_attach (host, x);
}

static void
on_request (void *ctx, struct http_exchange *x)
{
  struct host *host = ctx;
  const struct slice path = http_request (x)->path;
  const bool talks = slice_is (path, WS_PATH);

  if (slice_is (path, REALTIME_INCOMING_PATH)) /* signed, and no caller's */
    return host_phone_incoming (host, x);
  if (!auth_admit (host->auth, x))
    return;
  if (slice_is (path, "/mcp"))
    mcp_http_handle (host->mcp, x);
  else if (talks || slice_is (path, REALTIME_CALLS_PATH))
    on_own_path (host, x, talks);
  else
    rest_handle (host->rest, x);
}

/* ---- HTTP ---- */

static struct filter_list
list_of (const char *text)
{
  return (struct filter_list){ text, text != NULL ? strlen (text) : 0 };
}

static struct asked
asked_of (const struct config *config)
{
  return (struct asked){ .filter = { .tools = list_of (config->listed_tools),
                                     .tags = list_of (config->listed_tags),
                                     .plugins = list_of (config->listed_plugins) },
                         .search = config->disclosure != NULL
                                   && strcmp (config->disclosure, "search") == 0 };
}

bool
host_make_fronts (struct host *host, struct error *err)
{
  struct http_limits limits = http_default_limits;

  host->env = (struct front_env){ .loop = host->loop,
                                  .calls = host->calls,
                                  .catalog = host->catalog,
                                  .tenancies = host->tenancies,
                                  .tenant = host->config.tenant,
                                  .log = host->log,
                                  .pressure = &host->ceiling.pressure,
                                  .turns = &host->turns,
                                  .tracer = host_tracer (host),
                                  .version = TOOLHOST_VERSION,
                                  .asked = asked_of (&host->config),
                                  .instructions = host->config.instructions,
                                  .auth = host->auth,
                                  .seal = host->seal,
                                  .results = host->results,
                                  .readers = host->readers,
                                  .sessions = host->sessions,
                                  .store = host->store,
                                  .approvals = host->approvals,
                                  .state_dir = host->config.state_dir,
                                  .definitions = host->manage,
                                  .ask_ttl = (double) host->config.ask_ttl_ms / 1000,
                                  .asks_max = (size_t) host->config.asks_max,
                                  .batch_max = (size_t) host->config.batch_max,
                                  .task_ttl = (double) host->config.task_ttl_ms / 1000,
                                  .tasks_max = (size_t) host->config.tasks_max,
                                  .body_max = (size_t) host->config.body_max,
                                  .json_depth = (unsigned) host->config.json_depth,
                                  .page_size = (size_t) host->config.page_size,
                                  .hosts = (const char *const *) host->config.allowed_hosts,
                                  .origins = (const char *const *) host->config.allowed_origins,
                                  .manage = { .ctx = host,
                                              .ready = manage_ready,
                                              .metrics = manage_metrics,
                                              .top = host_put_top,
                                              .plugins = manage_plugins,
                                              .tenants = manage_tenants,
                                              .pins = manage_pins,
                                              .accept = manage_accept,
                                              .release = manage_release,
                                              .reload = manage_reload,
                                              .connections_room = manage_connections_room } };
  if (host->listeners_count == 0)
    return true;
  limits.body_max = host->env.body_max;
  limits.connections_max = (unsigned) host->config.connections_max;
  limits.connections_per_peer_max = (unsigned) host->config.connections_per_peer_max;
  host->mcp = mcp_http_new (&host->env);
  host->rest = rest_new (&host->env);
  host->ws = ws_front_new (&host->env);
  host->http = http_server_new (&host->env, &limits, on_request, host);
  http_server_use_tls (host->http, host->tls);
  host->tls = NULL;
  return host->config.threads == 1
         || http_server_spread (host->http, (unsigned) host->config.threads, err);
}

/* One socket for all threads, or for each its own. */
static void
serve_listener (struct host *host, size_t i)
{
  int fds[FRONT_THREADS_MAX];
  size_t more = (size_t) host->config.threads - 1;

  fds[0] = host->listeners[i];
  if (host->beside[i] == NULL)
    more = 0;
  else {
    memcpy (fds + 1, host->beside[i], more * sizeof *fds);
    memset (host->beside[i], -1, more * sizeof *fds);
  }
  if (host->speaks_tls[i])
    http_server_listen_tls (host->http, fds, more + 1);
  else if (more == 0)
    http_server_listen (host->http, fds[0]);
  else
    http_server_listen_apart (host->http, fds, more + 1);
}

void
host_listen (struct host *host)
{
  for (size_t i = 0; i < host->listeners_count; i++) {
    serve_listener (host, i);
    host->listeners[i] = -1;
    log_event (host->log, LOG_INFO, "listening", "address", host->bound[i], "tls",
               host->speaks_tls[i] ? "yes" : NULL, NULL);
  }
}

/* ---- standard input ---- */

static void
on_stdio_ended (void *ctx)
{
  host_stop (ctx);
}

/* Standard input is read from here on: what came before waits in its pipe, so that nobody who
 * starts a daemon and asks at once is told that there are no tools. */
void
host_begin_stdio (struct host *host)
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
  host_begin_stdio (timer->data);
}

void
host_await_stdio (struct host *host)
{
  if (!host->serve_stdio)
    return;
  ev_timer_init (&host->patience, on_patience, STDIO_PATIENCE, 0);
  host->patience.data = host;
  ev_timer_start (host->loop, &host->patience);
}
