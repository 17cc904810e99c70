#include "cli/top_view.h"

#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/said.h"

const char *const top_sort_names[TOP_SORTS + 1] = { "rate",   "p99",     "running",
                                                    "failed", "refused", "name" };

/* ---- one look ---- */

bool
top_look_read (struct top_look *look, struct buf *body, struct error *err)
{
  const struct json_node *root;

  buf_swap (&look->body, body);
  if (json_read (&look->tape, look->body.data, look->body.len, &answer_limits, &look->arena)
      && json_is (root = json_root (&look->tape), JSON_OBJECT)
      && json_is (json_member (&look->tape, root, "calls"), JSON_ARRAY)
      && json_is (json_member (&look->tape, root, "plugins"), JSON_ARRAY)
      && json_is (json_member (&look->tape, root, "bounds_us"), JSON_ARRAY))
    return true;
  return error_set (err, "the daemon's answer is not what /v1/top has");
}

void
top_look_free (struct top_look *look)
{
  buf_free (&look->body);
  arena_free (&look->arena);
  *look = (struct top_look){ 0 };
}

static const struct json_node *
member (const struct top_look *look, const char *name)
{
  return json_member (&look->tape, json_root (&look->tape), name);
}

static int64_t
number (const struct json_tape *tape, const struct json_node *object, const char *name)
{
  int64_t value = 0;

  (void) json_int64 (tape, json_member (tape, object, name), &value);
  return value;
}

static const char *
text (const struct top_look *look, const struct json_node *object, const char *name)
{
  struct arena *arena = (struct arena *) (uintptr_t) &look->arena;

  return said_text (&(struct said){ .tape = &look->tape, .arena = arena }, object, name, "");
}

static size_t
count_of (const struct json_node *list)
{
  return list->count;
}

static int
by_name (const void *a, const void *b)
{
  const struct top_tool *one = a, *other = b;
  const int plugin = strcmp (one->plugin, other->plugin);

  return plugin != 0 ? plugin : strcmp (one->tool, other->tool);
}

/* The tools of a look in the order of their names. */
static struct top_tool *
read_tools (const struct top_look *look, size_t *count)
{
  const struct json_node *list = member (look, "calls");
  struct top_tool *tools = xcalloc (count_of (list) + 1, sizeof *tools);
  size_t n = 0;

  for (const struct json_node *o = json_first (list); o != json_end (list); o = json_next (o))
    tools[n++] = (struct top_tool){ .plugin = text (look, o, "plugin"),
                                    .tool = text (look, o, "tool"),
                                    .running = number (&look->tape, o, "running"),
                                    .ended = number (&look->tape, o, "ended"),
                                    .failures = number (&look->tape, o, "failed"),
                                    .refusals = number (&look->tape, o, "refused"),
                                    .buckets = json_member (&look->tape, o, "buckets"),
                                    .rate = -1,
                                    .failed = -1,
                                    .refused = -1,
                                    .p50_us = -1,
                                    .p99_us = -1 };
  qsort (tools, n, sizeof *tools, by_name);
  *count = n;
  return tools;
}

static struct top_plugin *
read_plugins (const struct top_look *look, size_t *count)
{
  const struct json_node *list = member (look, "plugins");
  struct top_plugin *plugins = xcalloc (count_of (list) + 1, sizeof *plugins);
  size_t n = 0;

  for (const struct json_node *o = json_first (list); o != json_end (list); o = json_next (o))
    plugins[n++] = (struct top_plugin){ .name = text (look, o, "name"),
                                        .state = text (look, o, "state"),
                                        .workers = number (&look->tape, o, "workers"),
                                        .running = number (&look->tape, o, "running"),
                                        .queued = number (&look->tape, o, "queued"),
                                        .rss = number (&look->tape, o, "rss_bytes"),
                                        .cpu_ms = number (&look->tape, o, "cpu_ms"),
                                        .crashes = number (&look->tape, o, "crashes"),
                                        .cpu = -1 };
  *count = n;
  return plugins;
}

/* ---- two looks ---- */

enum { BUCKETS_MAX = 64 };

/* What came into each bucket between two looks; how many buckets there are. */
static size_t
new_in_buckets (const struct top_look *now, const struct json_node *buckets,
                const struct top_look *before, const struct json_node *old, int64_t *more)
{
  size_t n = 0;

  if (!json_is (buckets, JSON_ARRAY))
    return 0;
  for (const struct json_node *b = json_first (buckets); b != json_end (buckets) && n < BUCKETS_MAX;
       b = json_next (b), n++) {
    more[n] = 0;
    (void) json_int64 (&now->tape, b, &more[n]);
  }
  size_t i = 0;
  if (json_is (old, JSON_ARRAY))
    for (const struct json_node *b = json_first (old); b != json_end (old) && i < n;
         b = json_next (b), i++) {
      int64_t value = 0;
      (void) json_int64 (&before->tape, b, &value);
      more[i] -= value;
    }
  return n;
}

/* The value below which this part of the calls lies: evenly spread in its bucket, and above the
 * last bound that bound itself. */
static double
quantile (const struct top_look *look, const int64_t *more, size_t n, double part)
{
  const struct json_node *bound = json_first (member (look, "bounds_us"));
  const struct json_node *end = json_end (member (look, "bounds_us"));
  double all = 0, below = 0, from = 0;

  for (size_t i = 0; i < n; i++)
    all += (double) more[i];
  if (all <= 0)
    return -1;
  for (size_t i = 0; i < n && bound != end; i++, bound = json_next (bound)) {
    int64_t to = 0;
    (void) json_int64 (&look->tape, bound, &to);
    if (more[i] > 0 && below + (double) more[i] >= part * all)
      return from + ((double) to - from) * (part * all - below) / (double) more[i];
    below += (double) more[i];
    from = (double) to;
  }
  return from;
}

static void
compare_tool (struct top_view *view, struct top_tool *tool, const struct top_look *before,
              const struct top_tool *old)
{
  int64_t more[BUCKETS_MAX];
  size_t n =
    new_in_buckets (view->look, tool->buckets, before, old != NULL ? old->buckets : NULL, more);

  tool->rate = (double) (tool->ended - (old != NULL ? old->ended : 0)) / view->seconds;
  tool->failed = (double) (tool->failures - (old != NULL ? old->failures : 0)) / view->seconds;
  tool->refused = (double) (tool->refusals - (old != NULL ? old->refusals : 0)) / view->seconds;
  tool->p50_us = quantile (view->look, more, n, 0.5);
  tool->p99_us = quantile (view->look, more, n, 0.99);
  view->rate += tool->rate;
  view->failed += tool->failed;
  view->refused += tool->refused;
}

static void
compare (struct top_view *view, const struct top_look *before)
{
  size_t old_count, old_plugins;
  CLEANUP_FREE struct top_tool *old = read_tools (before, &old_count);
  CLEANUP_FREE struct top_plugin *plugins = read_plugins (before, &old_plugins);

  for (size_t i = 0; i < view->tools_count; i++)
    compare_tool (view, &view->tools[i], before,
                  bsearch (&view->tools[i], old, old_count, sizeof *old, by_name));
  for (size_t i = 0; i < view->plugins_count; i++)
    for (size_t j = 0; j < old_plugins; j++)
      if (strcmp (view->plugins[i].name, plugins[j].name) == 0
          && view->plugins[i].cpu_ms >= plugins[j].cpu_ms)
        view->plugins[i].cpu =
          (double) (view->plugins[i].cpu_ms - plugins[j].cpu_ms) / 1000 / view->seconds;
}

static int
order (const void *a, const void *b, void *ctx)
{
  const struct top_tool *one = a, *other = b;
  const enum top_sort sort = *(const enum top_sort *) ctx;
  const double values[TOP_SORTS][2] = {
    [TOP_BY_RATE] = { one->rate, other->rate },
    [TOP_BY_P99] = { one->p99_us, other->p99_us },
    [TOP_BY_RUNNING] = { (double) one->running, (double) other->running },
    [TOP_BY_FAILED] = { one->failed, other->failed },
    [TOP_BY_REFUSED] = { one->refused, other->refused },
  };

  if (values[sort][0] > values[sort][1])
    return -1;
  if (values[sort][0] < values[sort][1])
    return 1;
  if (sort != TOP_BY_NAME && one->ended != other->ended)
    return one->ended > other->ended ? -1 : 1;
  return by_name (a, b);
}

void
top_view_make (struct top_view *view, const struct top_look *before, const struct top_look *now,
               enum top_sort sort)
{
  int64_t ms = 0;

  *view = (struct top_view){ .look = now, .rate = -1, .failed = -1, .refused = -1 };
  view->tools = read_tools (now, &view->tools_count);
  view->plugins = read_plugins (now, &view->plugins_count);
  if (before != NULL)
    ms = number (&now->tape, json_root (&now->tape), "uptime_ms")
         - number (&before->tape, json_root (&before->tape), "uptime_ms");
  if (ms > 0) {
    view->seconds = (double) ms / 1000;
    view->rate = view->failed = view->refused = 0;
    compare (view, before);
  }
  qsort_r (view->tools, view->tools_count, sizeof *view->tools, order, &sort);
}

void
top_view_free (struct top_view *view)
{
  free (view->tools);
  free (view->plugins);
  *view = (struct top_view){ 0 };
}
