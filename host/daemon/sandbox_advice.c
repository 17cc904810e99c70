#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "daemon/sandbox.h"

static long
number_in (const char *file)
{
  CLEANUP_FD int fd = open (file, O_RDONLY | O_CLOEXEC);
  char text[32];
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;

  if (len <= 0)
    return -1;
  text[len] = '\0';
  return strtol (text, NULL, 10);
}

/* A seccomp filter that was here before us is a container's, or a service manager's. */
static bool
is_filtered (void)
{
  CLEANUP_FD int fd = open ("/proc/self/status", O_RDONLY | O_CLOEXEC);
  char text[4096];
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;

  text[len > 0 ? len : 0] = '\0';
  return strstr (text, "\nSeccomp:\t2") != NULL;
}

/* A setting that forbids user namespaces, and what to set it to. */
static const struct cause {
  const char *file; /* NULL: a filter */
  long forbids;
  const char *advice;
} causes[] = {
  { "/proc/sys/user/max_user_namespaces", 0,
    "sysctl user.max_user_namespaces=16384 (it is 0, also where only a container or a service "
    "says so)" },
  { "/proc/sys/kernel/unprivileged_userns_clone", 0,
    "sysctl kernel.unprivileged_userns_clone=1 (it is 0)" },
  { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
    "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for toolhostd "
    "with \"userns,\"" },
  { NULL, 0,
    "the container's seccomp profile: docker run --security-opt seccomp=PROFILE with clone, "
    "unshare, mount and pivot_root in it, or --cap-add SYS_ADMIN; of a systemd unit, "
    "RestrictNamespaces=no" },
};

static bool
applies (const struct cause *cause)
{
  return cause->file != NULL ? number_in (cause->file) == cause->forbids : is_filtered ();
}

const char *
sandbox_advice (unsigned index)
{
  unsigned found = 0;

  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
    if (applies (&causes[i]) && found++ == index)
      return causes[i].advice;
  return index == 0 && found == 0
           ? "user namespaces (what forbids them here could not be found out)"
           : NULL;
}
