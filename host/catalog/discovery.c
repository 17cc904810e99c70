#include "catalog/discovery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <uthash.h>

#include "base/buf.h"

/* Seconds without a change before a file is taken for whole. */
static const double SETTLE = 0.15;

struct folder {
  char *path;
  int fd;
  int watch;
  struct folder *next;
};

/* A file as it was seen the last time. */
struct seen {
  char *name;
  const struct folder *folder;
  struct stat st;
  bool refused;
  unsigned scan; /* number of the scan that saw it */
  UT_hash_handle hh;
};

struct discovery {
  struct ev_loop *loop;
  const struct discovery_events *events;
  void *ctx;
  struct folder *folders;
  struct seen *files;
  unsigned scan;
  uid_t owner; /* besides root, who may own plugins: who started the daemon */
  int inotify;
  ev_io changed;
  ev_timer settle;
};

static void
on_settled (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) revents;
  ev_timer_stop (loop, timer);
  discovery_scan (timer->data);
}

static void
on_changed (struct ev_loop *loop, ev_io *io, int revents)
{
  struct discovery *d = io->data;
  char events[4096];

  (void) revents;
  while (read (io->fd, events, sizeof events) > 0)
    ;
  /* What changed is found by looking; each further change puts the look off. */
  ev_timer_again (loop, &d->settle);
}

struct discovery *
discovery_new (struct ev_loop *loop, const struct discovery_events *events, void *ctx)
{
  struct discovery *d = xcalloc (1, sizeof *d);

  d->loop = loop;
  d->events = events;
  d->ctx = ctx;
  d->owner = geteuid ();
  d->inotify = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  ev_timer_init (&d->settle, on_settled, 0, SETTLE);
  ev_io_init (&d->changed, on_changed, d->inotify, EV_READ);
  d->settle.data = d->changed.data = d;
  return d;
}

static void
seen_free (struct discovery *d, struct seen *seen)
{
  HASH_DEL (d->files, seen);
  free (seen->name);
  free (seen);
}

void
discovery_free (struct discovery *d)
{
  struct seen *seen, *next_seen;

  if (d == NULL)
    return;
  ev_io_stop (d->loop, &d->changed);
  ev_timer_stop (d->loop, &d->settle);
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
  if (d->inotify >= 0)
    (void) close (d->inotify);
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

static void
watch (struct discovery *d, struct folder *folder)
{
  char path[64];

  /* By descriptor: the path may be out of reach by now. */
  (void) snprintf (path, sizeof path, "/proc/self/fd/%d", folder->fd);
  folder->watch = inotify_add_watch (d->inotify, path,
                                     IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
                                       | IN_ATTRIB | IN_CREATE | IN_ONLYDIR);
}

void
discovery_start (struct discovery *d)
{
  for (struct folder *f = d->folders; f != NULL; f = f->next)
    watch (d, f);
  ev_io_start (d->loop, &d->changed);
  discovery_scan (d);
}

/* ---- looking ---- */

static bool
same_file (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
         && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
         && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool
only_owner_writes (const struct discovery *d, const struct stat *st)
{
  return (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && (st->st_uid == 0 || st->st_uid == d->owner);
}

/* The name a file gives its plugin; false when it gives none. */
static bool
plugin_name (const char *file, char *name, size_t size)
{
  size_t len = strlen (file);

  if (len < 4 || len - 3 >= size || strcmp (file + len - 3, ".so") != 0 || file[0] == '.')
    return false;
  memcpy (name, file, len - 3);
  name[len - 3] = '\0';
  return true;
}

static const char *
fault (const struct discovery *d, const struct folder *folder, const char *name, int fd,
       const struct stat *st)
{
  struct stat dir;

  if (strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
        != strlen (name)
      || strlen (name) > 64)
    return "its name is not 1 to 64 of A-Z a-z 0-9 _ . -";
  if (fd < 0)
    return "it can't be read by the user the daemon runs as";
  if (!S_ISREG (st->st_mode))
    return "it is not a regular file";
  if (!only_owner_writes (d, st))
    return "it is writable by others, or owned by somebody else (chown root, chmod go-w)";
  if (fstat (folder->fd, &dir) < 0 || !only_owner_writes (d, &dir))
    return "its folder is writable by others, or owned by somebody else (chown root, chmod go-w)";
  return NULL;
}

static struct seen *
remember (struct discovery *d, struct seen *seen, const char *name, const struct folder *folder,
          const struct stat *st)
{
  if (seen == NULL) {
    seen = xcalloc (1, sizeof *seen);
    seen->name = xstrdup (name);
    HASH_ADD_KEYPTR (hh, d->files, seen->name, strlen (seen->name), seen);
  }
  seen->folder = folder;
  seen->st = *st;
  seen->scan = d->scan;
  return seen;
}

static void
look_at (struct discovery *d, const struct folder *folder, const char *file)
{
  char name[NAME_MAX + 1], path[PATH_MAX];
  struct seen *seen = NULL;
  struct stat st;
  const char *why;
  int fd;

  if (!plugin_name (file, name, sizeof name) || fstatat (folder->fd, file, &st, 0) < 0)
    return;
  HASH_FIND_STR (d->files, name, seen);
  if (seen != NULL && seen->scan == d->scan)
    return; /* an earlier folder has it */
  if (seen != NULL && seen->folder == folder && same_file (&seen->st, &st)) {
    seen->scan = d->scan;
    return;
  }
  fd = openat (folder->fd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat (fd, &st) < 0)
    st.st_mode = 0;
  (void) snprintf (path, sizeof path, "%s/%s", folder->path, file);
  seen = remember (d, seen, name, folder, &st);
  why = fault (d, folder, name, fd, &st);
  seen->refused = why != NULL;
  if (why == NULL) {
    d->events->found (d->ctx, name, path, fd, &st);
    return;
  }
  fd_cleanup (&fd);
  d->events->refused (d->ctx, name, path, why);
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* In the order of the names, so that what a start does is always the same. */
static void
scan_folder (struct discovery *d, const struct folder *folder)
{
  int fd = openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  char **names = NULL;
  size_t count = 0, room = 0;

  if (dir == NULL) {
    fd_cleanup (&fd);
    return;
  }
  for (struct dirent *e; (e = readdir (dir)) != NULL;) {
    if (count == room) {
      room = room != 0 ? room * 2 : 64;
      names = xrealloc (names, room * sizeof *names);
    }
    names[count++] = xstrdup (e->d_name);
  }
  (void) closedir (dir);
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
    seen_free (d, seen);
}
