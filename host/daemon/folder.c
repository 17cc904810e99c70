#include "daemon/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

static bool
is_ours (const char *file, size_t len)
{
  return len > 5 && file[0] != '.' && strcmp (file + len - 5, ".json") == 0;
}

bool
folder_each_json (int config_dir, const char *folder,
                  bool (*read) (void *ctx, const char *name, size_t len, int fd, struct error *err),
                  void *ctx, struct error *err)
{
  int at = config_dir >= 0 ? openat (config_dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR *dir = at >= 0 ? fdopendir (at) : NULL;
  bool ok = true;

  if (dir == NULL) {
    fd_cleanup (&at);
    return true;
  }
  for (struct dirent *e; ok && (e = readdir (dir)) != NULL;) {
    size_t len = strlen (e->d_name);
    CLEANUP_FD int fd = -1;
    if (!is_ours (e->d_name, len))
      continue;
    fd = openat (at, e->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ok = fd >= 0 ? read (ctx, e->d_name, len - 5, fd, err)
                 : error_set (err, "cannot be opened: %s", strerror (errno));
    if (!ok)
      (void) error_wrap (err, "%s/%s: ", folder, e->d_name);
  }
  (void) closedir (dir);
  return ok;
}
