#include "catalog/catalog.h"

#include <stdlib.h>

#include "catalog/views.h"

struct catalog {
  struct catalog *whole; /* of a tenant's: what it is below; else itself */
  uint64_t generations;  /* of the whole */
  struct toolset *current;
  struct views views; /* of it */
  struct catalog_watcher *watchers;
};

struct catalog *
catalog_new (void)
{
  struct catalog *catalog = xcalloc (1, sizeof *catalog);
  catalog->whole = catalog;
  catalog->current = toolset_new (NULL, 0, 0);
  return catalog;
}

struct catalog *
catalog_of_tenant (struct catalog *whole)
{
  struct catalog *catalog = catalog_new ();

  catalog->whole = whole;
  return catalog;
}

uint64_t
catalog_generation (struct catalog *catalog)
{
  return ++catalog->whole->generations;
}

void
catalog_free (struct catalog *catalog)
{
  if (catalog == NULL)
    return;
  while (catalog->watchers != NULL)
    catalog_unwatch (catalog->watchers);
  views_clear (&catalog->views);
  toolset_unref (catalog->current);
  free (catalog);
}

struct toolset *
catalog_toolset (const struct catalog *catalog)
{
  return catalog->current;
}

struct toolset *
catalog_meant (struct catalog *catalog, const struct tool_filter *filter)
{
  return views_toolset (&catalog->views, catalog->current, filter);
}

struct search *
catalog_search (struct catalog *catalog)
{
  return views_search (&catalog->views, catalog->current);
}

static bool
same_to_clients (const struct offers *a, const struct offers *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct buf *x = &a->list[i]->mcp, *y = &b->list[i]->mcp;
    if (x == y)
      continue;
    if (x->len != y->len || (x->len != 0 && memcmp (x->data, y->data, x->len) != 0))
      return false;
  }
  return true;
}

/* Where would a client see a difference? */
static unsigned
differences (const struct toolset *a, const struct toolset *b)
{
  static const unsigned lists[OFFERS] = { [OFFER_TOOL] = CATALOG_TOOLS,
                                          [OFFER_RESOURCE] = CATALOG_RESOURCES,
                                          [OFFER_TEMPLATE] = CATALOG_RESOURCES,
                                          [OFFER_PROMPT] = CATALOG_PROMPTS,
                                          [OFFER_SKILL] = CATALOG_RESOURCES };
  unsigned found = 0;

  for (size_t kind = 0; kind < OFFERS; kind++)
    if (!same_to_clients (&a->of[kind], &b->of[kind]))
      found |= lists[kind];
  return found;
}

static void
tell (struct catalog *whole, const struct catalog *of, unsigned lists)
{
  for (struct catalog_watcher *w = whole->watchers, *next; w != NULL; w = next) {
    next = w->next;
    w->changed (w, of, lists);
  }
}

static void
tell_swapped (struct catalog *catalog)
{
  for (struct catalog_watcher *w = catalog->watchers, *next; w != NULL; w = next) {
    next = w->next;
    if (w->swapped != NULL)
      w->swapped (w);
  }
}

void
catalog_swap (struct catalog *catalog, struct toolset *set)
{
  struct toolset *was = catalog->current;
  unsigned lists = differences (was, set);

  views_clear (&catalog->views);
  catalog->current = set;
  toolset_unref (was);
  tell_swapped (catalog);
  if (lists != 0)
    tell (catalog->whole, catalog, lists);
}

void
catalog_tell (struct catalog *catalog, unsigned lists)
{
  tell (catalog->whole, NULL, lists);
}

void
catalog_tell_of (struct catalog *catalog, unsigned lists)
{
  tell (catalog->whole, catalog, lists);
}

void
catalog_updated (struct catalog *catalog, const char *uri, size_t len)
{
  for (struct catalog_watcher *w = catalog->watchers, *next; w != NULL; w = next) {
    next = w->next;
    if (w->updated != NULL)
      w->updated (w, uri, len);
  }
}

void
catalog_watch (struct catalog *catalog, struct catalog_watcher *watcher)
{
  watcher->next = catalog->watchers;
  watcher->prev = &catalog->watchers;
  if (watcher->next != NULL)
    watcher->next->prev = &watcher->next;
  catalog->watchers = watcher;
}

void
catalog_unwatch (struct catalog_watcher *watcher)
{
  if (watcher->prev == NULL)
    return;
  *watcher->prev = watcher->next;
  if (watcher->next != NULL)
    watcher->next->prev = watcher->prev;
  watcher->next = NULL;
  watcher->prev = NULL;
}
