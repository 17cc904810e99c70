/* launch.h - starting worker processes: a slot, ids, a cgroup and namespaces for each.
 *
 * This runs in a process of its own, the launcher (launcher.c), and what is asked of it comes over
 * a socket from a daemon that may be anybody by now: requests are fixed structs without ids and
 * without paths, and are checked as an enemy's.  One thread, no heap. */
#ifndef TOOLHOST_POOL_LAUNCH_H
#define TOOLHOST_POOL_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "pool/birth.h"
#include "pool/cgroup.h"

enum { LAUNCH_SLOTS_MAX = 4096, LAUNCH_TITLE = 96, LAUNCH_NAMESPACES = 7 };

enum launch_kind { LAUNCH_START = 1, LAUNCH_CALM, LAUNCH_KILL, LAUNCH_RELEASE };
enum { LAUNCH_WRITABLE = 1, LAUNCH_EXECUTABLE = 2 }; /* of a grant: one of them, or neither */

/* What is asked.  With LAUNCH_START come WORKER_FDS descriptors, in order, and one (O_PATH) for
 * each grant. */
struct launch_request {
  uint32_t kind;
  uint32_t slot;    /* of CALM, KILL and RELEASE, as START answered */
  uint32_t serial;  /* likewise */
  uint32_t calm;    /* of CALM: 1: it computes only while others have nothing to do */
  uint32_t grants;  /* of START from here on */
  uint64_t memory;  /* bytes, of the cgroup */
  uint32_t threads; /* of the cgroup; processes count */
  uint8_t grant[WORKER_GRANTS_MAX];
  char title[LAUNCH_TITLE]; /* for the list of processes */
};

/* What START answers, in the order of the requests; when pid is not 0, the descriptors are the
 * child's pidfd and (with `events`) what cgroup_oom_killed reads. */
struct launch_reply {
  int32_t pid; /* 0: why says why not */
  uint32_t slot, serial;
  uint32_t uid;    /* outside its namespace */
  uint32_t events; /* 0 or 1 */
  char why[512];
};

/* Found out once, before the first worker. */
struct launch_means {
  bool namespaces;                            /* all of them; else none is used */
  int32_t namespace_errno[LAUNCH_NAMESPACES]; /* in the order of launch_namespaces, 0: to be had */
  bool ids;                                   /* every slot has a uid and a gid of its own */
  bool idmaps;                                /* grants are mounted for those ids */
  bool root;                                  /* the launcher is root, the daemon is not */
  uint32_t cgroup;                            /* version, 0: none */
  uint32_t controllers;                       /* 1 << enum cgroup_controller */
  bool cgroup_kill;
};

struct launch_namespace {
  const char *name;
  unsigned long flag;
};
extern const struct launch_namespace launch_namespaces[LAUNCH_NAMESPACES];

struct launch_slot {
  pid_t pid; /* 0: free */
  uint32_t serial;
  bool gone, released;
};

struct launch {
  int program;     /* descriptor of the worker program, borrowed */
  uid_t uid_first; /* of the slots, and the gid too; used when means.ids */
  unsigned count;  /* slots, at most LAUNCH_SLOTS_MAX */
  uid_t user;      /* the daemon's */
  gid_t group;
  struct launch_means means;
  struct cgroups cgroups;
  uint32_t serial;
  struct launch_slot slots[LAUNCH_SLOTS_MAX];
};

/* What this process can do for its workers: means is filled in.  The settings and the cgroups are
 * set already. */
void launch_probe (struct launch *launch);

/* Is this request one that the daemon may make?  `fds` descriptors came along. */
bool launch_check (const struct launch *launch, const struct launch_request *request, size_t len,
                   size_t fds, struct error *err);

/* The descriptors stay the caller's.  *pidfd and *events (-1: none) are the caller's too. */
void launch_start (struct launch *launch, const struct launch_request *request, const int *fds,
                   struct launch_reply *reply, int *pidfd, int *events);
void launch_calm (struct launch *launch, uint32_t slot, bool calm);
void launch_kill (struct launch *launch, uint32_t slot);
/* The slot is free again, its ids and its group with it, when both have happened: its process was
 * reaped, and the daemon needs nothing of it any more. */
void launch_reaped (struct launch *launch, pid_t pid);
void launch_release (struct launch *launch, uint32_t slot);

#endif
