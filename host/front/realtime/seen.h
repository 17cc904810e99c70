/* seen.h - which ids came a short while ago: each is kept for a time, the oldest go first when
 * there are too many.  The clock is the caller's.  No threads. */
#ifndef TOOLHOST_FRONT_REALTIME_SEEN_H
#define TOOLHOST_FRONT_REALTIME_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

enum { SEEN_ID_MAX = 256 };

struct seen_id {
  UT_hash_handle hh;
  double at;
  char id[];
};

/* Zeroed but for these two. */
struct seen {
  double window; /* seconds */
  size_t max;
  struct seen_id *ids; /* in the order they came */
};

/* Did it come within the window before `now`?  Longer ids than SEEN_ID_MAX bytes are told apart by
 * their first ones. */
bool seen_has (struct seen *seen, const char *id, size_t len, double now);
/* It has come; it is not there yet. */
void seen_add (struct seen *seen, const char *id, size_t len, double now);
void seen_free (struct seen *seen);

#endif
