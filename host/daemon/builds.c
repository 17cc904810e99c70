#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "daemon/offering.h"
#include "daemon/plugins.h"
#include "daemon/served.h"
#include "manage/compose.h"
#include "pool/hello.h"

/* Seconds until a build is tried again that this machine had no time or no room for. */
static const double AGAIN_FIRST = 1, AGAIN_MOST = 60;

/* Seconds between builds that plugins ask for, of a tenant. */
static const double REBUILD_PAUSE = 5;

/* Seconds: from a change to its build; between builds while changes go on, doubling up to the most;
 * without one until they count as the first again. */
static const double TOUCH_FIRST = 0.01, TOUCH_PAUSE = 0.1, TOUCH_MOST = 2, TOUCH_CALM = 4;

enum { NAMES_MAX = 1000 /* in one line of the log */ };

/* The builder that is part of the daemon: all that plugins offer and the tenant is granted. */
static const char GRANTED[] = "granted";

static void go_on (struct served *s);

/* ---- the log: names and members are those of the system this behaves like ---- */

static void
begin_members (struct json_writer *w, const struct served *s, const char *builder)
{
  jsonw_object (w);
  jsonw_name_string (w, "tenant_id", s->tenancy->name);
  if (builder != NULL)
    jsonw_name_string (w, "builder", builder);
}

static void
tell (const struct served *s, const char *event, struct json_writer *w)
{
  jsonw_end (w);
  log_object (s->all->needs.log, LOG_INFO, event, w->out->data, w->out->len);
}

static void
tell_phase (const struct served *s, const char *event, const char *builder, const char *tool)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  begin_members (&w, s, builder);
  if (tool != NULL)
    jsonw_name_string (&w, "tool_name", tool);
  tell (s, event, &w);
}

static void
tell_started (const struct served *s)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  begin_members (&w, s, NULL);
  jsonw_name_int (&w, "builder_count", (int64_t) s->builders_count + 1);
  tell (s, "tool_build_started", &w);
}

static void
tell_granted (const struct served *s)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };
  const size_t count = catalog_toolset (tenancy_catalog (s->tenancy))->count;

  tell_phase (s, "tool_builder_phase_started", GRANTED, NULL);
  begin_members (&w, s, GRANTED);
  jsonw_name_int (&w, "tool_count", (int64_t) count);
  tell (s, count != 0 ? "tool_builder_phase_built_tool" : "tool_builder_phase_no_tool", &w);
}

static void
tell_error (const struct served *s, const struct build *build)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  begin_members (&w, s, build->feature);
  jsonw_name_string (&w, "message", build->problem);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "ToolBuildError");
  jsonw_name_string (&w, "tenant_id", s->tenancy->name);
  jsonw_name_string (&w, "plugin", build->plugin);
  jsonw_name_string (&w, "builder", build->feature);
  jsonw_name_string (&w, "reason", build->problem);
  jsonw_end (&w);
  tell (s, "tool_build_error", &w);
}

static void
tell_finished (const struct served *s)
{
  const struct toolset *set = catalog_toolset (tenancy_catalog (s->tenancy));
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  begin_members (&w, s, NULL);
  jsonw_name_int (&w, "tool_count", (int64_t) set->count);
  jsonw_name_string (&w, "tool_choice", toolset_choice (set));
  jsonw_name (&w, "tool_names");
  jsonw_array (&w);
  for (size_t i = 0; i < set->count && i < NAMES_MAX; i++)
    jsonw_string (&w, set->tools[i]->name);
  jsonw_end (&w);
  tell (s, "tool_build_finished", &w);
}

/* What a builder that has had its turn has made. */
static void
tell_built (const struct served *s, const struct build *build)
{
  if (build->problem != NULL)
    tell_error (s, build);
  for (size_t i = 0; i < build->described.tools_count; i++)
    tell_phase (s, "tool_builder_phase_built_tool", build->feature,
                build->described.tools[i]->name);
  if (build->problem == NULL && build->described.tools_count == 0)
    tell_phase (s, "tool_builder_phase_no_tool", build->feature, NULL);
}

/* ---- builds ---- */

static void
build_free (struct build *build)
{
  described_free (&build->described);
  if (build->unit != NULL)
    unit_supersede (build->unit);
  unit_unref (build->unit);
  unit_unref (build->of);
  free (build->plugin);
  free (build->feature);
  free (build->config);
  free (build->problem);
  free (build);
}

static void
builds_free (struct build **list)
{
  struct build *build;

  while ((build = *list) != NULL) {
    *list = build->next;
    build_free (build);
  }
}

static void
put_first (struct build **list, struct build *build)
{
  build->next = *list;
  *list = build;
}

/* What the builder made of this configuration before, taken out of the list; NULL: nothing. */
static struct build *
take_same (struct build **list, const struct builder *builder, const char *config)
{
  for (struct build **b = list, *build; (build = *b) != NULL; b = &build->next)
    if (build->of == builder->unit && !build->may_pass && !build->stale
        && strcmp (build->feature, builder->feature) == 0 && strcmp (build->config, config) == 0) {
      *b = build->next;
      return build;
    }
  return NULL;
}

static struct build *
build_new (const struct builder *builder, const char *config)
{
  struct build *build = xcalloc (1, sizeof *build);

  build->plugin = xstrdup (builder->plugin);
  build->feature = xstrdup (builder->feature);
  build->config = xstrdup (config);
  build->of = unit_ref (builder->unit);
  return build;
}

static void
build_fail (struct build *build, const char *why)
{
  free (build->problem);
  build->problem = xstrdup (why);
  described_free (&build->described);
  unit_unref (build->unit);
  build->unit = NULL;
}

/* ---- who builds ---- */

static void
builders_free (struct builder *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    free (list[i].plugin);
    free (list[i].feature);
    unit_unref (list[i].unit);
  }
  free (list);
}

struct finding {
  const struct served *served;
  struct builder *list;
  size_t count;
};

static void
on_builder (void *ctx, const char *plugin, const char *feature, struct unit *unit, const char *hex)
{
  struct finding *f = ctx;
  struct builder *builder;

  if (!filter_has (f->served->file->granted.plugins, plugin))
    return;
  f->list = xrealloc (f->list, (f->count + 1) * sizeof *f->list);
  builder = &f->list[f->count++];
  *builder = (struct builder){ .plugin = xstrdup (plugin),
                               .feature = xstrdup (feature),
                               .unit = unit_ref (unit) };
  memcpy (builder->hex, hex, sizeof builder->hex);
}

static struct finding
find_builders (const struct served *s)
{
  struct finding f = { .served = s };

  plugins_each_builder (s->all->needs.plugins, on_builder, &f);
  return f;
}

bool
served_is_stale (struct served *s)
{
  struct finding now = find_builders (s);
  bool stale = now.count != s->builders_count;

  for (size_t i = 0; !stale && i < now.count; i++)
    stale = now.list[i].unit != s->builders[i].unit
            || strcmp (now.list[i].feature, s->builders[i].feature) != 0;
  builders_free (now.list, now.count);
  return stale;
}

/* ---- one after the other ---- */

char *
served_feature (const struct served *s, const char *feature)
{
  const char *text = s->file->settings.features;
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *node;
  struct json_tape tape;
  const char *raw;
  size_t len;

  if (!json_read (&tape, text, strlen (text), &json_default_limits, &arena))
    return NULL;
  node = json_member (&tape, json_root (&tape), feature);
  if (node == NULL)
    return NULL;
  raw = json_raw (&tape, node, &len);
  return xstrndup (raw, len);
}

static bool
is_composed (const struct served *s, const char *feature)
{
  return s->all->needs.compose != NULL && strcmp (feature, ACTIONS_FEATURE) == 0;
}

/* … and what else it is made of. */
static char *
config_of (struct served *s, const char *feature)
{
  char *said = served_feature (s, feature), *composed;

  if (!is_composed (s, feature))
    return said;
  composed = s->all->needs.compose (s->all->needs.ctx, s->tenancy->name, said, &s->composing);
  free (said);
  return composed;
}

/* Documents come and go one by one, and one that can't be built is to take no other away: what was
 * built before stays, and says what is wrong. */
static struct build *
keep_old (struct served *s, struct build *failed)
{
  for (struct build **b = &s->builds, *old; (old = *b) != NULL; b = &old->next)
    if (old->unit != NULL && strcmp (old->feature, failed->feature) == 0
        && strcmp (old->plugin, failed->plugin) == 0) {
      *b = old->next;
      free (old->problem);
      old->problem = xstrdup (failed->problem);
      old->may_pass = failed->may_pass;
      tell_error (s, old);
      build_free (failed);
      return old;
    }
  return failed;
}

static void
take_turn (struct served *s, struct build *build)
{
  tell_built (s, build);
  put_first (&s->made, build);
  s->at++;
}

void
served_answered (struct served *s)
{
  struct build *build = s->asking;
  const struct builder *builder = &s->builders[s->at];

  s->asking = NULL;
  if (s->answer.len == 0) {
    build->may_pass = unit_may_pass (build->unit);
    build_fail (build, s->why.text);
  }
  else if (!described_read (&build->described, build->plugin, s->answer.data, s->answer.len, NULL,
                            &s->why))
    build_fail (build, s->why.text);
  else {
    offering_settle (&build->described, build->unit, build->plugin, builder->hex,
                     s->all->needs.log);
    unit_set_description (build->unit, s->answer.data, s->answer.len);
    unit_serve (build->unit);
  }
  buf_free (&s->answer);
  if (build->unit == NULL && is_composed (s, build->feature))
    build = keep_old (s, build);
  take_turn (s, build);
  go_on (s);
}

/* What the builder has logged comes by the ring, which is read after the socket: before anything
 * follows from this. */
static void
on_described (void *ctx, const char *json, size_t len, const struct error *err)
{
  struct served *s = ctx;

  buf_reset (&s->answer, 0);
  if (json != NULL)
    buf_append (&s->answer, json, len);
  else
    s->why = *err;
  ev_timer_set (&s->answered, 0, 0);
  ev_timer_start (s->all->needs.pool->loop, &s->answered);
}

/* False: the answer comes later. */
static bool
ask (struct served *s, struct build *build)
{
  const struct build_order order = { .tenant = s->tenancy->name,
                                     .feature = build->feature,
                                     .config = build->config };
  CLEANUP_BUF struct buf why = { 0 };

  if (strlen (build->config) > BUILD_CONFIG_MAX) {
    buf_printf (&why, "its configuration has %zu bytes, %d are the most", strlen (build->config),
                (int) BUILD_CONFIG_MAX);
    build_fail (build, buf_cstr (&why));
    return true;
  }
  build->unit = unit_new_built (build->of, &order);
  s->asking = build;
  unit_describe (build->unit, &(struct unit_describer){ .described = on_described, .ctx = s });
  return false;
}

/* The builder whose turn it is.  False: its answer comes later. */
static bool
run_one (struct served *s)
{
  const struct builder *builder = &s->builders[s->at];
  CLEANUP_FREE char *config = config_of (s, builder->feature);
  struct build *build;

  tell_phase (s, "tool_builder_phase_started", builder->feature, NULL);
  if (config == NULL) {
    tell_phase (s, "tool_builder_phase_no_tool", builder->feature, NULL);
    s->at++;
    return true;
  }
  build = take_same (&s->builds, builder, config);
  if (build == NULL) {
    build = build_new (builder, config);
    if (!ask (s, build))
      return false;
  }
  take_turn (s, build);
  return true;
}

/* ---- the end of a run ---- */

/* A feature that nothing is built of is most likely a slip. */
static void
tell_unknown_features (const struct served *s)
{
  const char *text = s->file->settings.features;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;

  if (!json_read (&tape, text, strlen (text), &json_default_limits, &arena))
    return;
  root = json_root (&tape);
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (json_next (n))) {
    size_t i = 0;
    while (i < s->builders_count && !json_equals (&tape, n, s->builders[i].feature))
      i++;
    if (i == s->builders_count)
      log_event (s->all->needs.log, LOG_WARNING, "tenant_feature_without_builder", "tenant",
                 s->tenancy->name, "feature", json_cstring (&tape, n, &arena), NULL);
  }
}

static bool
some_may_pass (const struct served *s)
{
  for (const struct build *b = s->builds; b != NULL; b = b->next)
    if (b->may_pass)
      return true;
  return false;
}

static void
arm_again (struct served *s)
{
  struct pool *pool = s->all->needs.pool;
  const double next = s->pause == 0 ? AGAIN_FIRST : 2 * s->pause;

  if (!some_may_pass (s)) {
    s->pause = 0;
    return;
  }
  s->pause = next < AGAIN_MOST ? next : AGAIN_MOST;
  ev_timer_set (&s->again, s->pause * (1 - pool_random (pool) / 2), 0);
  ev_timer_start (pool->loop, &s->again);
}

/* From here on what was made is served; what it replaces finishes what it has taken. */
static void
finish (struct served *s)
{
  struct build *was = s->builds, *build;

  s->builds = NULL;
  while ((build = s->made) != NULL) {
    s->made = build->next;
    put_first (&s->builds, build);
  }
  s->running = false;
  s->revision = s->composing;
  if (s->tenancy->own == NULL)
    (void) tenancy_grant (s->tenancy, &s->file->terms);
  served_make (s);
  builds_free (&was);
  tell_finished (s);
  tell_unknown_features (s);
  arm_again (s);
  s->all->running--;
  if (s->all->needs.served != NULL)
    s->all->needs.served (s->all->needs.ctx);
  if (s->touched)
    served_touch (s);
  toolsets_look (s->all);
}

static void
go_on (struct served *s)
{
  while (s->at < s->builders_count)
    if (!run_one (s))
      return;
  finish (s);
}

void
served_stop_building (struct served *s)
{
  struct build *build;

  ev_timer_stop (s->all->needs.pool->loop, &s->again);
  if (!s->running)
    return;
  ev_timer_stop (s->all->needs.pool->loop, &s->answered);
  buf_free (&s->answer);
  if (s->asking != NULL) {
    unit_forget_describer (s->asking->unit);
    build_free (s->asking);
    s->asking = NULL;
  }
  while ((build = s->made) != NULL) {
    s->made = build->next;
    put_first (&s->builds, build);
  }
  s->running = false;
  s->all->running--;
}

void
served_build (struct served *s)
{
  struct finding now;

  served_stop_building (s);
  now = find_builders (s);
  builders_free (s->builders, s->builders_count);
  s->builders = now.list;
  s->builders_count = now.count;
  s->at = 0;
  s->running = true;
  s->touched = false;
  s->composing = s->revision;
  s->all->running++;
  tell_started (s);
  tell_granted (s);
  go_on (s);
}

/* What it is made of has changed: it is built soon, and while that goes on at pauses that grow, so
 * that whoever makes a thousand tools has not each built a thousand times. */
void
served_touch (struct served *s)
{
  struct ev_loop *loop = s->all->needs.pool->loop;
  const double now = pool_now (), since = now - s->touch_begun;
  double wait;

  s->touched = true;
  if (s->running || ev_is_active (&s->touch))
    return; /* it is looked at again when that ends */
  if (since > TOUCH_CALM)
    s->touch_pause = 0;
  wait = s->touch_pause - since;
  ev_timer_set (&s->touch, wait > TOUCH_FIRST ? wait : TOUCH_FIRST, 0);
  ev_timer_start (loop, &s->touch);
}

/* The timer `touch`. */
void
served_touched (struct served *s)
{
  const double next = s->touch_pause == 0 ? TOUCH_PAUSE : 2 * s->touch_pause;

  s->touch_begun = pool_now ();
  s->touch_pause = next < TOUCH_MOST ? next : TOUCH_MOST;
  if (s->touched && !s->running)
    toolsets_want (s);
}

/* False: there is none of them. */
static bool
mark_stale (struct build *list, const char *plugin, const char *feature, size_t len)
{
  bool any = false;

  for (struct build *b = list; b != NULL; b = b->next)
    if (strcmp (b->plugin, plugin) == 0 && strlen (b->feature) == len
        && memcmp (b->feature, feature, len) == 0)
      any = b->stale = true;
  return any;
}

/* What is being built now is built of what there is now. */
void
served_rebuild (struct served *s, const char *plugin, const char *feature, size_t len)
{
  struct pool *pool = s->all->needs.pool;
  const bool served = mark_stale (s->builds, plugin, feature, len);
  const bool made = mark_stale (s->made, plugin, feature, len);
  const double wait = s->rebuilt != 0 ? s->rebuilt + REBUILD_PAUSE - pool_now () : 0;

  if (!(served || made) || ev_is_active (&s->rebuild))
    return;
  ev_timer_set (&s->rebuild, wait > 0 ? wait : 0, 0);
  ev_timer_start (pool->loop, &s->rebuild);
}

bool
served_doubt (struct served *s)
{
  bool any = false;

  for (struct build *b = s->builds; b != NULL; b = b->next)
    if (b->problem != NULL || unit_policy (b->of)->read != NULL)
      any = b->stale = true;
  return any;
}

void
served_clear (struct served *s)
{
  ev_timer_stop (s->all->needs.pool->loop, &s->rebuild);
  ev_timer_stop (s->all->needs.pool->loop, &s->touch);
  served_stop_building (s);
  builds_free (&s->builds);
  builders_free (s->builders, s->builders_count);
  s->builders = NULL;
  s->builders_count = 0;
}
