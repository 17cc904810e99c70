/* sealed.h - what is too large for a frame, on its way to a worker: a file in memory that nobody
 * can change any more.  Pure. */
#ifndef TOOLHOST_POOL_SEALED_H
#define TOOLHOST_POOL_SEALED_H

#include <stddef.h>

/* A memfd with these bytes, sealed against everything; the caller closes it.  -1: errno says why
 * not.  `name` is for /proc. */
int sealed_file (const char *name, const char *data, size_t len);

#endif
