#include "pool/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "pool/cgroup_find.h"

const char *const cgroup_controller_names[] = { "memory", "pids", "cpu", NULL };

enum { NEEDED = 1 << CGROUP_MEMORY | 1 << CGROUP_PIDS };

static const char PREFIX[] = "toolhost.";

/* ---- files ---- */

static bool
put (int dir, const char *file, const char *text)
{
  CLEANUP_FD int fd = openat (dir, file, O_WRONLY | O_CLOEXEC);
  return fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text);
}

static bool
put_number (int dir, const char *file, uint64_t number)
{
  char text[24];

  (void) snprintf (text, sizeof text, "%" PRIu64, number);
  return put (dir, file, text);
}

static bool
exists (int dir, const char *file)
{
  return faccessat (dir, file, F_OK, 0) == 0;
}

/* The text of a small file; "" where it can't be had. */
static void
get (int fd, char *text, size_t size)
{
  ssize_t n = fd >= 0 ? pread (fd, text, size - 1, 0) : -1;
  text[n > 0 ? n : 0] = '\0';
}

static void
get_at (int dir, const char *file, char *text, size_t size)
{
  CLEANUP_FD int fd = openat (dir, file, O_RDONLY | O_CLOEXEC);
  get (fd, text, size);
}

/* Does a list of words hold this one? */
static bool
has_word (const char *list, const char *word)
{
  size_t len = strlen (word);

  for (const char *at = list; (at = strstr (at, word)) != NULL; at += len)
    if ((at == list || strchr (" \n", at[-1]) != NULL) && strchr (" \n", at[len]) != NULL)
      return true;
  return false;
}

static int
folder (int dir, const char *name)
{
  return openat (dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* "w12" where it has limits, "k12" where it can only kill: the worker looks at its name to know. */
static void
group_name (char name[CGROUP_NAME], bool limits, uint32_t number)
{
  (void) snprintf (name, CGROUP_NAME, "%c%" PRIu32, limits ? 'w' : 'k', number);
}

static void
unified_name (const struct cgroups *groups, char name[CGROUP_NAME], uint32_t number)
{
  group_name (name, groups->version == 2, number);
}

/* ---- what a killed daemon left behind ---- */

static void
remove_children (int dir)
{
  CLEANUP_FD int copy = folder (dir, ".");
  DIR *list = copy >= 0 ? fdopendir (copy) : NULL;

  if (list == NULL)
    return;
  copy = -1; /* the list's now */
  for (struct dirent *entry = readdir (list); entry != NULL; entry = readdir (list))
    if (strchr ("wkd", entry->d_name[0]) != NULL && strchr (entry->d_name, '.') == NULL)
      (void) unlinkat (dir, entry->d_name, AT_REMOVEDIR);
  (void) closedir (list);
}

/* Nobody holds its lock, and nobody has its number: its owner is gone. */
static void
sweep_one (int parent, const char *name)
{
  CLEANUP_FD int dir = folder (parent, name);
  long owner = strtol (name + sizeof PREFIX - 1, NULL, 10);

  if (dir < 0 || owner <= 0 || kill ((pid_t) owner, 0) == 0 || errno != ESRCH
      || flock (dir, LOCK_EX | LOCK_NB) < 0)
    return;
  (void) put (dir, "cgroup.kill", "1");
  remove_children (dir);
  (void) unlinkat (parent, name, AT_REMOVEDIR);
}

static void
sweep (int parent)
{
  CLEANUP_FD int copy = folder (parent, ".");
  DIR *list = copy >= 0 ? fdopendir (copy) : NULL;

  if (list == NULL)
    return;
  copy = -1;
  for (struct dirent *entry = readdir (list); entry != NULL; entry = readdir (list))
    if (strncmp (entry->d_name, PREFIX, sizeof PREFIX - 1) == 0)
      sweep_one (parent, entry->d_name);
  (void) closedir (list);
}

/* ---- our folder in one hierarchy ---- */

static unsigned
controllers_in (int dir, const char *file)
{
  char list[512];
  unsigned found = 0;

  get_at (dir, file, list, sizeof list);
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
    found |= has_word (list, cgroup_controller_names[i]) ? 1U << i : 0;
  return found;
}

/* Hand the controllers down to the groups below.  Memory is the first, and the one that a group
 * with processes in it refuses: the others, which it would take, would only leave groups below it
 * that no process can enter. */
static void
enable_below (int dir, unsigned controllers)
{
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
    char word[16];
    (void) snprintf (word, sizeof word, "+%s", cgroup_controller_names[i]);
    if ((controllers & 1U << i) != 0 && !put (dir, "cgroup.subtree_control", word))
      return;
  }
}

/* As much as so many busy threads. */
static void
weigh_as (int dir, uint64_t threads)
{
  const uint64_t heaviest = 10000, usual = 100, usual_shares = 1024;
  uint64_t weight = usual * threads;

  (void) put_number (dir, "cpu.weight", weight < heaviest ? weight : heaviest);
  (void) put_number (dir, "cpu.shares", usual_shares * threads);
}

/* The daemon and all workers together weigh as much as one busy thread on each processor, and one:
 * what else this machine does leaves them their part. */
static void
weigh (int dir)
{
  long online = sysconf (_SC_NPROCESSORS_ONLN);

  weigh_as (dir, online > 0 ? (uint64_t) online + 1 : 2);
}

/* The top of a hierarchy can be written only with a capability that the launcher does not keep;
 * what it shall be able to remove again stands in a folder below, which stays.  Takes the parent
 * over. */
static int
below_the_top (int parent)
{
  struct stat st;
  int dir;

  if (fstat (parent, &st) < 0 || (st.st_mode & S_IWUSR) != 0)
    return parent;
  enable_below (parent, controllers_in (parent, "cgroup.controllers"));
  (void) mkdirat (parent, "toolhost", 0755);
  dir = folder (parent, "toolhost");
  weigh (dir);
  (void) close (parent);
  return dir;
}

/* Takes the parent over; -1: it can't be made there. */
static int
make_ours (const char *name, int parent, int *kept_parent)
{
  int dir;

  if (parent >= 0)
    parent = below_the_top (parent);
  *kept_parent = parent;
  if (parent < 0)
    return -1;
  sweep (parent);
  if (mkdirat (parent, name, 0755) == 0 && (dir = folder (parent, name)) >= 0) {
    (void) flock (dir, LOCK_EX | LOCK_NB);
    return dir;
  }
  (void) close (parent);
  *kept_parent = -1;
  return -1;
}

static void
drop_ours (const char *name, int *dir, int *parent)
{
  if (*dir >= 0) {
    remove_children (*dir);
    (void) unlinkat (*parent, name, AT_REMOVEDIR);
  }
  fd_cleanup (dir);
  fd_cleanup (parent);
  *dir = *parent = -1;
}

/* ---- version 2 ---- */

/* Is this process alone in the group? */
static bool
alone_in (int dir)
{
  char list[64], own[16];

  get_at (dir, "cgroup.procs", list, sizeof list);
  (void) snprintf (own, sizeof own, "%d\n", (int) getpid ());
  return strcmp (list, own) == 0;
}

/* A group that a service manager gave to the user the daemon becomes: the launcher, who is root but
 * has no right to override owners, moves workers in it, and the daemon has nothing to do there. */
static void
take_over (int dir)
{
  static const char *const names[] = { ".", "cgroup.procs", "cgroup.subtree_control" };

  for (size_t i = 0; geteuid () == 0 && i < sizeof names / sizeof *names; i++)
    (void) !fchownat (dir, names[i], 0, 0, AT_SYMLINK_NOFOLLOW);
}

/* A group with processes hands no controllers down, unless it is the root: where a service manager
 * gave the whole group to us, we move into a leaf of it. */
static void
step_aside (int dir)
{
  CLEANUP_FD int leaf = -1;

  if (!alone_in (dir) || (mkdirat (dir, "daemon", 0755) < 0 && errno != EEXIST))
    return;
  leaf = folder (dir, "daemon");
  if (leaf >= 0 && put (leaf, "cgroup.procs", "0"))
    take_over (dir);
}

/* Which controllers groups in our folder would have, once all that can be done was done. */
static unsigned
prepare_v2 (int parent, int ours)
{
  unsigned there = controllers_in (parent, "cgroup.controllers");

  enable_below (parent, there);
  if ((there & ~controllers_in (parent, "cgroup.subtree_control")) != 0) {
    step_aside (parent);
    enable_below (parent, there);
  }
  enable_below (ours, controllers_in (ours, "cgroup.controllers"));
  return controllers_in (ours, "cgroup.subtree_control");
}

/* True: limits are to be had there. */
static bool
open_v2_at (struct cgroups *groups, int parent)
{
  groups->unified = make_ours (groups->name, parent, &groups->unified_parent);
  if (groups->unified < 0)
    return false;
  groups->controllers = prepare_v2 (groups->unified_parent, groups->unified);
  weigh (groups->unified);
  if ((groups->controllers & NEEDED) == NEEDED)
    return true;
  groups->controllers = 0;
  return false;
}

/* In the group this process is in; as root, where that has none to give, at the top. */
static bool
open_v2 (struct cgroups *groups)
{
  if (open_v2_at (groups, cgroup_find (CGROUP_UNIFIED, false)))
    return true;
  if (geteuid () != 0)
    return false;
  drop_ours (groups->name, &groups->unified, &groups->unified_parent);
  return open_v2_at (groups, cgroup_find (CGROUP_UNIFIED, true));
}

/* ---- version 1 ---- */

static void
open_v1 (struct cgroups *groups)
{
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
    int parent = cgroup_find (cgroup_controller_names[i], false);
    groups->legacy[i] = make_ours (groups->name, parent, &groups->legacy_parent[i]);
    groups->controllers |= groups->legacy[i] >= 0 ? 1U << i : 0;
  }
  weigh (groups->legacy[CGROUP_CPU]);
}

static void
close_v1 (struct cgroups *groups)
{
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
    drop_ours (groups->name, &groups->legacy[i], &groups->legacy_parent[i]);
  groups->controllers = 0;
}

/* ---- the daemon's own group ---- */

/* Which folder of ours has workers compete for processors; -1: none. */
static int
cpu_folder (const struct cgroups *groups)
{
  if ((groups->controllers & 1U << CGROUP_CPU) == 0)
    return -1;
  return groups->version == 2 ? groups->unified : groups->legacy[CGROUP_CPU];
}

static void
make_seat (struct cgroups *groups)
{
  enum { AGAINST_ALL = 10 };
  const bool unified = groups->version == 2;
  const char *members = unified ? "cgroup.procs" : "tasks";
  const char *hierarchy = unified ? CGROUP_UNIFIED : cgroup_controller_names[CGROUP_CPU];
  CLEANUP_FD int seat = -1, home = cgroup_find (hierarchy, false);
  int dir = cpu_folder (groups);

  if (dir < 0 || mkdirat (dir, "daemon", 0755) < 0)
    return;
  seat = folder (dir, "daemon");
  weigh_as (seat, AGAINST_ALL);
  groups->daemon = openat (seat, members, O_WRONLY | O_CLOEXEC);
  groups->home = openat (home, members, O_WRONLY | O_CLOEXEC);
}

static void
close_seat (struct cgroups *groups)
{
  fd_cleanup (&groups->daemon);
  fd_cleanup (&groups->home);
  groups->daemon = groups->home = -1;
}

static void
go_to (int members)
{
  if (members >= 0)
    (void) !write (members, "0", 1);
}

void
cgroup_sit (const struct cgroups *groups)
{
  const struct sched_param none = { 0 };

  if (groups->home < 0 || groups->daemon < 0)
    return;
  go_to (groups->daemon);
  (void) sched_setscheduler (0, SCHED_BATCH | SCHED_RESET_ON_FORK, &none);
}

void
cgroup_stand_up (const struct cgroups *groups)
{
  go_to (groups->home);
}

bool
cgroup_seat_is_free (const struct cgroups *groups)
{
  int dir = cpu_folder (groups);

  return dir < 0 || unlinkat (dir, "daemon", AT_REMOVEDIR) == 0 || errno == ENOENT;
}

/* ---- all ---- */

void
cgroups_open (struct cgroups *groups)
{
  *groups = (struct cgroups){ .unified = -1,
                              .unified_parent = -1,
                              .legacy = { -1, -1, -1 },
                              .legacy_parent = { -1, -1, -1 },
                              .daemon = -1,
                              .home = -1 };
  (void) snprintf (groups->name, sizeof groups->name, "%s%d", PREFIX, (int) getpid ());
  if (open_v2 (groups))
    groups->version = 2;
  else {
    open_v1 (groups);
    if ((groups->controllers & NEEDED) == NEEDED)
      groups->version = 1;
    else
      close_v1 (groups);
  }
  make_seat (groups);
}

void
cgroups_close (struct cgroups *groups)
{
  close_seat (groups);
  drop_ours (groups->name, &groups->unified, &groups->unified_parent);
  close_v1 (groups);
  groups->version = 0;
}

void
cgroups_forget (struct cgroups *groups)
{
  fd_cleanup (&groups->unified);
  fd_cleanup (&groups->unified_parent);
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
    fd_cleanup (&groups->legacy[i]);
    fd_cleanup (&groups->legacy_parent[i]);
  }
}

/* ---- one group ---- */

/* Of memory there is never more, swap or not; whoever is at the limit ends at once, all of it
 * (memory.high would let it crawl there instead). */
static bool
limit_v2 (int dir, const struct cgroup_limits *limits)
{
  if (exists (dir, "memory.swap.max") && !put (dir, "memory.swap.max", "0"))
    return false;
  return put_number (dir, "memory.max", limits->memory) && put (dir, "memory.oom.group", "1")
         && put_number (dir, "pids.max", limits->processes);
}

static bool
limit_v1 (int dir, enum cgroup_controller controller, const struct cgroup_limits *limits)
{
  static const char with_swap[] = "memory.memsw.limit_in_bytes";

  switch (controller) {
  case CGROUP_MEMORY:
    return put_number (dir, "memory.limit_in_bytes", limits->memory)
           && (!exists (dir, with_swap) || put_number (dir, with_swap, limits->memory));
  case CGROUP_PIDS:
    return put_number (dir, "pids.max", limits->processes);
  case CGROUP_CPU: /* a group's equal share is all it is for */
  case CGROUP_CONTROLLERS:
    break;
  }
  return true;
}

static bool
make_v2 (const struct cgroups *groups, const struct cgroup_limits *limits,
         struct cgroup_place *place)
{
  char name[CGROUP_NAME];

  if (groups->unified < 0)
    return true;
  unified_name (groups, name, place->number);
  if (mkdirat (groups->unified, name, 0755) < 0
      || (place->unified = folder (groups->unified, name)) < 0)
    return false;
  if (groups->version != 2)
    return true;
  place->events = openat (place->unified, "memory.events", O_RDONLY | O_CLOEXEC);
  return place->events >= 0 && limit_v2 (place->unified, limits);
}

static bool
make_v1 (const struct cgroups *groups, const struct cgroup_limits *limits,
         struct cgroup_place *place)
{
  char name[CGROUP_NAME];

  group_name (name, true, place->number);
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
    CLEANUP_FD int dir = -1;
    if (groups->legacy[i] < 0)
      continue;
    if (mkdirat (groups->legacy[i], name, 0755) < 0 || (dir = folder (groups->legacy[i], name)) < 0
        || !limit_v1 (dir, (enum cgroup_controller) i, limits))
      return false;
    place->tasks[i] = openat (dir, "tasks", O_WRONLY | O_CLOEXEC);
    if (i == CGROUP_MEMORY)
      place->events = openat (dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
    if (place->tasks[i] < 0 || (i == CGROUP_MEMORY && place->events < 0))
      return false;
  }
  return true;
}

bool
cgroup_make (const struct cgroups *groups, uint32_t number, const struct cgroup_limits *limits,
             struct cgroup_place *place, struct error *err)
{
  *place =
    (struct cgroup_place){ .number = number, .unified = -1, .tasks = { -1, -1, -1 }, .events = -1 };
  if (make_v2 (groups, limits, place) && make_v1 (groups, limits, place))
    return true;
  return error_set (err, "cannot make the cgroup %s/w%" PRIu32 " of a worker: %s", groups->name,
                    number, strerror (errno));
}

void
cgroup_place_close (struct cgroup_place *place)
{
  fd_cleanup (&place->unified);
  fd_cleanup (&place->events);
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
    fd_cleanup (&place->tasks[i]);
}

void
cgroup_calm (const struct cgroups *groups, uint32_t number, bool calm)
{
  int dir = cpu_folder (groups);
  char name[CGROUP_NAME], file[2 * CGROUP_NAME];

  if (dir < 0)
    return;
  group_name (name, true, number);
  (void) snprintf (file, sizeof file, "%s/cpu.idle", name);
  (void) put_number (dir, file, calm);
}

void
cgroup_kill (const struct cgroups *groups, uint32_t number)
{
  char name[CGROUP_NAME], file[2 * CGROUP_NAME];

  if (groups->unified < 0)
    return;
  unified_name (groups, name, number);
  (void) snprintf (file, sizeof file, "%s/cgroup.kill", name);
  (void) put (groups->unified, file, "1");
}

void
cgroup_remove (const struct cgroups *groups, uint32_t number)
{
  char name[CGROUP_NAME];

  unified_name (groups, name, number);
  if (groups->unified >= 0)
    (void) unlinkat (groups->unified, name, AT_REMOVEDIR);
  group_name (name, true, number);
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
    if (groups->legacy[i] >= 0)
      (void) unlinkat (groups->legacy[i], name, AT_REMOVEDIR);
}

bool
cgroup_oom_killed (int events)
{
  static const char counter[] = "oom_kill ";
  char text[512];
  const char *at;

  get (events, text, sizeof text);
  at = strstr (text, counter);
  return at != NULL && strtoull (at + sizeof counter - 1, NULL, 10) != 0;
}
