/* catalog.h - the current toolset, and who wants to know when it changes, or when a plugin says
 * that what it offers has.  Beside the catalog of everything there are those of tenants, which hold
 * what these are served; who watches the whole hears of them too.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_CATALOG_H
#define TOOLHOST_CATALOG_CATALOG_H

#include "catalog/toolset.h"

struct catalog;
struct search;      /* search.h */
struct tool_filter; /* filter.h */

struct catalog *catalog_new (void);
/* A tenant's, below `whole`, which outlives it; empty at first. */
struct catalog *catalog_of_tenant (struct catalog *whole);
void catalog_free (struct catalog *catalog);

/* The toolset of this moment, borrowed: take a reference to keep it past this turn of the loop.
 * Never NULL (empty before the first catalog_swap). */
struct toolset *catalog_toolset (const struct catalog *catalog);

/* What of it a filter means, and the index of it by words; good until the next call of the same, or
 * the next swap. */
struct toolset *catalog_meant (struct catalog *catalog, const struct tool_filter *filter);
struct search *catalog_search (struct catalog *catalog);

/* A number for the next toolset, greater than that of any other of the whole and of tenants. */
uint64_t catalog_generation (struct catalog *catalog);

/* Put a new toolset in place (takes over the reference) and tell the watchers. */
void catalog_swap (struct catalog *catalog, struct toolset *set);

/* Which lists have changed. */
enum { CATALOG_TOOLS = 1, CATALOG_RESOURCES = 2, CATALOG_PROMPTS = 4 };

/* A plugin says that these lists are to be looked at again, whoever is served them. */
void catalog_tell (struct catalog *catalog, unsigned lists);
/* What is served as this catalog is has changed otherwise. */
void catalog_tell_of (struct catalog *catalog, unsigned lists);
/* … that what stands at a URI has changed. */
void catalog_updated (struct catalog *catalog, const char *uri, size_t len);

/* The struct is the watcher's own and stays where it is until catalog_unwatch. */
struct catalog_watcher {
  /* After each swap that changed what clients would see, and after catalog_tell: of this catalog,
   * the whole or a tenant's; NULL: of all. */
  void (*changed) (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists);
  void (*swapped) (struct catalog_watcher *watcher); /* after each of the whole; may be NULL */
  void (*updated) (struct catalog_watcher *watcher, const char *uri, size_t len); /* may be NULL */
  struct catalog_watcher *next, **prev;
};
void catalog_watch (struct catalog *catalog, struct catalog_watcher *watcher);
void catalog_unwatch (struct catalog_watcher *watcher);

#endif
