#include "daemon/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

#ifndef TOOLHOST_WORKERDIR
#define TOOLHOST_WORKERDIR "/usr/libexec/toolhost"
#endif
#ifndef TOOLHOST_PLUGINDIR
#define TOOLHOST_PLUGINDIR "/usr/lib/toolhost"
#endif

/* A path made of the folder of the running program's folder and `end`; NULL when that is not known.
 */
static char *
beside (const char *end)
{
  char self[PATH_MAX];
  struct buf path = { 0 };
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
  char *slash;

  if (n <= 0)
    return NULL;
  self[n] = '\0';
  for (int up = 0; up < 2; up++) {
    slash = strrchr (self, '/');
    if (slash == NULL)
      return NULL;
    *slash = '\0';
  }
  buf_printf (&path, "%s/%s", self, end);
  (void) buf_cstr (&path);
  return path.data;
}

int
paths_open_worker (const char *given, struct error *err)
{
  CLEANUP_FREE char *near = beside ("libexec/toolhost/toolhost-worker");
  const char *const places[] = { given != NULL ? given : near,
                                 given != NULL ? NULL : TOOLHOST_WORKERDIR "/toolhost-worker" };

  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int fd = places[i] != NULL ? open (places[i], O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
      return fd;
  }
  error_set (err, "the worker program %s can't be opened: %s",
             given != NULL ? given : TOOLHOST_WORKERDIR "/toolhost-worker", strerror (errno));
  return -1;
}

char **
paths_plugin_dirs (void)
{
#ifdef __x86_64__
  static const char triplet[] = "/usr/lib/x86_64-linux-gnu/toolhost";
#else
  static const char triplet[] = "/usr/lib/aarch64-linux-gnu/toolhost";
#endif
  char *const all[] = { beside ("lib/toolhost"), xstrdup (TOOLHOST_PLUGINDIR),
                        xstrdup ("/usr/local/lib/toolhost"), xstrdup ("/usr/lib/toolhost"),
                        xstrdup (triplet) };
  char **dirs = xcalloc (sizeof all / sizeof *all + 1, sizeof *dirs);
  size_t count = 0;

  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    bool again = all[i] == NULL;
    for (size_t j = 0; j < count && !again; j++)
      again = strcmp (dirs[j], all[i]) == 0;
    if (again)
      free (all[i]);
    else
      dirs[count++] = all[i];
  }
  return dirs;
}
