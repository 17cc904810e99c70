/* spawn.h - the daemon's side of starting workers: makes a worker's descriptors, and asks the
 * launcher (launcher.h) for its process, which then closes the sandbox on itself (worker/). Nothing
 * here waits: a start takes the kernel a few milliseconds, and much longer on a busy machine.  Loop
 * thread only. */
#ifndef TOOLHOST_POOL_SPAWN_H
#define TOOLHOST_POOL_SPAWN_H

#include <ev.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "pool/launch.h"
#include "pool/policy.h"

struct spawner;

struct spawner_settings {
  struct ev_loop *loop; /* where answers come in; they alone do not keep it running */
  int program;          /* descriptor of the worker program, borrowed */
  uid_t user;           /* whom a root daemon becomes; 0: workers are as we are */
  gid_t group;
  uid_t uid_first; /* of workers, and the gid too */
  unsigned uid_count;
  /* The launcher is gone: no worker can be started any more, nor killed.  May be NULL. */
  void (*lost) (void *ctx);
  void *ctx;
};

/* Before the daemon binds or reads anything, and before a root daemon becomes its user: fork the
 * launcher.  NULL: err says why. */
struct spawner *spawner_begin (const struct spawner_settings *settings, struct error *err);
/* Wait until it has found out what there is.  Once, before anything is asked of it.  False: it
 * can't begin, err says why; all that is left is spawner_free. */
bool spawner_await (struct spawner *spawner, struct error *err);
/* Both. */
struct spawner *spawner_new (const struct spawner_settings *settings, struct error *err);
/* Ends the launcher, and with it every worker that is still there. */
void spawner_free (struct spawner *spawner);
pid_t spawner_launcher (const struct spawner *spawner);
/* What workers get here. */
const struct launch_means *spawner_means (const struct spawner *spawner);

/* A worker's process, as the daemon holds it.  All descriptors are close-on-exec and non-blocking,
 * and belong to the caller; spawned_end closes them. */
struct spawned {
  /* it has been asked for */
  int control; /* frames; what is sent is there when the worker looks */
  int status;  /* read end: struct frame_status */
  int output;  /* read end: what the plugin prints */
  /* it has been started */
  pid_t pid;  /* of the namespace's init, in the daemon's pid namespace; 0: it has not */
  int pidfd;  /* the same */
  int events; /* of its cgroup, -1: none */
  uid_t uid;  /* outside */
  uint32_t slot, serial;
  /* in between */
  bool doomed;          /* it is killed when it has been started */
  struct spawned *next; /* the spawner's: answers come in order */
  /* Comes once, from the loop: it has been started, or (`why` is not NULL) can't be, and there is
   * nothing but the descriptors. */
  void (*started) (struct spawned *spawned, const char *why);
};

struct spawn_order {
  int plugin_fd;    /* -1: it runs a program (program.h), not a plugin … */
  int in, out;      /* … which reads and writes these; borrowed */
  const char *name; /* shown in the process list */
  const struct policy *policy;
  void (*started) (struct spawned *spawned, const char *why);
};

/* Ask for a worker.  `out` stays where it is until `started` was called.  False: nothing was left
 * behind. */
bool worker_spawn (struct spawner *spawner, const struct spawn_order *order, struct spawned *out,
                   struct error *err);

/* It computes only when others have nothing to do, from now on, or does no longer; of one that is
 * being started: nothing. */
void spawned_calm (struct spawner *spawner, const struct spawned *spawned, bool calm);
/* SIGKILL to it and all it has started; of one that is being started, as soon as it is there. */
void spawned_kill (struct spawner *spawner, struct spawned *spawned);
/* Was it, or a process of its own, ended by the kernel for using up its memory?  Before
 * spawned_end; false where no cgroup says so. */
bool spawned_used_up_memory (const struct spawned *spawned);
/* Its process is gone: reap it, close everything, give its slot back. */
void spawned_end (struct spawner *spawner, struct spawned *spawned);

#endif
