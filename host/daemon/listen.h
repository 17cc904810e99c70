/* listen.h - the sockets the daemon listens on. */
#ifndef TOOLHOST_DAEMON_LISTEN_H
#define TOOLHOST_DAEMON_LISTEN_H

#include <sys/types.h>

#include "base/error.h"

/* "127.0.0.1:8377", "[::1]:0", "localhost:80".  Only loopback: there are no keys yet that could
 * tell callers apart.  The address that was bound (with its port) goes to `bound`.  -1: err says
 * why. */
int listen_tcp (const char *address, char bound[80], struct error *err);

/* A Unix socket; its folder is made when missing, owned by `owner`.  A socket file nobody listens
 * on any more is replaced, one that somebody does is an error. */
int listen_unix (const char *path, uid_t owner, gid_t group, struct error *err);

#endif
