#include "pool/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/frame.h"

enum { STUB_FAILED = 90, CONTROL_BUFFER = 1 << 20 };

/* Both ends of everything, while a worker is being started. */
struct ends {
  int control[2];
  int status[2];
  int output[2];
  int go[2]; /* the stub waits here for its id maps */
  int null;
};

static void
ends_close (struct ends *e)
{
  for (int *fd = (int *) e; fd < (int *) (e + 1); fd++)
    fd_cleanup (fd);
}

static bool
ends_open (struct ends *e, struct error *err)
{
  int size = CONTROL_BUFFER;

  memset (e, -1, sizeof *e);
  e->null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (e->null < 0 || socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, e->control) < 0
      || pipe2 (e->status, O_CLOEXEC) < 0 || pipe2 (e->output, O_CLOEXEC) < 0
      || pipe2 (e->go, O_CLOEXEC) < 0)
    return error_set (err, "cannot make the descriptors of a worker: %s", strerror (errno));
  for (int i = 0; i < 2; i++)
    (void) setsockopt (e->control[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return true;
}

/* ---- the stub: between clone3 and exec, in a copy of the daemon's memory.  Only system calls.
 * ---- */

/* Descriptors go to a high place first, so that none is overwritten while they are put in order. */
static int
lift (int fd)
{
  return fcntl (fd, F_DUPFD_CLOEXEC, 100);
}

static int
stub_descriptors (const struct ends *e, int program, int plugin_fd)
{
  const int wanted[] = { lift (e->null),       lift (e->output[1]), lift (e->output[1]),
                         lift (e->control[1]), lift (e->status[1]), lift (plugin_fd) };
  int high = lift (program);

  for (int i = 0; i < (int) (sizeof wanted / sizeof *wanted); i++)
    if (wanted[i] < 0 || dup2 (wanted[i], i) < 0)
      return -1;
  return high;
}

static void __attribute__ ((noreturn))
stub (const struct ends *e, int program, int plugin_fd, char *const argv[])
{
  static char *const no_environment[] = { NULL };
  char go;
  int fd;

  (void) close (e->go[1]);
  if (read (e->go[0], &go, 1) != 1)
    _exit (STUB_FAILED);
  if (syscall (SYS_setresgid, 0, 0, 0) < 0 || syscall (SYS_setresuid, 0, 0, 0) < 0)
    _exit (STUB_FAILED + 1);
  fd = stub_descriptors (e, program, plugin_fd);
  if (fd < 0)
    _exit (STUB_FAILED + 2);
  (void) syscall (SYS_close_range, WORKER_FD_PLUGIN + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  (void) syscall (SYS_execveat, fd, "", argv, no_environment, AT_EMPTY_PATH);
  _exit (STUB_FAILED + 3);
}

/* ---- the parent ---- */

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
write_maps (pid_t pid, struct error *err)
{
  char uids[48], gids[48];

  (void) snprintf (uids, sizeof uids, "0 %u 1", (unsigned) geteuid ());
  (void) snprintf (gids, sizeof gids, "0 %u 1", (unsigned) getegid ());
  return write_file (pid, "setgroups", "deny", err) && write_file (pid, "uid_map", uids, err)
         && write_file (pid, "gid_map", gids, err);
}

static pid_t
clone_into_namespaces (int *pidfd)
{
  struct clone_args args = {
    .flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS
             | CLONE_NEWCGROUP | CLONE_PIDFD,
    .pidfd = (uint64_t) (uintptr_t) pidfd,
    .exit_signal = SIGCHLD,
  };
  return (pid_t) syscall (SYS_clone3, &args, sizeof args);
}

static bool
clone_failed (int error, struct error *err)
{
  if (error == EPERM || error == ENOSPC || error == EUSERS)
    return error_set (
      err,
      "this system refuses user namespaces (%s), so a worker can't be confined; allow "
      "them: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or "
      "kernel.apparmor_restrict_unprivileged_userns, or the container's seccomp profile",
      strerror (error));
  return error_set (err, "cannot start a worker process: %s", strerror (error));
}

static void
kill_and_reap (pid_t pid, int pidfd)
{
  siginfo_t info;

  (void) syscall (SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
  (void) waitid (P_PID, (id_t) pid, &info, WEXITED);
  (void) close (pidfd);
}

static int
take (int *fd)
{
  int taken = *fd;

  (void) fcntl (taken, F_SETFL, fcntl (taken, F_GETFL) | O_NONBLOCK);
  *fd = -1;
  return taken;
}

bool
worker_spawn (int program, int plugin_fd, const char *name, struct spawned *out, struct error *err)
{
  __attribute__ ((cleanup (ends_close))) struct ends ends;
  char title[96];
  char *const argv[] = { title, NULL };
  int pidfd = -1;
  pid_t pid;
  bool mapped;

  (void) snprintf (title, sizeof title, "toolhost-worker: %s", name);
  if (!ends_open (&ends, err))
    return false;
  /* An id map can be written by an unprivileged parent only to a child that is dumpable, and the
   * child takes the flag over. */
  (void) prctl (PR_SET_DUMPABLE, 1);
  pid = clone_into_namespaces (&pidfd);
  if (pid == 0)
    stub (&ends, program, plugin_fd, argv);
  if (pid < 0) {
    int error = errno;
    (void) prctl (PR_SET_DUMPABLE, 0);
    return clone_failed (error, err);
  }
  mapped = write_maps (pid, err);
  (void) prctl (PR_SET_DUMPABLE, 0);
  if (!mapped || write (ends.go[1], "", 1) != 1) {
    kill_and_reap (pid, pidfd);
    return mapped ? error_set (err, "cannot wake a new worker: %s", strerror (errno)) : false;
  }
  *out = (struct spawned){ .pid = pid,
                           .pidfd = pidfd,
                           .control = take (&ends.control[0]),
                           .status = take (&ends.status[0]),
                           .output = take (&ends.output[0]) };
  return true;
}
