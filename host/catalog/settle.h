/* settle.h - which entries of folders are still being written: told by inotify, and by how long ago
 * the last change was.
 *
 * A file that somebody writes is busy until it is closed (or moved here, or removed), and for a
 * moment after.  One that was made or written to, and then not closed for ten seconds, counts as
 * settled all the same: a hard link, or a writer that has gone to sleep.  Entries of a watched
 * folder may be folders themselves (trees), which are as busy as anything in them.  Loop thread
 * only. */
#ifndef TOOLHOST_CATALOG_SETTLE_H
#define TOOLHOST_CATALOG_SETTLE_H

#include <ev.h>
#include <stdbool.h>

struct settle;

/* `settled` is called when something has changed and is no longer busy. */
struct settle *settle_new (struct ev_loop *loop, void (*settled) (void *ctx), void *ctx);
void settle_free (struct settle *settle);
void settle_start (struct settle *settle);

/* Watch the folder behind the descriptor, which stays open as long.  Returns the number by which
 * the folder is known here, -1 when it can't be watched. */
int settle_watch (struct settle *settle, int fd);
/* Watch a folder that is an entry of another one, or is somewhere in such an entry. */
void settle_watch_tree (struct settle *settle, int fd, int folder, const char *entry);
/* Is anything of such an entry watched? */
bool settle_watches (const struct settle *settle, int folder, const char *entry);
/* Watch nothing of it any more. */
void settle_unwatch (struct settle *settle, int folder, const char *entry);

/* Take the entry for changed just now. */
void settle_touch (struct settle *settle, int folder, const char *entry);
bool settle_busy (const struct settle *settle, int folder, const char *entry, bool tree);

#endif
