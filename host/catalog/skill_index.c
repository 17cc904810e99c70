#include "catalog/skill_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "base/tar.h"
#include "catalog/front_matter.h"
#include "catalog/hash.h"
#include "catalog/poison.h"

enum { CHUNK = 256 * 1024 };

static const char FOLDER[] = "skills/", MAIN_FILE[] = "SKILL.md";

/* A file below skills/. */
struct entry {
  char *path; /* below skills/ */
  off_t start, size;
  char sha256[SHA256_HEX]; /* "" until it was needed */
};

struct indexing {
  int copy;
  const struct copies_stop *stop;
  struct entry *entries; /* in the order of their paths, as in the copy */
  size_t count;
  char *room; /* CHUNK bytes */
  struct json_writer w;
  struct buf problems; /* JSON strings with commas between them */
  size_t skills;
  bool stopped;
};

static void
indexing_cleanup (struct indexing *x)
{
  for (size_t i = 0; i < x->count; i++)
    free (x->entries[i].path);
  free (x->entries);
  free (x->room);
  buf_free (&x->problems);
}

static void
add_problem (struct indexing *x, const char *path, const struct error *err)
{
  if (x->problems.len != 0)
    buf_putc (&x->problems, ',');
  buf_puts (&x->problems, "\"skill ");
  json_escape (&x->problems, path, strlen (path));
  buf_puts (&x->problems, ": ");
  json_escape (&x->problems, err->text, strlen (err->text));
  buf_putc (&x->problems, '"');
}

/* ---- what there is ---- */

/* A part of the path begins with a dot: an editor's, or a system's. */
static bool
is_hidden (const char *path)
{
  return path[0] == '.' || strstr (path, "/.") != NULL;
}

static bool
gather (struct indexing *x)
{
  struct tar_file file;
  enum tar_next next;
  off_t at = 0;

  while ((next = tar_next (x->copy, &at, &file)) == TAR_FILE) {
    const char *path = file.path + sizeof FOLDER - 1;
    if (strncmp (file.path, FOLDER, sizeof FOLDER - 1) != 0 || is_hidden (path))
      continue;
    if (x->count % 64 == 0)
      x->entries = xrealloc (x->entries, (x->count + 64) * sizeof *x->entries);
    x->entries[x->count++] =
      (struct entry){ .path = xstrdup (path), .start = file.start, .size = file.size };
  }
  return next == TAR_END;
}

/* ---- reading ---- */

static bool
read_whole (struct indexing *x, const struct entry *e, char *room, off_t from, size_t len)
{
  while (len > 0) {
    ssize_t n = pread (x->copy, room, len, e->start + from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    room += n;
    from += n;
    len -= (size_t) n;
  }
  return true;
}

static bool
hash_entry (struct indexing *x, struct entry *e, struct error *err)
{
  struct hash *hash;

  if (e->sha256[0] != '\0')
    return true;
  hash = hash_new ();
  for (off_t at = 0; at < e->size;) {
    const size_t len = e->size - at < CHUNK ? (size_t) (e->size - at) : CHUNK;
    x->stopped = x->stop->stopped (x->stop->ctx);
    if (x->stopped || !read_whole (x, e, x->room, at, len)) {
      hash_free (hash);
      return error_set (err, "%s: it can't be read", e->path);
    }
    hash_add (hash, x->room, len);
    at += (off_t) len;
  }
  hash_end (hash, e->sha256);
  return true;
}

/* ---- one skill ---- */

/* The entries of a folder (its path with a slash at the end) follow each other. */
static size_t
first_below (const struct indexing *x, const char *folder, size_t len)
{
  size_t i = 0;

  while (i < x->count && strncmp (x->entries[i].path, folder, len) != 0)
    i++;
  return i;
}

static size_t
count_below (const struct indexing *x, size_t first, const char *folder, size_t len)
{
  size_t i = first;

  while (i < x->count && strncmp (x->entries[i].path, folder, len) == 0)
    i++;
  return i - first;
}

static bool
check_files (const struct indexing *x, size_t first, size_t count, struct error *err)
{
  static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-/";
  uint64_t bytes = 0;

  if (count > SKILL_FILES_MAX)
    return error_set (err, "it has %zu files, %d are the most", count, SKILL_FILES_MAX);
  for (size_t i = first; i < first + count; i++) {
    const char *path = x->entries[i].path;
    bytes += (uint64_t) x->entries[i].size;
    if (path[strspn (path, good)] != '\0')
      return error_set (err, "skills/%s: a name of other characters than A-Z a-z 0-9 _ . ~ -",
                        path);
  }
  return bytes <= SKILL_BYTES_MAX
         || error_set (err, "its files have %llu bytes, %d are the most",
                       (unsigned long long) bytes, SKILL_BYTES_MAX);
}

/* Does it say the same to a person as to a model? */
static bool
check_front_matter (const struct buf *json, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, json->data, json->len, &json_default_limits, &arena)
         && poison_check (&tape, json_root (&tape), err);
}

static bool
read_main (struct indexing *x, const struct entry *e, const char *name, struct buf *front_matter,
           struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (e->size > SKILL_TEXT_MAX)
    return error_set (err, "it has %lld bytes, %d are the most; put the rest into files beside it",
                      (long long) e->size, SKILL_TEXT_MAX);
  if (!read_whole (x, e, buf_reserve (&text, (size_t) e->size + 1), 0, (size_t) e->size))
    return error_set (err, "it can't be read");
  text.len = (size_t) e->size;
  if (!utf8_valid (text.data, text.len) || memchr (text.data, '\0', text.len) != NULL)
    return error_set (err, "it is no text in UTF-8");
  return front_matter_read (text.data, text.len, name, front_matter, err)
         && check_front_matter (front_matter, err);
}

static void
write_skill (struct indexing *x, const char *path, size_t path_len, const struct buf *front_matter,
             size_t first, size_t count)
{
  struct json_writer *w = &x->w;

  jsonw_object (w);
  jsonw_name (w, "path");
  jsonw_string_len (w, path, path_len);
  jsonw_name_raw (w, "frontmatter", front_matter->data, front_matter->len);
  jsonw_name (w, "files");
  jsonw_array (w);
  for (size_t i = first; i < first + count; i++) {
    const struct entry *e = &x->entries[i];
    jsonw_array (w);
    jsonw_string (w, e->path + path_len + 1);
    jsonw_int (w, e->start);
    jsonw_int (w, e->size);
    jsonw_string (w, e->sha256);
    jsonw_end (w);
  }
  jsonw_end (w);
  jsonw_end (w);
}

/* The skill of a SKILL.md; `len` is how much of its path is the folder's. */
static bool
add_skill (struct indexing *x, const struct entry *e, size_t len, struct error *err)
{
  CLEANUP_BUF struct buf front_matter = { 0 };
  const size_t first = first_below (x, e->path, len + 1);
  const size_t count = count_below (x, first, e->path, len + 1);
  CLEANUP_FREE char *folder = xstrndup (e->path, len);
  const char *slash = strrchr (folder, '/');
  const char *name = slash != NULL ? slash + 1 : folder;

  if (!skill_name_ok (name, strlen (name)))
    return error_set (err,
                      "the name of its folder, %.80s, is not 1 to 64 of a-z 0-9 and single "
                      "hyphens inside",
                      name);
  if (x->skills == SKILLS_MAX)
    return error_set (err, "%d skills are the most of a plugin", SKILLS_MAX);
  if (!check_files (x, first, count, err) || !read_main (x, e, name, &front_matter, err))
    return false;
  for (size_t i = first; i < first + count; i++)
    if (!hash_entry (x, &x->entries[i], err))
      return false;
  write_skill (x, folder, len, &front_matter, first, count);
  x->skills++;
  return true;
}

/* ---- all of them ---- */

static void
look_at (struct indexing *x, const struct entry *e)
{
  const char *slash = strrchr (e->path, '/');
  CLEANUP_BUF struct buf path = { 0 };
  struct error err = { .text = "" };

  if (strcmp (slash != NULL ? slash + 1 : e->path, MAIN_FILE) != 0)
    return;
  if (slash == NULL)
    error_set (&err, "a skill is a folder in skills/, named like the skill, with its SKILL.md");
  else if (add_skill (x, e, (size_t) (slash - e->path), &err))
    return;
  buf_printf (&path, "skills/%s", e->path);
  add_problem (x, buf_cstr (&path), &err);
}

/* A folder in skills/ that has no SKILL.md anywhere is most likely a slip. */
static void
look_for_none (struct indexing *x)
{
  static const struct error none = {
    .text = "there is no SKILL.md in it; the file's name is in capitals"
  };

  for (size_t i = 0; i < x->count;) {
    const char *slash = strchr (x->entries[i].path, '/');
    const size_t len = slash != NULL ? (size_t) (slash - x->entries[i].path) + 1 : 0;
    const size_t count = len != 0 ? count_below (x, i, x->entries[i].path, len) : 1;
    bool found = len == 0;
    for (size_t n = i; n < i + count && !found; n++) {
      const char *last = strrchr (x->entries[n].path, '/');
      found = last != NULL && strcmp (last + 1, MAIN_FILE) == 0;
    }
    if (!found) {
      CLEANUP_BUF struct buf path = { 0 };
      buf_printf (&path, "skills/%.*s", (int) len - 1, x->entries[i].path);
      add_problem (x, buf_cstr (&path), &none);
    }
    i += count;
  }
}

bool
skill_index (int copy, const struct copies_stop *stop, struct buf *out)
{
  __attribute__ ((cleanup (indexing_cleanup))) struct indexing x = { .copy = copy,
                                                                     .stop = stop,
                                                                     .w = { .out = out } };

  if (!gather (&x))
    return false;
  if (x.count == 0)
    return true;
  x.room = xmalloc (CHUNK);
  jsonw_object (&x.w);
  jsonw_name (&x.w, "skills");
  jsonw_array (&x.w);
  for (size_t i = 0; i < x.count && !x.stopped; i++)
    look_at (&x, &x.entries[i]);
  jsonw_end (&x.w);
  look_for_none (&x);
  jsonw_name (&x.w, "problems");
  jsonw_array (&x.w);
  if (x.problems.len != 0)
    jsonw_raw (&x.w, x.problems.data, x.problems.len);
  jsonw_end (&x.w);
  jsonw_end (&x.w);
  return !x.stopped;
}
