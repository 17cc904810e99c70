/* The daemon's copies of plugins: what is refused unread, what they keep, what a folder
 * becomes. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/tar.h"
#include "catalog/copies.h"
#include "catalog/discovery.h"
#include "catalog/elf.h"
#include "catalog/tree.h"
#include "place.h"
#include "tap.h"

/* The one copy that is kept: its name; "" when there are none or several. */
static const char *
only_copy (const struct place *p, char name[80])
{
  char command[160];
  FILE *list;

  (void) snprintf (command, sizeof command, "ls -A %s/plugins/sha256", p->path);
  list = popen (command, "r");
  name[0] = '\0';
  if (list == NULL || fgets (name, 80, list) == NULL)
    name[0] = '\0';
  name[strcspn (name, "\n")] = '\0';
  if (list != NULL && fgetc (list) != EOF)
    name[0] = '\0';
  if (list != NULL)
    (void) pclose (list);
  return name;
}

/* ---- the copies ---- */

static bool
never (const void *ctx)
{
  (void) ctx;
  return false;
}

static bool
always (const void *ctx)
{
  (void) ctx;
  return true;
}

static const struct copies_stop go_on = { .stopped = never }, stop = { .stopped = always };

static bool
source_of (const struct place *p, const char *entry, const char *name, struct source *source)
{
  struct error err = { 0 };

  source->fd = openat (p->fd, entry, O_RDONLY | O_CLOEXEC);
  return discovery_look (name, source, &err);
}

/* The sentence of why it is not taken; "" when it is. */
static const char *
take (struct copies *copies, const struct place *p, const char *entry, const char *name,
      struct copies_file *copy, struct error *err)
{
  struct source source;
  struct error trouble = { 0 };

  err->text[0] = '\0';
  CU_ASSERT_TRUE (source_of (p, entry, name, &source));
  if (copies_take (copies, name, &source, &go_on, copy, &trouble, err))
    CU_ASSERT_STRING_EQUAL (trouble.text, "");
  (void) close (source.fd);
  return err->text;
}

static void
a_copy_is_found_by_its_content (void)
{
  struct place p;
  struct error err = { 0 };
  struct copies_file first, second, found;
  struct stat st;
  char name[80];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  CU_ASSERT_STRING_EQUAL (err.text, "");
  place_plugin (&p, "a.so", 0, "");
  place_plugin (&p, "b.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &first, &err), "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "b.so", "b", &second, &err), "");
  CU_ASSERT_STRING_EQUAL (first.hex, second.hex);
  CU_ASSERT_EQUAL (strlen (first.hex), 64);
  CU_ASSERT_EQUAL (strncmp (only_copy (&p, name), first.hex, 64), 0);
  CU_ASSERT_TRUE (copies_open (copies, first.hex, false, &found));
  CU_ASSERT_STRING_EQUAL (found.identity.text, second.identity.text);
  CU_ASSERT_EQUAL (fstat (found.fd, &st), 0);
  CU_ASSERT_EQUAL (st.st_mode & 07777, 0444);
  CU_ASSERT_TRUE (copies_verify (copies, &found, false, &go_on));
  CU_ASSERT_FALSE (copies_open (copies, first.hex, true, &second));
  (void) close (first.fd);
  (void) close (found.fd);
  copies_free (copies);
  place_close (&p);
}

static void
writing_over_the_source_changes_no_copy (void)
{
  struct place p;
  struct error err = { 0 };
  struct copies_file copy;
  char before[64], after[64];

  place_open (&p);
  for (int dir = -1; dir != p.fd; dir = p.fd) { /* in memory, on disk */
    struct copies *copies = copies_new (dir, 64 << 20, &err);
    place_plugin (&p, "a.so", 0, "");
    CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &copy, &err), "");
    CU_ASSERT_EQUAL (pread (copy.fd, before, sizeof before, 0), sizeof before);
    CLEANUP_FD int fd = openat (p.fd, "a.so", O_WRONLY | O_TRUNC | O_CLOEXEC);
    CU_ASSERT_EQUAL (pread (copy.fd, after, sizeof after, 0), sizeof after);
    CU_ASSERT_EQUAL (memcmp (before, after, sizeof before), 0);
    (void) close (copy.fd);
    copies_free (copies);
  }
  place_close (&p);
}

static void
a_copy_in_memory_can_not_be_written (void)
{
  struct place p;
  struct error err = { 0 };
  struct copies_file copy;

  place_open (&p);
  struct copies *copies = copies_new (-1, 64 << 20, &err);
  place_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &copy, &err), "");
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  CU_ASSERT_EQUAL (pwrite (copy.fd, "x", 1, 0), -1);
  CU_ASSERT_EQUAL (errno, EPERM);
  CU_ASSERT_EQUAL (ftruncate (copy.fd, 0), -1);
  CU_ASSERT_TRUE (mmap (NULL, 4096, PROT_WRITE, MAP_SHARED, copy.fd, 0) == MAP_FAILED);
  (void) close (copy.fd);
  copies_free (copies);
  place_close (&p);
}

static void
a_damaged_copy_is_seen_and_removed (void)
{
  struct place p;
  struct error err = { 0 };
  struct copies_file copy, damaged;
  char name[80], path[160];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  place_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &copy, &err), "");
  (void) snprintf (path, sizeof path, "plugins/sha256/%s", only_copy (&p, name));
  CU_ASSERT_EQUAL (fchmodat (p.fd, path, 0644, 0), 0);
  place_append (&p, path, "x", 1);
  CU_ASSERT_TRUE_FATAL (copies_open (copies, copy.hex, false, &damaged));
  CU_ASSERT_STRING_NOT_EQUAL (damaged.identity.text, copy.identity.text);
  CU_ASSERT_FALSE (copies_verify (copies, &damaged, false, &stop)); /* given up: no judgement */
  CU_ASSERT_TRUE (place_has (&p, path));
  CU_ASSERT_FALSE (copies_verify (copies, &damaged, false, &go_on));
  CU_ASSERT_FALSE (place_has (&p, path));
  (void) close (copy.fd);
  (void) close (damaged.fd);
  copies_free (copies);
  place_close (&p);
}

static void
what_can_not_be_a_plugin_is_refused_unloaded (void)
{
  static const struct {
    const char *name, *sentence;
    size_t head;
    const char *text;
  } rows[] = {
    { "empty.so", "it is empty", 0, "" },
    { "text.so", "it does not begin like an ELF file", 0, "#!/bin/sh\nexit 0\n" },
    { "magic.so", "it does not begin like an ELF file", 0, "\177ELF" },
    { "half.so", "it is cut short", 5000, NULL },
    { "headers.so", "it is cut short", 80, NULL },
  };
  struct place p;
  struct error err = { 0 };
  struct copies_file copy;
  char name[80];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].text == NULL)
      place_plugin (&p, rows[i].name, rows[i].head, "");
    else
      place_append (&p, rows[i].name, rows[i].text, strlen (rows[i].text));
    CU_ASSERT_PTR_NOT_NULL (
      strstr (take (copies, &p, rows[i].name, "x", &copy, &err), rows[i].sentence));
    CU_ASSERT_EQUAL (copy.fd, -1);
  }
  CU_ASSERT_STRING_EQUAL (only_copy (&p, name), ""); /* nothing was left there */
  copies_free (copies);
  place_close (&p);
}

/* One byte of the header, and what is said then. */
static void
headers_that_are_for_others (void)
{
  static const struct {
    off_t at;
    char byte;
    const char *sentence;
  } rows[] = {
    { 4, 1, "it is for another machine" },   /* 32 bits */
    { 5, 2, "it is for another machine" },   /* big-endian */
    { 18, 40, "it is for another machine" }, /* 32-bit ARM */
    { 16, 2, "it is no shared object: expected ELF type 3, got 2" },
    { 16, 1, "it is no shared object: expected ELF type 3, got 1" },
    { 54, 1, "its headers make no sense" },
    { 57, 77, "its headers make no sense" },
    { 46, 1, "it is cut short" }, /* sections at 2^48 */
    { 38, 1, "it is cut short" },
  };
  struct place p;
  struct error err;

  place_open (&p);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct stat st;
    place_plugin (&p, "a.so", 0, "");
    CLEANUP_FD int fd = openat (p.fd, "a.so", O_RDWR | O_CLOEXEC);
    CU_ASSERT_EQUAL (fstat (fd, &st), 0);
    CU_ASSERT_TRUE (elf_check (fd, st.st_size, &err));
    CU_ASSERT_EQUAL (pwrite (fd, &rows[i].byte, 1, rows[i].at), 1);
    CU_ASSERT_FALSE (elf_check (fd, st.st_size, &err));
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, rows[i].sentence));
  }
  place_close (&p);
}

static void
a_plugin_is_bounded (void)
{
  struct place p;
  struct error err = { 0 };
  struct copies_file copy;
  char name[80];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 1000, &err);
  place_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &copy, &err),
                          "it is over 1000 bytes (plugin_max)");
  CU_ASSERT_STRING_EQUAL (only_copy (&p, name), "");
  copies_free (copies);
  place_close (&p);
}

static void
what_changed_since_it_was_found_is_not_taken (void)
{
  struct place p;
  struct error err = { 0 }, trouble;
  struct copies_file copy;
  struct source source;

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  place_plugin (&p, "a.so", 0, "");
  CU_ASSERT_TRUE (source_of (&p, "a.so", "a", &source));
  place_append (&p, "a.so", "more", 4);
  CU_ASSERT_FALSE (copies_take (copies, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "it changed while it was read");
  CU_ASSERT_FALSE (copies_take (copies, "a", &source, &stop, &copy, &trouble, &err));
  (void) close (source.fd);
  copies_free (copies);
  place_close (&p);
}

static void
without_a_place_for_copies_memory_does (void)
{
  struct place p;
  struct error err = { 0 }, trouble = { 0 };
  struct copies_file copy;
  struct source source;

  place_open (&p);
  CU_ASSERT_EQUAL (mkdirat (p.fd, "plugins", 0700), 0);
  CU_ASSERT_EQUAL (fchmodat (p.fd, "plugins", 0777, 0), 0);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "writable by others"));
  place_plugin (&p, "a.so", 0, "");
  CU_ASSERT_TRUE (source_of (&p, "a.so", "a", &source));
  CU_ASSERT_TRUE (copies_take (copies, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  (void) close (copy.fd);
  copies_free (copies);

  CU_ASSERT_EQUAL (fchmodat (p.fd, "plugins", 0700, 0), 0);
  err.text[0] = '\0';
  copies = copies_new (p.fd, 64 << 20, &err);
  CU_ASSERT_STRING_EQUAL (err.text, "");
  CU_ASSERT_EQUAL (unlinkat (p.fd, "plugins/sha256", AT_REMOVEDIR),
                   0); /* now it can't be written */
  CU_ASSERT_TRUE (copies_take (copies, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (trouble.text, "a copy can't be written"));
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  (void) close (copy.fd);
  (void) close (source.fd);
  copies_free (copies);
  place_close (&p);
}

static void
old_copies_are_swept (void)
{
  static const struct timespec long_ago[2] = { { 1000000, 0 }, { 1000000, 0 } };
  struct place p;
  struct error err = { 0 };
  struct copies_file kept, old;
  char keep[2][SHA256_HEX], path[120];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  place_plugin (&p, "a.so", 0, "a");
  place_plugin (&p, "b.so", 0, "b");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "a.so", "a", &kept, &err), "");
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "b.so", "b", &old, &err), "");
  place_append (&p, "plugins/sha256/.0123.part", "x", 1);
  memcpy (keep[0], kept.hex, SHA256_HEX);
  memset (keep[1], '0', SHA256_HEX);
  CU_ASSERT_EQUAL (copies_sweep (copies, keep, 2, 60), 0); /* all are young */
  (void) snprintf (path, sizeof path, "plugins/sha256/%s.so", kept.hex);
  CU_ASSERT_EQUAL (utimensat (p.fd, path, long_ago, 0), 0);
  (void) snprintf (path, sizeof path, "plugins/sha256/%s.so", old.hex);
  CU_ASSERT_EQUAL (utimensat (p.fd, path, long_ago, 0), 0);
  CU_ASSERT_EQUAL (utimensat (p.fd, "plugins/sha256/.0123.part", long_ago, 0), 0);
  CU_ASSERT_EQUAL (copies_sweep (copies, keep, 2, 60), 2);
  CU_ASSERT_FALSE (place_has (&p, path));
  (void) snprintf (path, sizeof path, "plugins/sha256/%s.so", kept.hex);
  CU_ASSERT_TRUE (place_has (&p, path));
  (void) close (kept.fd);
  (void) close (old.fd);
  copies_free (copies);
  place_close (&p);
}

/* ---- folders ---- */

static void
a_folder_is_stored_as_an_archive (void)
{
  static const char *const paths[] = { "lib/libx.so", "lib/libx.so.1", "notes.txt", "t.so" };
  struct place p;
  struct error err = { 0 };
  struct copies_file copy, again;
  struct tar_file file;
  off_t at = 0;
  char text[7];

  place_open (&p);
  struct copies *copies = copies_new (p.fd, 64 << 20, &err);
  place_folder (&p);
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "t.plugin", "t", &copy, &err), "");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    CU_ASSERT_EQUAL_FATAL (tar_next (copy.fd, &at, &file), TAR_FILE);
    CU_ASSERT_STRING_EQUAL (file.path, paths[i]);
    if (i < 2) {
      CU_ASSERT_EQUAL (file.size, 7);
      CU_ASSERT_EQUAL (pread (copy.fd, text, 7, file.start), 7);
      CU_ASSERT_EQUAL (memcmp (text, "library", 7), 0);
    }
  }
  CU_ASSERT_EQUAL (tar_next (copy.fd, &at, &file), TAR_END);
  (void) close (copy.fd);
  /* times are no content */
  CU_ASSERT_EQUAL (utimensat (p.fd, "t.plugin/notes.txt", NULL, 0), 0);
  CU_ASSERT_TRUE (copies_open (copies, copy.hex, true, &again));
  (void) close (again.fd);
  CU_ASSERT_STRING_EQUAL (take (copies, &p, "t.plugin", "t", &again, &err), "");
  CU_ASSERT_STRING_EQUAL (again.hex, copy.hex);
  (void) close (again.fd);
  copies_free (copies);
  place_close (&p);
}

/* Whatever is put into a folder, its sentence. */
static void
folders_that_are_refused (void)
{
  static const struct {
    const char *sentence;
    const char *command; /* in the folder */
  } rows[] = {
    { "there is no t.so in it", "rm t.so" },
    { "lib/out in it is a symbolic link that leads to no file in it", "ln -s ../../x.so lib/out" },
    { "pw in it is a symbolic link that leads to no file in it", "ln -s /etc/passwd pw" },
    { "up in it is a symbolic link that leads to no file in it", "ln -s lib up" },
    { "gone in it is a symbolic link that leads to no file in it", "ln -s nothing gone" },
    { "pipe in it is neither a file nor a folder", "mkfifo pipe" },
    { "in it is more than 8 folders deep", "mkdir -p 1/2/3/4/5/6/7/8/9" },
    { "in it has a path of more than 100 bytes", "touch $(printf 'x%.0s' $(seq 101))" },
    { "there are more than 1024 files and folders in it", "touch $(seq 1100)" },
    { "lib/libx.so.1 in it is writable by others", "chmod o+w lib/libx.so.1" },
    { "lib in it is writable by others", "chmod g+w lib" },
  };
  const struct tree_rules rules = { .owner = geteuid () };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TREE struct tree tree = { 0 };
    struct error err = { 0 };
    struct place p;
    char command[200];
    place_open (&p);
    place_folder (&p);
    (void) snprintf (command, sizeof command, "cd %s/t.plugin && bash -c '%s'", p.path,
                     rows[i].command);
    (void) !system (command);
    CLEANUP_FD int fd = openat (p.fd, "t.plugin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tree_read (fd, &rules, &tree, &err) && tree_find (&tree, "t.so") == NULL)
      error_set (&err, "there is no t.so in it");
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, rows[i].sentence));
    if (strstr (err.text, rows[i].sentence) == NULL)
      printf ("# row %zu: %s\n", i, err.text);
    place_close (&p);
  }
}

static void
archives_that_are_none (void)
{
  static const char *const paths[] = { "/etc/x", "../x", "a/../x", "a//b", "./a", "a/.", "a/" };
  struct tar_file file;

  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char block[TAR_BLOCK];
    CLEANUP_FD int fd = memfd_create ("tar", MFD_CLOEXEC);
    off_t at = 0;
    tar_header (block, paths[i], 0);
    CU_ASSERT_EQUAL (write (fd, block, sizeof block), sizeof block);
    CU_ASSERT_EQUAL (tar_next (fd, &at, &file), TAR_BROKEN);
    at = 0;
    tar_header (block, "good", 0);
    CU_ASSERT_EQUAL (pwrite (fd, block, sizeof block, 0), sizeof block);
    CU_ASSERT_EQUAL (tar_next (fd, &at, &file), TAR_FILE);
    CU_ASSERT_EQUAL (tar_next (fd, &at, &file), TAR_BROKEN); /* it does not end */
    at = 0;
    block[3]++;
    CU_ASSERT_EQUAL (pwrite (fd, block, sizeof block, 0), sizeof block);
    CU_ASSERT_EQUAL (tar_next (fd, &at, &file), TAR_BROKEN); /* its sum is wrong */
  }
}

static CU_TestInfo copies_tests[] = {
  { "a copy is found by its content", a_copy_is_found_by_its_content },
  { "writing over the source changes no copy", writing_over_the_source_changes_no_copy },
  { "a copy in memory can not be written", a_copy_in_memory_can_not_be_written },
  { "a damaged copy is seen and removed", a_damaged_copy_is_seen_and_removed },
  { "what can not be a plugin is refused unloaded", what_can_not_be_a_plugin_is_refused_unloaded },
  { "headers that are for others", headers_that_are_for_others },
  { "a plugin is bounded", a_plugin_is_bounded },
  { "what changed since it was found is not taken", what_changed_since_it_was_found_is_not_taken },
  { "without a place for copies memory does", without_a_place_for_copies_memory_does },
  { "old copies are swept", old_copies_are_swept },
  CU_TEST_INFO_NULL
};

static CU_TestInfo folder_tests[] = { { "a folder is stored as an archive",
                                        a_folder_is_stored_as_an_archive },
                                      { "folders that are refused", folders_that_are_refused },
                                      { "archives that are none", archives_that_are_none },
                                      CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "copies", NULL, NULL, NULL, NULL, copies_tests },
                                 { "folder", NULL, NULL, NULL, NULL, folder_tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
