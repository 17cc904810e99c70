/* folder.h - what is in a folder, sorted by name. */
#ifndef TOOLHOST_FILES_FOLDER_H
#define TOOLHOST_FILES_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { FOLDER_ENTRIES_MAX = 100000 };

struct folder {
  char **names; /* sorted bytewise; without "." and ".." */
  size_t count;
};

/* Takes fd and closes it.  False with errno; EFBIG: more than FOLDER_ENTRIES_MAX entries. */
bool folder_read (struct folder *folder, int fd);
void folder_free (struct folder *folder);
#define CLEANUP_FOLDER __attribute__ ((cleanup (folder_free)))

/* "file", "folder", "symlink" or "other". */
const char *kind_of (const struct stat *st);

#endif
