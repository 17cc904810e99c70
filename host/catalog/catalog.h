/* catalog.h - the current toolset, and who wants to know when it changes.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_CATALOG_H
#define TOOLHOST_CATALOG_CATALOG_H

#include "catalog/toolset.h"

struct catalog;

struct catalog *catalog_new (void);
void catalog_free (struct catalog *catalog);

/* The toolset of this moment, borrowed: take a reference to keep it past this turn of the loop.
 * Never NULL (empty before the first catalog_swap). */
struct toolset *catalog_toolset (const struct catalog *catalog);

/* Put a new toolset in place (takes over the reference) and tell the watchers. */
void catalog_swap (struct catalog *catalog, struct toolset *set);

/* Called after each swap that changed what clients would see.  The struct is the watcher's own and
 * stays where it is until catalog_unwatch. */
struct catalog_watcher {
  void (*changed) (struct catalog_watcher *watcher);
  struct catalog_watcher *next, **prev;
};
void catalog_watch (struct catalog *catalog, struct catalog_watcher *watcher);
void catalog_unwatch (struct catalog_watcher *watcher);

#endif
