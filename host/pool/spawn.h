/* spawn.h - the daemon's side of starting workers: makes a worker's descriptors, and asks the
 * launcher for its process, or starts it itself when it was never root (launch.h).  The new program
 * then closes the sandbox on itself (worker/).  Loop thread only. */
#ifndef TOOLHOST_POOL_SPAWN_H
#define TOOLHOST_POOL_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "pool/launch.h"
#include "pool/policy.h"

struct spawner;

struct spawner_settings {
  int program; /* descriptor of the worker program, borrowed */
  uid_t user;  /* whom a root daemon becomes; 0: there is no launcher, workers are as we are */
  gid_t group;
  uid_t uid_first; /* of workers, and the gid too */
  unsigned uid_count;
};

/* As root, before the daemon becomes its user: fork the launcher.  NULL: err says why. */
struct spawner *spawner_new (const struct spawner_settings *settings, struct error *err);
void spawner_free (struct spawner *spawner);
/* Readable when the launcher is gone: no worker can be started any more.  -1: there is no
 * launcher. */
int spawner_fd (const struct spawner *spawner);
pid_t spawner_launcher (const struct spawner *spawner); /* 0: there is none */
/* What workers get here. */
const struct launch_means *spawner_means (const struct spawner *spawner);

/* A started worker, as the daemon holds it.  All descriptors are close-on-exec and non-blocking,
 * and belong to the caller; spawned_end closes them. */
struct spawned {
  pid_t pid;   /* of the namespace's init, in the daemon's pid namespace */
  int pidfd;   /* the same */
  int control; /* frames */
  int status;  /* read end: struct frame_status */
  int output;  /* read end: what the plugin prints */
  int events;  /* of its cgroup, -1: none */
  uid_t uid;   /* outside */
  uint32_t slot, serial;
};

/* Start a worker for the plugin behind `plugin_fd`.  `name` is shown in the process list.  False:
 * nothing was left behind. */
bool worker_spawn (struct spawner *spawner, int plugin_fd, const char *name,
                   const struct policy *policy, struct spawned *out, struct error *err);

/* SIGKILL to it and all it has started. */
void spawned_kill (struct spawner *spawner, struct spawned *spawned);
/* Was it, or a process of its own, ended by the kernel for using up its memory?  Before
 * spawned_end; false where no cgroup says so. */
bool spawned_used_up_memory (const struct spawned *spawned);
/* Its process is gone: reap it, close everything, give its slot back. */
void spawned_end (struct spawner *spawner, struct spawned *spawned);

#endif
