#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "daemon/served.h"
#include "front/auth/roles.h"
#include "schema/repair/repair.h"

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
  jsonw_name_string (w, "tool_choice", toolset_choice (set));
}

static void
put_build (struct json_writer *w, const struct build *build)
{
  jsonw_object (w);
  jsonw_name_string (w, "builder", build->feature);
  jsonw_name_string (w, "plugin", build->plugin);
  jsonw_name (w, "tools");
  jsonw_array (w);
  for (size_t i = 0; i < build->described.tools_count; i++)
    jsonw_string (w, build->described.tools[i]->name);
  jsonw_end (w);
  if (build->problem != NULL)
    jsonw_name_string (w, "problem", build->problem);
  jsonw_end (w);
}

static void
put_builds (struct json_writer *w, const struct served *s)
{
  jsonw_name (w, "builds");
  jsonw_array (w);
  for (const struct build *b = s->builds; b != NULL; b = b->next)
    put_build (w, b);
  jsonw_end (w);
}

static void
put_served (struct json_writer *w, const struct served *s)
{
  const struct tenant_file *file = s->file;

  jsonw_object (w);
  jsonw_name_string (w, "name", s->tenancy->name);
  if (file->problem != NULL)
    jsonw_name_string (w, "problem", file->problem);
  put_tools (w, catalog_toolset (tenancy_catalog (s->tenancy)));
  put_builds (w, s);
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

  if (tenant != NULL && toolsets_find (all, tenant) == NULL)
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
