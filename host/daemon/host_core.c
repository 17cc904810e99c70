#include <stdio.h>

#include "base/clock.h"
#include "call/call_audit.h"
#include "daemon/host_parts.h"

/* Two threads for files, so that a huge one does not hold the others up; two for results, likewise,
 * which wait for no file. */
enum { OFFLOAD_THREADS = 2, READERS = 2 };

/* ---- what its parts ask of the daemon ---- */

static void
policy_for (void *ctx, const char *name, struct policy *policy)
{
  struct host *host = ctx;

  policies_get (host->policies, name, host->config.require, policy);
  host_need_http (host, policy, name);
}

static size_t
hashes_in_use (void *ctx, char (**list)[SHA256_HEX])
{
  return plugins_hashes (((struct host *) ctx)->plugins, list);
}

void
host_tell_ready (struct host *host)
{
  char status[96];

  (void) snprintf (status, sizeof status, "%zu plugins, %zu tools", plugins_count (host->plugins),
                   (size_t) catalog_toolset (host->catalog)->count);
  notify_ready (host->notify, status);
}

/* Plugins are described, tenants' tools are built. */
static void
on_built (void *ctx)
{
  struct host *host = ctx;

  log_event (host->log, LOG_NOTICE, "ready", "plugins", LOG_INT (plugins_count (host->plugins)),
             "tools", LOG_INT (catalog_toolset (host->catalog)->count), NULL);
  log_be_patient (host->log, 0);
  host_tell_ready (host);
  host_begin_stdio (host);
}

static void
on_ready (void *ctx)
{
  struct host *host = ctx;

  host->plugins_known = true;
  host_begin_building (host);
}

void
host_begin_building (struct host *host)
{
  if (host->plugins_known
      && (host->definitions == NULL || definitions_are_loaded (host->definitions)))
    toolsets_begin (host->toolsets, on_built, host);
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

/* ---- making it ---- */

static void
follow_in_pool (struct pool *pool, const struct config *config)
{
  struct pool_settings *settings = &pool->settings;

  settings->grace = (double) config->grace_ms / 1000;
  settings->drain = (double) config->drain_ms / 1000;
  settings->idle_stop = (double) config->idle_stop_ms / 1000;
  settings->breaker.max_crashes = (unsigned) config->max_crashes;
  settings->breaker.window = (double) config->crash_window_ms / 1000;
  settings->breaker.quarantine = (double) config->quarantine_ms / 1000;
  settings->breaker.quarantine_max = (double) config->quarantine_max_ms / 1000;
  pool->tenants.running_max = (unsigned) config->tenant_running_max;
}

static void
make_pool (struct host *host)
{
  struct pool_settings settings;

  pool_settings_default (&settings);
  settings.spawner = host->spawner;
  settings.build = TOOLHOST_BUILD_ID;
  settings.start_timeout = (double) host->config.start_timeout_ms / 1000;
  settings.build_timeout = (double) host->config.build_timeout_ms / 1000;
  pool_init (&host->pool, host->loop, host->log, &settings);
  follow_in_pool (&host->pool, &host->config);
  host->pool.pressure = &host->ceiling.pressure;
  host->pool.offload = host->readers = offload_new (host->loop, READERS);
}

/* What keeps plugins and what is known of them. */
static void
make_store (struct host *host)
{
  struct describe_cache_needs cache = { .dir = host->state_dir,
                                        .build = TOOLHOST_BUILD_ID,
                                        .log = host->log };
  struct pins_needs pins = { .state_dir = host->state_dir, .log = host->log };
  struct intake_needs intake = {
    .loop = host->loop, .log = host->log, .used = hashes_in_use, .ctx = host
  };
  struct error err = { 0 };

  host->offload = offload_new (host->loop, OFFLOAD_THREADS);
  host->copies = copies_new (host->state_dir, (uint64_t) host->config.plugin_max, &err);
  if (err.text[0] != '\0')
    log_event (host->log, LOG_WARNING, "plugin_store_failed", "why", err.text, NULL);
  cache.offload = intake.offload = host->offload;
  host->cache = intake.cache = describe_cache_new (&cache);
  intake.copies = host->copies;
  pins.offload = host->offload;
  host->pins = pins_new (&pins);
  host->intake = intake_new (&intake);
}

static struct results *
make_results (struct host *host)
{
  const struct results_settings settings = { .shown = (size_t) host->config.result_shown,
                                             .ttl = (double) host->config.result_ttl_ms / 1000,
                                             .count_max = (size_t) host->config.results_max,
                                             .bytes_max = (uint64_t) host->config.results_memory };

  if (settings.shown != 0)
    host->results = results_new (host->loop, host->readers, &settings);
  return host->results;
}

void
host_make_core (struct host *host)
{
  struct calls_settings calls = { .pressure = &host->ceiling.pressure,
                                  .deadline_ms = host->config.deadline_ms,
                                  .running_max = (unsigned) host->config.running_max,
                                  .json_depth = (unsigned) host->config.json_depth,
                                  .log_per_second = (unsigned) host->config.log_calls_per_second,
                                  .repair = (enum repair_mode) host->config.repair,
                                  .approval_rules = host->config.approval_rules };
  struct plugins_needs needs = { .pool = &host->pool,
                                 .log = host->log,
                                 .describe_parallel = (unsigned) host->config.describe_parallel,
                                 .policy = policy_for,
                                 .ready = on_ready,
                                 .ctx = host };

  host->metrics = metrics_new ();
  host->began_ns = clock_ns ();
  host->catalog = catalog_new ();
  ceiling_init (&host->ceiling, host->loop, host->log, (uint64_t) host->config.memory_max, relieve,
                host);
  turns_init (&host->turns, host->loop,
              &(struct turns_clock){ .now = clock_ns, .worked = clock_thread_ns });
  make_store (host);
  make_pool (host);
  host->tenancies = tenancies_new (host->catalog, &host->pool.tenants);
  tenancies_set_guards (host->tenancies, host->config.guards);
  host_make_http (host);
  host_make_trace (host);
  host_make_realtime (host);
  needs.catalog = host->catalog;
  needs.sandbox = &host->sandbox_json;
  needs.cache = host->cache;
  needs.intake = host->intake;
  host->plugins = plugins_new (&needs);
  host->changes = changes_new (host->loop, &host->pool, host->catalog, host->plugins, host->log);
  calls.tracer = host_tracer (host);
  calls.turns = &host->turns;
  calls.tenancies = host->tenancies;
  calls.audit = host->audit;
  calls.audit_arguments = audit_arguments_of (host->config.audit_arguments);
  calls.audit_required = host->config.audit_required;
  calls.results = make_results (host);
  calls.readers = host->readers;
  host->calls = calls_new (host->loop, host->log, host->metrics, &calls);
  host_make_outbox (host);
  host_keep_calls (host);
  plugins_list_by (host->plugins, host->calls);
  host_make_tenants (host);
  host_make_manage (host);
  host_make_sessions (host);
  host_make_phone (host);
}

void
host_follow_config (struct host *host, const struct config *config)
{
  host->config.require = config->require;
  follow_in_pool (&host->pool, config);
  calls_set_repair (host->calls, (enum repair_mode) config->repair);
  tenancies_set_guards (host->tenancies, config->guards);
  calls_set_approvals (host->calls, config->approval_rules);
  ceiling_set_max (&host->ceiling, (uint64_t) config->memory_max);
}
