#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/host_parts.h"
#include "pool/unit.h"

/* ---- what a tenant's declarative tools are made of --------------------------------------- */

/* Seen in the log when a document takes another's place. */
struct telling {
  struct host *host;
  const char *tenant;
};

static void
on_replaced (void *ctx, enum definition_kind kind, const struct piece *was, const char *from)
{
  const struct telling *telling = ctx;

  log_event (telling->host->log, LOG_INFO, "definition_overridden", "tenant", telling->tenant,
             "kind", definition_word (kind), "name", was->name, "from", was->from, "by", from,
             NULL);
}

/* From the most general to the most particular. */
static void
add_all (struct host *host, const char *tenant, const char *said, struct composed *c)
{
  struct error unused;

  tool_files_compose (&host->tool_files, c);
  if (said != NULL)
    (void) compose_add_text (c, said, strlen (said), "tenants.d", &unused);
  if (!toolsets_has_file (host->toolsets, tenant) && strcmp (tenant, TENANT_DEFAULT) != 0)
    compose_add_tenant (c, definitions_of (host->definitions, TENANT_DEFAULT), "default");
  compose_add_tenant (c, definitions_of (host->definitions, tenant), "api");
}

/* Of what the tenant is served as, too. */
static int64_t
revision_of (struct host *host, const char *tenant)
{
  const struct tenant_definitions *of = definitions_of (host->definitions, tenant);

  return of != NULL ? of->revision : 0;
}

static char *
compose_feature (void *ctx, const char *tenant, const char *said, int64_t *revision)
{
  struct host *host = ctx;
  struct telling telling = { .host = host, .tenant = tenant };
  struct composed c = { .replaced = on_replaced, .ctx = &telling };
  struct buf text = { 0 };

  add_all (host, tenant, said, &c);
  *revision = revision_of (host, tenant);
  if (c.count != 0) {
    compose_put (&c, &text);
    (void) buf_cstr (&text);
  }
  composed_free (&c);
  return text.data;
}

static bool
owns (void *ctx, const char *tenant)
{
  struct host *host = ctx;
  const struct tenant_definitions *of = definitions_of (host->definitions, tenant);

  return (of != NULL && of->count[DEFINITION_TOOL] + of->count[DEFINITION_ENDPOINT] != 0)
         || (strcmp (tenant, TENANT_DEFAULT) == 0 && tool_files_any (&host->tool_files));
}

static void
on_served (void *ctx)
{
  struct host *host = ctx;

  if (host->manage != NULL)
    manage_look (host->manage);
}

void
host_compose_tools (struct host *host, struct toolsets_needs *needs)
{
  needs->compose = compose_feature;
  needs->owns = owns;
  needs->served = on_served;
  needs->ctx = host;
}

/* ---- files ------------------------------------------------------------------------------ */

static void
on_refused (void *ctx, const struct tool_file *file)
{
  struct host *host = ctx;

  log_event (host->log, LOG_ERROR, "tools_file_refused", "file", file->name, "why", file->problem,
             "still_serving", file->text != NULL ? "the file before it" : "nothing", NULL);
}

static void
ignore_refused (void *ctx, const struct tool_file *file)
{
  (void) ctx;
  (void) file;
}

bool
host_open_tools (struct host *host, struct error *err)
{
  struct error first = { { 0 } };

  (void) tool_files_read (&host->tool_files, host->config_dir, ignore_refused, host, &first);
  if (first.text[0] != '\0')
    *err = first;
  return first.text[0] == '\0';
}

/* The folder may have come since. */
static void
watch (struct host *host)
{
  if (host->tools_dir >= 0 || host->config_dir < 0)
    return;
  host->tools_dir =
    openat (host->config_dir, "tools.d", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (host->tools_dir >= 0)
    (void) settle_watch (host->tools_settle, host->tools_dir);
}

bool
host_read_tools (struct host *host, struct error *err)
{
  struct error first = { { 0 } };

  if (tool_files_read (&host->tool_files, host->config_dir, on_refused, host, &first))
    toolsets_touch (host->toolsets, NULL);
  if (host->tools_settle != NULL)
    watch (host);
  if (first.text[0] != '\0')
    *err = first;
  return first.text[0] == '\0';
}

static void
on_settled (void *ctx)
{
  struct error err = { { 0 } };

  (void) host_read_tools (ctx, &err); /* each that is wrong has said so */
}

void
host_watch_tools (struct host *host)
{
  host->tools_settle = settle_new (host->loop, on_settled, host);
  watch (host);
  settle_start (host->tools_settle);
}

void
host_unwatch_tools (struct host *host)
{
  if (host->tools_settle != NULL)
    settle_free (host->tools_settle);
  fd_cleanup (&host->tools_dir);
  tool_files_free (&host->tool_files);
}

/* ---- what is made over the management API ------------------------------------------------ */

static void
touch_tenant (void *ctx, const struct tenant_definitions *of)
{
  toolsets_touch (((struct host *) ctx)->toolsets, of->tenant);
}

static void
on_loaded (void *ctx)
{
  struct host *host = ctx;

  if (host->toolsets == NULL)
    return;
  definitions_each_tenant (host->definitions, touch_tenant, host);
  if (tool_files_any (&host->tool_files))
    toolsets_touch (host->toolsets, NULL);
  host_begin_building (host);
}

/* The store tells what it still has when it is closed; then there are no toolsets any more. */
static void
on_changed (void *ctx, const char *tenant)
{
  struct host *host = ctx;

  if (host->toolsets != NULL)
    toolsets_touch (host->toolsets, tenant);
}

struct tool *
host_internal_tool (const struct host *host, const char *feature, const char *name)
{
  return plugins_builder_tool (host->plugins, feature, name);
}

static struct tool *
internal_tool (void *ctx, const char *name)
{
  return host_internal_tool (ctx, ACTIONS_FEATURE, name);
}

static void
compose_for_check (void *ctx, const char *tenant, struct composed *c)
{
  struct host *host = ctx;
  CLEANUP_FREE char *said = toolsets_feature (host->toolsets, tenant, ACTIONS_FEATURE);

  add_all (host, tenant, said, c);
}

/* Whoever builds declarative tools has its names for that. */
static const char *
taken_by (void *ctx, const char *tenant, const char *name)
{
  struct host *host = ctx;
  const struct toolset *set =
    catalog_toolset (tenancy_catalog (tenancies_of (host->tenancies, tenant)));
  const struct tool *tool = toolset_find (set, name, strlen (name));

  return tool != NULL && !plugins_builds (host->plugins, tool->plugin, ACTIONS_FEATURE)
           ? tool->plugin
           : NULL;
}

/* Is it of the grant's server? */
static bool
is_of (const struct http_pattern *pattern, const struct url *url)
{
  return pattern->secure == url->secure && pattern->port == url->port
         && (pattern->any_host || strcmp (pattern->host, url->host) == 0);
}

static bool
granted (void *ctx, const char *text, const char *method, bool whole)
{
  struct host *host = ctx;
  const struct tool *tool = plugins_builder_tool (host->plugins, ACTIONS_FEATURE, "actions_check");
  const struct http_grants *grants = tool != NULL ? &unit_policy (tool->unit)->http : NULL;
  const unsigned asked = http_method_find (method, strlen (method));
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error unused;
  struct url url;
  bool method_only;

  if (grants == NULL || asked == 0 || !url_read (&url, text, strlen (text), &arena, &unused))
    return true;
  if (whole)
    return http_grants_find (grants, &url, asked, &method_only) != NULL;
  for (size_t i = 0; i < grants->count; i++)
    if (is_of (&grants->list[i].pattern, &url))
      return true;
  return false;
}

static int64_t
served_revision (void *ctx, const char *tenant)
{
  return toolsets_revision (((struct host *) ctx)->toolsets, tenant);
}

void
host_make_manage (struct host *host)
{
  const struct definitions_events events = { .loaded = on_loaded,
                                             .changed = on_changed,
                                             .ctx = host };
  struct manage_needs needs = {
    .loop = host->loop,
    .log = host->log,
    .store = host->store,
    .sandboxed = { .calls = host->calls, .tool = internal_tool, .ctx = host },
    .compose = compose_for_check,
    .taken = taken_by,
    .granted = granted,
    .served = served_revision,
    .ctx = host
  };

  if (host->store == NULL) { /* a daemon of one call */
    if (tool_files_any (&host->tool_files))
      toolsets_touch (host->toolsets, NULL);
    return;
  }
  host->definitions = definitions_new (host->store, host->loop, host->log, &events);
  needs.definitions = host->definitions;
  host->manage = manage_new (&needs);
}

void
host_free_manage (struct host *host)
{
  definitions_free (host->definitions); /* which tells whoever waits for it */
  manage_free (host->manage);
  host->definitions = NULL;
  host->manage = NULL;
}
