/* folder.h - what is in a folder, sorted by name. */
#ifndef TOOLHOST_FILES_FOLDER_H
#define TOOLHOST_FILES_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { FOLDER_ENTRIES_MAX = 100000 };

enum kind { KIND_FILE, KIND_FOLDER, KIND_SYMLINK, KIND_OTHER };
/* "file", "folder", "symlink", "other" */
extern const char *const kind_names[];

struct folder_entry {
  char *name;
  enum kind kind;
};

struct folder {
  struct folder_entry *entries; /* sorted bytewise by name; without "." and ".." */
  size_t count;
};

/* Takes fd and closes it.  False with errno; EFBIG: more than FOLDER_ENTRIES_MAX entries. */
bool folder_read (struct folder *folder, int fd);
void folder_free (struct folder *folder);
#define CLEANUP_FOLDER __attribute__ ((cleanup (folder_free)))

#endif
