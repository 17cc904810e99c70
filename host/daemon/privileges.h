/* privileges.h - giving up root: once, at the start, for good. */
#ifndef TOOLHOST_DAEMON_PRIVILEGES_H
#define TOOLHOST_DAEMON_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Whom a daemon that is started as root becomes. */
struct identity {
  uid_t uid;
  gid_t gid;
  const char *name; /* the user's, or "nobody" where there is none of the name that was wished */
};

/* Look the user up.  A user who does not exist is an error when `must_exist`, else nobody. */
bool identity_find (const char *user, bool must_exist, struct identity *identity,
                    struct error *err);

/* Become it: groups, ids, capabilities (the bounding set too), no new privileges, not dumpable. Not
 * started as root: only the last two. */
bool identity_become (const struct identity *identity, struct error *err);

#endif
