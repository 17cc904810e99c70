#include "catalog/settle.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"

/* Seconds without a change before a file is taken for whole, and before one that is not closed is
 * looked at all the same. */
static const double QUIET = 0.15, SILENT = 10;

static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
                               | IN_CREATE | IN_MODIFY | IN_ONLYDIR;

struct watched {
  int wd;
  int fd;     /* of the folder itself, borrowed; -1 in a tree */
  int folder; /* the watch of the folder it is, or is in */
  char *tree; /* NULL: the folder itself */
  UT_hash_handle hh;
};

/* Something that has changed and has not settled. */
struct mark {
  char *key; /* watch, '/', name in the folder that is watched */
  int folder;
  char *tree; /* the entry it is in; NULL: it is the entry */
  ev_tstamp at;
  bool open; /* somebody seems to be writing */
  UT_hash_handle hh;
};

struct settle {
  struct ev_loop *loop;
  void (*settled) (void *ctx);
  void *ctx;
  struct watched *watches;
  struct mark *marks;
  bool lost; /* events were, or something has changed that no mark stands for */
  int inotify;
  ev_io changed;
  ev_timer timer;
};

/* ---- marks ---- */

static ev_tstamp
due (const struct mark *mark)
{
  return mark->at + (mark->open ? SILENT : QUIET);
}

static bool
unsettled (const struct settle *s, const struct mark *mark)
{
  return due (mark) > ev_now (s->loop) + 0.001;
}

static void
mark_free (struct settle *s, struct mark *mark)
{
  HASH_DEL (s->marks, mark);
  free (mark->key);
  free (mark->tree);
  free (mark);
}

static const char *
key_of (int wd, const char *name, char *room, size_t size)
{
  (void) snprintf (room, size, "%d/%s", wd, name);
  return room;
}

static struct mark *
mark_of (struct settle *s, const struct watched *watched, const char *name)
{
  char room[300];
  const char *key = key_of (watched->wd, name, room, sizeof room);
  struct mark *mark = NULL;

  HASH_FIND_STR (s->marks, key, mark);
  if (mark == NULL) {
    mark = xcalloc (1, sizeof *mark);
    mark->key = xstrdup (key);
    mark->folder = watched->folder;
    mark->tree = watched->tree != NULL ? xstrdup (watched->tree) : NULL;
    HASH_ADD_KEYPTR (hh, s->marks, mark->key, strlen (mark->key), mark);
  }
  mark->at = ev_now (s->loop);
  return mark;
}

/* Let the timer come when the next mark settles. */
static void
set_timer (struct settle *s)
{
  ev_tstamp first = s->lost ? ev_now (s->loop) + QUIET : 0;

  for (const struct mark *m = s->marks; m != NULL; m = m->hh.next)
    if (first == 0 || due (m) < first)
      first = due (m);
  ev_timer_stop (s->loop, &s->timer);
  if (first == 0)
    return;
  first -= ev_now (s->loop);
  ev_timer_set (&s->timer, first > 0 ? first : 0, 0);
  ev_timer_start (s->loop, &s->timer);
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct settle *s = timer->data;
  struct mark *mark, *next;
  bool some = s->lost;

  (void) loop;
  (void) revents;
  s->lost = false;
  HASH_ITER (hh, s->marks, mark, next)
  {
    if (unsettled (s, mark))
      continue;
    mark_free (s, mark);
    some = true;
  }
  if (some)
    s->settled (s->ctx);
  set_timer (s);
}

/* ---- what is watched ---- */

static void
forget_watch (struct settle *s, struct watched *watched)
{
  HASH_DEL (s->watches, watched);
  free (watched->tree);
  free (watched);
}

static bool
is_of (int folder, const char *tree, int of_folder, const char *of_tree)
{
  return folder == of_folder && tree != NULL && strcmp (tree, of_tree) == 0;
}

bool
settle_watches (const struct settle *s, int folder, const char *entry)
{
  for (const struct watched *w = s->watches; w != NULL; w = w->hh.next)
    if (is_of (w->folder, w->tree, folder, entry))
      return true;
  return false;
}

void
settle_unwatch (struct settle *s, int folder, const char *tree)
{
  struct watched *w, *next;

  HASH_ITER (hh, s->watches, w, next)
  {
    if (!is_of (w->folder, w->tree, folder, tree))
      continue;
    (void) inotify_rm_watch (s->inotify, w->wd);
    forget_watch (s, w);
  }
}

/* ---- events ---- */

/* Somebody made this file and will write to it, unless it is another name of one that was there: of
 * that there will be no event that says it is closed. */
static bool
made_to_be_written (const struct watched *watched, const char *name)
{
  struct stat st;

  return watched->fd >= 0 && fstatat (watched->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISREG (st.st_mode) && st.st_nlink == 1;
}

static void
on_event (struct settle *s, const struct inotify_event *event)
{
  struct watched *watched = NULL;
  struct mark *mark;

  if ((event->mask & IN_Q_OVERFLOW) != 0)
    s->lost = true;
  HASH_FIND_INT (s->watches, &event->wd, watched);
  if (watched == NULL)
    return;
  if ((event->mask & IN_IGNORED) != 0) {
    s->lost = true;
    forget_watch (s, watched);
    return;
  }
  if (event->len == 0) { /* the folder itself: its mode or its owner */
    s->lost = true;
    return;
  }
  /* Another folder may stand there from now on. */
  if (watched->tree == NULL && (event->mask & IN_ISDIR) != 0
      && (event->mask & (IN_MOVED_FROM | IN_MOVED_TO)) != 0)
    settle_unwatch (s, watched->wd, event->name);
  mark = mark_of (s, watched, event->name);
  if ((event->mask & IN_MODIFY) != 0
      || ((event->mask & IN_CREATE) != 0 && made_to_be_written (watched, event->name)))
    mark->open = true;
  else if ((event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)) != 0)
    mark->open = false;
}

static void
on_changed (struct ev_loop *loop, ev_io *io, int revents)
{
  struct settle *s = io->data;
  _Alignas(struct inotify_event) char events[16384];
  ssize_t len;

  (void) loop;
  (void) revents;
  while ((len = read (io->fd, events, sizeof events)) > 0)
    for (const char *at = events; at < events + len;) {
      const struct inotify_event *event = (const void *) at;
      on_event (s, event);
      at += sizeof *event + event->len;
    }
  set_timer (s);
}

/* ---- watches ---- */

struct settle *
settle_new (struct ev_loop *loop, void (*settled) (void *ctx), void *ctx)
{
  struct settle *s = xcalloc (1, sizeof *s);

  s->loop = loop;
  s->settled = settled;
  s->ctx = ctx;
  s->inotify = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  ev_timer_init (&s->timer, on_timer, 0, 0);
  ev_io_init (&s->changed, on_changed, s->inotify, EV_READ);
  s->timer.data = s->changed.data = s;
  return s;
}

void
settle_free (struct settle *s)
{
  struct watched *watched, *next_watched;
  struct mark *mark, *next_mark;

  ev_io_stop (s->loop, &s->changed);
  ev_timer_stop (s->loop, &s->timer);
  HASH_ITER (hh, s->watches, watched, next_watched)
  {
    forget_watch (s, watched);
  }
  HASH_ITER (hh, s->marks, mark, next_mark)
  {
    mark_free (s, mark);
  }
  fd_cleanup (&s->inotify);
  free (s);
}

void
settle_start (struct settle *s)
{
  if (s->inotify >= 0)
    ev_io_start (s->loop, &s->changed);
}

/* The watch's number; one that was there already stays as it is. */
static int
add_watch (struct settle *s, int fd, int folder, const char *tree)
{
  struct watched *watched = NULL;
  char path[64];
  int wd;

  /* By descriptor: the path may be out of reach by now. */
  (void) snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  wd = inotify_add_watch (s->inotify, path, EVENTS);
  if (wd < 0)
    return -1;
  HASH_FIND_INT (s->watches, &wd, watched);
  if (watched != NULL)
    return wd;
  watched = xcalloc (1, sizeof *watched);
  watched->wd = wd;
  watched->fd = tree == NULL ? fd : -1;
  watched->folder = tree == NULL ? wd : folder;
  watched->tree = tree != NULL ? xstrdup (tree) : NULL;
  HASH_ADD_INT (s->watches, wd, watched);
  return wd;
}

int
settle_watch (struct settle *s, int fd)
{
  return add_watch (s, fd, -1, NULL);
}

void
settle_watch_tree (struct settle *s, int fd, int folder, const char *tree)
{
  (void) add_watch (s, fd, folder, tree);
}

/* ---- entries ---- */

void
settle_touch (struct settle *s, int folder, const char *entry)
{
  const struct watched *watched = NULL;

  HASH_FIND_INT (s->watches, &folder, watched);
  if (watched == NULL)
    return;
  (void) mark_of (s, watched, entry);
  set_timer (s);
}

bool
settle_busy (const struct settle *s, int folder, const char *entry, bool tree)
{
  struct mark *mark = NULL;
  char room[300];

  HASH_FIND_STR (s->marks, key_of (folder, entry, room, sizeof room), mark);
  if (mark != NULL && unsettled (s, mark))
    return true;
  for (mark = tree ? s->marks : NULL; mark != NULL; mark = mark->hh.next)
    if (is_of (mark->folder, mark->tree, folder, entry) && unsettled (s, mark))
      return true;
  return false;
}
