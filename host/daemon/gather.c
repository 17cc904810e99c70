/* What all plugins offer, as one toolset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/listing.h"
#include "daemon/plugin.h"

/* One of what is gathered; its name stands here too, so that sorting does not go through the tool.
 */
struct item {
  const char *name;
  uint32_t name_len;
  uint32_t order; /* among all: the plugins by their names, what each offers in its own order */
  enum offer offer;
  bool skill; /* it has its name before all others: nobody else may stand where skills do */
  struct tool *tool;
  const struct plugin *by;
  const struct tool *first; /* of this name, when that is another */
};

struct gathered {
  struct item *items;
  size_t count;
};

static int
by_order (const void *a, const void *b)
{
  const struct item *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

/* As a toolset is sorted; of one name the one that has it first. */
static int
by_name (const void *a, const void *b)
{
  const struct item *x = a, *y = b;
  int c = (int) x->offer - (int) y->offer;

  if (c == 0)
    c = memcmp (x->name, y->name, x->name_len < y->name_len ? x->name_len : y->name_len);
  if (c == 0)
    c = (x->name_len > y->name_len) - (x->name_len < y->name_len);
  if (c == 0)
    c = (int) y->skill - (int) x->skill;
  return c != 0 ? c : by_order (a, b);
}

static bool
same_name (const struct item *a, const struct item *b)
{
  return a->offer == b->offer && a->name_len == b->name_len
         && memcmp (a->name, b->name, a->name_len) == 0;
}

static void
add_all (struct gathered *g, const struct plugin *by, const struct described *d)
{
  for (size_t i = 0; i < d->tools_count; i++) {
    struct tool *tool = d->tools[i];
    if (tool->disabled || tool->internal)
      continue;
    g->items[g->count] = (struct item){ .name = tool->name,
                                        .name_len = (uint32_t) tool->name_len,
                                        .order = (uint32_t) g->count,
                                        .offer = tool->offer,
                                        .skill = tool->skill != NULL,
                                        .tool = tool,
                                        .by = by };
    g->count++;
  }
}

static size_t
offered (const struct plugin *plugin)
{
  size_t count = plugin->described.tools_count;

  for (const struct listing *l = plugin->listings; l != NULL; l = l->next)
    count += l->found.tools_count;
  return count;
}

static void
gather (struct gathered *g, const struct plugins *all)
{
  size_t room = 0;

  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next)
    room += offered (p);
  *g = (struct gathered){ .items = xcalloc (room + 1, sizeof (struct item)) };
  for (const struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    add_all (g, p, &p->described);
    for (const struct listing *l = p->listings; l != NULL; l = l->next)
      add_all (g, p, &l->found);
  }
  qsort (g->items, g->count, sizeof *g->items, by_name);
}

/* ---- names that are taken ---- */

/* The toolset of those that have their names first; the others are what is left in `g`, in their
 * order. */
static struct toolset *
take_first (struct gathered *g, uint64_t generation)
{
  struct tool **tools = xmalloc ((g->count + 1) * sizeof *tools);
  const struct item *first = NULL;
  struct item kept;
  size_t count = 0, left = 0;
  struct toolset *set;

  for (size_t i = 0; i < g->count; i++) {
    struct item item = g->items[i];
    if (first != NULL && same_name (first, &item)) {
      item.first = first->tool;
      g->items[left++] = item;
      continue;
    }
    kept = item;
    first = &kept;
    tools[count++] = tool_ref (item.tool);
  }
  g->count = left;
  qsort (g->items, left, sizeof *g->items, by_order);
  set = toolset_new (tools, count, generation);
  free (tools);
  return set;
}

static void
note_conflict (struct buf *text, const struct item *item)
{
  const char *word = offer_word (item->offer);

  buf_printf (text, "%s%s %s: plugin %s has a %s of this name already", text->len != 0 ? "; " : "",
              word, item->tool->name, item->first->plugin, word);
}

static void
set_conflicts (struct plugin *plugin, struct buf *text)
{
  const char *now = text->len != 0 ? buf_cstr (text) : NULL;

  if (now != NULL && (plugin->conflicts == NULL || strcmp (now, plugin->conflicts) != 0))
    log_event (plugin->all->needs.log, LOG_ERROR, "tool_name_conflict", "plugin", plugin->name,
               "why", now, NULL);
  free (plugin->conflicts);
  plugin->conflicts = now != NULL ? xstrdup (now) : NULL;
}

/* Each plugin is told what of its own is left out: both are in the order of the plugins. */
static void
tell_conflicts (struct plugins *all, const struct gathered *left)
{
  const struct item *item = left->items, *end = item + left->count;

  for (struct plugin *p = all->by_name; p != NULL; p = p->hh.next) {
    CLEANUP_BUF struct buf text = { 0 };
    for (; item != end && item->by == p; item++)
      note_conflict (&text, item);
    set_conflicts (p, &text);
  }
}

void
plugins_put_together (struct plugins *all)
{
  struct gathered g;
  struct toolset *set;

  plugins_sort (all);
  gather (&g, all);
  set = take_first (&g, catalog_generation (all->needs.catalog));
  tell_conflicts (all, &g);
  free (g.items);
  all->stale = false;
  catalog_swap (all->needs.catalog, set);
}
