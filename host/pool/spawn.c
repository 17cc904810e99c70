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

struct spawner {
  int launcher; /* socket */
  pid_t pid;    /* of the launcher */
  bool lost;    /* it is gone */
  struct spawner_settings settings;
  struct launch launch;          /* here only its settings, its means and the daemon's seat */
  struct spawned *asked, **last; /* whose answers are still to come */
  ev_io answers;
};

/* ---- answers ---- */

static struct spawned *
next_asked (struct spawner *spawner)
{
  struct spawned *spawned = spawner->asked;

  if (spawned == NULL)
    return NULL;
  spawner->asked = spawned->next;
  if (spawner->asked == NULL)
    spawner->last = &spawner->asked;
  spawned->next = NULL;
  return spawned;
}

static void
take_answer (struct spawner *spawner, const struct launch_reply *reply, const int fds[2])
{
  struct spawned *spawned = next_asked (spawner);

  if (spawned == NULL)
    return; /* the launcher answers what it was asked */
  spawned->pid = reply->pid;
  spawned->pidfd = fds[0];
  spawned->events = fds[1];
  spawned->uid = reply->uid;
  spawned->slot = reply->slot;
  spawned->serial = reply->serial;
  if (spawned->doomed)
    spawned_kill (spawner, spawned);
  spawned->started (spawned, reply->pid != 0 ? NULL : reply->why);
}

static void
lose (struct spawner *spawner)
{
  struct spawned *spawned;

  if (spawner->lost)
    return;
  spawner->lost = true;
  ev_ref (spawner->settings.loop);
  ev_io_stop (spawner->settings.loop, &spawner->answers);
  while ((spawned = next_asked (spawner)) != NULL)
    spawned->started (spawned, "the launcher is gone");
  if (spawner->settings.lost != NULL)
    spawner->settings.lost (spawner->settings.ctx);
}

static void
on_answers (struct ev_loop *loop, ev_io *io, int revents)
{
  struct spawner *spawner = io->data;
  struct launch_reply reply;
  size_t count;
  ssize_t n;

  (void) loop;
  (void) revents;
  for (;;) {
    int fds[2] = { -1, -1 };
    n = pass_receive (spawner->launcher, &reply, sizeof reply, fds, 2, &count);
    if (n != (ssize_t) sizeof reply)
      break;
    take_answer (spawner, &reply, fds);
  }
  if (n >= 0 || errno != EAGAIN)
    lose (spawner);
}

/* ---- the spawner ---- */

struct spawner *
spawner_begin (const struct spawner_settings *settings, struct error *err)
{
  struct spawner *spawner = xcalloc (1, sizeof *spawner);
  struct launch *launch = &spawner->launch;
  const bool root = geteuid () == 0;

  spawner->settings = *settings;
  spawner->last = &spawner->asked;
  launch->program = settings->program;
  launch->user = root ? settings->user : geteuid ();
  launch->group = root ? settings->group : getegid ();
  launch->uid_first = settings->uid_first;
  launch->count = settings->uid_count;
  cgroups_open (&launch->cgroups);
  spawner->launcher = launcher_fork (launch, &spawner->pid, err);
  cgroups_forget (&launch->cgroups);
  if (spawner->launcher < 0) {
    free (spawner);
    return NULL;
  }
  cgroup_sit (&launch->cgroups);
  return spawner;
}

bool
spawner_await (struct spawner *spawner, struct error *err)
{
  if (!launcher_await (&spawner->launch, spawner->launcher, err))
    return false;
  (void) fcntl (spawner->launcher, F_SETFL, O_NONBLOCK);
  ev_io_init (&spawner->answers, on_answers, spawner->launcher, EV_READ);
  spawner->answers.data = spawner;
  ev_io_start (spawner->settings.loop, &spawner->answers);
  ev_unref (spawner->settings.loop);
  return true;
}

struct spawner *
spawner_new (const struct spawner_settings *settings, struct error *err)
{
  struct spawner *spawner = spawner_begin (settings, err);

  if (spawner == NULL || spawner_await (spawner, err))
    return spawner;
  spawner_free (spawner);
  return NULL;
}

void
spawner_free (struct spawner *spawner)
{
  if (spawner == NULL)
    return;
  if (ev_is_active (&spawner->answers)) {
    ev_ref (spawner->settings.loop);
    ev_io_stop (spawner->settings.loop, &spawner->answers);
  }
  cgroup_stand_up (&spawner->launch.cgroups);
  (void) close (spawner->launcher);
  (void) waitpid (spawner->pid, NULL, 0);
  free (spawner);
}

pid_t
spawner_launcher (const struct spawner *spawner)
{
  return spawner->pid;
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
find_grants (struct grants *grants, const struct spawn_order *order, struct launch_request *request)
{
  const struct policy *policy = order->policy;

  grants->count = 0;
  if (!open_grants (grants, policy->read, order->plugin_fd < 0 ? LAUNCH_EXECUTABLE : 0, request)
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
  uint64_t file =
    plugin_fd >= 0 && fstat (plugin_fd, &st) == 0 && st.st_size > 0 ? (uint64_t) st.st_size : 0;

  return (uint64_t) policy->memory + (uint64_t) policy->tmp + 2 * file + OVERHEAD;
}

bool
worker_spawn (struct spawner *spawner, const struct spawn_order *order, struct spawned *out,
              struct error *err)
{
  __attribute__ ((cleanup (ends_close))) struct ends ends;
  __attribute__ ((cleanup (grants_close))) struct grants grants = { .count = 0 };
  const bool program = order->plugin_fd < 0;
  struct launch_request request = { .kind = LAUNCH_START,
                                    .memory = memory_of_group (order->policy, order->plugin_fd),
                                    .threads = (uint32_t) order->policy->processes + 1 };
  int fds[WORKER_FDS + WORKER_GRANTS_MAX];

  if (!ends_open (&ends, err))
    return false;
  (void) snprintf (request.title, sizeof request.title, "toolhost-%s: %s",
                   program ? "program" : "worker", order->name);
  find_grants (&grants, order, &request);
  fds[0] = program ? order->in : ends.null;
  fds[1] = program ? order->out : ends.output[1];
  fds[2] = ends.output[1];
  fds[WORKER_FD_CONTROL] = ends.control[1];
  fds[WORKER_FD_STATUS] = ends.status[1];
  fds[WORKER_FD_PLUGIN] = program ? ends.null : order->plugin_fd;
  memcpy (fds + WORKER_FDS, grants.fds, grants.count * sizeof *fds);
  if (spawner->lost
      || !pass_send (spawner->launcher, &request, sizeof request, fds, WORKER_FDS + grants.count))
    return error_set (err, "the launcher takes no order: %s",
                      spawner->lost ? "it is gone" : strerror (errno));
  *out = (struct spawned){ .control = take (&ends.control[0]),
                           .status = take (&ends.status[0]),
                           .output = take (&ends.output[0]),
                           .pidfd = -1,
                           .events = -1,
                           .started = order->started };
  *spawner->last = out;
  spawner->last = &out->next;
  return true;
}

/* ---- its life ---- */

static bool
tell_launcher (struct spawner *spawner, enum launch_kind kind, const struct spawned *spawned,
               bool calm)
{
  const struct launch_request request = {
    .kind = kind, .slot = spawned->slot, .serial = spawned->serial, .calm = calm
  };

  return !spawner->lost && pass_send (spawner->launcher, &request, sizeof request, NULL, 0);
}

void
spawned_calm (struct spawner *spawner, const struct spawned *spawned, bool calm)
{
  if (spawned->pid != 0)
    (void) tell_launcher (spawner, LAUNCH_CALM, spawned, calm);
}

/* Without the launcher nothing here may kill a process of another user; but its init ends, and all
 * with it, when nobody listens to its status any more. */
void
spawned_kill (struct spawner *spawner, struct spawned *spawned)
{
  spawned->doomed = true;
  if (spawned->pid == 0 || tell_launcher (spawner, LAUNCH_KILL, spawned, false))
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
  if (spawned->pid != 0)
    (void) tell_launcher (spawner, LAUNCH_RELEASE, spawned, false);
  fd_cleanup (&spawned->pidfd);
  fd_cleanup (&spawned->control);
  fd_cleanup (&spawned->status);
  fd_cleanup (&spawned->output);
  fd_cleanup (&spawned->events);
}
