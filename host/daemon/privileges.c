#include "daemon/privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NOBODY = 65534, LAST_CAPABILITY = 63 };

bool
identity_find (const char *user, bool must_exist, struct identity *identity, struct error *err)
{
  struct passwd *entry = getpwnam (user);

  if (entry == NULL && must_exist)
    return error_set (err, "there is no user \"%s\"", user);
  *identity = (struct identity){ .uid = entry != NULL ? entry->pw_uid : NOBODY,
                                 .gid = entry != NULL ? entry->pw_gid : NOBODY,
                                 .name = entry != NULL ? user : "nobody" };
  if (identity->uid == 0)
    return error_set (err, "user \"%s\" is root, and the daemon never serves as root", user);
  return true;
}

bool
identity_become (const struct identity *identity, struct error *err)
{
  if (geteuid () == 0) {
    for (unsigned long cap = 0; cap <= LAST_CAPABILITY; cap++)
      (void) prctl (PR_CAPBSET_DROP, cap, 0, 0, 0);
    if (setgroups (0, NULL) < 0 || setresgid (identity->gid, identity->gid, identity->gid) < 0
        || setresuid (identity->uid, identity->uid, identity->uid) < 0)
      return error_set (err, "cannot become user %s: %s", identity->name, strerror (errno));
    if (geteuid () == 0 || setuid (0) == 0)
      return error_set (err, "became user %s, and could become root again", identity->name);
  }
  (void) prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  (void) prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  return true;
}
