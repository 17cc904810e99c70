/* spawn.h - start a worker process: clone3 into fresh namespaces, write its id maps, exec the
 * worker program.  The child runs an async-signal-safe stub until the exec; the new program then
 * closes the sandbox on itself (worker/).  Loop thread only. */
#ifndef TOOLHOST_POOL_SPAWN_H
#define TOOLHOST_POOL_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* The descriptors the worker program begins with. */
enum {
  WORKER_FD_CONTROL = 3, /* SOCK_SEQPACKET */
  WORKER_FD_STATUS = 4,  /* write end: struct frame_status, once */
  WORKER_FD_PLUGIN = 5   /* the plugin's file, read-only */
};

/* A started worker, as the daemon holds it.  All descriptors are close-on-exec and non-blocking,
 * and belong to the caller. */
struct spawned {
  pid_t pid;   /* of the namespace's init, in the daemon's pid namespace */
  int pidfd;   /* the same */
  int control; /* frames */
  int status;  /* read end: struct frame_status */
  int output;  /* read end: what the plugin prints */
};

/* Start `program` (a descriptor of the worker program) for the plugin behind `plugin_fd`.  `name`
 * is shown in the process list.  False: nothing was left behind. */
bool worker_spawn (int program, int plugin_fd, const char *name, struct spawned *out,
                   struct error *err);

#endif
