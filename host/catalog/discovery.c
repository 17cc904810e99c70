#include "catalog/discovery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "catalog/settle.h"
#include "catalog/tree.h"

static const double AGAIN_S =
  0.2; /* until what could not be read for a shortage is looked at again */

struct folder {
  char *path;
  int fd;
  int watch; /* settle.h's number */
  struct folder *next;
};

/* A plugin as it was seen the last time. */
struct seen {
  char *name;
  char *entry; /* in the folder */
  const struct folder *folder;
  struct identity_text identity;
  unsigned scan; /* number of the scan that saw it */
  UT_hash_handle hh;
};

struct discovery {
  struct ev_loop *loop;
  ev_timer again;
  const struct discovery_events *events;
  void *ctx;
  struct folder *folders;
  struct seen *files;
  unsigned scan;
  uid_t owner; /* besides root, who may own plugins: who started the daemon */
  struct settle *settle;
};

static void
on_settled (void *ctx)
{
  discovery_scan (ctx);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  discovery_scan (timer->data);
}

struct discovery *
discovery_new (struct ev_loop *loop, const struct discovery_events *events, void *ctx)
{
  struct discovery *d = xcalloc (1, sizeof *d);

  d->loop = loop;
  ev_timer_init (&d->again, on_again, AGAIN_S, 0);
  d->again.data = d;
  d->events = events;
  d->ctx = ctx;
  d->owner = geteuid ();
  d->settle = settle_new (loop, on_settled, d);
  return d;
}

static void
seen_free (struct discovery *d, struct seen *seen)
{
  settle_unwatch (d->settle, seen->folder->watch, seen->entry);
  HASH_DEL (d->files, seen);
  free (seen->name);
  free (seen->entry);
  free (seen);
}

void
discovery_free (struct discovery *d)
{
  struct seen *seen, *next_seen;

  if (d == NULL)
    return;
  ev_timer_stop (d->loop, &d->again);
  HASH_ITER (hh, d->files, seen, next_seen)
  {
    seen_free (d, seen);
  }
  for (struct folder *f = d->folders, *next; f != NULL; f = next) {
    next = f->next;
    (void) close (f->fd);
    free (f->path);
    free (f);
  }
  settle_free (d->settle);
  free (d);
}

bool
discovery_add (struct discovery *d, const char *path, bool must_exist, struct error *err)
{
  struct folder **end = &d->folders;
  struct folder *folder;
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return must_exist ? error_set (err, "plugin folder %s: %s", path, strerror (errno)) : true;
  folder = xcalloc (1, sizeof *folder);
  folder->path = xstrdup (path);
  folder->fd = fd;
  while (*end != NULL)
    end = &(*end)->next;
  *end = folder;
  return true;
}

void
discovery_start (struct discovery *d)
{
  for (struct folder *f = d->folders; f != NULL; f = f->next)
    f->watch = settle_watch (d->settle, f->fd);
  settle_start (d->settle);
  discovery_scan (d);
}

/* ---- looking ---- */

/* The name an entry gives its plugin; false when it gives none. */
static bool
plugin_name (const char *entry, bool folder, char name[NAME_MAX + 1])
{
  static const char *const ends[] = { ".so", ".plugin" };
  size_t len = strlen (entry);

  for (size_t i = 0; i < 1U + folder; i++) {
    size_t end = strlen (ends[i]);
    if (len <= end || entry[0] == '.' || strcmp (entry + len - end, ends[i]) != 0)
      continue;
    memcpy (name, entry, len - end);
    name[len - end] = '\0';
    return true;
  }
  return false;
}

static bool
check_name (const char *name, struct error *err)
{
  if (strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
        == strlen (name)
      && strlen (name) <= 64)
    return true;
  return error_set (err, "its name is not 1 to 64 of A-Z a-z 0-9 _ . -");
}

static bool
check_private (const struct stat *st, const struct tree_rules *rules, const char *what,
               struct error *err)
{
  if (rules->trusted || source_is_private (st, rules->owner))
    return true;
  return error_set (
    err, "%s is writable by others, or owned by somebody else (chown root, chmod go-w)", what);
}

/* Of a folder: is in it what has to be?  Its identity then, else one of what is wrong with it. */
static bool
look_into (const char *name, struct source *source, const struct tree_rules *rules, bool *starved,
           struct error *err)
{
  CLEANUP_TREE struct tree tree = { 0 };
  char file[80];
  bool good = tree_read (source->fd, rules, &tree, err);

  *starved = tree.starved;
  (void) snprintf (file, sizeof file, "%s.so", name);
  if (good && tree_find (&tree, file) == NULL)
    good = error_set (err, "there is no %s in it", file);
  if (good)
    tree_identity (&tree, &source->identity);
  else
    (void) snprintf (source->identity.text, sizeof source->identity.text, "wrong: %.100s",
                     err->text);
  return good;
}

/* Is the source what it should be?  Sets its identity, and whether that is unknown for a shortage.
 */
static bool
check_source (const char *name, struct source *source, const struct tree_rules *rules,
              bool *starved, struct error *err)
{
  struct stat st;

  if (!check_name (name, err))
    return false;
  if (source->fd < 0 || fstat (source->fd, &st) < 0)
    return error_set (err, "it can't be read by the user the daemon runs as");
  if (!source->folder)
    identity_of_file (&st, &source->identity);
  if (!source->folder && !S_ISREG (st.st_mode))
    return error_set (err, "it is not a regular file");
  return check_private (&st, rules, "it", err)
         && (!source->folder || look_into (name, source, rules, starved, err));
}

bool
discovery_look (const char *name, struct source *source, struct error *err)
{
  const struct tree_rules rules = { .trusted = true };
  struct stat st;
  bool starved;

  source->folder = fstat (source->fd, &st) == 0 && S_ISDIR (st.st_mode);
  return check_source (name, source, &rules, &starved, err);
}

/* ---- an entry of a folder ---- */

/* One that may be a plugin, while it is looked at. */
struct look {
  struct discovery *d;
  const struct folder *folder;
  const char *entry;
  char name[NAME_MAX + 1];
  struct seen *seen; /* what was there the last time, or NULL */
  struct source source;
};

static void
watch_folder (void *ctx, int fd)
{
  const struct look *look = ctx;
  settle_watch_tree (look->d->settle, fd, look->folder->watch, look->entry);
}

static void
remember (struct look *look)
{
  struct discovery *d = look->d;
  struct seen *seen = look->seen;

  if (seen == NULL) {
    seen = xcalloc (1, sizeof *seen);
    seen->name = xstrdup (look->name);
    HASH_ADD_KEYPTR (hh, d->files, seen->name, strlen (seen->name), seen);
  }
  free (seen->entry);
  seen->entry = xstrdup (look->entry);
  seen->folder = look->folder;
  seen->identity = look->source.identity;
  seen->scan = d->scan;
}

/* It need not be looked at: for another place has it, it is being written, or it is as it was. */
static bool
keep (struct look *look)
{
  if (look->seen != NULL)
    look->seen->scan = look->d->scan;
  fd_cleanup (&look->source.fd);
  return true;
}

static bool
looks_the_same (const struct look *look)
{
  return look->seen != NULL && look->seen->folder == look->folder
         && strcmp (look->seen->entry, look->entry) == 0
         && strcmp (look->seen->identity.text, look->source.identity.text) == 0;
}

/* Nothing is known of it now: it is taken for what it was, and looked at again soon. */
static void
keep_for_now (struct look *look)
{
  (void) keep (look);
  ev_timer_start (look->d->loop, &look->d->again);
}

/* A folder that came while the daemon runs is watched from now on: it counts when nothing has
 * happened in it for a moment. */
static bool
is_too_new (const struct look *look, bool was_watched)
{
  struct discovery *d = look->d;

  if (!look->source.folder || was_watched || d->scan == 1
      || !settle_watches (d->settle, look->folder->watch, look->entry))
    return false;
  settle_touch (d->settle, look->folder->watch, look->entry);
  return true;
}

static void
report (struct look *look, bool good, struct error *err)
{
  struct discovery *d = look->d;
  const struct tree_rules rules = { .owner = d->owner };
  char path[PATH_MAX];
  struct stat dir;

  remember (look);
  (void) snprintf (path, sizeof path, "%s/%s", look->folder->path, look->entry);
  if (good && fstat (look->folder->fd, &dir) == 0
      && check_private (&dir, &rules, "its folder", err)) {
    d->events->found (d->ctx, look->name, path, &look->source);
    return;
  }
  fd_cleanup (&look->source.fd);
  d->events->refused (d->ctx, look->name, path, err->text);
}

/* False: it is neither as it was nor to be waited for. */
static bool
is_old_or_unripe (struct look *look, const struct stat *st)
{
  struct discovery *d = look->d;

  if (look->seen != NULL && look->seen->scan == d->scan)
    return true;
  if (settle_busy (d->settle, look->folder->watch, look->entry, look->source.folder))
    return keep (look);
  if (look->source.folder)
    return false;
  identity_of_file (st, &look->source.identity);
  return looks_the_same (look) && keep (look);
}

static void
look_at (struct discovery *d, const struct folder *folder, const char *entry)
{
  struct look look = { .d = d, .folder = folder, .entry = entry, .source.fd = -1 };
  const struct tree_rules rules = { .owner = d->owner, .folder = watch_folder, .ctx = &look };
  struct error err = { 0 };
  struct stat st;
  bool good, watched, starved = false;

  if (fstatat (folder->fd, entry, &st, 0) < 0
      || !plugin_name (entry, S_ISDIR (st.st_mode), look.name))
    return;
  look.source.folder = S_ISDIR (st.st_mode) && strcmp (entry + strlen (look.name), ".so") != 0;
  HASH_FIND_STR (d->files, look.name, look.seen);
  if (is_old_or_unripe (&look, &st))
    return;
  watched = look.source.folder && settle_watches (d->settle, folder->watch, entry);
  look.source.fd = openat (folder->fd, entry, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (look.source.fd < 0 && error_is_shortage (errno)) {
    keep_for_now (&look);
    return;
  }
  good = check_source (look.name, &look.source, &rules, &starved, &err);
  if (starved)
    keep_for_now (&look);
  else if (is_too_new (&look, watched) || looks_the_same (&look))
    (void) keep (&look);
  else
    report (&look, good, &err);
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The names in it, which are the caller's.  False, with errno: it can't be read. */
static bool
list_folder (const struct folder *folder, char ***names, size_t *count)
{
  int fd = openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), number;
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  size_t room = 0;

  if (dir == NULL) {
    number = errno;
    fd_cleanup (&fd);
    errno = number;
    return false;
  }
  for (struct dirent *e; (e = readdir (dir)) != NULL;) {
    if (*count == room) {
      room = room != 0 ? room * 2 : 64;
      *names = xrealloc (*names, room * sizeof **names);
    }
    (*names)[(*count)++] = xstrdup (e->d_name);
  }
  (void) closedir (dir);
  return true;
}

/* What was in the folder is taken to be there still, until it can be read again. */
static void
keep_folder (struct discovery *d, const struct folder *folder)
{
  struct seen *seen, *next;

  HASH_ITER (hh, d->files, seen, next)
  {
    if (seen->folder == folder)
      seen->scan = d->scan;
  }
  ev_timer_start (d->loop, &d->again);
}

/* In the order of the names, so that what a start does is always the same. */
static void
scan_folder (struct discovery *d, const struct folder *folder)
{
  char **names = NULL;
  size_t count = 0;

  if (!list_folder (folder, &names, &count)) {
    if (error_is_shortage (errno))
      keep_folder (d, folder);
    return;
  }
  if (count != 0)
    qsort (names, count, sizeof *names, by_name);
  for (size_t i = 0; i < count; i++) {
    look_at (d, folder, names[i]);
    free (names[i]);
  }
  free (names);
}

void
discovery_scan (struct discovery *d)
{
  struct seen *seen, *next;

  d->scan++;
  ev_timer_stop (d->loop, &d->again);
  for (struct folder *f = d->folders; f != NULL; f = f->next)
    scan_folder (d, f);
  HASH_ITER (hh, d->files, seen, next)
  {
    if (seen->scan == d->scan)
      continue;
    d->events->gone (d->ctx, seen->name);
    seen_free (d, seen);
  }
  d->events->scanned (d->ctx);
}

void
discovery_forget (struct discovery *d, const char *name)
{
  struct seen *seen = NULL;

  HASH_FIND_STR (d->files, name, seen);
  if (seen != NULL)
    seen->identity.text[0] = '\0';
}
