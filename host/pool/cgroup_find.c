#include "pool/cgroup_find.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

/* A hierarchy as it is mounted: which of its groups is shown where. */
struct hierarchy {
  char root[CGROUP_PATH];  /* path of the group in the hierarchy */
  char point[CGROUP_PATH]; /* folder here */
};

static bool
has_option (const char *options, const char *option)
{
  size_t len = strlen (option);

  for (const char *at = options; at != NULL; at = strchr (at, ',')) {
    at += *at == ',';
    if (strncmp (at, option, len) == 0 && strchr (", \n", at[len]) != NULL)
      return true;
  }
  return false;
}

/* A line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS… - TYPE SOURCE SUPEROPTIONS.  Paths with
 * blanks are written with \040 there, and are then not found: a cgroup mounted on such a place does
 * not exist. */
static bool
is_mount_of (const char *line, const char *controller, struct hierarchy *h)
{
  char type[16], options[256];
  const char *rest = strstr (line, " - ");

  if (rest == NULL || sscanf (line, "%*s %*s %*s %1023s %1023s", h->root, h->point) != 2
      || sscanf (rest, " - %15s %*s %254s", type, options) != 2)
    return false;
  if (*controller == '\0')
    return strcmp (type, "cgroup2") == 0;
  (void) strcat (options, ",");
  return strcmp (type, "cgroup") == 0 && has_option (options, controller);
}

/* A line of /proc/self/cgroup: ID:CONTROLLERS:PATH; version 2 names none. */
static bool
is_group_in (const char *line, const char *controller, char path[CGROUP_PATH])
{
  char controllers[256];
  const char *names = strchr (line, ':');
  const char *at = names != NULL ? strchr (names + 1, ':') : NULL;
  size_t len = at != NULL ? strcspn (at + 1, "\n") : 0;

  if (len == 0 || len >= CGROUP_PATH || (size_t) (at - names) >= sizeof controllers)
    return false;
  (void) snprintf (controllers, sizeof controllers, "%.*s,", (int) (at - names - 1), names + 1);
  if (*controller == '\0' ? at - names != 1 : !has_option (controllers, controller))
    return false;
  memcpy (path, at + 1, len);
  path[len] = '\0';
  return true;
}

static const char *
next_line (const char *line)
{
  line = strchr (line, '\n');
  return line != NULL && line[1] != '\0' ? line + 1 : NULL;
}

static bool
find_mount (const char *mountinfo, const char *controller, struct hierarchy *h)
{
  for (const char *line = mountinfo; line != NULL; line = next_line (line))
    if (is_mount_of (line, controller, h))
      return true;
  return false;
}

static bool
find_group (const char *cgroup, const char *controller, char path[CGROUP_PATH])
{
  for (const char *line = cgroup; line != NULL; line = next_line (line))
    if (is_group_in (line, controller, path))
      return true;
  return false;
}

bool
cgroup_path (const char *mountinfo, const char *cgroup, const char *controller, bool top,
             char path[CGROUP_PATH])
{
  struct hierarchy h;
  char group[CGROUP_PATH];
  size_t root;

  if (!find_mount (mountinfo, controller, &h) || !find_group (cgroup, controller, group))
    return false;
  root = strcmp (h.root, "/") == 0 ? 0 : strlen (h.root);
  if (strncmp (group, h.root, root) != 0 || (group[root] != '/' && group[root] != '\0'))
    return false; /* what is mounted here does not hold us */
  return snprintf (path, CGROUP_PATH, "%s%s", h.point, top ? "" : group + root) < CGROUP_PATH;
}

/* ---- the files ---- */

enum { TEXT = 64 * 1024 };

static bool
slurp (const char *file, char text[TEXT])
{
  CLEANUP_FD int fd = open (file, O_RDONLY | O_CLOEXEC);
  size_t len = 0;
  ssize_t n = 0;

  while (fd >= 0 && len < TEXT - 1 && (n = read (fd, text + len, TEXT - 1 - len)) > 0)
    len += (size_t) n;
  text[len] = '\0';
  return fd >= 0 && n >= 0;
}

int
cgroup_find (const char *controller, bool top)
{
  char mountinfo[TEXT], cgroup[TEXT], path[CGROUP_PATH];

  if (!slurp ("/proc/self/mountinfo", mountinfo) || !slurp ("/proc/self/cgroup", cgroup)
      || !cgroup_path (mountinfo, cgroup, controller, top, path))
    return -1;
  return open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
