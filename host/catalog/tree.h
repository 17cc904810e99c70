/* tree.h - what is in the folder of a plugin, NAME.plugin: its regular files, sorted by path,
 * within bounds.  A symbolic link counts as the file it leads to, which has to be in the folder,
 * too; anything else than files and folders is refused, and so is what others could write. Contents
 * are not read.  Any thread. */
#ifndef TOOLHOST_CATALOG_TREE_H
#define TOOLHOST_CATALOG_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "catalog/source.h"

enum { TREE_ENTRIES_MAX = 1024, TREE_DEPTH_MAX = 8 };

struct tree_file {
  char *path; /* relative to the folder; at most TAR_PATH_MAX bytes */
  struct stat st;
};

/* Zero-initialise, free with tree_free. */
struct tree {
  struct tree_file *files;
  size_t count, entries;
  uint64_t bytes; /* of all files */
  bool starved;   /* it was not read for want of descriptors or memory */
};

struct tree_rules {
  uid_t owner;  /* besides root, who may own what is in it */
  bool trusted; /* whoever may: the user named it, or it was judged before */
  /* Told of each folder before it is read, so that it can be watched; or NULL. */
  void (*folder) (void *ctx, int fd);
  void *ctx;
};

bool tree_read (int folder, const struct tree_rules *rules, struct tree *tree, struct error *err);
void tree_free (struct tree *tree);

/* NULL when there is no such file. */
const struct tree_file *tree_find (const struct tree *tree, const char *path);
void tree_identity (const struct tree *tree, struct identity_text *identity);

/* Open a file of the tree, never outside of the folder.  -1 with errno. */
int tree_open (int folder, const char *path);

static inline void
tree_cleanup (struct tree *tree)
{
  tree_free (tree);
}
#define CLEANUP_TREE __attribute__ ((cleanup (tree_cleanup)))

#endif
