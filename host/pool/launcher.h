/* launcher.h - the process that starts workers: each with a uid of its own where it is root and the
 * daemon an ordinary user by then.
 *
 * It is forked before the daemon binds or reads anything from outside, gives up every capability
 * but the few it needs, lives in a network namespace without interfaces, reads nothing but fixed
 * requests (launch.h) from its one socket, and ends, with all workers, when that is closed. */
#ifndef TOOLHOST_POOL_LAUNCHER_H
#define TOOLHOST_POOL_LAUNCHER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "pool/launch.h"

/* Shown by ps; the harness of the tests knows it too. */
#define LAUNCHER_NAME "toolhost-launch"

/* Fork it.  `launch` has its settings and cgroups.  Returns the daemon's end of the socket, -1: err
 * says why.  *pid is the launcher's. */
int launcher_fork (struct launch *launch, pid_t *pid, struct error *err);
/* Wait until it has begun; then launch's means are what it found out.  Once, while the socket still
 * blocks. */
bool launcher_await (struct launch *launch, int socket, struct error *err);

/* ---- launcher_confine.c, called by the launcher alone ---- */

/* Keep the capabilities of the table and no other, and no way to more. */
bool launcher_confine (struct error *err);

#endif
