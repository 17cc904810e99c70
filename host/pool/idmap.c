#include "pool/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "pool/launch.h"

/* The last id of all; the one after it means "none". */
static const unsigned LAST_ID = 4294967294U;

/* ---- maps ---- */

static bool
write_file (pid_t pid, const char *file, const char *text, struct error *err)
{
  char path[64];
  CLEANUP_FD int fd = -1;

  (void) snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, file);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write (fd, text, strlen (text)) != (ssize_t) strlen (text))
    return error_set (err, "cannot write %s: %s", path, strerror (errno));
  return true;
}

static bool
write_maps (pid_t pid, const char *uids, const char *gids, struct error *err)
{
  return write_file (pid, "setgroups", "deny", err) && write_file (pid, "uid_map", uids, err)
         && write_file (pid, "gid_map", gids, err);
}

bool
idmap_write_single (pid_t pid, uid_t uid, gid_t gid, struct error *err)
{
  char uids[48], gids[48];

  (void) snprintf (uids, sizeof uids, "0 %u 1", (unsigned) uid);
  (void) snprintf (gids, sizeof gids, "0 %u 1", (unsigned) gid);
  return write_maps (pid, uids, gids, err);
}

/* Every id as it is, but two swapped. */
static void
swap_map (char *text, size_t size, unsigned a, unsigned b)
{
  unsigned low = a < b ? a : b, high = a < b ? b : a;
  const struct {
    unsigned inside, outside, count;
  } extents[] = {
    { 0, 0, low },
    { low, high, 1 },
    { low + 1, low + 1, high - low - 1 },
    { high, low, 1 },
    { high + 1, high + 1, LAST_ID - high },
  };
  size_t len = 0;

  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
    if (extents[i].count != 0)
      len += (size_t) snprintf (text + len, size - len, "%u %u %u\n", extents[i].inside,
                                extents[i].outside, extents[i].count);
}

/* ---- namespaces that are nothing but maps ---- */

static void
end (pid_t pid, int pidfd)
{
  siginfo_t info;

  (void) kill (pid, SIGKILL);
  (void) waitid (P_PID, (id_t) pid, &info, WEXITED);
  (void) close (pidfd);
}

/* A descriptor of a user namespace with these maps; -1: not to be had.  The process it takes, with
 * birth_clone's `flags` and `into`, is gone when this returns. */
static int
namespace_with (const char *uids, const char *gids, unsigned long flags, int into)
{
  struct error err;
  char path[64];
  int pidfd = -1, ns = -1;
  pid_t pid;

  (void) prctl (PR_SET_DUMPABLE, 1);
  pid = birth_clone (CLONE_NEWUSER | flags, into, &pidfd);
  if (pid == 0)
    for (;;)
      (void) pause ();
  if (pid > 0 && write_maps (pid, uids, gids, &err)) {
    (void) snprintf (path, sizeof path, "/proc/%d/ns/user", (int) pid);
    ns = open (path, O_RDONLY | O_CLOEXEC);
  }
  (void) prctl (PR_SET_DUMPABLE, 0);
  if (pid > 0)
    end (pid, pidfd);
  return ns;
}

static int
swapping_namespace (const struct idmap *ids, unsigned long flags, int into)
{
  char uids[160], gids[160];

  swap_map (uids, sizeof uids, ids->uid, ids->user);
  swap_map (gids, sizeof gids, ids->gid, ids->group);
  return namespace_with (uids, gids, flags, into);
}

bool
idmap_try (uid_t id)
{
  char map[48];
  int ns;

  (void) snprintf (map, sizeof map, "0 %u 1", (unsigned) id);
  ns = namespace_with (map, map, 0, -1);
  fd_cleanup (&ns);
  return ns >= 0;
}

/* ---- mounts ---- */

static int
copy_tree (int fd, uint64_t flags, int ns)
{
  struct mount_attr attr = { .attr_set = flags | (ns >= 0 ? MOUNT_ATTR_IDMAP : 0),
                             .propagation = MS_PRIVATE,
                             .userns_fd = ns >= 0 ? (unsigned) ns : 0U };
  int tree = open_tree (fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

  if (tree >= 0 && mount_setattr (tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0) {
    (void) close (tree);
    return -1;
  }
  return tree;
}

static bool
copy_all (struct idmap_trees *trees, const int *fds, const uint8_t *flags, size_t count, int ns)
{
  const uint64_t always = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

  for (trees->count = 0; trees->count < count; trees->count++) {
    bool writable = (flags[trees->count] & LAUNCH_WRITABLE) != 0;
    bool executable = (flags[trees->count] & LAUNCH_EXECUTABLE) != 0;
    int tree = copy_tree (
      fds[trees->count],
      always | (writable ? 0 : MOUNT_ATTR_RDONLY) | (executable ? 0 : MOUNT_ATTR_NOEXEC), ns);
    if (tree < 0) {
      idmap_trees_close (trees);
      return false;
    }
    trees->fds[trees->count] = tree;
  }
  return true;
}

bool
idmap_trees_make (struct idmap_trees *trees, const int *fds, const uint8_t *flags, size_t count,
                  const struct idmap *ids)
{
  CLEANUP_FD int ns = ids != NULL ? swapping_namespace (ids, 0, -1) : -1;

  if (ns >= 0 && copy_all (trees, fds, flags, count, ns))
    return true;
  (void) copy_all (trees, fds, flags, count, -1);
  return false;
}

void
idmap_trees_close (struct idmap_trees *trees)
{
  for (size_t i = 0; i < trees->count; i++)
    (void) close (trees->fds[i]);
  trees->count = 0;
}

bool
idmap_try_mounts (const struct idmap *ids, unsigned long flags, int into)
{
  CLEANUP_FD int ns = swapping_namespace (ids, flags, into);
  CLEANUP_FD int root = open ("/", O_PATH | O_CLOEXEC);
  CLEANUP_FD int tree = ns >= 0 ? copy_tree (root, MOUNT_ATTR_NOSUID, -1) : -1;

  return tree >= 0;
}
