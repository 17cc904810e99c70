/* zone.h - a time zone: what its clocks showed, show and will show.  Immutable, from a TZif file of
 * version 2 or later (RFC 8536), checked strictly because it is a file. */
#ifndef TOOLHOST_CLOCK_ZONE_H
#define TOOLHOST_CLOCK_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rule.h"

struct zone;

enum { ZONE_NAME_MAX = 64, ZONE_OFFSET_MAX = 26 * 3600 };

/* NULL: *why is a static phrase, "is not a time zone file". */
struct zone *zone_read (const char *name, const unsigned char *data, size_t len, const char **why);
/* A zone whose clocks never change; NULL: no memory. */
struct zone *zone_fixed (const char *name, int32_t offset, const char *abbreviation);
void zone_free (struct zone *zone);

const char *zone_name (const struct zone *zone);
/* What its clocks show at a moment, in Unix seconds. */
const struct local_type *zone_at (const struct zone *zone, int64_t seconds);

/* The moments at which its clocks show a local time, given as seconds like a moment's.
 * Once: earlier == later.  Twice: clocks were set back.  Never: clocks were set forward over it;
 * `earlier` and `later` are then where it would be by the clocks after and before the change. */
struct zone_moments {
  int times;
  int64_t earlier, later;
};
struct zone_moments zone_find (const struct zone *zone, int64_t local);

#endif
