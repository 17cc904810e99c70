#include "pool/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "pool/launcher.h"
#include "pool/pass.h"

enum { CONTROL_BUFFER = 1 << 20 };

/* Bytes a worker takes of its group's memory before it holds anything of its plugin: two processes,
 * their tables, their threads' stacks in the kernel, the control socket. */
enum { OVERHEAD = 16 << 20 };

/* Seconds the launcher may take; it needs a few milliseconds. */
static const struct timeval PATIENCE = { .tv_sec = 5 };

struct spawner {
  int launcher;         /* socket; -1: there is none */
  pid_t pid;            /* of the launcher */
  bool lost;            /* it did not answer */
  struct launch launch; /* with a launcher only its settings and means are used here */
};

/* ---- the spawner ---- */

static void
be_own_launcher (struct launch *launch)
{
  launch->user = geteuid ();
  launch->group = getegid ();
  launch_probe (launch);
}

struct spawner *
spawner_new (const struct spawner_settings *settings, struct error *err)
{
  struct spawner *spawner = xcalloc (1, sizeof *spawner);
  struct launch *launch = &spawner->launch;

  *spawner = (struct spawner){ .launcher = -1 };
  launch->program = settings->program;
  launch->user = settings->user;
  launch->group = settings->group;
  launch->uid_first = settings->uid_first;
  launch->count = settings->uid_count;
  cgroups_open (&launch->cgroups);
  if (settings->user == 0 || geteuid () != 0) {
    be_own_launcher (launch);
    return spawner;
  }
  spawner->launcher = launcher_fork (launch, &spawner->pid, err);
  if (spawner->launcher < 0) {
    spawner_free (spawner);
    return NULL;
  }
  cgroups_forget (&launch->cgroups);
  (void) setsockopt (spawner->launcher, SOL_SOCKET, SO_RCVTIMEO, &PATIENCE, sizeof PATIENCE);
  (void) setsockopt (spawner->launcher, SOL_SOCKET, SO_SNDTIMEO, &PATIENCE, sizeof PATIENCE);
  return spawner;
}

void
spawner_free (struct spawner *spawner)
{
  if (spawner == NULL)
    return;
  if (spawner->launcher < 0)
    cgroups_close (&spawner->launch.cgroups);
  else {
    (void) close (spawner->launcher);
    (void) waitpid (spawner->pid, NULL, 0);
  }
  free (spawner);
}

int
spawner_fd (const struct spawner *spawner)
{
  return spawner->launcher;
}

pid_t
spawner_launcher (const struct spawner *spawner)
{
  return spawner->launcher >= 0 ? spawner->pid : 0;
}

const struct launch_means *
spawner_means (const struct spawner *spawner)
{
  return &spawner->launch.means;
}

/* ---- a worker's descriptors ---- */

/* Both ends of everything, while a worker is being started. */
struct ends {
  int control[2];
  int status[2];
  int output[2];
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
      || pipe2 (e->status, O_CLOEXEC) < 0 || pipe2 (e->output, O_CLOEXEC) < 0)
    return error_set (err, "cannot make the descriptors of a worker: %s", strerror (errno));
  for (int i = 0; i < 2; i++)
    (void) setsockopt (e->control[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return true;
}

static int
take (int *fd)
{
  int taken = *fd;

  (void) fcntl (taken, F_SETFL, fcntl (taken, F_GETFL) | O_NONBLOCK);
  *fd = -1;
  return taken;
}

/* ---- what is granted ---- */

struct grants {
  int fds[WORKER_GRANTS_MAX];
  uint32_t count;
};

static void
grants_close (struct grants *grants)
{
  for (uint32_t i = 0; i < grants->count; i++)
    (void) close (grants->fds[i]);
  grants->count = 0;
}

/* As the worker would open them: no part of the path may be a symbolic link. */
static bool
open_grants (struct grants *grants, char *const *paths, uint8_t kind,
             struct launch_request *request)
{
  const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                                .resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS };

  for (; paths != NULL && *paths != NULL; paths++) {
    int fd = grants->count < WORKER_GRANTS_MAX
               ? (int) syscall (SYS_openat2, AT_FDCWD, *paths, &how, sizeof how)
               : -1;
    if (fd < 0)
      return false;
    request->grant[grants->count] = kind;
    grants->fds[grants->count++] = fd;
  }
  return true;
}

/* Where one can't be had, none is sent: the worker looks for them itself, and says which it is. */
static void
find_grants (struct grants *grants, const struct policy *policy, struct launch_request *request)
{
  grants->count = 0;
  if (!open_grants (grants, policy->read, 0, request)
      || !open_grants (grants, policy->write, LAUNCH_WRITABLE, request))
    grants_close (grants);
  request->grants = grants->count;
}

/* ---- asking ---- */

/* What the plugin's file, its copy in the worker's root, and /tmp take counts too. */
static uint64_t
memory_of_group (const struct policy *policy, int plugin_fd)
{
  struct stat st;
  uint64_t file = fstat (plugin_fd, &st) == 0 && st.st_size > 0 ? (uint64_t) st.st_size : 0;

  return (uint64_t) policy->memory + (uint64_t) policy->tmp + 2 * file + OVERHEAD;
}

static bool
lose (struct spawner *spawner, struct error *err)
{
  spawner->lost = true;
  return error_set (err, "the launcher does not answer: no worker can be started any more");
}

static bool
ask_launcher (struct spawner *spawner, const struct launch_request *request, const int *fds,
              struct launch_reply *reply, int *pidfd, int *events, struct error *err)
{
  int got[2] = { -1, -1 };
  size_t count;

  if (spawner->lost
      || !pass_send (spawner->launcher, request, sizeof *request, fds, WORKER_FDS + request->grants)
      || pass_receive (spawner->launcher, reply, sizeof *reply, got, 2, &count) != sizeof *reply)
    return lose (spawner, err);
  *pidfd = got[0];
  *events = got[1];
  return true;
}

static bool
start (struct spawner *spawner, const struct launch_request *request, const int *fds,
       struct spawned *out, struct error *err)
{
  struct launch_reply reply;

  if (spawner->launcher < 0) {
    if (!launch_check (&spawner->launch, request, sizeof *request, WORKER_FDS + request->grants,
                       err))
      return false;
    launch_start (&spawner->launch, request, fds, &reply, &out->pidfd, &out->events);
  }
  else if (!ask_launcher (spawner, request, fds, &reply, &out->pidfd, &out->events, err))
    return false;
  if (reply.pid == 0)
    return error_set (err, "%s", reply.why);
  out->pid = reply.pid;
  out->uid = reply.uid;
  out->slot = reply.slot;
  out->serial = reply.serial;
  return true;
}

bool
worker_spawn (struct spawner *spawner, int plugin_fd, const char *name, const struct policy *policy,
              struct spawned *out, struct error *err)
{
  __attribute__ ((cleanup (ends_close))) struct ends ends;
  __attribute__ ((cleanup (grants_close))) struct grants grants = { .count = 0 };
  struct launch_request request = { .kind = LAUNCH_START,
                                    .memory = memory_of_group (policy, plugin_fd),
                                    .threads = (uint32_t) policy->processes + 1 };
  int fds[WORKER_FDS + WORKER_GRANTS_MAX];

  if (!ends_open (&ends, err))
    return false;
  (void) snprintf (request.title, sizeof request.title, "toolhost-worker: %s", name);
  find_grants (&grants, policy, &request);
  fds[0] = ends.null;
  fds[1] = fds[2] = ends.output[1];
  fds[WORKER_FD_CONTROL] = ends.control[1];
  fds[WORKER_FD_STATUS] = ends.status[1];
  fds[WORKER_FD_PLUGIN] = plugin_fd;
  memcpy (fds + WORKER_FDS, grants.fds, grants.count * sizeof *fds);
  if (!start (spawner, &request, fds, out, err))
    return false;
  out->control = take (&ends.control[0]);
  out->status = take (&ends.status[0]);
  out->output = take (&ends.output[0]);
  return true;
}

/* ---- its end ---- */

static bool
tell_launcher (struct spawner *spawner, enum launch_kind kind, const struct spawned *spawned)
{
  const struct launch_request request = { .kind = kind,
                                          .slot = spawned->slot,
                                          .serial = spawned->serial };

  return !spawner->lost && pass_send (spawner->launcher, &request, sizeof request, NULL, 0);
}

/* Without the launcher nothing here may kill a process of another user; but its init ends, and all
 * with it, when nobody listens to its status any more. */
void
spawned_kill (struct spawner *spawner, struct spawned *spawned)
{
  if (spawner->launcher < 0) {
    cgroup_kill (&spawner->launch.cgroups, spawned->serial);
    (void) syscall (SYS_pidfd_send_signal, spawned->pidfd, SIGKILL, NULL, 0);
    return;
  }
  if (tell_launcher (spawner, LAUNCH_KILL, spawned))
    return;
  fd_cleanup (&spawned->status);
  spawned->status = -1;
}

bool
spawned_used_up_memory (const struct spawned *spawned)
{
  return spawned->events >= 0 && cgroup_oom_killed (spawned->events);
}

void
spawned_end (struct spawner *spawner, struct spawned *spawned)
{
  siginfo_t info;

  if (spawner->launcher < 0) {
    (void) waitid (P_PIDFD, (id_t) spawned->pidfd, &info, WEXITED);
    launch_release (&spawner->launch, spawned->slot);
    launch_reaped (&spawner->launch, spawned->pid);
  }
  else
    (void) tell_launcher (spawner, LAUNCH_RELEASE, spawned);
  fd_cleanup (&spawned->pidfd);
  fd_cleanup (&spawned->control);
  fd_cleanup (&spawned->status);
  fd_cleanup (&spawned->output);
  fd_cleanup (&spawned->events);
}
