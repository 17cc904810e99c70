/* cgroup.h - a cgroup for each worker, where this system lets us make some: version 2 with its
 * controllers (tier A), or version 1 with its hierarchies beside a version 2 that can only kill
 * (tier B).  Without either the limits of the processes themselves have to do.
 *
 * Made once by the daemon, before it forks the launcher that uses them and has all workers as its
 * children.  All groups stand in one folder toolhost.PID of each hierarchy, which is locked while
 * its owner lives: what a killed one left behind is swept by the next.  No heap, one thread. */
#ifndef TOOLHOST_POOL_CGROUP_H
#define TOOLHOST_POOL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum cgroup_controller { CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_CONTROLLERS };
enum { CGROUP_NAME = 32, CGROUP_TRIAL = 0 };

extern const char *const cgroup_controller_names[]; /* in the order of the enum, ends with NULL */

struct cgroups {
  unsigned version;     /* of memory and pids: 1, 2, or 0 for none */
  unsigned controllers; /* 1 << enum cgroup_controller, those that are in force */
  int unified;          /* our folder in version 2, -1: there is none */
  int unified_parent;   /* where that stands */
  int legacy[CGROUP_CONTROLLERS], legacy_parent[CGROUP_CONTROLLERS]; /* likewise in version 1 */
  char name[CGROUP_NAME];                                            /* of our folder in each */
  int daemon,
    home; /* who writes "0" here is in the daemon's own group, or where it came from; -1 */
};

/* The daemon stands beside its workers in our folder, where it weighs more than all of them and is
 * preferred to those that compute for long (cgroup_calm): it answers while they are at work.  To
 * others that have work it leaves their turn, and finds more to do at its own: threads that weigh
 * as much as it does would be interrupted for each single answer (SCHED_BATCH, of this thread).  It
 * takes its seat itself, as root, because moving another process takes the kernel long; and leaves
 * it before the folder is to be removed.  Where there is no controller for processors: nothing. */
void cgroup_sit (const struct cgroups *groups);
void cgroup_stand_up (const struct cgroups *groups);
/* Nobody sits there any more, and the seat is removed; or there was none. */
bool cgroup_seat_is_free (const struct cgroups *groups);

struct cgroup_limits {
  uint64_t memory;    /* bytes, with what the kernel keeps for the process */
  uint32_t processes; /* threads count */
};

/* One worker's group: made before the worker, with the descriptors it is put in by. */
struct cgroup_place {
  uint32_t number;
  int unified;                   /* for CLONE_INTO_CGROUP, -1: none */
  int tasks[CGROUP_CONTROLLERS]; /* of version 1: who writes "0" here is in; -1: none */
  int events;                    /* for cgroup_oom_killed, -1: none */
};

/* Find out what there is, and make our folders.  Where nothing can be had: version 0. */
void cgroups_open (struct cgroups *groups);
/* Remove them; every group must be empty. */
void cgroups_close (struct cgroups *groups);

/* Close our descriptors of them; another process keeps its own, and removes them. */
void cgroups_forget (struct cgroups *groups);

/* Make group `number`, which must be new, or CGROUP_TRIAL to see whether it can be done.  The place
 * is to be closed, and the group to be removed, however this ends. */
bool cgroup_make (const struct cgroups *groups, uint32_t number, const struct cgroup_limits *limits,
                  struct cgroup_place *place, struct error *err);
/* Close the descriptors. */
void cgroup_place_close (struct cgroup_place *place);
/* From now on it runs when the daemon and the other workers have nothing to do, or (false) as they
 * do. */
void cgroup_calm (const struct cgroups *groups, uint32_t number, bool calm);
/* Kill all that is in it, if this kernel can. */
void cgroup_kill (const struct cgroups *groups, uint32_t number);
void cgroup_remove (const struct cgroups *groups, uint32_t number);

/* Did the kernel kill a process of the group because its memory was used up?  `events` is the
 * place's, or a copy of it; the group must not have been removed. */
bool cgroup_oom_killed (int events);

#endif
