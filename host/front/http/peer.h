/* peer.h - who is at the other end of a socket.  For conn.c; tests give it socket pairs.
 *
 * The overflow uid (65534) stands for everybody whom this user namespace does not know.  It is
 * never a manager, even if the daemon itself runs under that number, and has no principal of its
 * own: strangers could not be told apart. */
#ifndef TOOLHOST_FRONT_HTTP_PEER_H
#define TOOLHOST_FRONT_HTTP_PEER_H

#include "front/front.h"

struct peer {
  struct front_peer is; /* points into name: don't copy */
  char name[24];        /* "uid:4294967295" */
};

/* What the kernel shows for a user it can't map; read once, at start. */
uid_t peer_overflow_uid (void);

void peer_identify (struct peer *peer, int fd, bool local, uid_t overflow);
/* The rule alone: what a local peer of these credentials is. */
void peer_local (struct peer *peer, uid_t uid, gid_t gid, pid_t pid, uid_t overflow, uid_t own);

#endif
