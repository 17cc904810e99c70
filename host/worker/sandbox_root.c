#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/tar.h"
#include "worker/control.h"
#include "worker/sandbox.h"

/* Two lines of heading, then one for each interface.  No socket: the launcher left none to ask. */
static bool
only_loopback (void)
{
  CLEANUP_FD int fd = open ("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
  char text[2048];
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
  const char *at = text;

  if (len <= 0)
    return false;
  text[len] = '\0';
  for (int line = 0; line < 2 && at != NULL; line++) {
    at = strchr (at, '\n');
    at = at != NULL ? at + 1 : NULL;
  }
  if (at == NULL || *at == '\0')
    return at != NULL;
  at += strspn (at, " ");
  return strncmp (at, "lo:", 3) == 0 && strchr (at, '\n') == strrchr (at, '\n');
}

void
sandbox_namespaces (struct sandbox_plan *plan)
{
  plan->namespaces = getpid () == 1;
  if (plan->namespaces)
    guarantee_met (plan, NO_FOREIGN_SIGNALS | KILL_TREE, "pid namespace");
  if (only_loopback ())
    guarantee_met (plan, NO_NETWORK, "network namespace");
}

/* ---- pieces of the host's tree ---------------------------------------------------------- */

enum { MOST_PIECES = 256, LIBRARY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

/* One path of the host, as a detached copy of its mount, on its way into the new root. */
struct piece {
  const char *path; /* in both */
  int tree;         /* from open_tree */
  bool directory;
  bool read_only;
};

struct pieces {
  struct piece list[MOST_PIECES];
  size_t count;
};

static void
pieces_close (struct pieces *pieces)
{
  for (size_t i = 0; i < pieces->count; i++)
    (void) close (pieces->list[i].tree);
}

/* The name of the host where symbolic links would let a grant mean something else tomorrow: none of
 * the path's parts may be one. */
static int
open_plainly (const char *path, bool plainly)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                          .resolve = RESOLVE_NO_MAGICLINKS | (plainly ? RESOLVE_NO_SYMLINKS : 0) };
  return (int) syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* A detached copy of what stands at `fd`, without the mounts below it where the kernel lets them be
 * left out, with the flags added before anybody can see it. */
static int
copy_tree (int fd, uint64_t flags)
{
  const unsigned how = AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
  struct mount_attr attr = { .attr_set = flags, .propagation = MS_PRIVATE };
  int tree = open_tree (fd, "", how);

  if (tree < 0 && errno == EINVAL)
    tree = open_tree (fd, "", how | AT_RECURSIVE);
  if (tree >= 0 && mount_setattr (tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0) {
    int error = errno;
    (void) close (tree);
    errno = error;
    return -1;
  }
  return tree;
}

/* Takes the tree over. */
static int
add_piece (struct pieces *pieces, const char *path, int tree)
{
  struct stat st;

  if (pieces->count == MOST_PIECES)
    errno = E2BIG;
  else if (fstat (tree, &st) == 0) {
    pieces->list[pieces->count++] =
      (struct piece){ .path = path, .tree = tree, .directory = S_ISDIR (st.st_mode) };
    return 0;
  }
  (void) close (tree);
  return -1;
}

static int
take_piece (struct pieces *pieces, const char *path, uint64_t flags, bool plainly)
{
  CLEANUP_FD int fd = open_plainly (path, plainly);
  int tree = fd >= 0 ? copy_tree (fd, flags) : -1;

  return tree >= 0 ? add_piece (pieces, path, tree) : -1;
}

struct system_piece {
  const char *path;
  uint64_t flags;
};

/* What every worker sees, where the host has it. */
static const struct system_piece system_pieces[] = {
  { "/lib", LIBRARY },
  { "/lib64", LIBRARY },
  { "/usr/lib", LIBRARY },
  { "/usr/lib64", LIBRARY },
  { "/usr/local/lib", LIBRARY },
  { "/etc/ld.so.cache", LIBRARY | MOUNT_ATTR_NOEXEC },
  { "/dev/null", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
  { "/dev/zero", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
  { "/dev/urandom", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
#ifdef TOOLHOST_SANITIZED
  { "/proc", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC },
#endif
};

/* … and a program beside it: the system's programs, nobody's settings or data. */
static const struct system_piece program_pieces[] = {
  { "/bin", LIBRARY },
  { "/sbin", LIBRARY },
  { "/lib", LIBRARY },
  { "/lib64", LIBRARY },
  { "/usr", LIBRARY },
  { "/etc/ld.so.cache", LIBRARY | MOUNT_ATTR_NOEXEC },
  { "/etc/alternatives", LIBRARY | MOUNT_ATTR_NOEXEC },
  { "/etc/localtime", LIBRARY | MOUNT_ATTR_NOEXEC },
  { "/dev/null", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
  { "/dev/zero", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
  { "/dev/urandom", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
};

static bool
is_link (const char *path)
{
  struct stat st;
  return lstat (path, &st) == 0 && S_ISLNK (st.st_mode);
}

static bool
take_system (struct pieces *pieces, bool program, struct error *err)
{
  const struct system_piece *list = program ? program_pieces : system_pieces;
  size_t count = program ? sizeof program_pieces / sizeof *program_pieces
                         : sizeof system_pieces / sizeof *system_pieces;

  for (size_t i = 0; i < count; i++) {
    const char *path = list[i].path;
    if (!is_link (path) && take_piece (pieces, path, list[i].flags, false) < 0 && errno != ENOENT)
      return error_set (err, "cannot take %s into the worker's root: %s", path, strerror (errno));
  }
  return true;
}

/* ---- grants ----------------------------------------------------------------------------- */

static bool
has_dots (const char *path)
{
  for (const char *at = path; (at = strstr (at, "/.")) != NULL; at += 2)
    if (at[2] == '/' || at[2] == '\0' || (at[2] == '.' && (at[3] == '/' || at[3] == '\0')))
      return true;
  return false;
}

static bool
is_at_or_below (const char *path, const char *top)
{
  size_t len = strlen (top);
  return strncmp (path, top, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool
check_grant (const char *path, struct error *err)
{
  if (path[0] != '/' || path[1] == '\0' || has_dots (path) || strstr (path, "//") != NULL)
    return error_set (
      err,
      "the granted path \"%s\" can't be used: expected an absolute path below \"/\" "
      "without \".\", \"..\" and empty parts",
      path);
  if (is_at_or_below (path, "/proc") || is_at_or_below (path, "/plugin"))
    return error_set (err, "the granted path \"%s\" can't be used: a worker has its own, or none",
                      path);
  return true;
}

static bool
not_granted (const char *path, struct error *err)
{
  if (errno == ELOOP)
    return error_set (
      err, "the granted path \"%s\" leads through a symbolic link: grant the path it leads to",
      path);
  return error_set (err, "the granted path \"%s\" can't be had: %s", path, strerror (errno));
}

/* One mount, ready made by the launcher (next in the row), or else taken from the host's tree. */
static int
take_grant (struct pieces *pieces, const char *path, uint64_t flags, int *ready_made)
{
  if (*ready_made < 0)
    return take_piece (pieces, path, flags, true);
  return add_piece (pieces, path, (*ready_made)++);
}

static bool
take_grants (struct pieces *pieces, const char *const *paths, uint64_t flags, int *ready_made,
             struct error *err)
{
  for (; *paths != NULL; paths++) {
    if (!check_grant (*paths, err))
      return false;
    if (take_grant (pieces, *paths, flags, ready_made) == 0)
      continue;
    return not_granted (*paths, err);
  }
  return true;
}

/* Without a root of its own the worker has them where they are. */
static bool
check_grants (const char *const *paths, struct error *err)
{
  for (; *paths != NULL; paths++) {
    CLEANUP_FD int fd = open_plainly (*paths, true);
    if (!check_grant (*paths, err) || fd < 0)
      return err->text[0] != '\0' ? false : not_granted (*paths, err);
  }
  return true;
}

/* Programs may be executed where they stand; they are the system's, and read with the worker's own
 * rights. */
static bool
take_programs (struct pieces *pieces, const char *const *paths, struct error *err)
{
  for (; *paths != NULL; paths++) {
    if (!check_grant (*paths, err))
      return false;
    if (take_piece (pieces, *paths, LIBRARY, true) < 0)
      return not_granted (*paths, err);
    if (pieces->list[pieces->count - 1].directory)
      return error_set (err, "the program \"%s\" can't be granted: it is a folder", *paths);
  }
  return true;
}

/* Above comes before below, so that a grant inside another lies on top of it; of two for the same
 * path the writable one does. */
static int
by_path (const void *a, const void *b)
{
  const struct piece *x = a, *y = b;
  int order = strcmp (x->path, y->path);

  return order != 0 ? order : (int) y->read_only - (int) x->read_only;
}

/* ---- the new root ----------------------------------------------------------------------- */

/* Make the folders above the last part, and the last part itself, below the new root, never through
 * a symbolic link.  Returns a descriptor of the last part. */
static int
make_place (int root, const char *path, bool directory)
{
  CLEANUP_FD int at = dup (root);
  CLEANUP_FREE char *copy = xstrdup (path);
  char *rest = copy;

  for (char *part = strsep (&rest, "/"); part != NULL; part = strsep (&rest, "/")) {
    bool folder = directory || rest != NULL;
    int next;
    if (*part == '\0')
      continue;
    if (folder)
      (void) mkdirat (at, part, 0755);
    else if ((next = openat (at, part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644)) >= 0)
      (void) close (next);
    next = openat (at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC | (folder ? O_DIRECTORY : 0));
    if (next < 0)
      return -1;
    (void) close (at);
    at = next;
  }
  int place = at;
  at = -1;
  return place;
}

static bool
place_pieces (int root, const struct pieces *pieces, struct error *err)
{
  for (size_t i = 0; i < pieces->count; i++) {
    const struct piece *piece = &pieces->list[i];
    CLEANUP_FD int place = make_place (root, piece->path, piece->directory);
    if (place < 0
        || move_mount (piece->tree, "", place, "",
                       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
             < 0)
      return error_set (err, "cannot place %s in the worker's root: %s", piece->path,
                        strerror (errno));
  }
  return true;
}

/* A merged /usr: /lib is a link to usr/lib, here as there. */
static void
copy_links (int root, bool program)
{
  static const char *const links[] = { "/lib", "/lib64", "/bin", "/sbin" };

  for (size_t i = 0; i < (program ? 4 : 2); i++) {
    char target[256];
    ssize_t len = readlink (links[i], target, sizeof target - 1);
    if (len <= 0)
      continue;
    target[len] = '\0';
    (void) !symlinkat (target + strspn (target, "/"), root, links[i] + 1);
  }
}

static bool
copy_bytes (int to, int from, off_t at, off_t end)
{
  while (at < end)
    if (sendfile (to, from, &at, (size_t) (end - at)) <= 0)
      return false;
  return true;
}

/* Part of `from` as a file below /plugin. */
static bool
copy_file (int root, const char *path, int from, off_t start, off_t size, struct error *err)
{
  char place[128];
  const char *name = strrchr (path, '/');
  CLEANUP_FD int folder = -1;
  CLEANUP_FD int to = -1;

  name = name != NULL ? name + 1 : path;
  (void) snprintf (place, sizeof place, "/plugin/%.*s", (int) (name - path), path);
  folder = make_place (root, place, true);
  if (folder >= 0)
    to = openat (folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
  if (to < 0 || !copy_bytes (to, from, start, start + size))
    return error_set (err, "cannot copy the plugin into the worker's root: %s", strerror (errno));
  return true;
}

/* The plugin comes as its file, or as an archive of its folder. */
static bool
is_archive (int from)
{
  char magic[4];

  return pread (from, magic, sizeof magic, 0) != (ssize_t) sizeof magic
         || memcmp (magic, "\177ELF", sizeof magic) != 0;
}

static bool
copy_plugin (int root, const char *name, int from, off_t size, struct error *err)
{
  struct tar_file file;
  enum tar_next next;
  char path[80];
  off_t at = 0;

  (void) snprintf (path, sizeof path, "%s.so", name);
  if (!is_archive (from))
    return copy_file (root, path, from, 0, size, err);
  while ((next = tar_next (from, &at, &file)) == TAR_FILE)
    if (!copy_file (root, file.path, from, file.start, file.size, err))
      return false;
  return next == TAR_END || error_set (err, "the plugin came as something else than a plugin");
}

/* The new root is first mounted over a folder that no grant and no library comes from. */
static const char *
mount_stage (off_t plugin_size)
{
  static const char *const stages[] = { "/sys", "/proc", "/mnt", "/tmp" };
  char options[96];

  /* Of each of a folder's files the last page may be all but empty. */
  (void) snprintf (options, sizeof options, "mode=0755,nr_inodes=4096,size=%lld",
                   (long long) plugin_size + (8 << 20));
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    if (mount ("toolhost", stages[i], "tmpfs", MS_NOSUID | MS_NODEV, options) == 0)
      return stages[i];
  return NULL;
}

static bool
mount_tmp (const char *stage, uint64_t size, struct error *err)
{
  char options[96], path[32];

  if (size == 0)
    return true;
  (void) snprintf (path, sizeof path, "%s/tmp", stage);
  (void) snprintf (options, sizeof options, "mode=1777,nr_inodes=%llu,size=%llu",
                   (unsigned long long) (64 + size / 8192), (unsigned long long) size);
  if (mkdir (path, 0755) < 0
      || mount ("tmp", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
    return error_set (err, "cannot mount the worker's /tmp: %s", strerror (errno));
  return true;
}

static bool
enter (const char *stage, struct error *err)
{
  struct mount_attr attr = { .attr_set = LIBRARY };

  if (chdir (stage) < 0 || syscall (SYS_pivot_root, ".", ".") < 0 || umount2 (".", MNT_DETACH) < 0
      || chdir ("/") < 0)
    return error_set (err, "cannot enter the worker's root: %s", strerror (errno));
  if (mount_setattr (AT_FDCWD, "/", 0, &attr, sizeof attr) < 0)
    return error_set (err, "cannot make the worker's root read-only: %s", strerror (errno));
  return true;
}

static bool
fill_root (const struct sandbox_plan *plan, const char *stage, const struct pieces *pieces,
           int plugin_fd, off_t plugin_size, struct error *err)
{
  CLEANUP_FD int root = open (stage, O_PATH | O_DIRECTORY | O_CLOEXEC);

  if (root < 0)
    return error_set (err, "cannot open the worker's root: %s", strerror (errno));
  copy_links (root, plan->program);
  return mount_tmp (stage, plan->tmp, err) && place_pieces (root, pieces, err)
         && (plan->program || copy_plugin (root, plan->plugin, plugin_fd, plugin_size, err));
}

/* Out of memory, this process goes first; nothing is lost where it can't be said. */
void
sandbox_volunteer (void)
{
  CLEANUP_FD int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd >= 0)
    (void) !write (fd, "1000", 4);
}

/* Everything of the host's tree that is taken along.  What can be executed there can't be written.
 */
static bool
take_pieces (struct pieces *pieces, const struct sandbox_plan *plan, struct error *err)
{
  const uint64_t closed = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  const uint64_t readable = closed | MOUNT_ATTR_RDONLY | (plan->program ? 0 : MOUNT_ATTR_NOEXEC);
  int ready_made = fcntl (FD_GRANTS, F_GETFD) >= 0 ? FD_GRANTS : -1;

  return take_system (pieces, plan->program, err)
         && take_grants (pieces, plan->read, readable, &ready_made, err)
         && take_grants (pieces, plan->write, closed | MOUNT_ATTR_NOEXEC, &ready_made, err)
         && take_programs (pieces, plan->exec, err);
}

bool
sandbox_root (struct sandbox_plan *plan, int plugin_fd, struct error *err)
{
  __attribute__ ((cleanup (pieces_close))) struct pieces pieces;
  struct stat st = { 0 };
  const char *stage;

  pieces.count = 0;
  if (!plan->namespaces && plan->program)
    return error_set (err, "programs beside a worker (permissions.processes) take namespaces of "
                           "their own, which this system refuses");
  if (!plan->namespaces && is_archive (plugin_fd))
    return error_set (err, "a plugin in a folder needs a mount namespace, which this system "
                           "refuses; one in a file does not");
  if (!plan->namespaces && plan->exec[0] != NULL)
    return error_set (err, "programs can't be granted (permissions.exec): it takes namespaces of "
                           "its own to end what they start, which this system refuses");
  if (!plan->namespaces)
    return check_grants (plan->read, err) && check_grants (plan->write, err);
  if (!plan->program && (fstat (plugin_fd, &st) < 0 || !S_ISREG (st.st_mode)))
    return error_set (err, "the plugin came as something else than a file");
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
    return error_set (err, "cannot change mounts: %s: a mount namespace is needed",
                      strerror (errno));
  if (!take_pieces (&pieces, plan, err))
    return false;
  qsort (pieces.list, pieces.count, sizeof *pieces.list, by_path);
  stage = mount_stage (st.st_size);
  if (stage == NULL)
    return error_set (err, "cannot mount a root for the worker: %s", strerror (errno));
  if (!fill_root (plan, stage, &pieces, plugin_fd, st.st_size, err) || !enter (stage, err))
    return false;
  guarantee_met (plan, NO_FOREIGN_FILES, "mount namespace");
  return true;
}
