/* discovery.h - which plugin files there are: looks through the folders at the start, and again a
 * moment after anything in them changed (inotify).  Knows nothing of what is in a file.
 *
 * A plugin is known by its file's name without ".so".  Of two folders that hold the same name, the
 * earlier one counts.  A file that is writable by others than its owner or root, or lies in such a
 * folder, is refused.  Folders are kept open, so that they are reachable after the daemon has given
 * up its rights.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_DISCOVERY_H
#define TOOLHOST_CATALOG_DISCOVERY_H

#include <ev.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct discovery;

struct discovery_events {
  /* A file is new, or has changed.  `fd` is read-only and taken over. */
  void (*found) (void *ctx, const char *name, const char *path, int fd, const struct stat *st);
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
/* Take the file for new at the next scan. */
void discovery_forget (struct discovery *discovery, const char *name);

#endif
