/* nth_failure.c - preloaded into the daemon: chosen calls of its own code fail.
 *
 * TOOLHOST_FAILURES names a file that the test maps too: a struct failure for each kind of call.
 * Calls are counted that come from the program itself, not from its libraries; the one with the
 * number `at`, and the `times - 1` after it, fail with `error`. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHOWN __attribute__ ((visibility ("default")))

/* In this order in the file. */
enum kind { MEMORY, MEMFD, SOCKETPAIR, PIPE, MMAP, OPEN, KINDS };

struct failure {
  _Atomic uint64_t calls, at, times, error, failed;
};

static struct failure *failures;
static uintptr_t low, high; /* of the program's own code */

/* The program comes first. */
static int
note_program (struct dl_phdr_info *info, size_t size, void *ctx)
{
  (void) size;
  (void) ctx;
  low = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t at = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD)
      continue;
    low = at < low ? at : low;
    high = at + p->p_memsz > high ? at + p->p_memsz : high;
  }
  return 1;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *path = getenv ("TOOLHOST_FAILURES");
  int fd = path != NULL ? open (path, O_RDWR | O_CLOEXEC) : -1;
  void *at = fd >= 0
               ? mmap (NULL, KINDS * sizeof *failures, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
               : MAP_FAILED;

  if (fd >= 0)
    (void) close (fd);
  (void) dl_iterate_phdr (note_program, NULL);
  if (at != MAP_FAILED)
    failures = at;
}

/* Is it this call's turn to fail?  Then errno says why. */
static bool
fails (enum kind kind, const void *caller)
{
  struct failure *f = &failures[kind];
  uint64_t number, at;

  if (failures == NULL || (uintptr_t) caller < low || (uintptr_t) caller >= high)
    return false;
  number = atomic_fetch_add (&f->calls, 1) + 1;
  at = atomic_load (&f->at);
  if (at == 0 || number < at || number >= at + atomic_load (&f->times))
    return false;
  atomic_fetch_add (&f->failed, 1);
  errno = (int) atomic_load (&f->error);
  return true;
}

#define CALLER __builtin_return_address (0)
#define REAL(function) ((__typeof__ (function) *) (uintptr_t) dlsym (RTLD_NEXT, #function))

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *p, size_t size);

SHOWN void *
malloc (size_t size)
{
  return fails (MEMORY, CALLER) ? NULL : __libc_malloc (size);
}

SHOWN void *
calloc (size_t count, size_t size)
{
  return fails (MEMORY, CALLER) ? NULL : __libc_calloc (count, size);
}

SHOWN void *
realloc (void *p, size_t size)
{
  return fails (MEMORY, CALLER) ? NULL : __libc_realloc (p, size);
}

SHOWN int
memfd_create (const char *name, unsigned flags)
{
  return fails (MEMFD, CALLER) ? -1 : REAL (memfd_create) (name, flags);
}

SHOWN int
socketpair (int domain, int type, int protocol, int fds[2])
{
  return fails (SOCKETPAIR, CALLER) ? -1 : REAL (socketpair) (domain, type, protocol, fds);
}

SHOWN int
pipe2 (int fds[2], int flags)
{
  return fails (PIPE, CALLER) ? -1 : REAL (pipe2) (fds, flags);
}

SHOWN void *
mmap (void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
  return fails (MMAP, CALLER) ? MAP_FAILED : REAL (mmap) (addr, len, prot, flags, fd, offset);
}

/* The mode is only there for a file that may be made. */
static unsigned
mode_after (int flags, va_list args)
{
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (args, unsigned) : 0;
}

SHOWN int
open (const char *path, int flags, ...)
{
  va_list args;
  unsigned mode;

  va_start (args, flags);
  mode = mode_after (flags, args);
  va_end (args);
  return fails (OPEN, CALLER) ? -1 : REAL (open) (path, flags, mode);
}

SHOWN int
openat (int dir, const char *path, int flags, ...)
{
  va_list args;
  unsigned mode;

  va_start (args, flags);
  mode = mode_after (flags, args);
  va_end (args);
  return fails (OPEN, CALLER) ? -1 : REAL (openat) (dir, path, flags, mode);
}
