/* memory.h - malloc for a program that has promised answers: it never returns NULL.
 *
 * A program that asks for it keeps a reserve.  The first time memory runs out the reserve is given
 * back to the system and the allocation is tried again; from then on memory_is_short, until
 * memory_refill has the reserve back, and the program should give up what it can do without.  Only
 * when there is no reserve (any more) does the process end, with a sentence: a supervisor starts it
 * again, and a daemon that answers with half-built replies would be worse.
 *
 * The reserve is the process's, as the heap is: the one thing here that hangs off no struct.  Any
 * thread may allocate and ask; memory_keep and memory_refill are the main thread's. */
#ifndef TOOLHOST_BASE_MEMORY_H
#define TOOLHOST_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *xmalloc (size_t size);
void *xcalloc (size_t count, size_t size);
void *xrealloc (void *p, size_t size);
char *xstrdup (const char *text);
char *xstrndup (const char *text, size_t len);

/* For libraries that let one say what their realloc is: size 0 frees. */
void *memory_realloc (void *p, long size);

/* Keep so many bytes in reserve from now on. */
void memory_keep (size_t bytes);
/* The reserve had to be given away. */
bool memory_is_short (void);
/* Take the reserve again; false when it can't be had yet. */
bool memory_refill (void);

#endif
