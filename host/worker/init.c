#include "worker/init.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/frame.h"
#include "worker/control.h"
#include "worker/sandbox.h"

static int64_t
microseconds (const struct timeval *t)
{
  return (int64_t) t->tv_sec * 1000000 + t->tv_usec;
}

static void
tell (const struct frame_status *status)
{
  (void) !write (FD_STATUS, status, sizeof *status);
}

void
init_tell (int exit_status)
{
  struct frame_status status = { .code = CLD_EXITED, .status = exit_status };
  tell (&status);
}

static void
tell_wait_status (int wait_status, const struct rusage *usage)
{
  struct frame_status status = { .cpu_us = microseconds (&usage->ru_utime)
                                           + microseconds (&usage->ru_stime),
                                 .peak_rss_kib = usage->ru_maxrss };

  if (WIFEXITED (wait_status)) {
    status.code = CLD_EXITED;
    status.status = WEXITSTATUS (wait_status);
  }
  else {
    status.code = WCOREDUMP (wait_status) ? CLD_DUMPED : CLD_KILLED;
    status.status = WTERMSIG (wait_status);
  }
  tell (&status);
}

/* Collect whoever has ended; returns when that was the worker. */
static bool
reap (pid_t worker)
{
  for (;;) {
    struct rusage usage;
    int wait_status;
    pid_t pid = wait4 (-1, &wait_status, WNOHANG, &usage);
    if (pid == worker)
      tell_wait_status (wait_status, &usage);
    if (pid == worker || (pid < 0 && errno == ECHILD))
      return true;
    if (pid <= 0)
      return false;
  }
}

static void
on_child (int number)
{
  (void) number;
}

/* Programs that a tool left behind become init's children: the signal of their end interrupts the
 * waiting, and only that. */
static void
hear_of_children (void)
{
  const struct sigaction action = { .sa_handler = on_child };
  sigset_t child;

  (void) sigemptyset (&child);
  (void) sigaddset (&child, SIGCHLD);
  (void) sigprocmask (SIG_BLOCK, &child, NULL);
  (void) sigaction (SIGCHLD, &action, NULL);
}

static void
confine (void)
{
  struct error err = { { 0 } };

  (void) close (STDIN_FILENO);
  (void) close (STDOUT_FILENO);
  (void) close (STDERR_FILENO);
  (void) close (FD_CONTROL);
  (void) close (FD_DOWN);
  (void) close (FD_UP);
  if (!sandbox_privileges (&err) || !sandbox_seccomp_init (&err))
    _exit (WORKER_EXIT_SANDBOX);
}

void
init_run (pid_t worker)
{
  /* The status pipe's writer sees POLLERR when its reader is gone. */
  struct pollfd fds[2] = { { .fd = (int) syscall (SYS_pidfd_open, worker, 0), .events = POLLIN },
                           { .fd = FD_STATUS, .events = 0 } };

  sigset_t none;

  if (fds[0].fd < 0)
    _exit (WORKER_EXIT_SANDBOX);
  (void) sigemptyset (&none);
  hear_of_children ();
  confine ();
  do
    (void) ppoll (fds, 2, NULL, &none);
  while (fds[1].revents == 0 && !reap (worker));
  _exit (WORKER_EXIT_OK);
}
