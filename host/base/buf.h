/* buf.h - a growable run of bytes, and an arena for what lives as long as one piece of work.
 *
 * A buf is zero-initialised, owned by whoever declares it, and given back with buf_free.  Its
 * memory is memory.h's: there is always some. */
#ifndef TOOLHOST_BASE_BUF_H
#define TOOLHOST_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct buf {
  char *data;
  size_t len;
  size_t cap;
};

/* Make the room that buf_reserve did not find. */
void buf_grow (struct buf *b, size_t more);

/* Room for `more` bytes after the end; returns where they go.  len is unchanged. */
static inline char *
buf_reserve (struct buf *b, size_t more)
{
  if (b->cap - b->len < more)
    buf_grow (b, more);
  return b->data + b->len;
}

static inline void
buf_append (struct buf *b, const void *data, size_t len)
{
  if (len == 0)
    return;
  memcpy (buf_reserve (b, len), data, len);
  b->len += len;
}

static inline void
buf_puts (struct buf *b, const char *text)
{
  buf_append (b, text, strlen (text));
}

static inline void
buf_putc (struct buf *b, char c)
{
  *buf_reserve (b, 1) = c;
  b->len++;
}

static inline void
buf_swap (struct buf *a, struct buf *b)
{
  struct buf was = *a;

  *a = *b;
  *b = was;
}

void buf_printf (struct buf *b, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Drop the first `len` bytes. */
void buf_consume (struct buf *b, size_t len);
/* A NUL after the end (not counted in len); returns the data as a C string. */
const char *buf_cstr (struct buf *b);
/* Forget the content; memory above `keep` bytes is given back. */
void buf_reset (struct buf *b, size_t keep);
void buf_free (struct buf *b);
/* The same of what nobody is to find in memory later, as far as it was not moved. */
void buf_wipe (struct buf *b);

/* An arena: many small allocations, one free.  Zero-initialised. */
struct arena {
  struct arena_block *blocks;
  char *next;
  char *end;
};

/* `size` bytes, aligned to 16, not zeroed. */
void *arena_alloc (struct arena *a, size_t size);
char *arena_strndup (struct arena *a, const char *text, size_t len);
/* Forget everything but keep one block for the next use. */
void arena_reset (struct arena *a);
void arena_free (struct arena *a);

/* Ownership that ends with the scope. */
static inline void
buf_cleanup (struct buf *b)
{
  buf_free (b);
}
static inline void
arena_cleanup (struct arena *a)
{
  arena_free (a);
}
void free_cleanup (void *pp);
void fd_cleanup (const int *fd);
#define CLEANUP_BUF __attribute__ ((cleanup (buf_cleanup)))
#define CLEANUP_ARENA __attribute__ ((cleanup (arena_cleanup)))
#define CLEANUP_FREE __attribute__ ((cleanup (free_cleanup)))
#define CLEANUP_FD __attribute__ ((cleanup (fd_cleanup)))

#endif
