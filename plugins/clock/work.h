/* work.h - one call of the clock while it runs: its times and zones, and the arithmetic on them. */
#ifndef TOOLHOST_CLOCK_WORK_H
#define TOOLHOST_CLOCK_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <toolhost.h>

#include "../common/text.h"
#include "iso.h"
#include "zones.h"

/* Unix seconds and what comes on top, 0 to NANOS - 1. */
struct moment {
  int64_t seconds;
  int32_t nanos;
};

/* One opening of the plugin; only read once it is open. */
struct clock {
  struct zones zones;
  struct text zone; /* of times and calls that name none; empty: there is no such */
  bool stopped;     /* the configuration says what time it is: */
  struct moment now;
};

struct work {
  const struct clock *clock;
  toolhost_call *call;
  struct text notes; /* on times that happen twice or never: a JSON array, not yet closed */
  struct text said;  /* the same for a reader */
};

struct moment work_now (const struct work *work);

/* The zone that an argument names, or the configured one; *zone is NULL when neither is there.  The
 * caller frees it. */
toolhost_status work_zone (struct work *work, const char *member, struct zone **zone);
/* The zone that the offset of "time" stands for, else UTC; NULL: no memory. */
struct zone *work_zone_of_time (struct work *work);

void work_zone_cleanup (struct zone **zone);
#define CLEANUP_ZONE __attribute__ ((cleanup (work_zone_cleanup)))

/* A time argument, now when it is absent.  zone: of times without an offset; may be NULL. */
toolhost_status work_moment (struct work *work, const char *member, const struct zone *zone,
                             struct moment *moment);

/* Later by a duration: years to days by the zone's calendar and clocks, the rest exactly.  False:
 * out of the years that can be told. */
bool work_add (struct work *work, const struct zone *zone, const struct iso_duration *duration,
               struct moment *moment);
/* The duration in years, months, days and exact time that leads from one to the other. */
struct iso_duration work_between (const struct zone *zone, struct moment from, struct moment until);

toolhost_status work_fail_range (struct work *work);

#endif
