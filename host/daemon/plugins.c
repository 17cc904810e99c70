#include "daemon/plugins.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog/skill.h"
#include "daemon/listing.h"
#include "daemon/offering.h"
#include "daemon/plugin.h"

/* Seconds until a plugin is asked again that this machine had no time or no room for. */
static const double AGAIN_FIRST = 1, AGAIN_MOST = 60;

/* With so many tools a toolset takes milliseconds to make.  Until all plugins are known it is made
 * once in so many seconds, not for each of them: that would take the square of their number. */
enum { MANY_TOOLS = 10000 };
static const double TOGETHER = 0.25;

static void pump (struct plugins *all);

/* ---- the toolset ---- */

static int
by_name (const struct plugin *a, const struct plugin *b)
{
  return strcmp (a->name, b->name);
}

void
plugins_sort (struct plugins *all)
{
  HASH_SORT (all->by_name, by_name);
}

static void
rebuild (struct plugins *all)
{
  if (all->stale)
    plugins_put_together (all);
  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    listings_ask (p);
}

static void
on_together (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  rebuild (timer->data);
}

/* A plugin offers something.  What nobody was served before may be served a little later. */
static void
put_together (struct plugins *all, bool is_new)
{
  if (!is_new || all->ready || catalog_toolset (all->needs.catalog)->all < MANY_TOOLS) {
    rebuild (all);
    return;
  }
  if (ev_is_active (&all->together))
    return;
  ev_timer_set (&all->together, TOGETHER, 0);
  ev_timer_start (all->needs.pool->loop, &all->together);
}

void
plugins_listed (struct plugins *all)
{
  plugins_put_together (all);
}

void
plugins_list_by (struct plugins *all, struct calls *calls)
{
  all->calls = calls;
}

void
plugins_list_again (struct plugins *all, const char *name)
{
  struct plugin *plugin = NULL;

  HASH_FIND_STR (all->by_name, name, plugin);
  if (plugin == NULL)
    return;
  listings_again (plugin);
  listings_ask (plugin);
}

/* ---- a plugin ---- */

static void
set_text (char **text, const char *to)
{
  free (*text);
  *text = to != NULL ? xstrdup (to) : NULL;
}

/* What serves now serves no more; it finishes what it has taken. */
static void
retire (struct plugin *plugin)
{
  listings_free (plugin);
  described_free (&plugin->described);
  if (plugin->unit != NULL)
    unit_supersede (plugin->unit);
  unit_unref (plugin->unit);
  plugin->unit = NULL;
  plugin->all->stale = true;
}

static void
unqueue (struct plugin *plugin)
{
  struct plugin **p = &plugin->all->first_waiting;
  struct plugin *last = NULL;

  if (!plugin->queued)
    return;
  while (*p != plugin) {
    last = *p;
    p = &(*p)->waiting;
  }
  *p = plugin->waiting;
  if (plugin->all->last_waiting == plugin)
    plugin->all->last_waiting = last;
  plugin->queued = false;
  plugin->waiting = NULL;
}

/* Give up the generation that is being copied or asked. */
static void
drop_next (struct plugin *plugin)
{
  unqueue (plugin);
  ev_timer_stop (plugin->all->needs.pool->loop, &plugin->again);
  plugin->pause = 0;
  if (plugin->taking != NULL) {
    taking_cancel (plugin->taking);
    plugin->taking = NULL;
    plugin->all->taking--;
  }
  if (plugin->asking) {
    unit_forget_describer (plugin->next);
    plugin->asking = false;
    plugin->all->asking--;
  }
  unit_unref (plugin->next);
  plugin->next = NULL;
}

static void
plugin_free (struct plugin *plugin)
{
  drop_next (plugin);
  retire (plugin);
  HASH_DEL (plugin->all->by_name, plugin);
  policy_free (&plugin->policy);
  history_unref (plugin->history);
  free (plugin->name);
  free (plugin->path);
  free (plugin->suggests);
  free (plugin->next_suggests);
  skills_unref (plugin->skills);
  skills_unref (plugin->next_skills);
  free (plugin->problem);
  free (plugin->conflicts);
  free (plugin);
}

static void
refuse (struct plugin *plugin, const char *why)
{
  const char *again_ms = plugin->pause != 0 ? LOG_INT (plugin->pause * 1000) : NULL;

  set_text (&plugin->problem, why);
  log_event (plugin->all->needs.log, LOG_ERROR, "plugin_refused", "plugin", plugin->name, "file",
             plugin->path, "why", why, "still_serving",
             plugin->unit != NULL ? "the file it replaces" : NULL, "again_in_ms", again_ms, NULL);
}

static void
fail (struct plugin *plugin, const char *why)
{
  drop_next (plugin);
  refuse (plugin, why);
}

/* The machine was too busy, or too full: it is asked again, later and later. */
static void
fail_for_now (struct plugin *plugin, const char *why)
{
  struct pool *pool = plugin->all->needs.pool;
  const double next = plugin->pause == 0 ? AGAIN_FIRST : 2 * plugin->pause;

  plugin->pause = next < AGAIN_MOST ? next : AGAIN_MOST;
  refuse (plugin, why);
  ev_timer_set (&plugin->again, plugin->pause * (1 - pool_random (pool) / 2), 0);
  ev_timer_start (pool->loop, &plugin->again);
}

static void
on_skill_changed (void *ctx, const char *uri, size_t len)
{
  catalog_updated (ctx, uri, len);
}

/* Those of the next generation are served from here on. */
static void
adopt_skills (struct plugin *plugin)
{
  struct skills *was = plugin->skills;

  plugin->skills = plugin->next_skills;
  plugin->next_skills = NULL;
  if (was != NULL)
    skills_each_changed (was, plugin->skills, on_skill_changed, plugin->all->needs.catalog);
  skills_unref (was);
}

/* The next generation said what it offers: it serves from here on. */
static bool
adopt (struct plugin *plugin, const char *json, size_t len)
{
  struct plugins *all = plugin->all;
  struct described d = { 0 };
  struct error err = { 0 };
  size_t counts[OFFERS] = { 0 };

  if (!described_read (&d, plugin->name, json, len, &all->schemas, &err)) {
    described_free (&d);
    fail (plugin, err.text);
    return false;
  }
  if (plugin->next_skills != NULL)
    skills_offer (plugin->next_skills, plugin->name, &d);
  for (size_t i = 0; i < d.tools_count; i++)
    counts[d.tools[i]->offer]++;
  offering_settle (&d, plugin->next, plugin->name, plugin->next_hex, all->needs.log);
  unit_set_description (plugin->next, json, len);
  retire (plugin);
  plugin->unit = plugin->next;
  plugin->next = NULL;
  plugin->described = d;
  listings_make (plugin);
  memcpy (plugin->hex, plugin->next_hex, sizeof plugin->hex);
  free (plugin->suggests);
  plugin->suggests = plugin->next_suggests;
  plugin->next_suggests = NULL;
  adopt_skills (plugin);
  unit_serve (plugin->unit);
  set_text (&plugin->problem, NULL);
  log_event (all->needs.log, LOG_INFO, "plugin_loaded", "plugin", plugin->name, "version",
             d.version, "file", plugin->path, "sha256", plugin->hex, "tools",
             LOG_INT (counts[OFFER_TOOL]), "resources",
             LOG_INT (counts[OFFER_RESOURCE] + counts[OFFER_TEMPLATE] - counts[OFFER_SKILL]),
             "prompts", LOG_INT (counts[OFFER_PROMPT]), "skills", LOG_INT (counts[OFFER_SKILL]),
             "guards", LOG_INT (counts[OFFER_GUARD]), NULL);
  return true;
}

/* What of a policy the plugin itself sees when it is opened. */
static uint64_t
policy_digest (const struct policy *policy)
{
  uint64_t hash = 0xCBF29CE484222325U;
  char *const *lists[] = { policy->read, policy->write };

  for (const char *c = policy->config; *c != '\0'; c++)
    hash = (hash ^ (unsigned char) *c) * 0x100000001B3U;
  for (int i = 0; i < 2; i++) {
    hash = (hash ^ 0xFF) * 0x100000001B3U;
    for (char *const *p = lists[i]; p != NULL && *p != NULL; p++)
      for (const char *c = *p;; c++) {
        hash = (hash ^ (unsigned char) *c) * 0x100000001B3U;
        if (*c == '\0')
          break;
      }
  }
  return hash;
}

/* ---- asking ---- */

static void
check_ready (struct plugins *all)
{
  if (all->asking != 0 || all->taking != 0 || all->first_waiting != NULL || !all->scanned)
    return;
  definition_schemas_clear (&all->schemas);
  describe_cache_save (all->needs.cache);
  intake_sweep_later (all->needs.intake);
  if (!all->ready) {
    ev_timer_stop (all->needs.pool->loop, &all->together);
    if (all->stale)
      rebuild (all);
    all->ready = true;
    all->needs.ready (all->needs.ctx);
  }
}

/* It was not described: would another try perhaps end otherwise? */
static bool
may_pass (const struct plugin *plugin)
{
  const struct past *last = history_past (plugin->history, 0);
  return last != NULL && reason_may_pass (last->end.reason);
}

static void
on_described (void *ctx, const char *json, size_t len, const struct error *err)
{
  struct plugin *plugin = ctx;
  struct plugins *all = plugin->all;
  const bool is_new = plugin->unit == NULL;

  plugin->asking = false;
  all->asking--;
  if (json == NULL && may_pass (plugin))
    fail_for_now (plugin, err->text);
  else if (json == NULL)
    fail (plugin, err->text);
  else {
    describe_cache_put (all->needs.cache, plugin->next_hex, policy_digest (&plugin->policy), json,
                        len);
    if (adopt (plugin, json, len))
      put_together (all, is_new);
  }
  pump (all);
  check_ready (all);
}

static unsigned
workers_of (const struct unit *unit)
{
  struct unit_status status = { 0 };

  if (unit != NULL)
    unit_status (unit, &status);
  return status.workers;
}

/* How many workers the next generation has to have when it takes over, so that no call waits for
 * one to start: as many as the one before it has, and as the policy wants. */
static unsigned
warm (const struct plugin *plugin)
{
  const unsigned max = (unsigned) plugin->policy.workers_max;
  const unsigned ready = (unsigned) plugin->policy.workers_ready;
  const unsigned now = workers_of (plugin->unit);

  return now > max ? max : now > ready ? now : ready;
}

static void
pump (struct plugins *all)
{
  while (all->first_waiting != NULL && all->asking < all->needs.describe_parallel) {
    struct plugin *plugin = all->first_waiting;
    unqueue (plugin);
    plugin->asking = true;
    all->asking++;
    unit_describe (
      plugin->next,
      &(struct unit_describer){ .described = on_described, .ctx = plugin, .warm = warm (plugin) });
  }
}

static void
ask_later (struct plugin *plugin)
{
  struct plugins *all = plugin->all;

  if (all->last_waiting != NULL)
    all->last_waiting->waiting = plugin;
  else
    all->first_waiting = plugin;
  all->last_waiting = plugin;
  plugin->queued = true;
}

static void
ask_again (struct plugin *plugin)
{
  ev_timer_stop (plugin->all->needs.pool->loop, &plugin->again);
  unit_release (plugin->next); /* its starts that failed say nothing of this one */
  ask_later (plugin);
  pump (plugin->all);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  ask_again (timer->data);
}

/* ---- what discovery reports ---- */

static struct plugin *
plugin_named (struct plugins *all, const char *name, const char *path)
{
  struct plugin *plugin = NULL;

  HASH_FIND_STR (all->by_name, name, plugin);
  if (plugin == NULL) {
    plugin = xcalloc (1, sizeof *plugin);
    plugin->all = all;
    plugin->name = xstrdup (name);
    plugin->history = history_new ();
    policy_init (&plugin->policy);
    ev_timer_init (&plugin->again, on_again, 0, 0);
    plugin->again.data = plugin;
    HASH_ADD_KEYPTR (hh, all->by_name, plugin->name, strlen (plugin->name), plugin);
  }
  set_text (&plugin->path, path);
  return plugin;
}

/* The skills that come with a copy; an index that is none is a fault of ours, and is of none. */
static void
take_skills (struct plugin *plugin, const struct plugin_copy *copy)
{
  skills_unref (plugin->next_skills);
  plugin->next_skills = NULL;
  if (copy->skills != NULL)
    plugin->next_skills = skills_new (plugin->name, copy->skills, strlen (copy->skills),
                                      fcntl (copy->fd, F_DUPFD_CLOEXEC, 3));
}

/* There is a copy to run it from: what does it offer?  True when it serves already. */
static bool
begin (struct plugin *plugin, const struct plugin_copy *copy)
{
  struct plugins *all = plugin->all;
  const uint64_t policy = policy_digest (&plugin->policy);
  const char *json;
  size_t len;

  memcpy (plugin->next_hex, copy->hex, sizeof plugin->next_hex);
  set_text (&plugin->next_suggests, copy->suggests);
  take_skills (plugin, copy);
  plugin->next =
    unit_new (all->needs.pool, plugin->name, copy->fd, &plugin->policy, plugin->history);
  json = describe_cache_find (all->needs.cache, plugin->next_hex, policy, &len);
  if (json != NULL && workers_of (plugin->unit) == 0)
    return adopt (plugin, json, len);
  ask_later (plugin); /* also when the answer is known: its workers are to be ready */
  return false;
}

static void
on_taken (void *ctx, const struct plugin_copy *copy, const struct error *err)
{
  struct plugin *plugin = ctx;
  struct plugins *all = plugin->all;
  const bool is_new = plugin->unit == NULL;

  plugin->taking = NULL;
  all->taking--;
  if (copy == NULL)
    fail (plugin, err->text);
  else if (begin (plugin, copy))
    put_together (all, is_new);
  pump (all);
  check_ready (all);
}

void
plugins_found (struct plugins *all, const char *name, const char *path, const struct source *source)
{
  struct plugin *plugin = plugin_named (all, name, path);
  struct plugin_copy copy;

  drop_next (plugin);
  policy_free (&plugin->policy);
  policy_init (&plugin->policy);
  all->needs.policy (all->needs.ctx, name, &plugin->policy);
  if (!plugin->policy.enabled) {
    (void) close (source->fd);
    retire (plugin);
    set_text (&plugin->problem, NULL);
    return;
  }
  if (intake_now (all->needs.intake, source, &copy)) {
    (void) close (source->fd);
    (void) begin (plugin, &copy);
    return;
  }
  plugin->taking = intake_begin (all->needs.intake, name, source, on_taken, plugin);
  all->taking++;
}

void
plugins_gone (struct plugins *all, const char *name)
{
  struct plugin *plugin = NULL;

  HASH_FIND_STR (all->by_name, name, plugin);
  if (plugin == NULL)
    return;
  log_event (all->needs.log, LOG_INFO, "plugin_removed", "plugin", name, NULL);
  plugin_free (plugin);
}

void
plugins_refused (struct plugins *all, const char *name, const char *path, const char *why)
{
  struct plugin *plugin = plugin_named (all, name, path);

  drop_next (plugin);
  fail (plugin, why);
}

void
plugins_scanned (struct plugins *all)
{
  all->scanned = true;
  rebuild (all);
  pump (all);
  check_ready (all);
}

/* ---- for the daemon ---- */

struct plugins *
plugins_new (const struct plugins_needs *needs)
{
  struct plugins *all = xcalloc (1, sizeof *all);
  all->needs = *needs;
  ev_timer_init (&all->together, on_together, 0, 0);
  all->together.data = all;
  return all;
}

void
plugins_free (struct plugins *all)
{
  struct plugin *p, *next;

  if (all == NULL)
    return;
  HASH_ITER (hh, all->by_name, p, next)
  {
    plugin_free (p);
  }
  ev_timer_stop (all->needs.pool->loop, &all->together);
  definition_schemas_clear (&all->schemas);
  free (all);
}

bool
plugins_ready (const struct plugins *all)
{
  return all->ready;
}

size_t
plugins_count (const struct plugins *all)
{
  return HASH_COUNT (all->by_name);
}

size_t
plugins_hashes (const struct plugins *all, char (**list)[SHA256_HEX])
{
  size_t count = 0;

  *list = xcalloc (2 * (size_t) HASH_COUNT (all->by_name) + 1, sizeof **list);
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    if (p->unit != NULL)
      memcpy ((*list)[count++], p->hex, SHA256_HEX);
    if (p->next != NULL)
      memcpy ((*list)[count++], p->next_hex, SHA256_HEX);
  }
  return count;
}

void
plugins_each_builder (struct plugins *all,
                      void (*builder) (void *ctx, const char *plugin, const char *feature,
                                       struct unit *unit, const char *hex),
                      void *ctx)
{
  plugins_sort (all);
  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    for (size_t i = 0; p->unit != NULL && i < p->described.builders_count; i++)
      builder (ctx, p->name, p->described.builders[i], p->unit, p->hex);
}

bool
plugins_builds (struct plugins *all, const char *plugin, const char *feature)
{
  struct plugin *p = NULL;

  HASH_FIND_STR (all->by_name, plugin, p);
  for (size_t i = 0; p != NULL && i < p->described.builders_count; i++)
    if (strcmp (p->described.builders[i], feature) == 0)
      return true;
  return false;
}

struct tool *
plugins_builder_tool (struct plugins *all, const char *feature, const char *name)
{
  plugins_sort (all);
  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    for (size_t i = 0; p->unit != NULL && i < p->described.builders_count; i++)
      if (strcmp (p->described.builders[i], feature) == 0) {
        struct tool *tool = described_tool (&p->described, name);
        return tool != NULL && tool->internal && !tool->disabled ? tool : NULL;
      }
  return NULL;
}

void
plugins_each_changed (struct plugins *all, void (*changed) (void *ctx, const char *name), void *ctx)
{
  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    struct policy now;
    policy_init (&now);
    all->needs.policy (all->needs.ctx, p->name, &now);
    if (!policy_same (&now, &p->policy))
      changed (ctx, p->name);
    policy_free (&now);
  }
}

bool
plugins_release (struct plugins *all, const char *name)
{
  struct plugin *plugin = NULL;

  HASH_FIND_STR (all->by_name, name, plugin);
  if (plugin == NULL)
    return false;
  log_event (all->needs.log, LOG_NOTICE, "plugin_released", "plugin", name, NULL);
  if (plugin->unit != NULL)
    unit_release (plugin->unit);
  if (ev_is_active (&plugin->again))
    ask_again (plugin);
  return true;
}

void
plugins_shutdown (struct plugins *all)
{
  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    drop_next (p);
    if (p->unit != NULL)
      unit_shutdown (p->unit);
  }
}
