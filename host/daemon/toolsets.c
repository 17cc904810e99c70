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
    if (whole->tools[i]->offer != OFFER_GUARD && is_granted (granted, whole->tools[i]))
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

  if (s->tenancy->own == NULL)
    return;
  add_granted (&g, catalog_toolset (whole), &s->file->granted);
  for (struct build *b = s->builds; b != NULL; b = b->next)
    add_built (&g, b);
  if (s->pinned != NULL)
    leave_out_changed (&g, s->pinned);
  set = toolset_new (g.tools, g.count, catalog_generation (whole));
  if (!toolset_choose (set, s->file->settings.tool_choice) && s->all->begun && !s->running)
    log_event (s->all->needs.log, LOG_WARNING, "tenant_tool_choice_unknown", "tenant",
               s->tenancy->name, "tool_choice", s->file->settings.tool_choice, NULL);
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
      toolsets_want (s);
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
on_touch (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct served *s = timer->data;

  (void) loop;
  (void) revents;
  if (s->all->begun)
    served_touched (s);
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
    s->pinned = pins_of (s->all->needs.pins, s->tenancy->name);
  else if (s->file->text != NULL || s->derived) {
    s->pinned = NULL;
    pins_forget (s->all->needs.pins, s->tenancy->name);
  }
}

static void
init_timer (struct served *s, ev_timer *timer, void (*act) (struct ev_loop *, ev_timer *, int))
{
  ev_timer_init (timer, act, 0, 0);
  timer->data = s;
}

static struct served *
make_served (struct toolsets *all, const char *name)
{
  struct served *s = toolsets_find (all, name);

  if (s != NULL)
    return s;
  s = xcalloc (1, sizeof *s);
  s->all = all;
  s->tenancy = tenancies_of (all->needs.tenancies, name);
  s->composing = s->revision = -1;
  init_timer (s, &s->again, on_again);
  init_timer (s, &s->answered, on_answered);
  init_timer (s, &s->rebuild, on_rebuild);
  init_timer (s, &s->touch, on_touch);
  HASH_ADD_KEYPTR (hh, all->by_name, s->tenancy->name, strlen (s->tenancy->name), s);
  return s;
}

static void
follow (struct served *s, const struct tenant_file *file)
{
  s->file = file;
  follow_pin (s);
  if (s->derived && s->all->begun && s->tenancy->own == NULL)
    return; /* until its tools are built it is served what "default" is, with what is built there */
  (void) tenancy_grant (s->tenancy, &file->terms);
  served_make (s);
}

/* As "default" is served: by its file, or everything. */
static void
follow_default (struct served *s)
{
  static const struct tenant_file everything = { .settings = { .features = "{}", .repair = -1 },
                                                 .terms = { .roles = ~0U, .repair = -1 } };
  const struct served *otherwise = toolsets_find (s->all, TENANT_DEFAULT);

  s->derived = true;
  follow (s, otherwise != NULL && !otherwise->derived ? otherwise->file : &everything);
}

/* Whoever has no file of its own follows. */
static void
default_has_changed (struct toolsets *all)
{
  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    if (s->derived) {
      follow_default (s);
      if (all->begun)
        toolsets_want (s);
    }
}

void
toolsets_follow (struct toolsets *all, const struct tenant_file *file)
{
  struct served *s = make_served (all, file->name);

  s->derived = false;
  follow (s, file);
  log_event (all->needs.log, LOG_INFO, "tenant_loaded", "tenant", file->name, NULL);
  if (all->begun)
    served_build (s);
  if (strcmp (file->name, TENANT_DEFAULT) == 0)
    default_has_changed (all);
}

static void
forget_wanted (struct served *s)
{
  struct toolsets *all = s->all;
  struct served **at = &all->first_wanted;

  all->last_wanted = NULL;
  for (struct served *w; (w = *at) != NULL;)
    if (w == s)
      *at = w->next_wanted;
    else {
      all->last_wanted = w;
      at = &w->next_wanted;
    }
  s->wanted = false;
}

static void
drop (struct toolsets *all, struct served *s)
{
  HASH_DEL (all->by_name, s);
  forget_wanted (s);
  served_clear (s);
  free (s);
}

static bool
owns (const struct toolsets *all, const char *tenant)
{
  return all->needs.owns != NULL && all->needs.owns (all->needs.ctx, tenant);
}

void
toolsets_forget (struct toolsets *all, const char *tenant)
{
  struct served *s = toolsets_find (all, tenant);
  const bool otherwise = strcmp (tenant, TENANT_DEFAULT) == 0;

  if (s == NULL)
    return;
  log_event (all->needs.log, LOG_INFO, "tenant_gone", "tenant", tenant, NULL);
  if (owns (all, tenant)) {
    follow_default (s);
    if (all->begun)
      served_build (s);
  }
  else {
    tenancy_revoke (s->tenancy);
    pins_forget (all->needs.pins, tenant);
    drop (all, s);
  }
  if (otherwise)
    default_has_changed (all);
  toolsets_look (all);
}

/* What is made of it is wanted; one without a file may be new here. */
static void
touch (struct toolsets *all, const char *tenant)
{
  struct served *s = toolsets_find (all, tenant);

  if (s == NULL && !owns (all, tenant))
    return;
  if (s == NULL) {
    s = make_served (all, tenant);
    follow_default (s);
  }
  if (all->begun)
    served_touch (s);
}

void
toolsets_touch (struct toolsets *all, const char *tenant)
{
  const bool everybody = tenant == NULL || strcmp (tenant, TENANT_DEFAULT) == 0;

  touch (all, tenant != NULL ? tenant : TENANT_DEFAULT);
  for (struct served *s = all->by_name; everybody && s != NULL; s = s->hh.next)
    if (all->begun && (tenant == NULL || s->derived))
      served_touch (s);
}

void
toolsets_doubt (struct toolsets *all)
{
  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    if (served_doubt (s) && all->begun)
      served_touch (s);
}

int64_t
toolsets_revision (struct toolsets *all, const char *tenant)
{
  const struct served *s = toolsets_find (all, tenant);

  return s != NULL ? s->revision : -1;
}

char *
toolsets_feature (struct toolsets *all, const char *tenant, const char *feature)
{
  const struct served *s = toolsets_find (all, tenant);

  if (s == NULL)
    s = toolsets_find (all, TENANT_DEFAULT);
  return s != NULL ? served_feature (s, feature) : NULL;
}

bool
toolsets_has_file (struct toolsets *all, const char *tenant)
{
  const struct served *s = toolsets_find (all, tenant);

  return s != NULL && !s->derived;
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

/* So many at once: each is a process that starts, and calls want the machine, too. */
enum { BUILDS_AT_ONCE = 8 };

/* Whoever waits begins, as far as there is room. */
static void
pump (struct toolsets *all)
{
  struct served *s;

  while (all->begun && all->running < BUILDS_AT_ONCE && (s = all->first_wanted) != NULL) {
    forget_wanted (s);
    served_build (s);
  }
}

void
toolsets_want (struct served *s)
{
  struct toolsets *all = s->all;

  if (!s->wanted) {
    s->wanted = true;
    s->next_wanted = NULL;
    *(all->last_wanted != NULL ? &all->last_wanted->next_wanted : &all->first_wanted) = s;
    all->last_wanted = s;
  }
  pump (all);
}

void
toolsets_look (struct toolsets *all)
{
  void (*built) (void *ctx);

  pump (all);
  built = all->built;
  if (!all->begun || all->running != 0 || all->first_wanted != NULL || built == NULL)
    return;
  all->built = NULL;
  built (all->built_ctx);
}

void
toolsets_begin (struct toolsets *all, void (*built) (void *ctx), void *ctx)
{
  all->begun = true;
  all->built_ctx = ctx;
  for (struct served *s = all->by_name; s != NULL; s = s->hh.next)
    toolsets_want (s);
  all->built = built;
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
    ev_timer_stop (all->needs.pool->loop, &s->touch);
    for (struct build *b = s->builds; b != NULL; b = b->next)
      if (b->unit != NULL)
        unit_shutdown (b->unit);
  }
}
