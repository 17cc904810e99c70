#include "daemon/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_c.h"
#include "call/guards.h"
#include "daemon/document.h"
#include "front/http/http.h"
#include "pool/launch.h"
#include "schema/repair/repair.h"
#include "watch/log.h"

#define AT(member) offsetof (struct config, member)

static const struct setting sandbox_settings[] = {
  { "require", SETTING_GUARANTEES, AT (require), 0, 0, NULL, NULL }, { .name = NULL }
};

static const struct setting worker_uids_settings[] = {
  { "first", SETTING_COUNT, AT (worker_uid_first), 1, 4294960000, NULL, NULL },
  { "count", SETTING_COUNT, AT (worker_uid_count), 1, LAUNCH_SLOTS_MAX, NULL, NULL },
  { .name = NULL },
};

static const struct setting asks_settings[] = {
  { "ttl", SETTING_DURATION, AT (ask_ttl_ms), 1000, 24 * 3600000, NULL, NULL },
  { "max", SETTING_COUNT, AT (asks_max), 1, 1000000, NULL, NULL },
  { "key_file", SETTING_STRING, AT (ask_key_file), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting tls_settings_keys[] = {
  { "listen", SETTING_STRINGS, AT (tls.listen), 0, 0, NULL, NULL },
  { "certificate_file", SETTING_STRING, AT (tls.certificate_file), 0, 0, NULL, NULL },
  { "key_file", SETTING_STRING, AT (tls.key_file), 0, 0, NULL, NULL },
  { "client_ca_file", SETTING_STRING, AT (tls.client_ca_file), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting auth_settings[] = {
  { "resource", SETTING_STRING, AT (auth.resource), 0, 0, NULL, NULL },
  { "issuer", SETTING_STRING, AT (auth.issuer), 0, 0, NULL, NULL },
  { "authorization_servers", SETTING_STRINGS, AT (auth.servers), 0, 0, NULL, NULL },
  { "audiences", SETTING_STRINGS, AT (auth.audiences), 0, 0, NULL, NULL },
  { "jwks_file", SETTING_STRING, AT (auth.jwks_file), 0, 0, NULL, NULL },
  { "jwks_url", SETTING_STRING, AT (auth.jwks_url), 0, 0, NULL, NULL },
  { "jwks_refresh", SETTING_DURATION, AT (auth.jwks_refresh_ms), 1000, 3600000, NULL, NULL },
  { "scopes", SETTING_JSON, AT (auth.scopes), 0, 0, NULL, NULL },
  { "tenant_claim", SETTING_STRING, AT (auth.tenant_claim), 0, 0, NULL, NULL },
  { "leeway", SETTING_DURATION, AT (auth.leeway_ms), 0, 300000, NULL, NULL },
  { "keys_file", SETTING_STRING, AT (auth.keys_file), 0, 0, NULL, NULL },
  { "required", SETTING_BOOL, AT (auth.required), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting trace_settings[] = {
  { "endpoint", SETTING_STRING, AT (trace.endpoint), 0, 0, NULL, NULL },
  { "headers", SETTING_JSON, AT (trace.headers), 0, 0, NULL, NULL },
  { "secrets", SETTING_SECRETS, AT (trace.secrets), 0, 0, NULL, NULL },
  { "service_name", SETTING_STRING, AT (trace.service_name), 0, 0, NULL, NULL },
  { "attributes", SETTING_JSON, AT (trace.attributes), 0, 0, NULL, NULL },
  { "ratio", SETTING_RATIO, AT (trace.ratio), 0, 0, NULL, NULL },
  { "parent_based", SETTING_BOOL, AT (trace.parent_based), 0, 0, NULL, NULL },
  { "content", SETTING_BOOL, AT (trace.content), 0, 0, NULL, NULL },
  { "queue", SETTING_COUNT, AT (trace.queue_max), 1, 1000000, NULL, NULL },
  { "batch", SETTING_COUNT, AT (trace.batch), 1, 1000000, NULL, NULL },
  { "delay", SETTING_DURATION, AT (trace.delay_ms), 1, 600000, NULL, NULL },
  { "timeout", SETTING_DURATION, AT (trace.timeout_ms), 1, 600000, NULL, NULL },
  { .name = NULL },
};

static const struct setting tasks_settings[] = {
  { "ttl", SETTING_DURATION, AT (task_ttl_ms), 1000, 24 * 3600000, NULL, NULL },
  { "max", SETTING_COUNT, AT (tasks_max), 1, 1000000, NULL, NULL },
  { .name = NULL },
};

static const struct setting sessions_settings_keys[] = {
  { "ttl", SETTING_DURATION, AT (session_ttl_ms), 1000, 24 * 3600000, NULL, NULL },
  { "max", SETTING_COUNT, AT (sessions_max), 1, 1000000, NULL, NULL },
  { "tenant_max", SETTING_COUNT, AT (tenant_sessions_max), 1, 1000000, NULL, NULL },
  { "principal_max", SETTING_COUNT, AT (principal_sessions_max), 1, 1000000, NULL, NULL },
  { "background_grace", SETTING_DURATION, AT (session_grace_ms), 0, 3600000, NULL, NULL },
  { "fake_telephone", SETTING_BOOL, AT (fake_telephone), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting listed_settings[] = {
  { "tools", SETTING_STRING, AT (listed_tools), 0, 0, NULL, NULL },
  { "tags", SETTING_STRING, AT (listed_tags), 0, 0, NULL, NULL },
  { "plugins", SETTING_STRING, AT (listed_plugins), 0, 0, NULL, NULL },
  { "disclosure", SETTING_STRING, AT (disclosure), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting http_settings[] = {
  { "ca_file", SETTING_STRING, AT (http_ca_file), 0, 0, NULL, NULL },
  { "record", SETTING_STRING, AT (http_record), 0, 0, NULL, NULL },
  { "replay", SETTING_STRING, AT (http_replay), 0, 0, NULL, NULL },
  { .name = NULL },
};

static const struct setting realtime_settings_keys[] = {
  { "url", SETTING_STRING, AT (realtime_url), 0, 0, NULL, NULL },
  { "key_file", SETTING_STRING, AT (realtime_key_file), 0, 0, NULL, NULL },
  { "private", SETTING_BOOL, AT (realtime_private), 0, 0, NULL, NULL },
  { "dispatch_on", SETTING_STRING, AT (realtime_dispatch_on), 0, 0, NULL, NULL },
  { "output", SETTING_STRING, AT (realtime_output), 0, 0, NULL, NULL },
  { "hangup_after", SETTING_DURATION, AT (realtime_hangup_ms), 0, 600000, NULL, NULL },
  { "response_timeout", SETTING_DURATION, AT (realtime_response_ms), 0, 600000, NULL, NULL },
  { "webhook_secret_file", SETTING_STRING, AT (realtime_webhook_secret_file), 0, 0, NULL, NULL },
  { "session", SETTING_JSON, AT (realtime_session), 0, 0, NULL, NULL },
  { "calls_max", SETTING_COUNT, AT (realtime_calls_max), 1, 100000, NULL, NULL },
  { "tenant_calls_max", SETTING_COUNT_OR_NONE, AT (realtime_tenant_calls_max), 1, 100000, NULL,
    NULL },
  { .name = NULL },
};

static const struct setting results_settings_keys[] = {
  { "shown", SETTING_SIZE, AT (result_shown), 0, 1 << 30, NULL, NULL },
  { "ttl", SETTING_DURATION, AT (result_ttl_ms), 1000, 24 * 3600000, NULL, NULL },
  { "max", SETTING_COUNT, AT (results_max), 1, 100000, NULL, NULL },
  { "memory", SETTING_SIZE, AT (results_memory), 1 << 20, 1LL << 40, NULL, NULL },
  { .name = NULL },
};

static const struct setting audit_settings_keys[] = {
  { "enabled", SETTING_BOOL, AT (audit_enabled), 0, 0, NULL, NULL },
  { "required", SETTING_BOOL, AT (audit_required), 0, 0, NULL, NULL },
  { "arguments", SETTING_STRING, AT (audit_arguments), 0, 0, NULL, NULL },
  { "key_file", SETTING_STRING, AT (audit_key_file), 0, 0, NULL, NULL },
  { "keep", SETTING_DURATION_OR_NONE, AT (audit_keep_ms), 60000, 3650LL * 24 * 3600000, NULL,
    NULL },
  { "disk", SETTING_SIZE_OR_NONE, AT (audit_disk), 1 << 20, 1LL << 50, NULL, NULL },
  { "segment", SETTING_SIZE, AT (audit_segment), 64 << 10, 1LL << 30, NULL, NULL },
  { .name = NULL },
};

static const struct setting store_settings_keys[] = {
  { "ttl", SETTING_DURATION, AT (store_ttl_ms), 1000, 90LL * 24 * 3600000, NULL, NULL },
  { "retention", SETTING_DURATION_OR_NONE, AT (store_retention_ms), 60000, 3650LL * 24 * 3600000,
    NULL, NULL },
  { "result_max", SETTING_SIZE, AT (store_result_max), 1024, 32 << 20, NULL, NULL },
  { "memory", SETTING_SIZE, AT (store_memory), 1 << 20, 1LL << 40, NULL, NULL },
  { "disk", SETTING_SIZE, AT (store_disk), 0, 1LL << 50, NULL, NULL },
  { .name = NULL },
};

static const struct setting approvals_settings[] = {
  { "mode", SETTING_STRING, AT (approvals.mode), 0, 0, NULL, NULL },
  { "rules", SETTING_JSON_LIST, AT (approvals.rules), 0, 0, NULL, NULL },
  { "ttl", SETTING_DURATION, AT (approvals.ttl_ms), 1000, 7LL * 24 * 3600000, NULL, NULL },
  { "by", SETTING_STRING, AT (approvals.by), 0, 0, NULL, NULL },
  { "unasked_max", SETTING_COUNT, AT (approvals.unasked_max), 1, 1000000, NULL, NULL },
  { .name = NULL },
};

const struct setting config_settings[] = {
  { "$schema", SETTING_FOR_EDITORS, 0, 0, 0, NULL, NULL },
  { "listen", SETTING_STRINGS, AT (listen), 0, 0, NULL, NULL },
  { "socket", SETTING_STRING, AT (socket), 0, 0, NULL, NULL },
  { "plugin_dirs", SETTING_PATHS, AT (plugin_dirs), 0, 0, NULL, NULL },
  { "plugin_max", SETTING_SIZE, AT (plugin_max), 64 << 10, 1LL << 32, NULL, NULL },
  { "state_dir", SETTING_STRING, AT (state_dir), 0, 0, NULL, NULL },
  { "user", SETTING_STRING, AT (user), 0, 0, NULL, NULL },
  { "log_level", SETTING_STRING, AT (log_level), 0, 0, NULL, NULL },
  { "log_file", SETTING_STRING, AT (log_file), 0, 0, NULL, NULL },
  { "log_calls_per_second", SETTING_COUNT, AT (log_calls_per_second), 0, 1000000, NULL, NULL },
  { "allowed_hosts", SETTING_STRINGS, AT (allowed_hosts), 0, 0, NULL, NULL },
  { "allowed_origins", SETTING_STRINGS, AT (allowed_origins), 0, 0, NULL, NULL },
  { "body_max", SETTING_SIZE, AT (body_max), 1024, 64 << 20, NULL, NULL },
  { "json_depth", SETTING_COUNT, AT (json_depth), 4, 512, NULL, NULL },
  { "memory_max", SETTING_SIZE, AT (memory_max), 64 << 20, 0, NULL, NULL },
  { "threads", SETTING_COUNT, AT (threads), 1, FRONT_THREADS_MAX, NULL, NULL },
  { "connections_max", SETTING_COUNT, AT (connections_max), 1, 1000000, NULL, NULL },
  { "connections_per_peer_max", SETTING_COUNT, AT (connections_per_peer_max), 1, 1000000, NULL,
    NULL },
  { "batch_max", SETTING_COUNT, AT (batch_max), 1, 10000, NULL, NULL },
  { "running_max", SETTING_COUNT, AT (running_max), 1, 1000000, NULL, NULL },
  { "tenant_running_max", SETTING_COUNT, AT (tenant_running_max), 1, 1000000, NULL, NULL },
  { "repair", SETTING_REPAIR, AT (repair), 0, 0, NULL, NULL },
  { "guards", SETTING_GUARDS, AT (guards), 0, 0, NULL, NULL },
  { "approvals", SETTING_GROUP, 0, 0, 0, approvals_settings, NULL },
  { "deadline", SETTING_DURATION, AT (deadline_ms), 1, 24 * 3600000, NULL, NULL },
  { "grace", SETTING_DURATION, AT (grace_ms), 0, 60000, NULL, NULL },
  { "drain", SETTING_DURATION, AT (drain_ms), 0, 600000, NULL, NULL },
  { "idle_stop", SETTING_DURATION, AT (idle_stop_ms), 10, 24 * 3600000, NULL, NULL },
  { "build_timeout", SETTING_DURATION, AT (build_timeout_ms), 10, 600000, NULL, NULL },
  { "start_timeout", SETTING_DURATION, AT (start_timeout_ms), 10, 600000, NULL, NULL },
  { "max_crashes", SETTING_COUNT, AT (max_crashes), 1, 1000, NULL, NULL },
  { "crash_window", SETTING_DURATION, AT (crash_window_ms), 1, 24 * 3600000, NULL, NULL },
  { "quarantine", SETTING_DURATION, AT (quarantine_ms), 1, 24 * 3600000, NULL, NULL },
  { "quarantine_max", SETTING_DURATION, AT (quarantine_max_ms), 1, 24 * 3600000, NULL, NULL },
  { "describe_parallel", SETTING_COUNT, AT (describe_parallel), 1, 64, NULL, NULL },
  { "page_size", SETTING_COUNT, AT (page_size), 1, 10000, NULL, NULL },
  { "instructions", SETTING_STRING, AT (instructions), 0, 0, NULL, NULL },
  { "auth", SETTING_GROUP, 0, 0, 0, auth_settings, NULL },
  { "tls", SETTING_GROUP, 0, 0, 0, tls_settings_keys, NULL },
  { "asks", SETTING_GROUP, 0, 0, 0, asks_settings, NULL },
  { "tasks", SETTING_GROUP, 0, 0, 0, tasks_settings, NULL },
  { "sessions", SETTING_GROUP, 0, 0, 0, sessions_settings_keys, NULL },
  { "listed", SETTING_GROUP, 0, 0, 0, listed_settings, NULL },
  { "results", SETTING_GROUP, 0, 0, 0, results_settings_keys, NULL },
  { "audit", SETTING_GROUP, 0, 0, 0, audit_settings_keys, NULL },
  { "store", SETTING_GROUP, 0, 0, 0, store_settings_keys, NULL },
  { "http", SETTING_GROUP, 0, 0, 0, http_settings, NULL },
  { "trace", SETTING_GROUP, 0, 0, 0, trace_settings, NULL },
  { "realtime", SETTING_GROUP, 0, 0, 0, realtime_settings_keys, NULL },
  { "sandbox", SETTING_GROUP, 0, 0, 0, sandbox_settings, NULL },
  { "worker_uids", SETTING_GROUP, 0, 0, 0, worker_uids_settings, NULL },
  { .name = NULL },
};

static char *
path_under (const char *variable, const char *otherwise_below_home, const char *end)
{
  const char *base = getenv (variable);
  struct buf path = { 0 };

  if (base != NULL && base[0] == '/')
    buf_printf (&path, "%s/%s", base, end);
  else if (otherwise_below_home != NULL && getenv ("HOME") != NULL)
    buf_printf (&path, "%s/%s/%s", getenv ("HOME"), otherwise_below_home, end);
  else
    return NULL;
  (void) buf_cstr (&path);
  return path.data;
}

char *
config_default_dir (void)
{
  return geteuid () == 0 ? xstrdup ("/etc/toolhost")
                         : path_under ("XDG_CONFIG_HOME", ".config", "toolhost");
}

void
config_init (struct config *config)
{
  bool root = geteuid () == 0;

  *config = (struct config){
    .socket = root ? xstrdup ("/run/toolhost/toolhostd.sock")
                   : path_under ("XDG_RUNTIME_DIR", NULL, "toolhost/toolhostd.sock"),
    .state_dir = root ? xstrdup ("/var/lib/toolhost") : NULL,
    .user = xstrdup ("toolhost"),
    .log_level = xstrdup ("info"),
    .plugin_max = 256 << 20,
    .body_max = 1 << 20,
    .json_depth = 64,
    .threads = 1,
    .connections_max = 10000,
    .connections_per_peer_max = 5000,
    .memory_max = 512 << 20,
    .batch_max = 100,
    .running_max = 10000,
    .tenant_running_max = 10000,
    .deadline_ms = 30000,
    .grace_ms = 500,
    .drain_ms = 5000,
    .idle_stop_ms = 60000,
    .start_timeout_ms = 5000,
    .build_timeout_ms = 30000,
    .max_crashes = 5,
    .crash_window_ms = 60000,
    .quarantine_ms = 30000,
    .quarantine_max_ms = 600000,
    .describe_parallel = 4,
    .page_size = 100,
    .auth = { .keys_file = xstrdup ("keys"), .leeway_ms = 30000, .jwks_refresh_ms = 30000 },
    .ask_ttl_ms = 600000,
    .asks_max = 1000,
    .task_ttl_ms = 3600000,
    .tasks_max = 1000,
    .session_ttl_ms = 3600000,
    .sessions_max = 10000,
    .tenant_sessions_max = 2000,
    .principal_sessions_max = 1000,
    .realtime_url = xstrdup ("https://api.openai.com/v1/realtime"),
    .realtime_hangup_ms = 15000,
    .realtime_response_ms = 15000,
    .realtime_calls_max = 1000,
    .result_shown = 64 << 10,
    .result_ttl_ms = 900000,
    .results_max = 256,
    .results_memory = 128 << 20,
    .audit_enabled = true,
    .audit_arguments = xstrdup ("digest"),
    .audit_segment = 64 << 20,
    .store_ttl_ms = 24 * 3600000,
    .store_result_max = 1 << 20,
    .store_memory = 64 << 20,
    .store_disk = 8LL << 30,
    .log_calls_per_second = 100,
    .require = GUARANTEES_ALL,
    .worker_uid_first = 60000,
    .worker_uid_count = 1000,
    .repair = REPAIR_SAFE,
    .approvals = { .ttl_ms = APPROVAL_TTL_DEFAULT_MS },
  };
  trace_config_init (&config->trace);
  config->listen = xcalloc (2, sizeof *config->listen);
  config->listen[0] = xstrdup ("127.0.0.1:8377");
}

static void
free_auth (struct config_auth *auth)
{
  settings_free_strings (auth->servers);
  settings_free_strings (auth->audiences);
  free (auth->resource);
  free (auth->issuer);
  free (auth->jwks_file);
  free (auth->jwks_url);
  free (auth->scopes);
  free (auth->tenant_claim);
  free (auth->keys_file);
}

static void
free_tls (struct config_tls *tls)
{
  settings_free_strings (tls->listen);
  free (tls->certificate_file);
  free (tls->key_file);
  free (tls->client_ca_file);
}

void
config_free (struct config *config)
{
  settings_free_strings (config->listen);
  settings_free_strings (config->plugin_dirs);
  settings_free_strings (config->allowed_hosts);
  settings_free_strings (config->allowed_origins);
  free (config->socket);
  free (config->state_dir);
  free (config->audit_arguments);
  free (config->audit_key_file);
  free (config->user);
  free (config->log_level);
  free (config->log_file);
  free (config->instructions);
  guards_unref (config->guards);
  free (config->tenant);
  free (config->listed_tools);
  free (config->listed_tags);
  free (config->listed_plugins);
  free (config->disclosure);
  free (config->ask_key_file);
  free (config->http_ca_file);
  free (config->http_record);
  free (config->http_replay);
  free (config->realtime_url);
  free (config->realtime_key_file);
  free (config->realtime_dispatch_on);
  free (config->realtime_output);
  free (config->realtime_webhook_secret_file);
  free (config->realtime_session);
  approval_words_clear (&config->approvals);
  approval_rules_unref (config->approval_rules);
  free_auth (&config->auth);
  trace_config_free (&config->trace);
  free_tls (&config->tls);
  memset (config, 0, sizeof *config);
}

static bool
compile_approvals (struct config *config, struct error *err)
{
  approval_rules_unref (config->approval_rules);
  config->approval_rules = approval_rules_new (&config->approvals, err);
  return config->approval_rules != NULL || error_wrap (err, "/approvals");
}

bool
config_read (struct config *config, int fd, struct error *err)
{
  struct json_object *object = document_read (fd, config_schema_json, err);
  bool ok = object != NULL && settings_fill (config, config_settings, object, err)
            && compile_approvals (config, err) && trace_config_make (&config->trace, err);

  json_object_put (object);
  return ok;
}
