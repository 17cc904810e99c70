/* zones.h - the folder of the system's time zone data, and the zones in it by their names. */
#ifndef TOOLHOST_CLOCK_ZONES_H
#define TOOLHOST_CLOCK_ZONES_H

#include "../common/text.h"
#include "zone.h"

struct zones {
  int folder; /* -1: it can't be read */
};

/* Works without the folder too, for UTC and fixed offsets. */
void zones_open (struct zones *zones, const char *folder);
void zones_close (struct zones *zones);

/* Why there is no such zone. */
struct zones_fault {
  const char *code; /* "clock_unknown_zone", "clock_no_tzdata" or "clock_bad_tzdata" */
  struct text text; /* free with text_free */
};

/* "Europe/Paris", "UTC", "Z", "+05:30".  The caller frees it.  May be called from any thread. */
struct zone *zones_get (const struct zones *zones, const char *name, struct zones_fault *fault);

#endif
