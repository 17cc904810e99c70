#include "cli/backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/segment.h"
#include "base/json_write.h"
#include "catalog/hash.h"

enum { PIECE = 1 << 20 };

void
backup_free (struct backup *backup)
{
  for (size_t i = 0; i < backup->count; i++)
    free (backup->files[i].path);
  free (backup->files);
  free (backup->made);
  *backup = (struct backup){ .made = NULL };
}

static bool
fail (struct error *err, const char *path)
{
  return error_set (err, "%s: %s", path, strerror (errno));
}

static struct backup_file *
add_file (struct backup *backup, const char *path)
{
  struct backup_file *file;

  backup->files = xrealloc (backup->files, (backup->count + 1) * sizeof *backup->files);
  file = &backup->files[backup->count++];
  *file = (struct backup_file){ .path = xstrdup (path) };
  return file;
}

/* ---- one file ---- */

static bool
write_all (int fd, const char *bytes, size_t len)
{
  while (len > 0) {
    const ssize_t n = write (fd, bytes, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    len -= (size_t) n;
  }
  return true;
}

/* How much of `text` ends with a whole line. */
static size_t
whole_lines (const struct buf *text)
{
  const char *end = text->len != 0 ? memrchr (text->data, '\n', text->len) : NULL;

  return end != NULL ? (size_t) (end - text->data) + 1 : 0;
}

/* Copy and hash.  `lines`: what stands after the last newline is still being written. */
static bool
copy_bytes (int from, int to, bool lines, struct backup_file *file)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct hash *hash = hash_new ();
  bool good = true;
  ssize_t n;

  while (good && (n = read (from, buf_reserve (&text, PIECE), PIECE)) != 0) {
    if (n < 0 && errno == EINTR)
      continue;
    good = n > 0;
    text.len += good ? (size_t) n : 0;
    const size_t take = lines ? whole_lines (&text) : text.len;
    if (good && take != 0) {
      hash_add (hash, text.data, take);
      good = write_all (to, text.data, take);
      file->bytes += take;
      buf_consume (&text, take);
    }
  }
  hash_end (hash, file->sha256);
  return good;
}

/* A file of ours, on the disk when this returns. */
static bool
copy_file (const char *from, int folder, bool lines, struct backup_file *file, struct error *err)
{
  CLEANUP_FD int in = open (from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  CLEANUP_FD int out = -1;

  if (in < 0)
    return fail (err, from);
  out = openat (folder, file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0)
    return fail (err, file->path);
  return (copy_bytes (in, out, lines, file) && fsync (out) == 0) || fail (err, file->path);
}

/* ---- its parts ---- */

static bool
is_pin (const char *name)
{
  return name[0] != '.';
}

/* The names of a folder, sorted; none if it is not there.  -1: it can't be read. */
static int
list_folder (const char *path, struct dirent ***names)
{
  const int count = scandir (path, names, NULL, alphasort);

  if (count >= 0 || errno != ENOENT)
    return count;
  *names = NULL;
  return 0;
}

/* A segment that is removed while we copy is old; those after it are there. */
static bool
copy_folder (const char *state_dir, const char *name, bool (*is_wanted) (const char *name),
             bool lines, int folder, struct backup *backup, struct error *err)
{
  CLEANUP_BUF struct buf from = { 0 };
  struct dirent **entries;
  bool good = true, any = false;
  int count;

  buf_printf (&from, "%s/%s", state_dir, name);
  count = list_folder (buf_cstr (&from), &entries);
  if (count < 0 || (mkdirat (folder, name, 0700) != 0))
    return fail (err, count < 0 ? buf_cstr (&from) : name);
  for (int i = 0; i < count; i++) {
    CLEANUP_BUF struct buf source = { 0 };
    CLEANUP_BUF struct buf path = { 0 };
    if (good && is_wanted (entries[i]->d_name)) {
      buf_printf (&source, "%s/%s", from.data, entries[i]->d_name);
      buf_printf (&path, "%s/%s", name, entries[i]->d_name);
      if (any || access (buf_cstr (&source), F_OK) == 0) {
        any = true;
        good =
          copy_file (buf_cstr (&source), folder, lines, add_file (backup, buf_cstr (&path)), err);
      }
    }
    free (entries[i]);
  }
  free (entries);
  return good;
}

/* ---- the manifest ---- */

static bool
write_manifest (const struct backup *backup, int folder, struct error *err)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  CLEANUP_FD int fd =
    openat (folder, BACKUP_MANIFEST, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

  jsonw_object (&w);
  jsonw_name_int (&w, "toolhost_backup", 1);
  jsonw_name_string (&w, "made", backup->made);
  jsonw_name_string (&w, "version", PACKAGE_VERSION);
  jsonw_name (&w, "files");
  jsonw_array (&w);
  for (size_t i = 0; i < backup->count; i++) {
    jsonw_object (&w);
    jsonw_name_string (&w, "path", backup->files[i].path);
    jsonw_name_int (&w, "bytes", (int64_t) backup->files[i].bytes);
    jsonw_name_string (&w, "sha256", backup->files[i].sha256);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
  buf_putc (&out, '\n');
  return (fd >= 0 && write_all (fd, out.data, out.len) && fsync (fd) == 0)
         || fail (err, BACKUP_MANIFEST);
}

static char *
time_now (void)
{
  const time_t now = time (NULL);
  char text[32];
  struct tm tm;

  gmtime_r (&now, &tm);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return xstrdup (text);
}

/* ---- all of it ---- */

static bool
sync_folders (int folder)
{
  static const char *const names[] = { BACKUP_AUDIT, BACKUP_PINS, "." };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CLEANUP_FD int fd = openat (folder, names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync (fd) != 0)
      return false;
  }
  return true;
}

/* The store first: what it has, the audit has by then, but for the last hundredths of a second. */
static bool
fill (const char *state_dir, const char *store, int folder, struct backup *backup,
      struct error *err)
{
  return copy_file (store, folder, false, add_file (backup, BACKUP_STORE), err)
         && copy_folder (state_dir, BACKUP_AUDIT, segment_is_name, true, folder, backup, err)
         && copy_folder (state_dir, BACKUP_PINS, is_pin, false, folder, backup, err)
         && write_manifest (backup, folder, err) && (sync_folders (folder) || fail (err, "sync"));
}

/* Of a backup that was not finished; what we have not made stays. */
static void
remove_part (const char *part, const struct backup *backup)
{
  CLEANUP_FD int folder = open (part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  for (size_t i = 0; folder >= 0 && i < backup->count; i++)
    (void) unlinkat (folder, backup->files[i].path, 0);
  if (folder >= 0) {
    (void) unlinkat (folder, BACKUP_MANIFEST, 0);
    (void) unlinkat (folder, BACKUP_AUDIT, AT_REMOVEDIR);
    (void) unlinkat (folder, BACKUP_PINS, AT_REMOVEDIR);
  }
  (void) rmdir (part);
}

bool
backup_make (const char *state_dir, const char *store, const char *dest, struct backup *backup,
             struct error *err)
{
  CLEANUP_BUF struct buf part = { 0 };
  CLEANUP_FD int folder = -1;
  bool good;

  *backup = (struct backup){ .made = time_now () };
  buf_printf (&part, "%s.part", dest);
  if (mkdir (buf_cstr (&part), 0700) != 0)
    return fail (err, part.data);
  folder = open (part.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  good = (folder >= 0 || fail (err, part.data)) && fill (state_dir, store, folder, backup, err);
  if (good && renameat2 (AT_FDCWD, part.data, AT_FDCWD, dest, RENAME_NOREPLACE) != 0)
    good = fail (err, dest);
  if (!good)
    remove_part (part.data, backup);
  return good;
}
