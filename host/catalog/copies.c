#include "catalog/copies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/tar.h"
#include "catalog/elf.h"
#include "catalog/tree.h"

enum { CHUNK = 256 * 1024, NAME_SIZE = SHA256_HEX + 8 };

struct copies {
  int dir; /* of the copies; -1: they are in memory */
  uint64_t most;
};

static const char *const ends[] = { ".so", ".tar" };

/* ---- the folder ---- */

/* A folder that is ours alone. */
static int
make_folder (int parent, const char *name)
{
  struct stat st;
  int fd;

  (void) mkdirat (parent, name, 0700);
  fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &st) < 0 || !source_is_private (&st, geteuid ())) {
    int error = fd < 0 ? errno : EPERM;
    fd_cleanup (&fd);
    errno = error;
    return -1;
  }
  return fd;
}

struct copies *
copies_new (int state, uint64_t most, struct error *err)
{
  struct copies *copies = xcalloc (1, sizeof *copies);
  CLEANUP_FD int folder = -1;

  copies->dir = -1;
  copies->most = most;
  if (state < 0)
    return copies;
  folder = make_folder (state, "plugins");
  if (folder >= 0)
    copies->dir = make_folder (folder, "sha256");
  if (copies->dir < 0)
    error_set (err, "plugins/sha256 in the state folder: %s: plugins are copied into memory",
               errno == EPERM ? "it is writable by others, or somebody else's" : strerror (errno));
  return copies;
}

void
copies_free (struct copies *copies)
{
  if (copies == NULL)
    return;
  fd_cleanup (&copies->dir);
  free (copies);
}

static void
name_of (const char *hex, bool folder, char name[NAME_SIZE])
{
  (void) snprintf (name, NAME_SIZE, "%s%s", hex, ends[folder]);
}

bool
copies_open (const struct copies *copies, const char *hex, bool folder, struct copies_file *out)
{
  char name[NAME_SIZE];
  struct stat st;

  *out = (struct copies_file){ .fd = -1 };
  if (copies->dir < 0)
    return false;
  name_of (hex, folder, name);
  out->fd = openat (copies->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (out->fd < 0 || fstat (out->fd, &st) < 0 || !S_ISREG (st.st_mode)) {
    fd_cleanup (&out->fd);
    out->fd = -1;
    return false;
  }
  memcpy (out->hex, hex, SHA256_HEX);
  identity_of_file (&st, &out->identity);
  return true;
}

/* ---- copying ---- */

/* Where bytes go, and their hash. */
struct copy {
  int to; /* -1: they are hashed alone */
  struct hash *hash;
  uint64_t bytes, most;
  const struct copies_stop *stop;
  char *room; /* CHUNK bytes */
  struct error *err;
  bool no_room; /* err is about where they go */
};

static void
copy_begin (struct copy *copy, int to, uint64_t most, const struct copies_stop *stop,
            struct error *err)
{
  *copy = (struct copy){
    .to = to, .hash = hash_new (), .most = most, .stop = stop, .room = xmalloc (CHUNK), .err = err
  };
}

static void
copy_cleanup (struct copy *copy)
{
  if (copy->hash != NULL)
    hash_free (copy->hash);
  free (copy->room);
}
#define CLEANUP_COPY __attribute__ ((cleanup (copy_cleanup)))

static bool
put (struct copy *copy, const char *data, size_t len)
{
  copy->bytes += len;
  if (copy->bytes > copy->most)
    return error_set (copy->err, "it is over %" PRIu64 " bytes (plugin_max)", copy->most);
  hash_add (copy->hash, data, len);
  while (len > 0 && copy->to >= 0) {
    ssize_t n = write (copy->to, data, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      copy->no_room = true;
      return error_set (copy->err, "a copy can't be written: %s", strerror (errno));
    }
    data += n;
    len -= (size_t) n;
  }
  return true;
}

/* All of a file, which has to be `size` bytes. */
static bool
put_file (struct copy *copy, int from, off_t size)
{
  off_t at = 0;

  for (;;) {
    ssize_t n = pread (from, copy->room, CHUNK, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set (copy->err, "it can't be read: %s", strerror (errno));
    if (n == 0)
      break;
    if (copy->stop->stopped (copy->stop->ctx))
      return error_set (copy->err, "it is not wanted any more");
    if (!put (copy, copy->room, (size_t) n))
      return false;
    at += n;
  }
  return at == size || error_set (copy->err, "it changed while it was read");
}

/* ---- what is copied: one file ---- */

static bool
unchanged (const struct source *source, const struct identity_text *now, struct error *err)
{
  if (strcmp (source->identity.text, now->text) == 0)
    return true;
  return error_set (err, "it changed while it was read");
}

static bool
put_plain (struct copy *copy, const struct source *source)
{
  struct identity_text now;
  struct stat st;

  if (fstat (source->fd, &st) < 0)
    return error_set (copy->err, "it can't be read: %s", strerror (errno));
  if (!elf_check (source->fd, st.st_size, copy->err) || !put_file (copy, source->fd, st.st_size)
      || fstat (source->fd, &st) < 0)
    return false;
  identity_of_file (&st, &now);
  return unchanged (source, &now, copy->err);
}

/* ---- what is copied: a folder ---- */

static bool
put_zeros (struct copy *copy, size_t len)
{
  memset (copy->room, 0, len);
  return put (copy, copy->room, len);
}

static bool
put_entry (struct copy *copy, int folder, const struct tree_file *file, bool shared_object)
{
  CLEANUP_FD int fd = tree_open (folder, file->path);
  char header[TAR_BLOCK];

  if (fd < 0)
    return error_set (copy->err, "%s in it: %s", file->path, strerror (errno));
  tar_header (header, file->path, (uint64_t) file->st.st_size);
  if ((!shared_object || elf_check (fd, file->st.st_size, copy->err))
      && put (copy, header, sizeof header) && put_file (copy, fd, file->st.st_size)
      && put_zeros (copy, tar_padding ((uint64_t) file->st.st_size)))
    return true;
  return copy->no_room ? false : error_wrap (copy->err, "%s in it: ", file->path);
}

static bool
put_tree (struct copy *copy, const struct source *source, const char *name)
{
  const struct tree_rules rules = { .trusted = true }; /* discovery has looked */
  CLEANUP_TREE struct tree tree = { 0 }, after = { 0 };
  struct identity_text now;
  char own[80];

  (void) snprintf (own, sizeof own, "%s.so", name);
  if (!tree_read (source->fd, &rules, &tree, copy->err))
    return false;
  for (size_t i = 0; i < tree.count; i++)
    if (!put_entry (copy, source->fd, &tree.files[i], strcmp (tree.files[i].path, own) == 0))
      return false;
  if (!put_zeros (copy, (size_t) 2 * TAR_BLOCK)
      || !tree_read (source->fd, &rules, &after, copy->err))
    return false;
  tree_identity (&after, &now);
  return unchanged (source, &now, copy->err);
}

static bool
put_source (struct copy *copy, const struct source *source, const char *name)
{
  return source->folder ? put_tree (copy, source, name) : put_plain (copy, source);
}

/* ---- where to ---- */

static void
temporary_name (char name[NAME_SIZE])
{
  uint64_t random = 0;

  if (getrandom (&random, sizeof random, 0) < 0)
    random = (uint64_t) getpid ();
  (void) snprintf (name, NAME_SIZE, ".%016" PRIx64 ".part", random);
}

/* Give the file its name; it is on the disk before it has it. */
static bool
publish (const struct copies *copies, int fd, const char *temporary, bool folder,
         struct copies_file *out, struct error *err)
{
  char name[NAME_SIZE];
  struct stat st;

  name_of (out->hex, folder, name);
  out->fd = openat (copies->dir, temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (out->fd < 0 || fchmod (fd, 0444) < 0 || fsync (fd) < 0
      || renameat (copies->dir, temporary, copies->dir, name) < 0 || fstat (out->fd, &st) < 0) {
    error_set (err, "a copy can't be written: %s", strerror (errno));
    fd_cleanup (&out->fd);
    out->fd = -1;
    return false;
  }
  identity_of_file (&st, &out->identity);
  return true;
}

/* `no_room`: it may be copied elsewhere. */
static bool
take_to_disk (const struct copies *copies, const char *name, const struct source *source,
              const struct copies_stop *stop, struct copies_file *out, bool *no_room,
              struct error *err)
{
  CLEANUP_COPY struct copy copy = { 0 };
  char temporary[NAME_SIZE];
  CLEANUP_FD int fd = -1;

  temporary_name (temporary);
  *no_room = true;
  fd = openat (copies->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return error_set (err, "a copy can't be written: %s", strerror (errno));
  copy_begin (&copy, fd, copies->most, stop, err);
  if (put_source (&copy, source, name)) {
    hash_end (copy.hash, out->hex);
    copy.hash = NULL;
    if (publish (copies, fd, temporary, source->folder, out, err))
      return true;
    copy.no_room = true;
  }
  *no_room = copy.no_room;
  (void) unlinkat (copies->dir, temporary, 0);
  return false;
}

static bool
take_to_memory (const struct copies *copies, const char *name, const struct source *source,
                const struct copies_stop *stop, struct copies_file *out, struct error *err)
{
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  CLEANUP_COPY struct copy copy = { 0 };
  CLEANUP_FD int fd = memfd_create ("toolhost-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd < 0)
    return error_set (err, "a copy can't be made in memory: %s", strerror (errno));
  copy_begin (&copy, fd, copies->most, stop, err);
  if (!put_source (&copy, source, name))
    return false;
  if (fcntl (fd, F_ADD_SEALS, seals) < 0)
    return error_set (err, "a copy in memory can't be sealed: %s", strerror (errno));
  hash_end (copy.hash, out->hex);
  copy.hash = NULL;
  out->fd = fd;
  fd = -1;
  return true;
}

bool
copies_take (const struct copies *copies, const char *name, const struct source *source,
             const struct copies_stop *stop, struct copies_file *out, struct error *trouble,
             struct error *err)
{
  bool no_room = true;

  *out = (struct copies_file){ .fd = -1 };
  trouble->text[0] = '\0';
  if (copies->dir >= 0 && take_to_disk (copies, name, source, stop, out, &no_room, err))
    return true;
  if (copies->dir >= 0 && !no_room)
    return false;
  *trouble = copies->dir >= 0 ? *err : *trouble;
  return take_to_memory (copies, name, source, stop, out, err);
}

/* ---- looking after it ---- */

bool
copies_verify (const struct copies *copies, const struct copies_file *stored, bool folder,
               const struct copies_stop *stop)
{
  CLEANUP_COPY struct copy copy = { 0 };
  struct error err = { 0 };
  char hex[SHA256_HEX], name[NAME_SIZE];
  struct stat st;

  copy_begin (&copy, -1, UINT64_MAX, stop, &err);
  if (fstat (stored->fd, &st) == 0 && put_file (&copy, stored->fd, st.st_size)) {
    hash_end (copy.hash, hex);
    copy.hash = NULL;
    if (strcmp (hex, stored->hex) == 0)
      return true;
  }
  name_of (stored->hex, folder, name);
  if (!stop->stopped (stop->ctx))
    (void) unlinkat (copies->dir, name, 0);
  return false;
}

static int
compare (const void *a, const void *b)
{
  return strcmp (a, b);
}

/* Does a copy of this name belong to one of the hashes? */
static bool
kept (const char *name, char (*keep)[SHA256_HEX], size_t count)
{
  char hex[SHA256_HEX];

  (void) snprintf (hex, sizeof hex, "%.64s", name);
  return count != 0 && bsearch (hex, keep, count, sizeof *keep, compare) != NULL;
}

unsigned
copies_sweep (const struct copies *copies, char (*keep)[SHA256_HEX], size_t count, int64_t seconds)
{
  int fd = copies->dir >= 0 ? openat (copies->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  time_t before = time (NULL) - (time_t) seconds;
  unsigned removed = 0;
  struct stat st;

  if (dir == NULL) {
    fd_cleanup (&fd);
    return 0;
  }
  if (count != 0)
    qsort (keep, count, sizeof *keep, compare);
  for (struct dirent *e; (e = readdir (dir)) != NULL;)
    if (!kept (e->d_name, keep, count)
        && fstatat (copies->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st.st_mode)
        && st.st_mtime < before && unlinkat (copies->dir, e->d_name, 0) == 0)
      removed++;
  (void) closedir (dir);
  return removed;
}
