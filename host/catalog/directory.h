/* directory.h - what stands directly in a folder of skills: below the folder of a skill files and
 * folders, above it folders alone (MCP's resources/directory/read).  Pure; loop thread only. */
#ifndef TOOLHOST_CATALOG_DIRECTORY_H
#define TOOLHOST_CATALOG_DIRECTORY_H

#include "catalog/toolset.h"

/* A direct child: its name, and the resource as MCP shows it. */
struct directory_child {
  char *name;
  struct buf resource;
};

/* Zero-initialise, free with directory_free. */
struct directory {
  struct directory_child *list; /* in the order of their names, bytewise */
  size_t count;
};

/* The folder at a URI (without a slash at its end).  False: there is none. */
bool directory_read (struct directory *directory, const struct toolset *set, const char *uri,
                     size_t len);
void directory_free (struct directory *directory);
/* Index of the first child after this name. */
size_t directory_after (const struct directory *directory, const char *name, size_t len);

#endif
