/* source.h - a plugin as it was found: its file, or the folder with its file, and what tells it
 * from what stood there before.  Pure; any thread. */
#ifndef TOOLHOST_CATALOG_SOURCE_H
#define TOOLHOST_CATALOG_SOURCE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Text that is the same as long as nobody has touched the file, or anything in the folder: no
 * content was read for it. */
struct identity_text {
  char text[128];
};

struct source {
  int fd; /* read-only; whoever has the source closes it */
  bool folder;
  struct identity_text identity;
};

void identity_of_file (const struct stat *st, struct identity_text *identity);

/* Is what the descriptor leads to writable by root and `owner` alone? */
bool source_is_private (const struct stat *st, uid_t owner);

#endif
