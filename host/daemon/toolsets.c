#include "daemon/toolsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "front/auth/roles.h"
#include "schema/repair/repair.h"

/* One tenant with a file. */
struct served {
  const struct tenant_file *file;
  struct tenancy *tenancy;
  UT_hash_handle hh; /* by the tenancy's name */
};

struct toolsets {
  struct toolsets_needs needs;
  struct catalog_watcher watcher;
  struct served *by_name;
};

/* ---- what is granted ---- */

/* Of a plugin that is not granted, nothing is; names and tags are about tools. */
static bool
is_granted (const struct tool_filter *granted, const struct tool *tool)
{
  const struct tool_filter plugins = { .plugins = granted->plugins };

  return filter_means (tool->offer == OFFER_TOOL ? granted : &plugins, tool);
}

static struct toolset *
granted_toolset (struct toolsets *all, const struct tool_filter *granted)
{
  const struct toolset *whole = catalog_toolset (all->needs.catalog);
  struct tool **tools = xmalloc ((whole->all + 1) * sizeof (struct tool *));
  struct toolset *set;
  size_t count = 0;

  for (size_t i = 0; i < whole->all; i++)
    if (is_granted (granted, whole->tools[i]))
      tools[count++] = tool_ref (whole->tools[i]);
  set = toolset_new (tools, count, catalog_generation (all->needs.catalog));
  free (tools);
  return set;
}

static void
make (struct toolsets *all, struct served *s)
{
  catalog_swap (tenancy_catalog (s->tenancy), granted_toolset (all, &s->file->granted));
}

/* ---- what changes ---- */

static struct toolsets *
toolsets_of (struct catalog_watcher *watcher)
{
  return (struct toolsets *) (void *) ((char *) watcher - offsetof (struct toolsets, watcher));
}

static void
on_swapped (struct catalog_watcher *watcher)
{
  struct toolsets *all = toolsets_of (watcher);

  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    make (all, s);
}

static void
on_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  (void) watcher;
  (void) of;
  (void) lists;
}

static struct served *
served_named (struct toolsets *all, const char *name)
{
  struct served *s = NULL;

  HASH_FIND_STR (all->by_name, name, s);
  return s;
}

void
toolsets_follow (struct toolsets *all, const struct tenant_file *file)
{
  struct served *s = served_named (all, file->name);

  if (s == NULL) {
    s = xcalloc (1, sizeof *s);
    s->tenancy = tenancies_of (all->needs.tenancies, file->name);
    HASH_ADD_KEYPTR (hh, all->by_name, s->tenancy->name, strlen (s->tenancy->name), s);
  }
  s->file = file;
  (void) tenancy_grant (s->tenancy, &file->terms);
  make (all, s);
  log_event (all->needs.log, LOG_INFO, "tenant_loaded", "tenant", file->name, "tools",
             LOG_INT (catalog_toolset (s->tenancy->own)->count), NULL);
}

static void
drop (struct toolsets *all, struct served *s)
{
  HASH_DEL (all->by_name, s);
  free (s);
}

void
toolsets_forget (struct toolsets *all, const char *tenant)
{
  struct served *s = served_named (all, tenant);

  if (s == NULL)
    return;
  tenancy_revoke (s->tenancy);
  drop (all, s);
  log_event (all->needs.log, LOG_INFO, "tenant_gone", "tenant", tenant, NULL);
}

struct toolsets *
toolsets_new (const struct toolsets_needs *needs)
{
  struct toolsets *all = xcalloc (1, sizeof *all);

  all->needs = *needs;
  all->watcher.changed = on_changed;
  all->watcher.swapped = on_swapped;
  catalog_watch (needs->catalog, &all->watcher);
  return all;
}

void
toolsets_free (struct toolsets *all)
{
  struct served *s, *next;

  if (all == NULL)
    return;
  catalog_unwatch (&all->watcher);
  HASH_ITER (hh, all->by_name, s, next)
  {
    drop (all, s);
  }
  free (all);
}

/* ---- showing ---- */

static void
put_limit (struct json_writer *w, const char *name, unsigned limit)
{
  jsonw_name (w, name);
  if (limit != 0)
    jsonw_int (w, limit);
  else
    jsonw_null (w);
}

static void
put_roles (struct json_writer *w, unsigned roles)
{
  if (roles != ~0U)
    jsonw_name_bits (w, "roles", roles, role_names);
}

static void
put_use (struct json_writer *w, const struct tenancy *tenancy)
{
  const struct terms *terms = tenancy_terms (tenancy);

  jsonw_name (w, "quotas");
  jsonw_object (w);
  put_limit (w, "running", terms->running_max);
  put_limit (w, "queued", terms->quota.queued);
  put_limit (w, "per_minute", terms->quota.per_minute);
  jsonw_end (w);
  jsonw_name_int (w, "running", tenancy_running (tenancy));
  jsonw_name_int (w, "waiting", tenancy->quota.waiting);
  jsonw_name_int (w, "last_minute", quota_minute (&tenancy->quota, clock_ns ()));
  jsonw_name_int (w, "refused", (int64_t) tenancy->quota.refused);
}

static void
put_tools (struct json_writer *w, const struct toolset *set)
{
  jsonw_name (w, "tools");
  jsonw_array (w);
  for (size_t i = 0; i < set->count; i++)
    jsonw_string (w, set->tools[i]->name);
  jsonw_end (w);
  jsonw_name_string (w, "tool_choice", set->count != 0 ? "auto" : "none");
}

static void
put_served (struct json_writer *w, const struct served *s)
{
  const struct tenant_file *file = s->file;

  jsonw_object (w);
  jsonw_name_string (w, "name", file->name);
  if (file->problem != NULL)
    jsonw_name_string (w, "problem", file->problem);
  put_tools (w, catalog_toolset (tenancy_catalog (s->tenancy)));
  put_roles (w, file->terms.roles);
  jsonw_name_bool (w, "detailed_errors", file->terms.detailed_errors);
  if (file->terms.repair >= 0)
    jsonw_name_string (w, "repair", repair_mode_name ((enum repair_mode) file->terms.repair));
  put_use (w, s->tenancy);
  jsonw_end (w);
}

static int
by_name (const struct served *a, const struct served *b)
{
  return strcmp (a->tenancy->name, b->tenancy->name);
}

bool
toolsets_render (struct toolsets *all, const char *tenant, struct buf *out)
{
  struct json_writer w = { .out = out };

  if (tenant != NULL && served_named (all, tenant) == NULL)
    return false;
  HASH_SORT (all->by_name, by_name);
  jsonw_object (&w);
  jsonw_name (&w, "tenants");
  jsonw_array (&w);
  for (const struct served *s = all->by_name; s != NULL; s = s->hh.next)
    if (tenant == NULL || strcmp (s->tenancy->name, tenant) == 0)
      put_served (&w, s);
  jsonw_end (&w);
  jsonw_end (&w);
  return true;
}
