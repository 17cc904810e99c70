/* From a plugin in a folder to the copy it is run from: what is found and when, what is refused
 * unread, and what the store keeps. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/tar.h"
#include "catalog/discovery.h"
#include "catalog/elf.h"
#include "catalog/store.h"
#include "catalog/tree.h"
#include "tap.h"

/* The file of a shared object of this machine: of one that this test uses. */
static const char *
shared_object (void)
{
  Dl_info info;

  CU_ASSERT_TRUE_FATAL (dladdr ((void *) ev_loop_new, &info) != 0);
  return info.dli_fname;
}

/* ---- a folder that is gone after the test ---- */

struct place {
  char path[64];
  int fd;
};

static void
place_open (struct place *p)
{
  strcpy (p->path, "/tmp/toolhost-unit.XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (p->path));
  p->fd = open (p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CU_ASSERT_TRUE_FATAL (p->fd >= 0);
}

static int
remove_one (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

static void
place_close (struct place *p)
{
  (void) close (p->fd);
  (void) nftw (p->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
append (const struct place *p, const char *name, const char *data, size_t len)
{
  CLEANUP_FD int fd = openat (p->fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  CU_ASSERT_EQUAL (write (fd, data, len), (ssize_t) len);
}

/* Write `head` bytes of a shared object, all of it when 0, and `tail`. */
static void
make_plugin (const struct place *p, const char *name, size_t head, const char *tail)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_FD int fd = open (shared_object (), O_RDONLY | O_CLOEXEC);
  ssize_t n;

  while ((n = read (fd, buf_reserve (&text, 1 << 16), 1 << 16)) > 0)
    text.len += (size_t) n;
  if (head != 0)
    text.len = head;
  buf_puts (&text, tail);
  (void) unlinkat (p->fd, name, 0);
  append (p, name, text.data, text.len);
}

static bool
is_there (const struct place *p, const char *name)
{
  return faccessat (p->fd, name, F_OK, 0) == 0;
}

/* The one copy in the store: its name; "" when there are none or several. */
static const char *
only_copy (const struct place *p, char name[80])
{
  char command[160];
  FILE *list;

  (void) snprintf (command, sizeof command, "ls -A %s/store/sha256", p->path);
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

/* ---- the store ---- */

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

static const struct store_stop go_on = { .stopped = never }, stop = { .stopped = always };

static bool
source_of (const struct place *p, const char *entry, const char *name, struct source *source)
{
  struct error err = { 0 };

  source->fd = openat (p->fd, entry, O_RDONLY | O_CLOEXEC);
  return discovery_look (name, source, &err);
}

/* The sentence of why it is not taken; "" when it is. */
static const char *
take (struct store *store, const struct place *p, const char *entry, const char *name,
      struct stored *copy, struct error *err)
{
  struct source source;
  struct error trouble = { 0 };

  err->text[0] = '\0';
  CU_ASSERT_TRUE (source_of (p, entry, name, &source));
  if (store_take (store, name, &source, &go_on, copy, &trouble, err))
    CU_ASSERT_STRING_EQUAL (trouble.text, "");
  (void) close (source.fd);
  return err->text;
}

static void
a_copy_is_found_by_its_content (void)
{
  struct place p;
  struct error err = { 0 };
  struct stored first, second, found;
  struct stat st;
  char name[80];

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  CU_ASSERT_STRING_EQUAL (err.text, "");
  make_plugin (&p, "a.so", 0, "");
  make_plugin (&p, "b.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &first, &err), "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "b.so", "b", &second, &err), "");
  CU_ASSERT_STRING_EQUAL (first.hex, second.hex);
  CU_ASSERT_EQUAL (strlen (first.hex), 64);
  CU_ASSERT_EQUAL (strncmp (only_copy (&p, name), first.hex, 64), 0);
  CU_ASSERT_TRUE (store_open (store, first.hex, false, &found));
  CU_ASSERT_STRING_EQUAL (found.identity.text, second.identity.text);
  CU_ASSERT_EQUAL (fstat (found.fd, &st), 0);
  CU_ASSERT_EQUAL (st.st_mode & 07777, 0444);
  CU_ASSERT_TRUE (store_verify (store, &found, false, &go_on));
  CU_ASSERT_FALSE (store_open (store, first.hex, true, &second));
  (void) close (first.fd);
  (void) close (found.fd);
  store_free (store);
  place_close (&p);
}

static void
writing_over_the_source_changes_no_copy (void)
{
  struct place p;
  struct error err = { 0 };
  struct stored copy;
  char before[64], after[64];

  place_open (&p);
  for (int dir = -1; dir != p.fd; dir = p.fd) { /* in memory, on disk */
    struct store *store = store_new (dir, 64 << 20, &err);
    make_plugin (&p, "a.so", 0, "");
    CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &copy, &err), "");
    CU_ASSERT_EQUAL (pread (copy.fd, before, sizeof before, 0), sizeof before);
    CLEANUP_FD int fd = openat (p.fd, "a.so", O_WRONLY | O_TRUNC | O_CLOEXEC);
    CU_ASSERT_EQUAL (pread (copy.fd, after, sizeof after, 0), sizeof after);
    CU_ASSERT_EQUAL (memcmp (before, after, sizeof before), 0);
    (void) close (copy.fd);
    store_free (store);
  }
  place_close (&p);
}

static void
a_copy_in_memory_can_not_be_written (void)
{
  struct place p;
  struct error err = { 0 };
  struct stored copy;

  place_open (&p);
  struct store *store = store_new (-1, 64 << 20, &err);
  make_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &copy, &err), "");
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  CU_ASSERT_EQUAL (pwrite (copy.fd, "x", 1, 0), -1);
  CU_ASSERT_EQUAL (errno, EPERM);
  CU_ASSERT_EQUAL (ftruncate (copy.fd, 0), -1);
  CU_ASSERT_TRUE (mmap (NULL, 4096, PROT_WRITE, MAP_SHARED, copy.fd, 0) == MAP_FAILED);
  (void) close (copy.fd);
  store_free (store);
  place_close (&p);
}

static void
a_damaged_copy_is_seen_and_removed (void)
{
  struct place p;
  struct error err = { 0 };
  struct stored copy, damaged;
  char name[80], path[160];

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  make_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &copy, &err), "");
  (void) snprintf (path, sizeof path, "store/sha256/%s", only_copy (&p, name));
  CU_ASSERT_EQUAL (fchmodat (p.fd, path, 0644, 0), 0);
  append (&p, path, "x", 1);
  CU_ASSERT_TRUE_FATAL (store_open (store, copy.hex, false, &damaged));
  CU_ASSERT_STRING_NOT_EQUAL (damaged.identity.text, copy.identity.text);
  CU_ASSERT_FALSE (store_verify (store, &damaged, false, &stop)); /* given up: no judgement */
  CU_ASSERT_TRUE (is_there (&p, path));
  CU_ASSERT_FALSE (store_verify (store, &damaged, false, &go_on));
  CU_ASSERT_FALSE (is_there (&p, path));
  (void) close (copy.fd);
  (void) close (damaged.fd);
  store_free (store);
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
  struct stored copy;
  char name[80];

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].text == NULL)
      make_plugin (&p, rows[i].name, rows[i].head, "");
    else
      append (&p, rows[i].name, rows[i].text, strlen (rows[i].text));
    CU_ASSERT_PTR_NOT_NULL (
      strstr (take (store, &p, rows[i].name, "x", &copy, &err), rows[i].sentence));
    CU_ASSERT_EQUAL (copy.fd, -1);
  }
  CU_ASSERT_STRING_EQUAL (only_copy (&p, name), ""); /* nothing was left there */
  store_free (store);
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
    make_plugin (&p, "a.so", 0, "");
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
  struct stored copy;
  char name[80];

  place_open (&p);
  struct store *store = store_new (p.fd, 1000, &err);
  make_plugin (&p, "a.so", 0, "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &copy, &err),
                          "it is over 1000 bytes (plugin_max)");
  CU_ASSERT_STRING_EQUAL (only_copy (&p, name), "");
  store_free (store);
  place_close (&p);
}

static void
what_changed_since_it_was_found_is_not_taken (void)
{
  struct place p;
  struct error err = { 0 }, trouble;
  struct stored copy;
  struct source source;

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  make_plugin (&p, "a.so", 0, "");
  CU_ASSERT_TRUE (source_of (&p, "a.so", "a", &source));
  append (&p, "a.so", "more", 4);
  CU_ASSERT_FALSE (store_take (store, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "it changed while it was read");
  CU_ASSERT_FALSE (store_take (store, "a", &source, &stop, &copy, &trouble, &err));
  (void) close (source.fd);
  store_free (store);
  place_close (&p);
}

static void
without_a_place_for_copies_memory_does (void)
{
  struct place p;
  struct error err = { 0 }, trouble = { 0 };
  struct stored copy;
  struct source source;

  place_open (&p);
  CU_ASSERT_EQUAL (mkdirat (p.fd, "store", 0700), 0);
  CU_ASSERT_EQUAL (fchmodat (p.fd, "store", 0777, 0), 0);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "writable by others"));
  make_plugin (&p, "a.so", 0, "");
  CU_ASSERT_TRUE (source_of (&p, "a.so", "a", &source));
  CU_ASSERT_TRUE (store_take (store, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  (void) close (copy.fd);
  store_free (store);

  CU_ASSERT_EQUAL (fchmodat (p.fd, "store", 0700, 0), 0);
  err.text[0] = '\0';
  store = store_new (p.fd, 64 << 20, &err);
  CU_ASSERT_STRING_EQUAL (err.text, "");
  CU_ASSERT_EQUAL (unlinkat (p.fd, "store/sha256", AT_REMOVEDIR), 0); /* now it can't be written */
  CU_ASSERT_TRUE (store_take (store, "a", &source, &go_on, &copy, &trouble, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (trouble.text, "a copy can't be written"));
  CU_ASSERT_STRING_EQUAL (copy.identity.text, "");
  (void) close (copy.fd);
  (void) close (source.fd);
  store_free (store);
  place_close (&p);
}

static void
old_copies_are_swept (void)
{
  static const struct timespec long_ago[2] = { { 1000000, 0 }, { 1000000, 0 } };
  struct place p;
  struct error err = { 0 };
  struct stored kept, old;
  char keep[2][SHA256_HEX], path[120];

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  make_plugin (&p, "a.so", 0, "a");
  make_plugin (&p, "b.so", 0, "b");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "a.so", "a", &kept, &err), "");
  CU_ASSERT_STRING_EQUAL (take (store, &p, "b.so", "b", &old, &err), "");
  append (&p, "store/sha256/.0123.part", "x", 1);
  memcpy (keep[0], kept.hex, SHA256_HEX);
  memset (keep[1], '0', SHA256_HEX);
  CU_ASSERT_EQUAL (store_sweep (store, keep, 2, 60), 0); /* all are young */
  (void) snprintf (path, sizeof path, "store/sha256/%s.so", kept.hex);
  CU_ASSERT_EQUAL (utimensat (p.fd, path, long_ago, 0), 0);
  (void) snprintf (path, sizeof path, "store/sha256/%s.so", old.hex);
  CU_ASSERT_EQUAL (utimensat (p.fd, path, long_ago, 0), 0);
  CU_ASSERT_EQUAL (utimensat (p.fd, "store/sha256/.0123.part", long_ago, 0), 0);
  CU_ASSERT_EQUAL (store_sweep (store, keep, 2, 60), 2);
  CU_ASSERT_FALSE (is_there (&p, path));
  (void) snprintf (path, sizeof path, "store/sha256/%s.so", kept.hex);
  CU_ASSERT_TRUE (is_there (&p, path));
  (void) close (kept.fd);
  (void) close (old.fd);
  store_free (store);
  place_close (&p);
}

/* ---- folders ---- */

static void
make_folder (const struct place *p)
{
  CU_ASSERT_EQUAL (mkdirat (p->fd, "t.plugin", 0755), 0);
  CU_ASSERT_EQUAL (mkdirat (p->fd, "t.plugin/lib", 0755), 0);
  make_plugin (p, "t.plugin/t.so", 0, "");
  append (p, "t.plugin/lib/libx.so.1", "library", 7);
  append (p, "t.plugin/notes.txt", "", 0);
  CU_ASSERT_EQUAL (symlinkat ("libx.so.1", p->fd, "t.plugin/lib/libx.so"), 0);
}

static void
a_folder_is_stored_as_an_archive (void)
{
  static const char *const paths[] = { "lib/libx.so", "lib/libx.so.1", "notes.txt", "t.so" };
  struct place p;
  struct error err = { 0 };
  struct stored copy, again;
  struct tar_file file;
  off_t at = 0;
  char text[7];

  place_open (&p);
  struct store *store = store_new (p.fd, 64 << 20, &err);
  make_folder (&p);
  CU_ASSERT_STRING_EQUAL (take (store, &p, "t.plugin", "t", &copy, &err), "");
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
  CU_ASSERT_TRUE (store_open (store, copy.hex, true, &again));
  (void) close (again.fd);
  CU_ASSERT_STRING_EQUAL (take (store, &p, "t.plugin", "t", &again, &err), "");
  CU_ASSERT_STRING_EQUAL (again.hex, copy.hex);
  (void) close (again.fd);
  store_free (store);
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
    make_folder (&p);
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

/* ---- finding ---- */

/* What was heard, as words: "+a" found, "-a" gone, "!a" refused. */
struct ears {
  struct ev_loop *loop;
  struct discovery *discovery;
  struct buf heard;
  off_t size; /* of the last file that was found */
};

static void
on_found (void *ctx, const char *name, const char *path, const struct source *source)
{
  struct ears *ears = ctx;
  struct stat st;

  (void) path;
  buf_printf (&ears->heard, "+%s ", name);
  ears->size = fstat (source->fd, &st) == 0 ? st.st_size : -1;
  (void) close (source->fd);
}

static void
on_gone (void *ctx, const char *name)
{
  buf_printf (&((struct ears *) ctx)->heard, "-%s ", name);
}

static void
on_refused (void *ctx, const char *name, const char *path, const char *why)
{
  (void) path;
  (void) why;
  buf_printf (&((struct ears *) ctx)->heard, "!%s ", name);
}

static void
on_scanned (void *ctx)
{
  (void) ctx;
}

static void
listen_to (struct ears *ears, const struct place *p)
{
  static const struct discovery_events events = {
    .found = on_found, .gone = on_gone, .refused = on_refused, .scanned = on_scanned
  };
  struct error err = { 0 };

  *ears = (struct ears){ .loop = ev_loop_new (EVFLAG_AUTO) };
  ears->discovery = discovery_new (ears->loop, &events, ears);
  CU_ASSERT_TRUE (discovery_add (ears->discovery, p->path, true, &err));
  discovery_start (ears->discovery);
}

static void
on_time (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) timer;
  (void) revents;
  ev_break (loop, EVBREAK_ALL);
}

static void
run_for (struct ears *ears, double seconds)
{
  ev_timer timer;

  ev_timer_init (&timer, on_time, seconds, 0);
  ev_now_update (ears->loop);
  ev_timer_start (ears->loop, &timer);
  ev_run (ears->loop, 0);
  ev_timer_stop (ears->loop, &timer);
}

/* Wait until as much as this was heard, and see that it was this. */
static bool
hears (struct ears *ears, const char *words)
{
  for (int i = 0; i < 500 && ears->heard.len < strlen (words); i++)
    run_for (ears, 0.02);
  bool right = strcmp (buf_cstr (&ears->heard), words) == 0;
  if (!right)
    printf ("# expected \"%s\", heard \"%s\"\n", words, buf_cstr (&ears->heard));
  ears->heard.len = 0;
  return right;
}

static void
stop_listening (struct ears *ears)
{
  discovery_free (ears->discovery);
  buf_free (&ears->heard);
  ev_loop_destroy (ears->loop);
}

static void
what_is_there_is_found_at_once (void)
{
  struct place p;
  struct ears ears;

  place_open (&p);
  append (&p, "b.so", "x", 1);
  append (&p, "a.so", "x", 1);
  append (&p, "open.so", "x", 1);
  append (&p, "notes.txt", "x", 1);
  append (&p, ".c.so", "x", 1);
  CU_ASSERT_EQUAL (fchmodat (p.fd, "open.so", 0666, 0), 0);
  make_folder (&p);
  append (&p, "t.so", "x", 1); /* the folder of the same name comes before it */
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+a +b !open +t "));
  stop_listening (&ears);
  place_close (&p);
}

static void
a_file_is_found_when_it_is_whole (void)
{
  struct place p;
  struct ears ears;

  place_open (&p);
  append (&p, "other.so", "x", 1);
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+other "));
  int fd = openat (p.fd, "slow.so", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  run_for (&ears, 0.3); /* longer than a closed file takes to settle */
  for (int i = 0; i < 4; i++) {
    CU_ASSERT_EQUAL (write (fd, "piece", 5), 5);
    run_for (&ears, 0.25);
  }
  append (&p, "other.so", "more", 4); /* looked at meanwhile */
  CU_ASSERT_TRUE (hears (&ears, "+other "));
  CU_ASSERT_EQUAL (write (fd, "end", 3), 3);
  (void) close (fd);
  CU_ASSERT_TRUE (hears (&ears, "+slow "));
  CU_ASSERT_EQUAL (ears.size, 23);
  run_for (&ears, 0.4);
  CU_ASSERT_TRUE (hears (&ears, "")); /* once */
  stop_listening (&ears);
  place_close (&p);
}

static void
changes_of_files (void)
{
  struct place p, away;
  struct ears ears;
  char path[128];

  place_open (&p);
  place_open (&away);
  append (&p, "a.so", "x", 1);
  append (&away, "new", "yy", 2);
  append (&away, "linked", "zzz", 3);
  listen_to (&ears, &p);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (renameat (away.fd, "new", p.fd, "a.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (linkat (away.fd, "linked", p.fd, "b.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+b "));
  (void) snprintf (path, sizeof path, "%s/linked", away.path);
  CU_ASSERT_EQUAL (symlinkat (path, p.fd, "c.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+c "));
  CU_ASSERT_EQUAL (fchmodat (p.fd, "a.so", 0666, 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "!a "));
  CU_ASSERT_EQUAL (fchmodat (p.fd, "a.so", 0644, 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+a "));
  CU_ASSERT_EQUAL (unlinkat (p.fd, "a.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "-a "));
  stop_listening (&ears);
  place_close (&p);
  place_close (&away);
}

static void
changes_of_folders (void)
{
  struct place p, away;
  struct ears ears;

  place_open (&p);
  place_open (&away);
  listen_to (&ears, &p);
  make_folder (&p); /* step by step */
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  append (&p, "t.plugin/lib/libx.so.1", "more", 4);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (mkdirat (p.fd, "t.plugin/skills", 0755), 0);
  append (&p, "t.plugin/skills/one.md", "text", 4);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  append (&p, "t.plugin/skills/one.md", "text", 4); /* in a folder that came later */
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (unlinkat (p.fd, "t.plugin/lib/libx.so", 0), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (renameat (p.fd, "t.plugin/t.so", away.fd, "t.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "!t "));
  CU_ASSERT_EQUAL (renameat (away.fd, "t.so", p.fd, "t.plugin/t.so"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  CU_ASSERT_EQUAL (renameat (p.fd, "t.plugin", away.fd, "t.plugin"), 0);
  CU_ASSERT_TRUE (hears (&ears, "-t "));
  append (&away, "t.plugin/notes.txt", "x", 1);
  CU_ASSERT_EQUAL (renameat (away.fd, "t.plugin", p.fd, "t.plugin"), 0);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  append (&p, "t.plugin/notes.txt", "x", 1);
  CU_ASSERT_TRUE (hears (&ears, "+t "));
  stop_listening (&ears);
  place_close (&p);
  place_close (&away);
}

static CU_TestInfo store_tests[] = {
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

static CU_TestInfo discovery_tests[] = {
  { "what is there is found at once", what_is_there_is_found_at_once },
  { "a file is found when it is whole", a_file_is_found_when_it_is_whole },
  { "changes of files", changes_of_files },
  { "changes of folders", changes_of_folders },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "store", NULL, NULL, NULL, NULL, store_tests },
                                 { "folder", NULL, NULL, NULL, NULL, folder_tests },
                                 { "discovery", NULL, NULL, NULL, NULL, discovery_tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
