#include "pool/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/frame.h"

/* Descriptors go behind their places first, so that none is overwritten while they are put in
 * order; not further than that, since few may be open here. */
static int
lift (const struct birth *birth, int fd)
{
  return fcntl (fd, F_DUPFD_CLOEXEC, WORKER_FD_GRANTS + (int) birth->trees_count);
}

static bool
place (const struct birth *birth, const int *fds, size_t count, int first)
{
  int high[WORKER_GRANTS_MAX];

  for (size_t i = 0; i < count; i++)
    if ((high[i] = lift (birth, fds[i])) < 0)
      return false;
  for (size_t i = 0; i < count; i++)
    if (dup2 (high[i], first + (int) i) < 0)
      return false;
  return true;
}

/* The program itself, out of the way; -1: it can't be done. */
static int
take_descriptors (const struct birth *birth)
{
  int trees[WORKER_GRANTS_MAX];
  int program = lift (birth, birth->program);

  for (size_t i = 0; i < birth->trees_count; i++)
    trees[i] = lift (birth, birth->trees[i]);
  if (program < 0 || !place (birth, birth->fds, WORKER_FDS, 0)
      || !place (birth, trees, birth->trees_count, WORKER_FD_GRANTS))
    return -1;
  (void) close_range (WORKER_FDS, WORKER_FD_GRANTS - 1, CLOSE_RANGE_CLOEXEC);
  (void) close_range (WORKER_FD_GRANTS + (unsigned) birth->trees_count, ~0U, CLOSE_RANGE_CLOEXEC);
  return program;
}

static bool
take_ids (const struct birth *birth)
{
  const uid_t uid = birth->sets_ids ? birth->uid : 0;
  const gid_t gid = birth->sets_ids ? birth->gid : 0;
  char byte;

  if (birth->go >= 0 && read (birth->go, &byte, 1) != 1)
    return false;
  if (birth->go < 0 && !birth->sets_ids)
    return true;
  return (!birth->sets_ids || syscall (SYS_setgroups, 0, NULL) == 0)
         && syscall (SYS_setresgid, gid, gid, gid) == 0
         && syscall (SYS_setresuid, uid, uid, uid) == 0;
}

/* Version 1 of cgroups lets a thread move itself at no cost; to be moved by another waits for the
 * whole system. */
static bool
join (const int *tasks, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (tasks[i] >= 0 && write (tasks[i], "0", 1) != 1)
      return false;
  return true;
}

/* What the parent blocks or ignores is not the worker's business. */
static void
reset_signals (void)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    (void) signal (number, SIG_DFL);
  (void) sigemptyset (&none);
  (void) sigprocmask (SIG_SETMASK, &none, NULL);
}

static void __attribute__ ((noreturn)) fail (int status_fd, int which)
{
  const struct frame_status status = { .code = CLD_EXITED, .status = WORKER_EXIT_BIRTH + which };

  (void) !write (status_fd, &status, sizeof status);
  _exit (status.status);
}

void
birth_run (const struct birth *birth)
{
  char *const argv[] = { birth->title, NULL };
  static char *const no_environment[] = { NULL };
  int program;

  if (!join (birth->tasks, birth->tasks_count))
    fail (birth->fds[WORKER_FD_STATUS], 0);
  if (!take_ids (birth))
    fail (birth->fds[WORKER_FD_STATUS], 1);
  program = take_descriptors (birth);
  if (program < 0)
    fail (birth->fds[WORKER_FD_STATUS], 2);
  reset_signals ();
  (void) syscall (SYS_execveat, program, "", argv, no_environment, AT_EMPTY_PATH);
  fail (WORKER_FD_STATUS, 3);
}

/* ---- clone ---- */

static pid_t
old_clone (unsigned long flags, int *pidfd)
{
  /* The third argument is the same on every processor; the others are zero. */
  return (pid_t) syscall (SYS_clone, flags | CLONE_PIDFD | SIGCHLD, 0, pidfd, 0, 0);
}

pid_t
birth_clone (unsigned long flags, int into, int *pidfd)
{
  struct clone_args args = {
    .flags = flags | CLONE_PIDFD | (into >= 0 ? CLONE_INTO_CGROUP : 0),
    .pidfd = (uint64_t) (uintptr_t) pidfd,
    .exit_signal = SIGCHLD,
    .cgroup = into >= 0 ? (unsigned) into : 0U,
  };
  pid_t pid = (pid_t) syscall (SYS_clone3, &args, sizeof args);

  if (pid < 0 && errno == ENOSYS && into < 0)
    return old_clone (flags, pidfd);
  return pid;
}
