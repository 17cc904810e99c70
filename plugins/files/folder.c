#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const kind_names[] = { "file", "folder", "symlink", "other" };

void
folder_free (struct folder *folder)
{
  for (size_t i = 0; i < folder->count; i++)
    free (folder->entries[i].name);
  free (folder->entries);
  *folder = (struct folder){ 0 };
}

/* From the type of a directory entry, which some file systems do not tell. */
static enum kind
kind_of (DIR *dir, const struct dirent *entry)
{
  unsigned char type = entry->d_type;
  struct stat st;

  if (type == DT_UNKNOWN && fstatat (dirfd (dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
    type = (unsigned char) IFTODT (st.st_mode);
  return type == DT_REG   ? KIND_FILE
         : type == DT_DIR ? KIND_FOLDER
         : type == DT_LNK ? KIND_SYMLINK
                          : KIND_OTHER;
}

static bool
make_room (struct folder *folder, size_t *room)
{
  size_t more = *room != 0 ? *room * 2 : 64;
  struct folder_entry *entries;

  if (folder->count < *room)
    return true;
  entries = realloc (folder->entries, more * sizeof *entries);
  if (entries == NULL)
    return false;
  folder->entries = entries;
  *room = more;
  return true;
}

static bool
add (struct folder *folder, size_t *room, DIR *dir, const struct dirent *entry)
{
  struct folder_entry added = { NULL, kind_of (dir, entry) };

  if (folder->count == FOLDER_ENTRIES_MAX) {
    errno = EFBIG;
    return false;
  }
  if (!make_room (folder, room) || (added.name = strdup (entry->d_name)) == NULL)
    return false;
  folder->entries[folder->count++] = added;
  return true;
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (((const struct folder_entry *) a)->name, ((const struct folder_entry *) b)->name);
}

static bool
read_all (struct folder *folder, DIR *dir)
{
  const struct dirent *entry;
  size_t room = 0;

  errno = 0;
  while ((entry = readdir (dir)) != NULL) {
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
        && !add (folder, &room, dir, entry))
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

  *folder = (struct folder){ 0 };
  if (dir == NULL) {
    close (fd);
    return false;
  }
  ok = read_all (folder, dir);
  error = errno;
  closedir (dir);
  if (ok && folder->count > 0)
    qsort (folder->entries, folder->count, sizeof *folder->entries, by_name);
  if (!ok)
    folder_free (folder);
  errno = error;
  return ok;
}
