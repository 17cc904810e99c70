/* segments.h - the two pieces of shared memory that HELLO brought: what the daemon writes, mapped
 * read-only, and what this process writes (base/ring.h). */
#ifndef TOOLHOST_WORKER_SEGMENTS_H
#define TOOLHOST_WORKER_SEGMENTS_H

#include <stdbool.h>

#include "base/error.h"

struct datagram;

struct segments {
  const void *down;
  void *up;
};

/* Put the descriptors that came with HELLO to FD_DOWN and FD_UP.  False: they are not there. */
bool segments_keep (struct datagram *hello);

/* Map both, and close the descriptors.  From here on nobody can change their sizes, take pages out
 * of them, or map the daemon's for writing. */
bool segments_map (struct segments *segments, struct error *err);

#endif
