#include "front/http/peer.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEFAULT_OVERFLOW_UID = 65534 };

uid_t
peer_overflow_uid (void)
{
  FILE *f = fopen ("/proc/sys/kernel/overflowuid", "re");
  unsigned uid;

  if (f == NULL)
    return DEFAULT_OVERFLOW_UID;
  if (fscanf (f, "%u", &uid) != 1)
    uid = DEFAULT_OVERFLOW_UID;
  (void) fclose (f);
  return uid;
}

static void
anonymous (struct peer *peer, bool local)
{
  peer->is = (struct front_peer){
    .local = local,
    .uid = (uid_t) -1,
    .gid = (gid_t) -1,
    .pid = -1,
    .roles = ROLES_LOCAL,
    .principal = "anonymous",
  };
}

void
peer_local (struct peer *peer, uid_t uid, gid_t gid, pid_t pid, uid_t overflow, uid_t own)
{
  anonymous (peer, true);
  peer->is.uid = uid;
  peer->is.gid = gid;
  peer->is.pid = pid;
  if (uid == overflow || uid == (uid_t) -1)
    return;
  if (uid == 0 || uid == own)
    peer->is.roles = ROLES_ALL;
  (void) snprintf (peer->name, sizeof peer->name, "uid:%u", uid);
  peer->is.principal = peer->name;
}

void
peer_identify (struct peer *peer, int fd, bool local, uid_t overflow)
{
  struct ucred cred;
  socklen_t len = sizeof cred;

  if (!local || getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
    return anonymous (peer, local);
  peer_local (peer, cred.uid, cred.gid, cred.pid, overflow, geteuid ());
}
