/* counting.c - how often a process allocates and copies memory, and how many bytes: for
 * ./dev bench call, preloaded or linked in, never installed.
 *
 * The counts are in a page of a file of memory that the bench finds by its name in /proc/PID/maps;
 * it is made before main, so that a sandbox which closes later leaves it there.  What the C library
 * copies within itself, and what the compiler put in place of a call, is not counted. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 4096 };

struct counts {
  _Atomic uint64_t allocations, allocated, freed, copies, copied;
};

/* The allocator of glibc by its other names. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *at, size_t size);
extern void __libc_free (void *at);

/* What is declared here takes the place of the library's. */
#define COUNTED __attribute__ ((visibility ("default")))
COUNTED void *memcpy (void *restrict to, const void *restrict from, size_t len);
COUNTED void *memmove (void *to, const void *from, size_t len);
COUNTED void *__memcpy_chk (void *restrict to, const void *restrict from, size_t len, size_t room);
COUNTED void *__memmove_chk (void *to, const void *from, size_t len, size_t room);

static struct counts before_main; /* of what comes before the page */
static struct counts *counts = &before_main;

static void __attribute__ ((constructor)) make_page (void)
{
  int fd = memfd_create ("toolhost-counts", MFD_CLOEXEC);
  void *page;

  if (fd < 0 || ftruncate (fd, ROOM) < 0)
    abort ();
  page = mmap (NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  (void) close (fd);
  if (page == MAP_FAILED)
    abort ();
  counts = page;
}

static void
add (_Atomic uint64_t *calls, _Atomic uint64_t *bytes, size_t len)
{
  atomic_fetch_add_explicit (calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit (bytes, len, memory_order_relaxed);
}

/* ---- memory ----------------------------------------------------------------------------- */

COUNTED void *
malloc (size_t size)
{
  add (&counts->allocations, &counts->allocated, size);
  return __libc_malloc (size);
}

COUNTED void *
calloc (size_t count, size_t size)
{
  add (&counts->allocations, &counts->allocated, count * size);
  return __libc_calloc (count, size);
}

COUNTED void *
realloc (void *at, size_t size)
{
  add (&counts->allocations, &counts->allocated, size);
  return __libc_realloc (at, size);
}

COUNTED void
free (void *at)
{
  if (at != NULL)
    atomic_fetch_add_explicit (&counts->freed, 1, memory_order_relaxed);
  __libc_free (at);
}

/* ---- copies ----------------------------------------------------------------------------- */

typedef void *(*copier) (void *to, const void *from, size_t len);

static copier
library (const char *name)
{
  return (copier) (uintptr_t) dlsym (RTLD_NEXT, name);
}

void *
memcpy (void *restrict to, const void *restrict from, size_t len)
{
  static copier real;

  if (real == NULL)
    real = library ("memcpy");
  add (&counts->copies, &counts->copied, len);
  return real (to, from, len);
}

void *
memmove (void *to, const void *from, size_t len)
{
  static copier real;

  if (real == NULL)
    real = library ("memmove");
  add (&counts->copies, &counts->copied, len);
  return real (to, from, len);
}

void *
__memcpy_chk (void *restrict to, const void *restrict from, size_t len, size_t room)
{
  if (len > room)
    abort ();
  return memcpy (to, from, len);
}

void *
__memmove_chk (void *to, const void *from, size_t len, size_t room)
{
  if (len > room)
    abort ();
  return memmove (to, from, len);
}
