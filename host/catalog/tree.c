#include "catalog/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/tar.h"
#include "catalog/hash.h"

/* A tree while it is read. */
struct walk {
  int top;
  const struct tree_rules *rules;
  struct tree *tree;
  struct error *err;
};

static int
open_within (int folder, const char *path, uint64_t flags)
{
  struct open_how how = { .flags = flags | O_CLOEXEC,
                          .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
  return (int) syscall (SYS_openat2, folder, path, &how, sizeof how);
}

int
tree_open (int folder, const char *path)
{
  return open_within (folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static bool
add_file (struct walk *walk, const char *path, const struct stat *st)
{
  struct tree *tree = walk->tree;

  if (tree->count % 64 == 0)
    tree->files = xrealloc (tree->files, (tree->count + 64) * sizeof *tree->files);
  tree->files[tree->count++] = (struct tree_file){ .path = xstrdup (path), .st = *st };
  tree->bytes += (uint64_t) st->st_size;
  return true;
}

static bool
check_entry (struct walk *walk, const char *path, const struct stat *st)
{
  if (!S_ISREG (st->st_mode) && !S_ISDIR (st->st_mode))
    return error_set (walk->err, "%s in it is neither a file nor a folder", path);
  if (!walk->rules->trusted && !source_is_private (st, walk->rules->owner))
    return error_set (walk->err,
                      "%s in it is writable by others, or owned by somebody else (chown root, "
                      "chmod go-w)",
                      path);
  if (++walk->tree->entries > TREE_ENTRIES_MAX)
    return error_set (walk->err, "there are more than %d files and folders in it",
                      TREE_ENTRIES_MAX);
  if (strlen (path) > TAR_PATH_MAX)
    return error_set (walk->err, "%.40s… in it has a path of more than %d bytes", path,
                      TAR_PATH_MAX);
  return true;
}

/* What a symbolic link leads to; a folder behind one would be there twice. */
static bool
follow (struct walk *walk, const char *path, struct stat *st)
{
  CLEANUP_FD int fd = open_within (walk->top, path, O_PATH);

  if (fd >= 0 && fstat (fd, st) == 0 && S_ISREG (st->st_mode))
    return true;
  walk->tree->starved = fd < 0 && error_is_shortage (errno);
  return error_set (walk->err, "%s in it is a symbolic link that leads to no file in it", path);
}

static bool walk_folder (struct walk *walk, int fd, const char *path, unsigned depth);

static bool
walk_entry (struct walk *walk, int folder, const char *name, const char *path, unsigned depth)
{
  struct stat st;
  int fd;

  if (fstatat (folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return error_set (walk->err, "%s in it: %s", path, strerror (errno));
  if (S_ISLNK (st.st_mode) && !follow (walk, path, &st))
    return false;
  if (!check_entry (walk, path, &st))
    return false;
  if (S_ISREG (st.st_mode))
    return add_file (walk, path, &st);
  if (depth == TREE_DEPTH_MAX)
    return error_set (walk->err, "%s in it is more than %d folders deep", path, TREE_DEPTH_MAX);
  fd = openat (folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    walk->tree->starved = error_is_shortage (errno);
    return error_set (walk->err, "%s in it: %s", path, strerror (errno));
  }
  return walk_folder (walk, fd, path, depth + 1);
}

/* Takes the descriptor over. */
static bool
walk_folder (struct walk *walk, int fd, const char *path, unsigned depth)
{
  CLEANUP_BUF struct buf below = { 0 };
  struct dirent *e;
  DIR *dir;
  bool ok = true;

  if (walk->rules->folder != NULL)
    walk->rules->folder (walk->rules->ctx, fd);
  dir = fdopendir (fd);
  if (dir == NULL) {
    walk->tree->starved = error_is_shortage (errno);
    (void) error_set (walk->err, "it can't be read: %s", strerror (errno));
    (void) close (fd);
    return false;
  }
  while (ok && (e = readdir (dir)) != NULL) {
    if (strcmp (e->d_name, ".") == 0 || strcmp (e->d_name, "..") == 0)
      continue;
    below.len = 0;
    buf_printf (&below, "%s%s%s", path, *path != '\0' ? "/" : "", e->d_name);
    ok = walk_entry (walk, dirfd (dir), e->d_name, buf_cstr (&below), depth);
  }
  (void) closedir (dir);
  return ok;
}

static int
by_path (const void *a, const void *b)
{
  return strcmp (((const struct tree_file *) a)->path, ((const struct tree_file *) b)->path);
}

bool
tree_read (int folder, const struct tree_rules *rules, struct tree *tree, struct error *err)
{
  struct walk walk = { .top = folder, .rules = rules, .tree = tree, .err = err };
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0) {
    tree->starved = error_is_shortage (errno);
    return error_set (err, "it can't be read: %s", strerror (errno));
  }
  if (!walk_folder (&walk, fd, "", 1))
    return false;
  if (tree->count != 0)
    qsort (tree->files, tree->count, sizeof *tree->files, by_path);
  return true;
}

void
tree_free (struct tree *tree)
{
  for (size_t i = 0; i < tree->count; i++)
    free (tree->files[i].path);
  free (tree->files);
  memset (tree, 0, sizeof *tree);
}

const struct tree_file *
tree_find (const struct tree *tree, const char *path)
{
  for (size_t i = 0; i < tree->count; i++)
    if (strcmp (tree->files[i].path, path) == 0)
      return &tree->files[i];
  return NULL;
}

void
tree_identity (const struct tree *tree, struct identity_text *identity)
{
  struct hash *hash = hash_new ();
  char hex[SHA256_HEX];

  for (size_t i = 0; i < tree->count; i++) {
    struct identity_text file;
    identity_of_file (&tree->files[i].st, &file);
    hash_add (hash, tree->files[i].path, strlen (tree->files[i].path) + 1);
    hash_add (hash, file.text, strlen (file.text) + 1);
  }
  hash_end (hash, hex);
  (void) snprintf (identity->text, sizeof identity->text, "folder:%s", hex);
}
