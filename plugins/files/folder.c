#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
folder_free (struct folder *folder)
{
  for (size_t i = 0; i < folder->count; i++)
    free (folder->names[i]);
  free (folder->names);
  *folder = (struct folder) { 0 };
}

static bool
add (struct folder *folder, size_t *room, const char *name)
{
  if (folder->count == FOLDER_ENTRIES_MAX) {
    errno = EFBIG;
    return false;
  }
  if (folder->count == *room) {
    size_t more = *room != 0 ? *room * 2 : 64;
    char **names = realloc (folder->names, more * sizeof *names);

    if (names == NULL)
      return false;
    folder->names = names;
    *room = more;
  }
  folder->names[folder->count] = strdup (name);
  return folder->names[folder->count] != NULL && ++folder->count > 0;
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static bool
read_all (struct folder *folder, DIR *dir)
{
  const struct dirent *entry;
  size_t room = 0;

  errno = 0;
  while ((entry = readdir (dir)) != NULL) {
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
        && !add (folder, &room, entry->d_name))
      return false;
    errno = 0;
  }
  return errno == 0;
}

bool
folder_read (struct folder *folder, int fd)
{
  DIR *dir = fdopendir (fd);
  bool ok;
  int error;

  *folder = (struct folder) { 0 };
  if (dir == NULL) {
    close (fd);
    return false;
  }
  ok = read_all (folder, dir);
  error = errno;
  closedir (dir);
  if (ok && folder->count > 0)
    qsort (folder->names, folder->count, sizeof *folder->names, by_name);
  if (!ok)
    folder_free (folder);
  errno = error;
  return ok;
}

const char *
kind_of (const struct stat *st)
{
  return S_ISREG (st->st_mode)   ? "file"
         : S_ISDIR (st->st_mode) ? "folder"
         : S_ISLNK (st->st_mode) ? "symlink"
                                 : "other";
}
