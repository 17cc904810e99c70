/* host_parts.h - the host's own struct, for host*.c only.  They read in the order of a daemon's
 * life:
 *
 *   host.c         it is made of its parts, and freed
 *   host_open.c    what only root may open is opened; root's rights are given up
 *   host_store.c   what outlives calls: what was asked by name, and how it ended
 *   host_audit.c   who did what, for those who have to prove it
 *   host_outbox.c  webhooks of tenants
 *   host_core.c    what runs calls: store, pool, plugins, calls
 *   host_http.c    what makes requests for tools
 *   host_trace.c   spans of calls, for a collector
 *   host_realtime.c  what attends calls of OpenAI's Realtime service
 *   host_phone.c   how these come in, and what is asked of them over REST
 *   host_fronts.c  what takes them: HTTP and standard input, and what these ask of the daemon
 *   host_tls.c     what they speak TLS with
 *   host_tenants.c who is served what: the files of tenants, read again when they change
 *   host_manage.c  what tenants' declarative tools are made of: files, and the management API
 *   host_sessions.c  conversations
 *   host_auth.c    who may call over HTTP: what is read for that, and read again when it changes
 *   host_top.c     what those see who look on
 *   host_run.c     it starts, it drains and stops
 *   host_reload.c  policies and configuration are read again
 */
#ifndef TOOLHOST_DAEMON_HOST_PARTS_H
#define TOOLHOST_DAEMON_HOST_PARTS_H

#include "approval/approvals.h"
#include "audit/audit.h"
#include "base/offload.h"
#include "call/claim.h"
#include "call/results.h"
#include "call/seal.h"
#include "catalog/copies.h"
#include "catalog/discovery.h"
#include "catalog/settle.h"
#include "daemon/ceiling.h"
#include "daemon/changes.h"
#include "daemon/describe_cache.h"
#include "daemon/host.h"
#include "daemon/intake.h"
#include "daemon/notify.h"
#include "daemon/outbox.h"
#include "daemon/pins.h"
#include "daemon/plugins.h"
#include "daemon/policies.h"
#include "daemon/privileges.h"
#include "daemon/sandbox.h"
#include "daemon/tenants.h"
#include "daemon/tool_files.h"
#include "daemon/toolsets.h"
#include "daemon/trace_export.h"
#include "front/auth/auth.h"
#include "front/auth/jwks_url.h"
#include "front/http/http.h"
#include "front/http/tls.h"
#include "front/mcp/mcp.h"
#include "front/realtime/attach.h"
#include "front/realtime/incoming.h"
#include "front/rest/rest.h"
#include "front/stdio/stdio.h"
#include "front/ws/ws.h"
#include "manage/manage.h"
#include "pool/pool.h"
#include "pool/spawn.h"
#include "service/http/broker.h"
#include "service/http/cassette.h"
#include "service/http/curl.h"
#include "service/http/dial.h"
#include "session/session.h"
#include "store/store.h"
#include "watch/log.h"
#include "watch/metrics.h"
#include "watch/turns.h"

enum { LISTENERS_MAX = 16 };

struct host {
  struct ev_loop *loop;
  struct config config;
  bool (*reconfigure) (void *ctx, struct config *config, struct error *err);
  void *reconfigure_ctx;
  struct notify *notify;
  struct log *log;
  struct metrics *metrics;
  int64_t began_ns;

  /* opened */
  int config_dir, state_dir, worker, log_fd;
  struct identity identity;
  size_t descriptors; /* that the daemon may have */
  struct spawner *spawner;
  struct policies *policies;
  struct discovery *discovery;
  int listeners[LISTENERS_MAX];
  int
    *beside[LISTENERS_MAX]; /* more sockets of that address, so that each thread has one; or NULL */
  char bound[LISTENERS_MAX][80];
  bool speaks_tls[LISTENERS_MAX];
  size_t listeners_count;
  struct tls_server *tls; /* until the server has it */
  bool inherited;         /* the listeners are a service manager's */
  struct seal_keys *seal;
  struct auth *auth;
  char *keys_path; /* or NULL */
  ev_stat keys_changed, jwks_changed;
  struct jwks_url *jwks_url; /* the issuer's keys, where it publishes them; or NULL */
  char *single;
  int single_fd;    /* opened while still root: its folder may be private */
  int single_errno; /* why not */
  struct sandbox_question sandbox_question;
  struct sandbox_facts sandbox;
  struct buf sandbox_json;

  /* the core */
  struct audit *audit; /* NULL: nothing is recorded */
  struct audit_key audit_key;
  struct store *store;         /* NULL: nothing is kept */
  struct approvals *approvals; /* NULL: nobody is asked */
  bool store_unwell;
  ev_timer store_tick;
  struct outbox *outbox; /* likewise */
  bool outbox_full;
  struct claims_hooks hooks;
  struct ceiling ceiling;
  struct turns turns;
  struct offload *offload; /* files */
  struct offload *readers; /* large results */
  struct copies *copies;
  struct describe_cache *cache;
  struct pins *pins;
  struct intake *intake;
  struct catalog *catalog;
  struct http_dns *dns;
  struct http_curl *curl;
  struct http_cassette *cassette;  /* NULL: nothing is recorded or replayed */
  int record_fd;                   /* -1: likewise */
  struct http_broker broker;       /* what the pool makes requests with */
  struct http_broker trace_broker; /* … and what spans are sent with */
  struct trace_export *trace;      /* NULL: nothing is traced */
  struct http_dialler dialler;     /* of calls that are attended */
  struct secrets realtime_secrets; /* "key": of the service */
  struct realtime *realtime;       /* NULL: no calls are attended */
  struct phone *phone;             /* … and none come in, or are acted on */
  struct pool pool;
  struct changes *changes;
  struct plugins *plugins;
  struct results *results; /* that were too large to be shown; NULL: all are shown */
  struct calls *calls;
  struct tenancies *tenancies;
  struct tenant_files tenants;
  struct toolsets *toolsets;
  struct settle *tenants_settle;
  struct tool_files tool_files;
  struct settle *tools_settle;
  int tools_dir; /* that is watched; -1: there is none */
  struct definitions *definitions;
  struct manage *manage;
  bool
    plugins_known; /* they have been described: tools are built as soon as definitions are read */
  struct sessions *sessions;
  ev_timer sessions_tick; /* while there are some */
  struct catalog_watcher sessions_watcher;
  int tenants_dir; /* that is watched; -1: there is none */

  /* the fronts */
  struct front_env env;
  struct http_server *http;
  struct mcp_http *mcp;
  struct rest *rest;
  struct ws_front *ws;
  struct stdio_front *stdio;
  bool serve_stdio;
  ev_timer patience; /* with stdio: how long a plugin may keep the client waiting */

  /* running and stopping */
  ev_signal hup, usr1, term, interrupt;
  bool failed, stopping;
  ev_timer drain; /* while stopping: look whether everything has ended */
  ev_tstamp stop_by, kill_by;
};

/* ---- host_open.c ---- */

/* The log goes on in the file that has its name now, if it goes to a file. */
void host_reopen_log (struct host *host);
/* Everything that needs root's rights; they are gone when this returns. */
bool host_open (struct host *host, const struct host_options *options, struct error *err);

/* ---- host_auth.c ---- */

/* What a configuration says of it; borrows from that.  `dir`: of the configuration, or -1. */
void host_auth_settings (const struct config *config, int dir, struct auth_settings *settings);
/* Read what is needed to know callers. */
bool host_open_auth (struct host *host, struct error *err);
/* We listen on this address, which others than this machine may reach. */
void host_exposed (struct host *host, const char *bound);
void host_watch_auth (struct host *host);
/* While there is still a way to make requests. */
void host_stop_fetching_keys (struct host *host);
/* Ends all of it. */
void host_unwatch_auth (struct host *host);
/* Of a new configuration; its part is taken, ours left in its place.  False: all is as it was. */
bool host_follow_auth (struct host *host, struct config *config, struct error *err);

/* ---- host_tls.c ---- */

/* What a configuration says of TLS; *tls is NULL where nothing does.  `needed`: there are listeners
 * that speak it. */
bool host_read_tls (const struct config_tls *settings, bool needed, struct tls_server **tls,
                    struct error *err);
/* While root may still read the key. */
bool host_open_tls (struct host *host, struct error *err);
/* Read the files again; false: the old certificate stays. */
bool host_follow_tls (struct host *host, const struct config *config, struct error *err);

/* ---- host_tenants.c ---- */

/* Read the files of tenants for the first time: one that is wrong is an error. */
bool host_open_tenants (struct host *host, struct error *err);
/* Everybody is served what their file says. */
void host_make_tenants (struct host *host);
/* … also when it changes. */
void host_watch_tenants (struct host *host);
void host_unwatch_tenants (struct host *host);
/* Read them again: each tenant whose file is good follows it.  False: one is wrong. */
bool host_read_tenants (struct host *host, struct error *err);

/* ---- host_manage.c ---- */

/* Read tools.d for the first time: a file that is wrong is an error. */
bool host_open_tools (struct host *host, struct error *err);
/* What toolsets ask when they build declarative tools. */
void host_compose_tools (struct host *host, struct toolsets_needs *needs);
/* The management API: from here on the store is read. */
void host_make_manage (struct host *host);
void host_free_manage (struct host *host);
/* tools.d is followed when it changes. */
void host_watch_tools (struct host *host);
void host_unwatch_tools (struct host *host);
/* Read it again.  False: a file is wrong, the others count. */
bool host_read_tools (struct host *host, struct error *err);

/* ---- host_sessions.c ---- */

void host_make_sessions (struct host *host);
void host_free_sessions (struct host *host);

/* ---- host_store.c ---- */

/* In the state folder, else in memory. */
bool host_read_audit_key (struct host *host, struct error *err);
bool host_open_audit (struct host *host, struct error *err);
void host_audit_metrics (const struct host *host, struct buf *out);
void host_close_audit (struct host *host);

bool host_open_store (struct host *host, struct error *err);
/* Calls with names are claimed in it, and calls that need approval wait in it. */
void host_keep_calls (struct host *host);
void host_store_metrics (const struct host *host, struct buf *out);
/* What calls have asked of it is still done, and they are told: before they are freed. */
void host_close_store (struct host *host);

/* ---- host_outbox.c ---- */

/* Webhooks are sent from here on; after what makes requests. */
void host_make_outbox (struct host *host);
void host_outbox_metrics (const struct host *host, struct buf *out);

/* ---- host_core.c ---- */

void host_make_core (struct host *host);
/* Of a configuration, what can change while running. */
void host_follow_config (struct host *host, const struct config *config);
/* Tenants' tools are built, if all is known that they are built of. */
void host_begin_building (struct host *host);
/* The service manager is told that the daemon serves, and what. */
void host_tell_ready (struct host *host);

/* ---- host_http.c ---- */

/* The cassette that is recorded or replayed, if there is one. */
bool host_open_http (struct host *host, struct error *err);
void host_make_http (struct host *host);
/* A plugin has this policy: get ready for its requests. */
void host_need_http (struct host *host, const struct policy *policy, const char *plugin);
void host_free_http (struct host *host);

/* ---- host_trace.c ---- */

/* Know where spans go, and with what headers. */
bool host_open_trace (struct host *host, struct error *err);
/* After what makes requests. */
void host_make_trace (struct host *host);
/* NULL: nothing is traced. */
struct tracer *host_tracer (const struct host *host);
/* Nothing is sent any more: before what makes requests goes. */
void host_close_trace (struct host *host);
/* After the last call, request and worker. */
void host_free_trace (struct host *host);

/* ---- host_phone.c ---- */

/* Read the webhook's secret, if there is one. */
bool host_open_phone (struct host *host, struct error *err);
void host_make_phone (struct host *host);
/* Calls that come in. */
void host_phone_incoming (struct host *host, struct http_exchange *x);
/* POST /v1/realtime/calls. */
void host_phone_attach (struct host *host, struct http_exchange *x);
/* Before sessions and requests go. */
void host_drop_phone (struct host *host);
void host_free_phone (struct host *host);

/* ---- host_realtime.c ---- */

/* Read the key, if there is one. */
bool host_open_realtime (struct host *host, struct error *err);
void host_make_realtime (struct host *host);
/* Let go of all calls: before sessions and the loop's watchers go. */
void host_drop_realtime (struct host *host);
void host_free_realtime (struct host *host);

/* ---- host_fronts.c ---- */

bool host_make_fronts (struct host *host, struct error *err);
/* Serve what was bound. */
void host_listen (struct host *host);
/* Wait for plugins to be described, but not for long, before standard input is read. */
void host_await_stdio (struct host *host);
/* Read standard input from here on, if it is to be served. */
void host_begin_stdio (struct host *host);

/* ---- host_top.c ---- */

/* GET /v1/top; the context is a host. */
void host_put_top (void *ctx, struct buf *out);

/* ---- host_run.c ---- */

/* Stop looking at signals. */
void host_unwatch (struct host *host);

#endif
