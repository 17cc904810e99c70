#include <fcntl.h>
#include <unistd.h>

#include "daemon/host_parts.h"

/* ---- what reading the files finds ---- */

static void
ignore_file (void *ctx, const struct tenant_file *file)
{
  (void) ctx;
  (void) file;
}

static void
ignore_gone (void *ctx, const char *name)
{
  (void) ctx;
  (void) name;
}

/* Before there is anybody to be told. */
static const struct tenant_files_events at_start = { .changed = ignore_file,
                                                     .refused = ignore_file,
                                                     .gone = ignore_gone };

static void
on_changed (void *ctx, const struct tenant_file *file)
{
  toolsets_follow (((struct host *) ctx)->toolsets, file);
}

static void
on_refused (void *ctx, const struct tenant_file *file)
{
  struct host *host = ctx;

  log_event (host->log, LOG_ERROR, "tenant_refused", "tenant", file->name, "why", file->problem,
             "still_serving", file->text != NULL ? "the file before it" : "nothing", NULL);
  if (file->text == NULL)
    toolsets_follow (host->toolsets, file);
}

static void
on_gone (void *ctx, const char *name)
{
  toolsets_forget (((struct host *) ctx)->toolsets, name);
}

static const struct tenant_files_events while_serving = { .changed = on_changed,
                                                          .refused = on_refused,
                                                          .gone = on_gone };

/* ---- what its keys and tokens may do ---- */

static unsigned
most_roles (void *ctx, const char *tenant)
{
  return tenancy_terms (tenancies_of (ctx, tenant))->roles;
}

/* ---- watching them ---- */

static void
on_settled (void *ctx)
{
  struct host *host = ctx;
  struct error err = { 0 };

  (void) host_read_tenants (host, &err); /* each that is wrong has said so */
}

/* The folder may have come since. */
static void
watch (struct host *host)
{
  if (host->tenants_dir >= 0 || host->config_dir < 0)
    return;
  host->tenants_dir =
    openat (host->config_dir, "tenants.d", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (host->tenants_dir >= 0)
    (void) settle_watch (host->tenants_settle, host->tenants_dir);
}

bool
host_open_tenants (struct host *host, struct error *err)
{
  return tenant_files_read (&host->tenants, host->config_dir, &at_start, host, err);
}

void
host_make_tenants (struct host *host)
{
  struct toolsets_needs needs = { .log = host->log,
                                  .pool = &host->pool,
                                  .plugins = host->plugins,
                                  .catalog = host->catalog,
                                  .tenancies = host->tenancies,
                                  .pins = host->pins };

  host_compose_tools (host, &needs);
  host->toolsets = toolsets_new (&needs);
  auth_set_most (host->auth, most_roles, host->tenancies);
  for (struct tenant_file *f = host->tenants.by_name; f != NULL; f = f->hh.next)
    toolsets_follow (host->toolsets, f);
}

void
host_watch_tenants (struct host *host)
{
  host->tenants_settle = settle_new (host->loop, on_settled, host);
  watch (host);
  settle_start (host->tenants_settle);
}

bool
host_read_tenants (struct host *host, struct error *err)
{
  bool good = tenant_files_read (&host->tenants, host->config_dir, &while_serving, host, err);

  if (host->tenants_settle != NULL)
    watch (host);
  return good;
}

void
host_unwatch_tenants (struct host *host)
{
  if (host->tenants_settle != NULL)
    settle_free (host->tenants_settle);
  fd_cleanup (&host->tenants_dir);
}
