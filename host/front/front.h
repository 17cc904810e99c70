/* front.h - what the daemon hands to every front.  A front decodes one protocol to call_start and
 * encodes results; it knows nothing of plugins and workers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_FRONT_H
#define TOOLHOST_FRONT_FRONT_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"
#include "call/tenancy.h"
#include "catalog/catalog.h"
#include "catalog/filter.h"
#include "front/auth/roles.h"
#include "watch/log.h"
#include "watch/pressure.h"
#include "watch/turns.h"

/* What the management paths ask of the daemon; each appends JSON to `out`. */
struct front_manage {
  void *ctx;
  bool (*ready) (void *ctx, const char **why_not);
  /* Prometheus' text format, or OpenMetrics */
  void (*metrics) (void *ctx, bool openmetrics, struct buf *out);
  void (*top) (void *ctx, struct buf *out);      /* what runs now: daemon/host_top.c */
  void (*plugins) (void *ctx, struct buf *out);  /* { "plugins": […] } */
  bool (*release) (void *ctx, const char *name); /* end a plugin's quarantine; false: unknown */
  bool (*reload) (void *ctx, struct error *err); /* re-read the configuration */
  /* How many descriptors connections may take, so that workers find theirs; NULL: all. */
  size_t (*connections_room) (void *ctx);
  /* { "tenants": […] }, of one, or of all (NULL); false: unknown */
  bool (*tenants) (void *ctx, const char *name, struct buf *out);
  /* { "tenant", "pins": […] }; false: the tenant has none */
  bool (*pins) (void *ctx, const char *tenant, struct buf *out);
  /* let in what waits under a name, if it has this digest (NULL: any); false: err says why not */
  bool (*accept) (void *ctx, const char *tenant, const char *name, const char *digest,
                  struct error *err);
};

struct seal_keys; /* call/seal.h */
struct results;   /* call/results.h */
struct offload;   /* base/offload.h */
struct auth;      /* front/auth/auth.h */
struct sessions;  /* session/session.h */
struct store;     /* store/store.h */
struct approvals; /* approval/approvals.h */
struct manage;    /* manage/manage.h */
struct tracer;    /* watch/trace.h */

/* Which tools a caller is shown. */
struct asked {
  struct tool_filter filter;
  bool search; /* it looks for tools instead of being shown all */
};

struct front_env {
  struct ev_loop *loop;
  struct calls *calls;
  struct catalog *catalog;     /* everything there is; callers are served front_catalog */
  struct tenancies *tenancies; /* who is served what; NULL: everybody everything */
  struct log *log;
  struct pressure *pressure;   /* of memory; NULL: there is no ceiling */
  struct tracer *tracer;       /* NULL: nothing is traced */
  const struct turns *turns;   /* of the loop; NULL: they may be of any length */
  const char *version;         /* of the daemon */
  struct asked asked;          /* where a caller asks for nothing else */
  const char *tenant;          /* of whoever is at standard input; NULL: "default" */
  const char *instructions;    /* for the model, or NULL */
  struct auth *auth;           /* who may what over HTTP; NULL: nobody shows anything */
  struct seal_keys *seal;      /* of what callers keep between the rounds of a call */
  struct results *results;     /* what was too large to be shown; NULL: everything is shown */
  struct sessions *sessions;   /* conversations; NULL: there are none */
  struct store *store;         /* what outlives calls; NULL: there is none */
  struct approvals *approvals; /* calls that wait for a person; NULL: none can */
  const char *state_dir;       /* where the daemon may write; NULL: nowhere */
  struct manage *definitions;  /* what tenants make over the management API; NULL: nothing */
  struct offload *readers;     /* threads that read much; NULL: there are none */
  double ask_ttl;              /* seconds that a question waits for its answer */
  size_t asks_max;             /* calls over plain HTTP that wait for answers */
  size_t batch_max;            /* calls that one request over plain HTTP may bring */
  double task_ttl;             /* seconds that a task is kept */
  size_t tasks_max;
  size_t body_max; /* bytes of a request body or stdio line */
  unsigned json_depth;
  size_t page_size;           /* tools in a page of tools/list */
  const char *const *hosts;   /* further names allowed in Host, NULL-terminated; may be NULL */
  const char *const *origins; /* further origins allowed, NULL-terminated; may be NULL */
  struct front_manage manage;
};

/* Who is at the other end of a connection, or, of a request, who showed a key or a token. */
struct front_peer {
  bool local; /* over the Unix socket */
  uid_t uid;  /* local: by SO_PEERCRED; else (uid_t) -1 */
  gid_t gid;
  pid_t pid;
  unsigned roles;        /* ROLE_…; all of them: local, and root or the daemon's own uid */
  const char *principal; /* "uid:1000", "key:NAME", "ISSUER#SUBJECT", or "anonymous" */
  const char *tenant;    /* NULL: "default" */
};

/* What a tenant is served (NULL: "default"); good until this turn of the loop ends. */
static inline struct catalog *
front_catalog (const struct front_env *env, const char *tenant)
{
  return env->tenancies != NULL ? tenancy_catalog (tenancies_of (env->tenancies, tenant))
                                : env->catalog;
}

/* The tools, prompts, … of it. */
static inline struct toolset *
front_toolset (const struct front_env *env, const char *tenant)
{
  return catalog_toolset (front_catalog (env, tenant));
}

#endif
