/* hash.h - uthash with our memory: included instead of <uthash.h>, whose own ends the process at
 * the first allocation that fails. */
#ifndef TOOLHOST_BASE_HASH_H
#define TOOLHOST_BASE_HASH_H

#include <stdlib.h>

#include "base/memory.h"

#define uthash_malloc(size) xmalloc (size)
#define uthash_free(p, size) free (p)
#include <uthash.h>

#endif
