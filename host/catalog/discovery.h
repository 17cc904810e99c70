/* discovery.h - which plugins there are: looks through the folders at the start, and again when
 * something in them has changed and settled (settle.h).  Knows nothing of what is in a file.
 *
 * A plugin is a file NAME.so, or a folder NAME.plugin with such a file and what belongs to it; it
 * is known as NAME.  Of two places that hold the same name, the earlier one counts, and a folder
 * before a file.  What is writable by others than its owner or root, or lies in such a folder, is
 * refused.  What can't be read for want of descriptors or memory counts as what it was, and is read
 * again soon.  Folders are kept open, so that they are reachable after the daemon has given up its
 * rights.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_DISCOVERY_H
#define TOOLHOST_CATALOG_DISCOVERY_H

#include <ev.h>
#include <stdbool.h>

#include "base/error.h"
#include "catalog/source.h"

struct discovery;

struct discovery_events {
  /* A plugin is new, or has changed.  The source's descriptor is taken over. */
  void (*found) (void *ctx, const char *name, const char *path, const struct source *source);
  void (*gone) (void *ctx, const char *name);
  /* A file that can't be used, and why; once until it changes. */
  void (*refused) (void *ctx, const char *name, const char *path, const char *why);
  /* A look through all folders has ended. */
  void (*scanned) (void *ctx);
};

struct discovery *discovery_new (struct ev_loop *loop, const struct discovery_events *events,
                                 void *ctx);
void discovery_free (struct discovery *discovery);

/* Add a folder.  False when it can't be read and `must_exist`. */
bool discovery_add (struct discovery *discovery, const char *path, bool must_exist,
                    struct error *err);

/* Look through all folders now, and watch them from here on. */
void discovery_start (struct discovery *discovery);
/* Look through all folders now. */
void discovery_scan (struct discovery *discovery);
/* Take the plugin for new at the next scan. */
void discovery_forget (struct discovery *discovery, const char *name);

/* Look at a single plugin that somebody named, wherever it is and whoever may write it.  The
 * source's descriptor is the caller's; the rest is set.  False: err says why it is none. */
bool discovery_look (const char *name, struct source *source, struct error *err);

#endif
