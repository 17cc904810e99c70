#include "pool/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "pool/pass.h"

/* What the launcher says first. */
struct greeting {
  struct launch_means means;
  struct error err; /* "" when it is ready */
};

/* ---- descriptors ---- */

static int
by_number (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* Everything but what the launcher works with; 0, 1 and 2 lead nowhere. */
static void
close_others (struct launch *launch, int socket)
{
  struct cgroups *groups = &launch->cgroups;
  int kept[4 + 2 * CGROUP_CONTROLLERS] = { socket, launch->program, groups->unified,
                                           groups->unified_parent };
  const size_t count = sizeof kept / sizeof *kept;
  unsigned next = 3;
  int null = open ("/dev/null", O_RDWR);

  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
    kept[4 + i] = groups->legacy[i];
    kept[4 + CGROUP_CONTROLLERS + i] = groups->legacy_parent[i];
  }
  for (int fd = 0; fd < 3; fd++)
    (void) dup2 (null, fd);
  qsort (kept, count, sizeof *kept, by_number);
  for (size_t i = 0; i < count; i++) {
    if (kept[i] < (int) next)
      continue;
    if (kept[i] > (int) next)
      (void) close_range (next, (unsigned) kept[i] - 1, 0);
    next = (unsigned) kept[i] + 1;
  }
  (void) close_range (next, ~0U, 0);
  groups->daemon = groups->home = -1;
}

/* ---- requests ---- */

static void
close_all (const int *fds, size_t count)
{
  for (size_t i = 0; i < count; i++)
    (void) close (fds[i]);
}

static void
answer (int socket, const struct launch_reply *reply, int pidfd, int events)
{
  const int fds[] = { pidfd, events };
  size_t count = reply->pid == 0 ? 0 : events >= 0 ? 2 : 1;

  (void) pass_send (socket, reply, sizeof *reply, fds, count);
  fd_cleanup (&pidfd);
  fd_cleanup (&events);
}

static void
start (struct launch *launch, int socket, const struct launch_request *request, const int *fds)
{
  struct launch_reply reply;
  int pidfd, events;

  launch_start (launch, request, fds, &reply, &pidfd, &events);
  answer (socket, &reply, pidfd, events);
}

/* A request that is refused ends the launcher: the daemon is another program than it was. */
static bool
serve (struct launch *launch, int socket)
{
  struct launch_request request;
  struct error err;
  int fds[WORKER_FDS + WORKER_GRANTS_MAX];
  size_t count;
  ssize_t len =
    pass_receive (socket, &request, sizeof request, fds, sizeof fds / sizeof *fds, &count);
  bool good = len > 0 && launch_check (launch, &request, (size_t) len, count, &err);

  if (good && request.kind == LAUNCH_START)
    start (launch, socket, &request, fds);
  else if (good && request.kind == LAUNCH_CALM)
    launch_calm (launch, request.slot, request.calm != 0);
  else if (good && request.kind == LAUNCH_KILL)
    launch_kill (launch, request.slot);
  else if (good)
    launch_release (launch, request.slot);
  close_all (fds, count);
  return good;
}

/* ---- its life ---- */

static void
reap (struct launch *launch, int options)
{
  for (;;) {
    siginfo_t info = { 0 };
    if (waitid (P_ALL, 0, &info, WEXITED | options) < 0 || info.si_pid == 0)
      return;
    launch_reaped (launch, info.si_pid);
  }
}

/* The socket of a daemon that was killed is closed a moment before its process has left its group.
 */
static void
await_daemon (const struct launch *launch)
{
  enum { STEP_MS = 10, STEPS = 500 };

  for (int i = 0; i < STEPS && !cgroup_seat_is_free (&launch->cgroups); i++)
    (void) poll (NULL, 0, STEP_MS);
}

static void
end_all (struct launch *launch)
{
  for (uint32_t i = 0; i < launch->count; i++)
    if (launch->slots[i].pid != 0) {
      launch_kill (launch, i);
      launch_release (launch, i);
    }
  reap (launch, 0); /* all of them: it returns when there are no children any more */
  await_daemon (launch);
  cgroups_close (&launch->cgroups);
}

static void
take_signals (int fd)
{
  struct signalfd_siginfo info;
  (void) !read (fd, &info, sizeof info);
}

static void
live (struct launch *launch, int socket, int signals)
{
  struct pollfd fds[] = { { .fd = socket, .events = POLLIN }, { .fd = signals, .events = POLLIN } };

  for (;;) {
    if (poll (fds, 2, -1) < 0 && errno != EINTR)
      return;
    if (fds[1].revents != 0) {
      take_signals (signals);
      reap (launch, WNOHANG);
    }
    if (fds[0].revents != 0 && !serve (launch, socket))
      return;
  }
}

/* Signals of a terminal or a service manager mean the daemon, which ends the launcher in its time:
 * all are blocked. */
static int
block_signals (void)
{
  sigset_t all, child;

  (void) sigfillset (&all);
  (void) sigprocmask (SIG_SETMASK, &all, NULL);
  (void) signal (SIGCHLD, SIG_DFL);
  (void) sigemptyset (&child);
  (void) sigaddset (&child, SIGCHLD);
  return signalfd (-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void __attribute__ ((noreturn)) run (struct launch *launch, int socket)
{
  struct greeting greeting = { .err = { { 0 } } };
  int signals;

  (void) setsid ();
  (void) prctl (PR_SET_NAME, LAUNCHER_NAME);
  close_others (launch, socket);
  signals = block_signals ();
  if (chdir ("/") < 0 || signals < 0 || (geteuid () == 0 && setgroups (0, NULL) < 0))
    error_set (&greeting.err, "the launcher cannot begin: %s", strerror (errno));
  else if (launcher_confine (&greeting.err))
    launch_probe (launch);
  greeting.means = launch->means;
  if (pass_send (socket, &greeting, sizeof greeting, NULL, 0) && greeting.err.text[0] == '\0')
    live (launch, socket, signals);
  end_all (launch);
  _exit (EXIT_SUCCESS);
}

int
launcher_fork (struct launch *launch, pid_t *pid, struct error *err)
{
  int ends[2];

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
    error_set (err, "cannot make a socket for the launcher: %s", strerror (errno));
    return -1;
  }
  *pid = fork ();
  if (*pid == 0)
    run (launch, ends[1]);
  (void) close (ends[1]);
  if (*pid > 0)
    return ends[0];
  (void) close (ends[0]);
  error_set (err, "cannot start the launcher");
  return -1;
}

bool
launcher_await (struct launch *launch, int socket, struct error *err)
{
  struct greeting greeting;
  size_t none;

  if (pass_receive (socket, &greeting, sizeof greeting, NULL, 0, &none) != sizeof greeting)
    return error_set (err, "cannot start the launcher");
  if (greeting.err.text[0] != '\0')
    return error_set (err, "%s", greeting.err.text);
  launch->means = greeting.means;
  return true;
}
