#include "place.h"

#include <dlfcn.h>
#include <ev.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

/* The file of a shared object of this machine: of one that this test uses. */
static const char *
shared_object (void)
{
  Dl_info info;

  CU_ASSERT_TRUE_FATAL (dladdr ((void *) ev_loop_new, &info) != 0);
  return info.dli_fname;
}

void
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

void
place_close (struct place *p)
{
  (void) close (p->fd);
  (void) nftw (p->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void
place_append (const struct place *p, const char *name, const char *data, size_t len)
{
  CLEANUP_FD int fd = openat (p->fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  CU_ASSERT_EQUAL (write (fd, data, len), (ssize_t) len);
}

void
place_plugin (const struct place *p, const char *name, size_t head, const char *tail)
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
  place_append (p, name, text.data, text.len);
}

bool
place_has (const struct place *p, const char *name)
{
  return faccessat (p->fd, name, F_OK, 0) == 0;
}

void
place_folder (const struct place *p)
{
  CU_ASSERT_EQUAL (mkdirat (p->fd, "t.plugin", 0755), 0);
  CU_ASSERT_EQUAL (mkdirat (p->fd, "t.plugin/lib", 0755), 0);
  place_plugin (p, "t.plugin/t.so", 0, "");
  place_append (p, "t.plugin/lib/libx.so.1", "library", 7);
  place_append (p, "t.plugin/notes.txt", "", 0);
  CU_ASSERT_EQUAL (symlinkat ("libx.so.1", p->fd, "t.plugin/lib/libx.so"), 0);
}
