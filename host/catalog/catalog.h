/* catalog.h - the current toolset, and who wants to know when it changes, or when a plugin says
 * that what it offers has.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_CATALOG_H
#define TOOLHOST_CATALOG_CATALOG_H

#include "catalog/toolset.h"

struct catalog;
struct search;      /* search.h */
struct tool_filter; /* filter.h */

struct catalog *catalog_new (void);
void catalog_free (struct catalog *catalog);

/* The toolset of this moment, borrowed: take a reference to keep it past this turn of the loop.
 * Never NULL (empty before the first catalog_swap). */
struct toolset *catalog_toolset (const struct catalog *catalog);

/* What of it a filter means, and the index of it by words; good until the next call of the same, or
 * the next swap. */
struct toolset *catalog_meant (struct catalog *catalog, const struct tool_filter *filter);
struct search *catalog_search (struct catalog *catalog);

/* Put a new toolset in place (takes over the reference) and tell the watchers. */
void catalog_swap (struct catalog *catalog, struct toolset *set);

/* Which lists have changed. */
enum { CATALOG_TOOLS = 1, CATALOG_RESOURCES = 2, CATALOG_PROMPTS = 4 };

/* A plugin says that these lists are to be looked at again. */
void catalog_tell (struct catalog *catalog, unsigned lists);
/* … that what stands at a URI has changed. */
void catalog_updated (struct catalog *catalog, const char *uri, size_t len);

/* The struct is the watcher's own and stays where it is until catalog_unwatch. */
struct catalog_watcher {
  /* After each swap that changed what clients would see, and after catalog_tell. */
  void (*changed) (struct catalog_watcher *watcher, unsigned lists);
  void (*updated) (struct catalog_watcher *watcher, const char *uri, size_t len); /* may be NULL */
  struct catalog_watcher *next, **prev;
};
void catalog_watch (struct catalog *catalog, struct catalog_watcher *watcher);
void catalog_unwatch (struct catalog_watcher *watcher);

#endif
