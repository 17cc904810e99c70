#include "daemon/policies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/buf.h"
#include "daemon/config.h"

struct entry {
  char *name;
  struct policy policy;
  UT_hash_handle hh;
};

struct policies {
  struct entry *by_name;
};

/* plugins.d/NAME.json */
static bool
read_one (struct policies *policies, int dir, const char *file, struct error *err)
{
  size_t len = strlen (file);
  CLEANUP_FD int fd = -1;
  struct entry *e;

  if (len < 6 || strcmp (file + len - 5, ".json") != 0 || file[0] == '.')
    return true;
  fd = openat (dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  e = xcalloc (1, sizeof *e);
  e->name = xstrndup (file, len - 5);
  policy_init (&e->policy);
  HASH_ADD_KEYPTR (hh, policies->by_name, e->name, len - 5, e);
  if (fd < 0)
    error_set (err, "cannot be opened: %s", strerror (errno));
  else if (policy_read (&e->policy, fd, err))
    return true;
  return error_wrap (err, "plugins.d/%s: ", file);
}

struct policies *
policies_read (int config_dir, struct error *err)
{
  struct policies *policies = xcalloc (1, sizeof *policies);
  int fd =
    config_dir >= 0 ? openat (config_dir, "plugins.d", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  bool ok = true;

  if (dir == NULL) {
    fd_cleanup (&fd);
    return policies;
  }
  for (struct dirent *e; ok && (e = readdir (dir)) != NULL;)
    ok = read_one (policies, fd, e->d_name, err);
  (void) closedir (dir);
  if (ok)
    return policies;
  policies_free (policies);
  return NULL;
}

void
policies_free (struct policies *policies)
{
  struct entry *e, *next;

  if (policies == NULL)
    return;
  HASH_ITER (hh, policies->by_name, e, next)
  {
    HASH_DEL (policies->by_name, e);
    policy_free (&e->policy);
    free (e->name);
    free (e);
  }
  free (policies);
}

void
policies_get (const struct policies *policies, const char *name, unsigned require,
              struct policy *policy)
{
  struct entry *e = NULL;

  HASH_FIND_STR (policies->by_name, name, e);
  if (e != NULL) {
    policy_free (policy);
    policy_copy (policy, &e->policy);
  }
  policy->require &= require;
}
