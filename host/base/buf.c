#include "base/buf.h"

#include "base/large.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Into a large block that is kept; false: there is none. */
static bool
move_to_kept (struct buf *b, size_t cap)
{
  char *kept = large_take (cap, &cap);

  if (kept == NULL)
    return false;
  if (b->data != NULL)
    memcpy (kept, b->data, b->cap);
  large_give (b->data, b->cap);
  b->data = kept;
  b->cap = cap;
  return true;
}

void
buf_grow (struct buf *b, size_t more)
{
  size_t cap = b->cap != 0 ? b->cap : 256;

  while (cap - b->len < more)
    cap *= 2;
  if (cap >= LARGE_BLOCK && move_to_kept (b, cap))
    return;
  b->data = xrealloc (b->data, cap);
  b->cap = cap;
}

void
buf_printf (struct buf *b, const char *fmt, ...)
{
  va_list args, again;
  int n;

  va_start (args, fmt);
  va_copy (again, args);
  n = vsnprintf (buf_reserve (b, 128), 128, fmt, args);
  if (n >= 128)
    n = vsnprintf (buf_reserve (b, (size_t) n + 1), (size_t) n + 1, fmt, again);
  va_end (again);
  va_end (args);
  if (n > 0)
    b->len += (size_t) n;
}

void
buf_consume (struct buf *b, size_t len)
{
  if (len >= b->len) {
    b->len = 0;
    return;
  }
  memmove (b->data, b->data + len, b->len - len);
  b->len -= len;
}

const char *
buf_cstr (struct buf *b)
{
  *buf_reserve (b, 1) = '\0';
  return b->data;
}

void
buf_reset (struct buf *b, size_t keep)
{
  b->len = 0;
  if (b->cap > keep) {
    large_give (b->data, b->cap);
    b->data = NULL;
    b->cap = 0;
  }
}

void
buf_wipe (struct buf *b)
{
  if (b->data != NULL)
    explicit_bzero (b->data, b->cap);
  buf_free (b);
}

void
buf_free (struct buf *b)
{
  large_give (b->data, b->cap);
  memset (b, 0, sizeof *b);
}

/* ---- arena ---- */

enum { ARENA_BLOCK = 4096 - 32, ARENA_KEEP = 64 * 1024 };

struct arena_block {
  struct arena_block *older;
  size_t size;
};

enum { ARENA_HEAD = (sizeof (struct arena_block) + 15) / 16 * 16 };

static char *
block_start (struct arena_block *block)
{
  return (char *) block + ARENA_HEAD;
}

/* Of *size bytes beside its head, or somewhat more. */
static struct arena_block *
make_block (size_t *size)
{
  size_t whole = ARENA_HEAD + *size;
  struct arena_block *block = whole >= LARGE_BLOCK ? large_take (whole, &whole) : NULL;

  *size = (whole - ARENA_HEAD) & ~(size_t) 15;
  return block != NULL ? block : xmalloc (whole);
}

static void
add_block (struct arena *a, size_t size)
{
  struct arena_block *block;

  if (size < ARENA_BLOCK)
    size = ARENA_BLOCK;
  block = make_block (&size);
  block->older = a->blocks;
  block->size = size;
  a->blocks = block;
  a->next = block_start (block);
  a->end = a->next + size;
}

void *
arena_alloc (struct arena *a, size_t size)
{
  void *p;

  size = (size + 15) & ~(size_t) 15;
  if ((size_t) (a->end - a->next) < size)
    add_block (a, size);
  p = a->next;
  a->next += size;
  return p;
}

char *
arena_strndup (struct arena *a, const char *text, size_t len)
{
  char *copy = arena_alloc (a, len + 1);
  if (len != 0)
    memcpy (copy, text, len);
  copy[len] = '\0';
  return copy;
}

void
arena_reset (struct arena *a)
{
  size_t total = 0;

  for (const struct arena_block *block = a->blocks; block != NULL; block = block->older)
    total += block->size;
  if (total == 0)
    return;
  if (a->blocks->older == NULL && total <= ARENA_KEEP) {
    a->next = block_start (a->blocks);
    return;
  }
  /* work like the last finds room for all of it in one block */
  arena_free (a);
  if (total <= ARENA_KEEP)
    add_block (a, total);
}

void
arena_free (struct arena *a)
{
  for (struct arena_block *block = a->blocks, *older; block != NULL; block = older) {
    older = block->older;
    large_give (block, ARENA_HEAD + block->size);
  }
  memset (a, 0, sizeof *a);
}

void
free_cleanup (void *pp)
{
  free (*(void **) pp);
}

void
fd_cleanup (const int *fd)
{
  if (*fd >= 0)
    (void) close (*fd);
}
