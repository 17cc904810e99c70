#include "daemon/toolsets.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/served.h"

/* ---- what is granted ---- */

/* Of a plugin that is not granted, nothing is; names and tags are about tools. */
static bool
is_granted (const struct tool_filter *granted, const struct tool *tool)
{
  const struct tool_filter plugins = { .plugins = granted->plugins };

  return filter_means (tool->offer == OFFER_TOOL ? granted : &plugins, tool);
}

/* Tools while a set is put together; those that are referred to are the set's from then on. */
struct gathering {
  struct tool **tools;
  size_t count;
};

static void
add (struct gathering *g, struct tool *tool)
{
  g->tools = xrealloc (g->tools, (g->count + 1) * sizeof (struct tool *));
  g->tools[g->count++] = tool_ref (tool);
}

static void
add_granted (struct gathering *g, const struct toolset *whole, const struct tool_filter *granted)
{
  g->tools = xmalloc ((whole->all + 1) * sizeof (struct tool *));
  for (size_t i = 0; i < whole->all; i++)
    if (is_granted (granted, whole->tools[i]))
      g->tools[g->count++] = tool_ref (whole->tools[i]);
}

static const struct tool *
find_tool (const struct gathering *g, const char *name)
{
  for (size_t i = 0; i < g->count; i++)
    if (g->tools[i]->offer == OFFER_TOOL && strcmp (g->tools[i]->name, name) == 0)
      return g->tools[i];
  return NULL;
}

/* Whose name is taken is left out, and said to be. */
static void
add_built (struct gathering *g, struct build *build)
{
  for (size_t i = 0; i < build->described.tools_count; i++) {
    struct tool *tool = build->described.tools[i];
    const struct tool *first = find_tool (g, tool->name);
    if (tool->offer != OFFER_TOOL || tool->disabled || tool->internal)
      continue;
    if (first == NULL) {
      add (g, tool);
      continue;
    }
    CLEANUP_BUF struct buf why = { 0 };
    buf_printf (&why, "tool %s: plugin %s has a tool of this name already", tool->name,
                first->plugin);
    free (build->problem);
    build->problem = xstrdup (buf_cstr (&why));
  }
}

/* What is not as it was pinned is left out. */
static void
leave_out_changed (struct gathering *g, struct pinned *pinned)
{
  size_t kept = 0;

  pinned_begin (pinned);
  for (size_t i = 0; i < g->count; i++)
    if (pinned_admits (pinned, g->tools[i]))
      g->tools[kept++] = g->tools[i];
    else
      tool_unref (g->tools[i]);
  g->count = kept;
  pinned_end (pinned);
}

void
served_make (struct served *s)
{
  struct catalog *whole = s->all->needs.catalog;
  struct gathering g = { .tools = NULL };
  struct toolset *set;

  add_granted (&g, catalog_toolset (whole), &s->file->granted);
  for (struct build *b = s->builds; b != NULL; b = b->next)
    add_built (&g, b);
  if (s->pinned != NULL)
    leave_out_changed (&g, s->pinned);
  set = toolset_new (g.tools, g.count, catalog_generation (whole));
  if (!toolset_choose (set, s->file->settings.tool_choice) && s->all->begun && !s->running)
    log_event (s->all->needs.log, LOG_WARNING, "tenant_tool_choice_unknown", "tenant",
               s->file->name, "tool_choice", s->file->settings.tool_choice, NULL);
  catalog_swap (tenancy_catalog (s->tenancy), set);
  free (g.tools);
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

  for (struct served *s = all->by_name; s != NULL; s = s->hh.next) {
    served_make (s);
    if (all->begun && served_is_stale (s))
      served_build (s);
  }
}

static void
on_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  (void) watcher;
  (void) of;
  (void) lists;
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  served_build (timer->data);
}

static void
on_answered (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  served_answered (timer->data);
}

static void
on_rebuild (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct served *s = timer->data;

  (void) loop;
  (void) revents;
  s->rebuilt = pool_now ();
  if (s->all->begun)
    served_build (s);
}

/* Not from within the worker's frame: a timer does it. */
static void
on_asked (void *ctx, const char *plugin, const char *tenant, const char *feature, size_t len)
{
  struct toolsets *all = ctx;

  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    if (tenant == NULL || strcmp (s->tenancy->name, tenant) == 0)
      served_rebuild (s, plugin, feature, len);
}

struct served *
toolsets_find (struct toolsets *all, const char *name)
{
  struct served *s = NULL;

  HASH_FIND_STR (all->by_name, name, s);
  return s;
}

/* A tenant of which no file ever was good keeps the pins it may have had. */
static void
follow_pin (struct served *s)
{
  if (s->file->settings.pin)
    s->pinned = pins_of (s->all->needs.pins, s->file->name);
  else if (s->file->text != NULL) {
    s->pinned = NULL;
    pins_forget (s->all->needs.pins, s->file->name);
  }
}

void
toolsets_follow (struct toolsets *all, const struct tenant_file *file)
{
  struct served *s = toolsets_find (all, file->name);

  if (s == NULL) {
    s = xcalloc (1, sizeof *s);
    s->all = all;
    s->tenancy = tenancies_of (all->needs.tenancies, file->name);
    ev_timer_init (&s->again, on_again, 0, 0);
    s->again.data = s;
    ev_timer_init (&s->answered, on_answered, 0, 0);
    s->answered.data = s;
    ev_timer_init (&s->rebuild, on_rebuild, 0, 0);
    s->rebuild.data = s;
    HASH_ADD_KEYPTR (hh, all->by_name, s->tenancy->name, strlen (s->tenancy->name), s);
  }
  s->file = file;
  follow_pin (s);
  (void) tenancy_grant (s->tenancy, &file->terms);
  served_make (s);
  log_event (all->needs.log, LOG_INFO, "tenant_loaded", "tenant", file->name, NULL);
  if (all->begun)
    served_build (s);
}

static void
drop (struct toolsets *all, struct served *s)
{
  HASH_DEL (all->by_name, s);
  served_clear (s);
  free (s);
}

void
toolsets_forget (struct toolsets *all, const char *tenant)
{
  struct served *s = toolsets_find (all, tenant);

  if (s == NULL)
    return;
  log_event (all->needs.log, LOG_INFO, "tenant_gone", "tenant", tenant, NULL);
  tenancy_revoke (s->tenancy);
  pins_forget (all->needs.pins, tenant);
  drop (all, s);
  toolsets_look (all);
}

struct pinned *
toolsets_pinned (struct toolsets *all, const char *tenant)
{
  const struct served *s = toolsets_find (all, tenant);

  return s != NULL ? s->pinned : NULL;
}

enum pins_accepted
toolsets_accept (struct toolsets *all, const char *tenant, const char *name, const char *digest)
{
  struct served *s = toolsets_find (all, tenant);
  enum pins_accepted accepted;

  if (s == NULL || s->pinned == NULL)
    return PINS_NOT_KEPT;
  accepted = pinned_accept (s->pinned, name, digest);
  if (accepted == PINS_ACCEPTED)
    served_make (s);
  return accepted;
}

struct toolsets *
toolsets_new (const struct toolsets_needs *needs)
{
  struct toolsets *all = xcalloc (1, sizeof *all);

  all->needs = *needs;
  all->watcher.changed = on_changed;
  all->watcher.swapped = on_swapped;
  catalog_watch (needs->catalog, &all->watcher);
  needs->pool->rebuilder = (struct pool_rebuilder){ .rebuild = on_asked, .ctx = all };
  return all;
}

void
toolsets_free (struct toolsets *all)
{
  struct served *s, *next;

  if (all == NULL)
    return;
  catalog_unwatch (&all->watcher);
  all->needs.pool->rebuilder = (struct pool_rebuilder){ .rebuild = NULL };
  HASH_ITER (hh, all->by_name, s, next)
  {
    drop (all, s);
  }
  free (all);
}

/* ---- building ---- */

void
toolsets_look (struct toolsets *all)
{
  void (*built) (void *ctx) = all->built;

  if (!all->begun || all->running != 0 || built == NULL)
    return;
  all->built = NULL;
  built (all->built_ctx);
}

void
toolsets_begin (struct toolsets *all, void (*built) (void *ctx), void *ctx)
{
  all->begun = true;
  all->built_ctx = ctx;
  all->running++; /* until all have begun */
  all->built = built;
  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    served_build (s);
  all->running--;
  toolsets_look (all);
}

bool
toolsets_are_built (const struct toolsets *all)
{
  return all->begun && all->built == NULL;
}

void
toolsets_shutdown (struct toolsets *all)
{
  all->begun = false;
  for (struct served *s = all->by_name; s != NULL; s = s->hh.next) {
    served_stop_building (s);
    ev_timer_stop (all->needs.pool->loop, &s->rebuild);
    for (struct build *b = s->builds; b != NULL; b = b->next)
      if (b->unit != NULL)
        unit_shutdown (b->unit);
  }
}
