#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  _Atomic (void *) at; /* NULL: none is kept, or it was given away */
  size_t size;         /* set once, before there are threads */
} reserve;

void
memory_keep (size_t bytes)
{
  reserve.size = bytes;
  (void) memory_refill ();
}

bool
memory_is_short (void)
{
  return reserve.size != 0 && atomic_load (&reserve.at) == NULL;
}

/* What malloc runs out of is address space and what the system lets be promised, and both are taken
 * by the mapping itself.  Its pages are never touched: where those run out the kernel ends
 * processes, and malloc is not told. */
bool
memory_refill (void)
{
  void *at;

  if (!memory_is_short ())
    return true;
  at = mmap (NULL, reserve.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return false;
  atomic_store (&reserve.at, at);
  return true;
}

/* True: something was given back, and it is worth another try. */
static bool
give_reserve (void)
{
  void *at = atomic_exchange (&reserve.at, NULL);
  return at != NULL && munmap (at, reserve.size) == 0;
}

static void *
checked (void *p, size_t size)
{
  char words[80];
  int len;

  if (p != NULL)
    return p;
  len = snprintf (words, sizeof words, "toolhost: out of memory: %zu bytes were needed\n", size);
  (void) !write (STDERR_FILENO, words, (size_t) len);
  abort ();
}

void *
xmalloc (size_t size)
{
  void *p = malloc (size != 0 ? size : 1);

  if (p == NULL && give_reserve ())
    p = malloc (size != 0 ? size : 1);
  return checked (p, size);
}

void *
xcalloc (size_t count, size_t size)
{
  size_t n = count != 0 ? count : 1, each = size != 0 ? size : 1;
  void *p = calloc (n, each);

  if (p == NULL && give_reserve ())
    p = calloc (n, each);
  return checked (p, count * size);
}

void *
xrealloc (void *p, size_t size)
{
  void *moved = realloc (p, size != 0 ? size : 1);

  if (moved == NULL && give_reserve ())
    moved = realloc (p, size != 0 ? size : 1);
  return checked (moved, size);
}

void *
memory_realloc (void *p, long size)
{
  if (size > 0)
    return xrealloc (p, (size_t) size);
  free (p);
  return NULL;
}

char *
xstrndup (const char *text, size_t len)
{
  char *copy = xmalloc (len + 1);
  if (len != 0)
    memcpy (copy, text, len);
  copy[len] = '\0';
  return copy;
}

char *
xstrdup (const char *text)
{
  return xstrndup (text, strlen (text));
}
