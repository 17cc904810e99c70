/* Tries to read and change what lies outside its grants.  "base" is a folder with ro/ (granted to
 * be read, holds kept), rw/ (to be written, holds lead_out, a symbolic link to ../outside, and
 * made/, a folder) and outside/ (not granted, holds secret).  Tells which tries went through: none.
 * That it can do what it may is tried too. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { RACES = 20000, EXCHANGE = 2 /* RENAME_EXCHANGE */ };

struct tries {
  const char *base;
  char paths[4][512]; /* the last ones that were asked for */
  unsigned next_path;
  char through[1024];
  size_t len;
  int refused;
};

/* A path below the base, good until the fourth one after it is asked for. */
static const char *
in (struct tries *all, const char *below)
{
  char *path = all->paths[all->next_path++ % 4];

  (void) snprintf (path, sizeof all->paths[0], "%s/%s", all->base, below);
  return path;
}

static void
attempt (struct tries *all, const char *what, long result)
{
  if (result < 0)
    all->refused++;
  else if (all->len < sizeof all->through)
    all->len +=
      (size_t) snprintf (all->through + all->len, sizeof all->through - all->len, "; %s", what);
}

static long
try_open (const char *path, int flags)
{
  int fd = open (path, flags | O_CLOEXEC, 0600);

  if (fd >= 0)
    (void) close (fd);
  return fd;
}

static void
read_outside (struct tries *all)
{
  int rw = open (in (all, "rw"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char own[64];

  attempt (all, "read outside/secret", try_open (in (all, "outside/secret"), O_RDONLY));
  attempt (all, "read ro/../outside/secret", try_open (in (all, "ro/../outside/secret"), O_RDONLY));
  attempt (all, "read rw/lead_out/secret", try_open (in (all, "rw/lead_out/secret"), O_RDONLY));
  attempt (all, "openat ..", openat (rw, "../outside/secret", O_RDONLY | O_CLOEXEC));
  (void) snprintf (own, sizeof own, "/proc/self/fd/%d/../outside/secret", rw);
  attempt (all, "through /proc/self/fd", try_open (own, O_RDONLY));
  (void) snprintf (own, sizeof own, "/dev/fd/%d/../outside/secret", rw);
  attempt (all, "through /dev/fd", try_open (own, O_RDONLY));
  attempt (all, "list outside", try_open (in (all, "outside"), O_RDONLY | O_DIRECTORY));
  (void) close (rw);
}

static void
link_outside (struct tries *all)
{
  attempt (all, "symlink", symlink ("../outside/secret", in (all, "rw/soft")));
  attempt (all, "hard link of the secret", link (in (all, "outside/secret"), in (all, "rw/hard")));
  attempt (all, "hard link of what is read-only", link (in (all, "ro/kept"), in (all, "rw/hard")));
  attempt (all, "hard link by descriptor",
           linkat (AT_FDCWD, in (all, "ro/kept"), AT_FDCWD, in (all, "rw/h2"), 0));
  attempt (all, "rename out of what is read-only",
           rename (in (all, "ro/kept"), in (all, "rw/kept")));
  attempt (all, "rename over what is read-only", rename (in (all, "rw/mine"), in (all, "ro/kept")));
  attempt (all, "rename to outside", rename (in (all, "rw/mine"), in (all, "outside/mine")));
  attempt (all, "mkdir outside", mkdir (in (all, "outside/new"), 0700));
  attempt (all, "mkdir beside the grants", mkdir (in (all, "new"), 0700));
}

static void
change_read_only (struct tries *all)
{
  int fd = open (in (all, "ro/kept"), O_RDONLY | O_CLOEXEC);
  char own[64];

  attempt (all, "write ro/kept", try_open (in (all, "ro/kept"), O_WRONLY));
  attempt (all, "open ro/kept to truncate", try_open (in (all, "ro/kept"), O_RDONLY | O_TRUNC));
  attempt (all, "create ro/new", try_open (in (all, "ro/new"), O_WRONLY | O_CREAT));
  attempt (all, "truncate ro/kept", truncate (in (all, "ro/kept"), 0));
  attempt (all, "ftruncate ro/kept", ftruncate (fd, 0));
  attempt (all, "fallocate ro/kept", fallocate (fd, 0, 0, 1 << 20));
  attempt (all, "map ro/kept to write",
           mmap (NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
  attempt (all, "chmod ro/kept", chmod (in (all, "ro/kept"), 0777));
  attempt (all, "fchmod ro/kept", fchmod (fd, 0777));
  attempt (all, "chown ro/kept", chown (in (all, "ro/kept"), getuid (), (gid_t) -1));
  attempt (all, "utime ro/kept", futimens (fd, NULL));
  attempt (all, "attribute of ro/kept", fsetxattr (fd, "user.evil", "x", 1, 0));
  attempt (all, "unlink ro/kept", unlink (in (all, "ro/kept")));
  (void) snprintf (own, sizeof own, "/proc/self/fd/%d", fd);
  attempt (all, "open ro/kept again to write", try_open (own, O_WRONLY));
  attempt (all, "set-uid of its own file", chmod (in (all, "rw/mine"), 04777));
  attempt (all, "device", mknod (in (all, "rw/device"), S_IFCHR | 0666, 0x101));
  (void) close (fd);
}

/* ---- the race: a folder and a link that leads out change places while it is opened ---- */

struct swapper {
  const char *made, *lead_out;
  atomic_bool stop;
};

static void *
swap (void *data)
{
  struct swapper *swapper = data;

  while (!atomic_load (&swapper->stop))
    (void) syscall (SYS_renameat2, AT_FDCWD, swapper->made, AT_FDCWD, swapper->lead_out, EXCHANGE);
  return NULL;
}

static void
race (struct tries *all)
{
  struct swapper swapper = { in (all, "rw/made"), in (all, "rw/lead_out"), false };
  const char *paths[] = { in (all, "rw/made/secret"), in (all, "rw/lead_out/secret") };
  pthread_t other;
  long got = -1;

  if (pthread_create (&other, NULL, swap, &swapper) != 0)
    return;
  for (int i = 0; i < RACES && got < 0; i++)
    got = try_open (paths[i % 2], O_RDWR);
  atomic_store (&swapper.stop, true);
  pthread_join (other, NULL);
  attempt (all, "race of a link", got);
}

static bool
may_do_what_it_may (struct tries *all)
{
  int fd = open (in (all, "rw/mine"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  bool wrote = write (fd, "mine", 4) == 4;

  (void) close (fd);
  return wrote && try_open (in (all, "ro/kept"), O_RDONLY) >= 0
         && try_open (in (all, "rw/made"), O_RDONLY) >= 0;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  struct tries all = { .base = toolhost_arg_string_or (call, "base", "/nowhere") };

  if (!may_do_what_it_may (&all))
    return toolhost_fail (call, "no_grants", "what is granted can't be used: %s", strerror (errno));
  read_outside (&all);
  link_outside (&all);
  change_read_only (&all);
  race (&all);
  return toolhost_textf (call, "%d refused, let through:%s", all.refused, all.through);
}

HOSTILE ("escape_files", TOOLHOST_SERIAL, "Reaches for files outside its grants.",
         "\"properties\":{\"base\":{\"type\":\"string\"}}")
