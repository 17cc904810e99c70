/* config.h - the daemon's own settings: file, defaults, command line. */
#ifndef TOOLHOST_DAEMON_CONFIG_H
#define TOOLHOST_DAEMON_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "approval/rules.h"
#include "base/error.h"
#include "daemon/settings.h"
#include "daemon/trace_config.h"
#include "pool/policy.h"

/* Who may call over HTTP. */
struct config_auth {
  char *resource, *issuer;    /* OAuth: all or none of them, … */
  char *jwks_file, *jwks_url; /* … and one of these */
  char *scopes;               /* JSON: which roles they give; NULL: our own names */
  char *tenant_claim;         /* NULL: all tokens are of tenant "default" */
  char **servers, **audiences;
  char *keys_file; /* relative to the configuration folder */
  int64_t leeway_ms, jwks_refresh_ms;
  bool required; /* also on loopback */
};

/* TLS on addresses of their own. */
struct config_tls {
  char **listen; /* as config.listen; empty: none */
  char *certificate_file, *key_file, *client_ca_file;
};

struct config {
  char **listen;      /* "127.0.0.1:8377", "[::1]:0"; empty: no TCP */
  char *socket;       /* path of the Unix socket; NULL: none */
  char **plugin_dirs; /* besides the standard ones */
  char *state_dir;    /* NULL: state is in memory */
  char *user;         /* whom to become when started as root */
  char *log_level;
  char *log_file; /* NULL: standard error */
  char **allowed_hosts, **allowed_origins;
  int64_t plugin_max; /* bytes of a plugin: of its file, or of its folder */
  int64_t threads;    /* that serve connections; 1: the loop does */
  int64_t body_max, json_depth, connections_max, connections_per_peer_max;
  int64_t deadline_ms, grace_ms, drain_ms, idle_stop_ms, start_timeout_ms;
  int64_t build_timeout_ms; /* of a builder that makes requests or starts programs */
  int64_t memory_max;       /* bytes */
  int64_t batch_max;        /* calls that one request may bring */
  int64_t max_crashes, describe_parallel, running_max, tenant_running_max, page_size,
    log_calls_per_second;
  int64_t crash_window_ms, quarantine_ms, quarantine_max_ms;
  int64_t ask_ttl_ms, asks_max;    /* questions of calls */
  char *http_record, *http_replay; /* cassettes; NULL: none */
  char *http_ca_file;              /* certificates of authorities, PEM; NULL: the system's */
  char *ask_key_file;              /* of what callers keep between rounds; NULL: keys of our own */
  int64_t task_ttl_ms, tasks_max;  /* of MCP's tasks */
  int64_t result_shown, result_ttl_ms, results_max, results_memory; /* large results */
  bool audit_enabled, audit_required;
  char *audit_arguments; /* "none", "digest", "shape" */
  char *audit_key_file;
  int64_t audit_keep_ms, audit_segment; /* 0: for ever; bytes */
  int64_t audit_disk;                   /* bytes of all its files; 0: no bound */
  int64_t store_ttl_ms, store_result_max, store_memory, store_disk; /* what outlives calls */
  int64_t store_retention_ms; /* of removed documents and approvals; 0: as without it */
  int64_t session_ttl_ms, session_grace_ms, sessions_max, tenant_sessions_max,
    principal_sessions_max;
  bool fake_telephone;                    /* of sessions that have no other */
  char *realtime_url, *realtime_key_file; /* of OpenAI's Realtime service; no key: no calls */
  char *realtime_dispatch_on;             /* NULL: "arguments_done" */
  char *realtime_output;                  /* NULL: "sonore" */
  char *realtime_webhook_secret_file;     /* NULL: no calls come in */
  char *realtime_session;                 /* JSON, or NULL */
  int64_t realtime_hangup_ms, realtime_response_ms, realtime_calls_max, realtime_tenant_calls_max;
  bool realtime_private;
  struct config_auth auth;
  struct config_trace trace;
  struct config_tls tls;
  struct guards *guards; /* of all tenants' calls (call/guards.h); NULL: none */
  char *listed_tools, *listed_tags, *listed_plugins, *disclosure; /* NULL: all */
  char *instructions;
  char *tenant;                               /* of whoever is at standard input; NULL: "default" */
  unsigned require;                           /* GUARANTEE_…, of every worker */
  int64_t worker_uid_first, worker_uid_count; /* of workers, when started as root */
  struct approval_words approvals;            /* which calls need a person */
  struct approval_rules *approval_rules;      /* they, compiled; of a file that was read */
  int repair; /* enum repair_mode, of tools that have no setting of their own */
};

/* The keys of toolhostd.json.  The published schema has the same. */
extern const struct setting config_settings[];

/* The defaults of this user: the system's paths for root, the XDG ones for anybody else. */
void config_init (struct config *config);
void config_free (struct config *config);

/* Read toolhostd.json over the defaults.  A file that is missing is an error. */
bool config_read (struct config *config, int fd, struct error *err);

/* Where configuration is looked for when nothing is said: "/etc/toolhost" for root, else
 * "$XDG_CONFIG_HOME/toolhost".  Allocated. */
char *config_default_dir (void);

#endif
