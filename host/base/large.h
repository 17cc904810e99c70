/* large.h - large blocks of memory, kept for a moment when they are given back.
 *
 * malloc takes such blocks from the kernel and gives them back at once, and each page of a new one
 * costs a fault: half the time of a call with a megabyte of arguments.  So what a buf or an arena
 * gives back is kept for the next one, and goes when nobody has taken it for a second or two.
 *
 * A block is malloc's, and may also be freed as any other.  Nothing is kept until a program asks
 * for it.  Any thread. */
#ifndef TOOLHOST_BASE_LARGE_H
#define TOOLHOST_BASE_LARGE_H

#include <stddef.h>

enum { LARGE_BLOCK = 256 << 10, LARGE_MOST = 4 << 20 /* bytes of a block that is kept */ };

/* Keep so many bytes at most from now on. */
void large_keep (size_t bytes);
/* One of at least so many bytes, and not far above; NULL: none is kept.  *size is what it has. */
void *large_take (size_t least, size_t *size);
/* Instead of free, for a block of any size. */
void large_give (void *block, size_t size);
/* What was not taken since the last time goes; called once a second. */
void large_age (void);
/* All of it goes. */
void large_drop (void);

#endif
