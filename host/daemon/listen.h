/* listen.h - the sockets the daemon listens on. */
#ifndef TOOLHOST_DAEMON_LISTEN_H
#define TOOLHOST_DAEMON_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* "127.0.0.1:8377", "[::1]:0", "localhost:80".  Others than loopback only where `anywhere`: callers
 * can be told apart.  The address that was bound (with its port) goes to `bound`.  `shared`:
 * listen_beside will be asked for more of it.  -1: err says why. */
int listen_tcp (const char *address, bool anywhere, bool shared, char bound[80], struct error *err);
/* Another socket of the same address, for this user's processes alone: the kernel spreads the
 * connections over them.  -1: err says why. */
int listen_beside (int fd, struct error *err);
/* Is it a Unix socket, or bound to loopback? */
bool listen_is_local (int fd);

/* A Unix socket; its folder is made when missing, owned by `owner`.  A socket file nobody listens
 * on any more is replaced, one that somebody does is an error. */
int listen_unix (const char *path, uid_t owner, gid_t group, struct error *err);

/* The sockets that whoever started this process opened for it (sd_listen_fds(3)): descriptors 3 and
 * up, at most `max` of them, into `fds`, their addresses into `bound`, and whether they are named
 * "https" into `tls`.  Takes LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES out of the environment.  0:
 * there are none.  -1: there is one that can't be served, err says why. */
int listen_inherited (int *fds, char (*bound)[80], bool *tls, int max, bool anywhere,
                      struct error *err);

#endif
