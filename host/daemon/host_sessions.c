#include "base/clock.h"
#include "daemon/host_parts.h"

static const double TICK_SECONDS = 1;

static double
now (void *ctx)
{
  (void) ctx;
  return (double) clock_ns () / 1e9;
}

static struct toolset *
toolset_of (void *ctx, const char *tenant)
{
  const struct host *host = ctx;

  return catalog_toolset (tenancy_catalog (tenancies_of (host->tenancies, tenant)));
}

/* Nothing ticks while there are none. */
static void
on_began (void *ctx)
{
  struct host *host = ctx;

  ev_timer_again (host->loop, &host->sessions_tick);
}

static void
on_tick (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct host *host = timer->data;

  (void) revents;
  sessions_tick (host->sessions);
  if (sessions_count (host->sessions) == 0)
    ev_timer_stop (loop, timer);
}

static void
on_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  struct host *host = (struct host *) ((char *) watcher - offsetof (struct host, sessions_watcher));

  (void) of;
  if ((lists & CATALOG_TOOLS) != 0)
    sessions_toolsets_changed (host->sessions);
}

void
host_make_sessions (struct host *host)
{
  struct sessions_settings settings = sessions_defaults;

  settings.calls = host->calls;
  settings.approvals = host->approvals;
  settings.log = host->log;
  settings.now = now;
  settings.toolset = toolset_of;
  settings.began = on_began;
  settings.ctx = host;
  settings.ttl = (double) host->config.session_ttl_ms / 1000;
  settings.ask_ttl = (double) host->config.ask_ttl_ms / 1000;
  settings.asks_max = (size_t) host->config.asks_max;
  settings.grace = (double) host->config.session_grace_ms / 1000;
  settings.max = (size_t) host->config.sessions_max;
  settings.tenant_max = (size_t) host->config.tenant_sessions_max;
  settings.principal_max = (size_t) host->config.principal_sessions_max;
  settings.fake_telephone = host->config.fake_telephone;
  settings.json_depth = (unsigned) host->config.json_depth;
  settings.tracer = host_tracer (host);
  host->sessions = sessions_new (&settings);
  ev_timer_init (&host->sessions_tick, on_tick, TICK_SECONDS, TICK_SECONDS);
  host->sessions_tick.data = host;
  host->sessions_watcher.changed = on_changed;
  catalog_watch (host->catalog, &host->sessions_watcher);
}

void
host_free_sessions (struct host *host)
{
  if (host->sessions == NULL)
    return;
  ev_timer_stop (host->loop, &host->sessions_tick);
  catalog_unwatch (&host->sessions_watcher);
  sessions_free (host->sessions);
}
