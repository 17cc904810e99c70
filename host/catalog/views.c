#include "catalog/views.h"

#include <stdlib.h>
#include <string.h>

static void
forget (struct view *v)
{
  toolset_unref (v->set);
  free (v->text);
  *v = (struct view){ .text = NULL };
}

void
views_clear (struct views *views)
{
  for (size_t i = 0; i < VIEWS_MAX; i++)
    forget (&views->list[i]);
  search_free (views->search);
  views->search = NULL;
}

static bool
same_list (struct filter_list a, struct filter_list b)
{
  if (a.data == NULL || b.data == NULL)
    return a.data == b.data;
  return a.len == b.len && memcmp (a.data, b.data, a.len) == 0;
}

static bool
same_filter (const struct tool_filter *a, const struct tool_filter *b)
{
  return same_list (a->tools, b->tools) && same_list (a->tags, b->tags)
         && same_list (a->plugins, b->plugins);
}

static struct filter_list
copied (struct filter_list list, char **at)
{
  struct filter_list copy = { *at, list.len };

  if (list.data == NULL)
    return list;
  memcpy (*at, list.data, list.len);
  *at += list.len;
  return copy;
}

static void
make (struct view *v, const struct tool_filter *filter, const struct toolset *whole)
{
  char *at;

  forget (v);
  at = v->text = xmalloc (filter->tools.len + filter->tags.len + filter->plugins.len + 1);
  v->filter.tools = copied (filter->tools, &at);
  v->filter.tags = copied (filter->tags, &at);
  v->filter.plugins = copied (filter->plugins, &at);
  v->set = filter_toolset (&v->filter, whole);
}

/* The one with this filter, else the one that was not used for longest. */
static struct view *
find (struct views *views, const struct tool_filter *filter)
{
  struct view *oldest = &views->list[0];

  for (size_t i = 0; i < VIEWS_MAX; i++) {
    struct view *v = &views->list[i];
    if (v->set != NULL && same_filter (&v->filter, filter))
      return v;
    if (v->used < oldest->used)
      oldest = v;
  }
  return oldest;
}

struct toolset *
views_toolset (struct views *views, struct toolset *whole, const struct tool_filter *filter)
{
  struct view *v;

  if (filter_is_empty (filter))
    return whole;
  v = find (views, filter);
  if (v->set == NULL || !same_filter (&v->filter, filter))
    make (v, filter, whole);
  v->used = ++views->uses;
  return v->set;
}

struct search *
views_search (struct views *views, struct toolset *whole)
{
  if (views->search == NULL)
    views->search = search_new (whole);
  return views->search;
}
