#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/sandbox.h"

/* Is the path's last part w1234, in a folder toolhost.1234?  So the daemon names the group of a
 * worker whose limits it has set. */
static bool
is_ours (const char *path)
{
  static const char folder[] = "/toolhost.";
  const char *at = strstr (path, folder);
  size_t digits;

  if (at == NULL)
    return false;
  at += sizeof folder - 1;
  at += strspn (at, "0123456789");
  digits = strncmp (at, "/w", 2) == 0 ? strspn (at + 2, "0123456789") : 0;
  return digits != 0 && at[2 + digits] == '\0';
}

static bool
names (const char *controllers, const char *controller)
{
  size_t len = strlen (controller);

  for (const char *at = controllers; at != NULL; at = strchr (at, ',')) {
    at += *at == ',';
    if (strncmp (at, controller, len) == 0 && (at[len] == ',' || at[len] == '\0'))
      return true;
  }
  return false;
}

/* A line ID:CONTROLLERS:PATH. */
static bool
is_our_memory (char *line)
{
  char *controllers = strchr (line, ':');
  char *path = controllers != NULL ? strchr (controllers + 1, ':') : NULL;

  if (path == NULL)
    return false;
  *path++ = '\0';
  return names (controllers + 1, "memory") && is_ours (path);
}

/* Of version 1, which the worker entered itself. */
static bool
in_v1 (void)
{
  CLEANUP_FD int fd = open ("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
  char text[4096];
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
  char *rest = text;
  bool found = false;

  text[len > 0 ? len : 0] = '\0';
  for (char *line = strsep (&rest, "\n"); line != NULL; line = strsep (&rest, "\n"))
    found |= is_our_memory (line);
  return found;
}

/* A group of version 2 is the top of the cgroup namespace of who was born into it: its name can't
 * be seen from here, so the daemon tells. */
void
sandbox_cgroup (struct sandbox_plan *plan)
{
  plan->in_cgroup = plan->cgroup_v2 || in_v1 ();
  if (plan->in_cgroup)
    guarantee_met (plan, MEMORY_CAP, plan->cgroup_v2 ? "cgroup v2" : "cgroup v1");
}
