/* idmap.h - which ids a worker has outside its user namespace, and mounts on which its files belong
 * to them.
 *
 * A worker that was granted a folder of the daemon's user has a uid of its own.  On a mount with
 * the two swapped it owns what that user owns, and what it writes belongs to that user on the disk:
 * nothing changes for the operator, and nothing else on the system has the worker's uid.  Used by
 * launch.c alone. */
#ifndef TOOLHOST_POOL_IDMAP_H
#define TOOLHOST_POOL_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "pool/birth.h"

struct idmap {
  uid_t uid; /* the worker's */
  gid_t gid;
  uid_t user; /* the daemon's, whose files they are */
  gid_t group;
};

/* Detached mounts of what is granted. */
struct idmap_trees {
  int fds[WORKER_GRANTS_MAX];
  size_t count;
};

/* Write the maps of a child that waits in a new user namespace: 0 inside is `uid` outside. */
bool idmap_write_single (pid_t pid, uid_t uid, gid_t gid, struct error *err);

/* May this process give a child that id? */
bool idmap_try (uid_t id);
/* May it give a child of these namespaces (CLONE_NEW…) and in that cgroup (-1: in ours) swapped
 * ids, and make mounts that have them so? */
bool idmap_try_mounts (const struct idmap *ids, unsigned long flags, int into);

/* Copy the mounts behind the descriptors, with the ids swapped; `flags` are LAUNCH_WRITABLE,
 * LAUNCH_EXECUTABLE or 0 for each.  False: a file system can't do that, and the copies have the ids
 * as they are (the same for `ids` NULL).  Where not even copies can be made there are none. */
bool idmap_trees_make (struct idmap_trees *trees, const int *fds, const uint8_t *flags,
                       size_t count, const struct idmap *ids);
void idmap_trees_close (struct idmap_trees *trees);

#endif
