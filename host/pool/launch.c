#include "pool/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "pool/idmap.h"

const struct launch_namespace launch_namespaces[LAUNCH_NAMESPACES] = {
  { "user", CLONE_NEWUSER },     { "pid", CLONE_NEWPID }, { "mount", CLONE_NEWNS },
  { "net", CLONE_NEWNET },       { "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS },
  { "cgroup", CLONE_NEWCGROUP },
};

/* ---- what is to be had here ---- */

static void
wait_for (pid_t pid)
{
  siginfo_t info;
  (void) waitid (P_PID, (id_t) pid, &info, WEXITED);
}

/* 0, or the errno of a process that begins in these namespaces and in this cgroup (-1: in ours). */
static int
try_birth (unsigned long flags, int group)
{
  int pidfd = -1;
  pid_t pid = birth_clone (flags, group, &pidfd);

  if (pid == 0)
    _exit (0);
  if (pid < 0)
    return errno;
  wait_for (pid);
  (void) close (pidfd);
  return 0;
}

static struct idmap
ids_of_slot (const struct launch *launch, uid_t uid)
{
  struct idmap ids = { .uid = uid, .gid = (gid_t) uid };

  ids.user = launch->user;
  ids.group = launch->group;
  return ids;
}

static bool
try_entering (const struct launch *launch, int group)
{
  (void) launch;
  return group < 0 || try_birth (0, group) == 0;
}

static bool
try_everything (const struct launch *launch, int group)
{
  const struct idmap ids = ids_of_slot (launch, launch->uid_first);

  return launch->means.root ? idmap_try_mounts (&ids, BIRTH_NAMESPACES, group)
                            : try_birth (BIRTH_NAMESPACES, group) == 0;
}

/* A cgroup of version 2 is entered by clone3, which a container's filter may not have; tried with a
 * group as workers get one, because what hands controllers down takes no process itself. */
static bool
try_in_group (const struct launch *launch, bool (*try) (const struct launch *launch, int group))
{
  const struct cgroups *groups = &launch->cgroups;
  const struct cgroup_limits limits = { .memory = 64 << 20, .processes = 16 };
  struct cgroup_place place;
  bool ok;

  if (groups->unified < 0)
    return try (launch, -1);
  ok = cgroup_make (groups, CGROUP_TRIAL, &limits, &place, NULL) && try (launch, place.unified);
  cgroup_place_close (&place);
  cgroup_remove (groups, CGROUP_TRIAL);
  return ok;
}

static void
probe_namespaces (struct launch_means *means)
{
  means->namespaces = try_birth (BIRTH_NAMESPACES, -1) == 0;
  for (unsigned i = 0; !means->namespaces && i < LAUNCH_NAMESPACES; i++)
    means->namespace_errno[i] = try_birth (CLONE_NEWUSER | launch_namespaces[i].flag, -1);
}

/* Each alone says what is missing. */
static void
probe_each (struct launch *launch)
{
  const struct idmap ids = ids_of_slot (launch, launch->uid_first);
  struct launch_means *means = &launch->means;

  if (!try_in_group (launch, try_entering))
    cgroups_close (&launch->cgroups);
  probe_namespaces (means);
  means->ids = means->root && (!means->namespaces || idmap_try (launch->uid_first));
  means->idmaps = means->ids && means->namespaces && idmap_try_mounts (&ids, 0, -1);
}

void
launch_probe (struct launch *launch)
{
  struct launch_means *means = &launch->means;

  *means = (struct launch_means){ .root = launch->user != 0 && geteuid () == 0 };
  if (try_in_group (launch, try_everything)) {
    means->namespaces = true;
    means->ids = means->idmaps = means->root;
  }
  else
    probe_each (launch);
  means->cgroup = launch->cgroups.version;
  means->controllers = launch->cgroups.controllers;
  means->cgroup_kill = launch->cgroups.unified >= 0
                       && faccessat (launch->cgroups.unified, "cgroup.kill", W_OK, 0) == 0;
}

/* ---- requests ---- */

enum { MEMORY_MIN = 1 << 20, THREADS_MAX = 1 << 22 };

static bool
is_title (const char title[LAUNCH_TITLE])
{
  size_t len = strnlen (title, LAUNCH_TITLE);

  for (size_t i = 0; i < len; i++)
    if (title[i] < ' ' || title[i] > '~')
      return false;
  return len != 0 && len < LAUNCH_TITLE;
}

static bool
check_start (const struct launch_request *request, size_t fds, struct error *err)
{
  if (request->grants > WORKER_GRANTS_MAX)
    return error_set (err, "a worker can't have more than %d granted paths", WORKER_GRANTS_MAX);
  if (fds != WORKER_FDS + request->grants)
    return error_set (err, "the launcher was asked with %zu descriptors instead of %u", fds,
                      WORKER_FDS + request->grants);
  for (uint32_t i = 0; i < request->grants; i++)
    if (request->grant[i] > LAUNCH_EXECUTABLE)
      return error_set (err, "the launcher was asked for a grant of an unknown kind");
  if (!is_title (request->title))
    return error_set (err, "the launcher was asked with a title that is none");
  if (request->memory < MEMORY_MIN || request->memory > INT64_MAX || request->threads < 2
      || request->threads > THREADS_MAX)
    return error_set (err, "the launcher was asked for limits that are none");
  return true;
}

bool
launch_check (const struct launch *launch, const struct launch_request *request, size_t len,
              size_t fds, struct error *err)
{
  if (len != sizeof *request)
    return error_set (err, "the launcher was asked with %zu bytes instead of %zu", len,
                      sizeof *request);
  if (request->kind == LAUNCH_START)
    return check_start (request, fds, err);
  if (request->kind != LAUNCH_CALM && request->kind != LAUNCH_KILL
      && request->kind != LAUNCH_RELEASE)
    return error_set (err, "the launcher was asked for something it does not know");
  if (fds != 0 || request->slot >= launch->count || launch->slots[request->slot].pid == 0
      || launch->slots[request->slot].serial != request->serial)
    return error_set (err, "the launcher was asked about a worker that is none of its own");
  return true;
}

/* ---- slots ---- */

/* The lowest, so that what is used stays together; -1: there is none. */
static int
free_slot (const struct launch *launch)
{
  for (unsigned i = 0; i < launch->count; i++)
    if (launch->slots[i].pid == 0)
      return (int) i;
  return -1;
}

static void
settle (struct launch *launch, struct launch_slot *slot)
{
  if (!slot->gone || !slot->released)
    return;
  cgroup_remove (&launch->cgroups, slot->serial);
  *slot = (struct launch_slot){ 0 };
}

void
launch_reaped (struct launch *launch, pid_t pid)
{
  for (unsigned i = 0; i < launch->count; i++)
    if (launch->slots[i].pid == pid) {
      launch->slots[i].gone = true;
      settle (launch, &launch->slots[i]);
      return;
    }
}

void
launch_release (struct launch *launch, uint32_t slot)
{
  launch->slots[slot].released = true;
  settle (launch, &launch->slots[slot]);
}

void
launch_calm (struct launch *launch, uint32_t slot, bool calm)
{
  if (!launch->slots[slot].released)
    cgroup_calm (&launch->cgroups, launch->slots[slot].serial, calm);
}

void
launch_kill (struct launch *launch, uint32_t slot)
{
  const struct launch_slot *victim = &launch->slots[slot];

  if (victim->gone)
    return;
  cgroup_kill (&launch->cgroups, victim->serial);
  (void) kill (victim->pid, SIGKILL); /* not reaped yet: the number is still its own */
}

/* ---- starting ---- */

/* Everything of one start; closed at its end. */
struct start {
  struct cgroup_place place;
  struct idmap_trees trees;
  int go[2];
  uid_t uid;
  gid_t gid;
};

static void
start_cleanup (struct start *start)
{
  cgroup_place_close (&start->place);
  idmap_trees_close (&start->trees);
  fd_cleanup (&start->go[0]);
  fd_cleanup (&start->go[1]);
}

/* A worker that was granted files has the ids of its slot only where the grants can be mounted for
 * them; elsewhere it is the daemon's user, as the operator's permissions say. */
static void
choose_ids (const struct launch *launch, const struct launch_request *request, const int *grants,
            uid_t slot_uid, struct start *start)
{
  const struct idmap ids = ids_of_slot (launch, slot_uid);
  bool own = launch->means.ids;

  if (launch->means.root && launch->means.namespaces && request->grants != 0)
    own = idmap_trees_make (&start->trees, grants, request->grant, request->grants,
                            launch->means.idmaps ? &ids : NULL)
          && own;
  else if (request->grants != 0)
    own = false;
  start->uid = own ? ids.uid : launch->user;
  start->gid = own ? ids.gid : launch->group;
}

/* The maps of the child, and then its permission to go on. */
static bool
let_go (const struct launch *launch, pid_t pid, const struct start *start, struct error *err)
{
  if (launch->means.namespaces && !idmap_write_single (pid, start->uid, start->gid, err))
    return false;
  return !launch->means.namespaces || write (start->go[1], "", 1) == 1
         || error_set (err, "cannot wake a new worker: %s", strerror (errno));
}

static bool
spawn (const struct launch *launch, const struct launch_request *request, const int *fds,
       struct start *start, pid_t *pid, int *pidfd, struct error *err)
{
  char title[LAUNCH_TITLE];
  const struct birth birth = { .program = launch->program,
                               .title = title,
                               .go = start->go[0],
                               .fds = fds,
                               .trees = start->trees.fds,
                               .trees_count = start->trees.count,
                               .tasks = start->place.tasks,
                               .tasks_count = CGROUP_CONTROLLERS,
                               .sets_ids = launch->means.root && !launch->means.namespaces,
                               .uid = start->uid,
                               .gid = start->gid };

  memcpy (title, request->title, sizeof title);
  /* An id map can be written by an unprivileged parent only to a child that is dumpable, and the
   * child takes the flag over. */
  (void) prctl (PR_SET_DUMPABLE, 1);
  *pid = birth_clone (launch->means.namespaces ? BIRTH_NAMESPACES : 0, start->place.unified, pidfd);
  if (*pid == 0) {
    (void) close (start->go[1]);
    birth_run (&birth);
  }
  if (*pid < 0)
    error_set (err, "cannot start a worker process: %s", strerror (errno));
  else if (!let_go (launch, *pid, start, err)) {
    (void) kill (*pid, SIGKILL);
    wait_for (*pid);
    (void) close (*pidfd);
    *pid = -1;
  }
  (void) prctl (PR_SET_DUMPABLE, 0);
  return *pid > 0;
}

static bool
prepare (struct launch *launch, const struct launch_request *request, const int *fds, int slot,
         struct start *start, struct error *err)
{
  const struct cgroup_limits limits = { .memory = request->memory, .processes = request->threads };

  if (slot < 0)
    return error_set (err, "all %u places of workers are taken", launch->count);
  launch->serial++;
  if (!cgroup_make (&launch->cgroups, launch->serial, &limits, &start->place, err))
    return false;
  choose_ids (launch, request, fds + WORKER_FDS, launch->uid_first + (uid_t) slot, start);
  if (launch->means.namespaces && pipe2 (start->go, O_CLOEXEC) < 0)
    return error_set (err, "cannot make the descriptors of a worker: %s", strerror (errno));
  return true;
}

void
launch_start (struct launch *launch, const struct launch_request *request, const int *fds,
              struct launch_reply *reply, int *pidfd, int *events)
{
  __attribute__ ((cleanup (start_cleanup))) struct start start = {
    .place = { .unified = -1, .tasks = { -1, -1, -1 }, .events = -1 }, .go = { -1, -1 }
  };
  struct error err = { { 0 } };
  int slot = free_slot (launch);
  pid_t pid = 0;

  *pidfd = *events = -1;
  *reply = (struct launch_reply){ 0 };
  if (!prepare (launch, request, fds, slot, &start, &err)
      || !spawn (launch, request, fds, &start, &pid, pidfd, &err)) {
    if (start.place.number != 0)
      cgroup_remove (&launch->cgroups, start.place.number);
    (void) snprintf (reply->why, sizeof reply->why, "%s", err.text);
    return;
  }
  launch->slots[slot] = (struct launch_slot){ .pid = pid, .serial = launch->serial };
  *events = start.place.events;
  start.place.events = -1;
  *reply = (struct launch_reply){ .pid = pid,
                                  .slot = (uint32_t) slot,
                                  .serial = launch->serial,
                                  .uid = start.uid,
                                  .events = *events >= 0 };
}
