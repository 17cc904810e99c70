/* structs.h - structs of plugins that were built against another version of the header than ours.
 */
#ifndef TOOLHOST_WORKER_STRUCTS_H
#define TOOLHOST_WORKER_STRUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Up to and with this member: what the first release that had the struct already had. */
#define REACHES(type, member) (offsetof (type, member) + sizeof (((type *) 0)->member))

/* The plugin's struct in ours: the rest of a shorter one is zero, of a longer one ignored. */
static inline void
copy_struct (void *ours, size_t size, const void *theirs, uint32_t struct_size)
{
  memset (ours, 0, size);
  memcpy (ours, theirs, struct_size < size ? struct_size : size);
}

#endif
