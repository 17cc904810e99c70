/* iso.h - ISO 8601 and RFC 3339 times and durations: read with precise errors, and written. */
#ifndef TOOLHOST_CLOCK_ISO_H
#define TOOLHOST_CLOCK_ISO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/text.h"
#include "civil.h"

enum { NANOS = 1000000000 };

/* What is wrong with a text, and at which character from 1. */
struct iso_fault {
  size_t position;
  char text[120];
};

enum iso_kind {
  ISO_LOCAL,  /* no offset: some zone's clock */
  ISO_OFFSET, /* with an offset or Z */
  ISO_UNIX,   /* "@1700000000": `seconds` alone counts */
  ISO_NOW     /* "now" */
};

struct iso_time {
  enum iso_kind kind;
  struct civil civil;
  int32_t offset; /* seconds east of UTC, of ISO_OFFSET */
  int64_t seconds;
  int32_t nanos;
};

/* "2025-03-30T02:30:00.5+02:00", "2025-03-30 02:30", "2025-03-30", "20250330T023000Z",
 * "@1700000000", "now". */
bool iso_time_read (struct iso_time *time, const char *text, size_t len, struct iso_fault *fault);
/* "+02:00", "Z", "-0530". */
bool iso_offset_read (int32_t *offset, const char *text, size_t len);

/* The parts of a duration; all of one sign, or of any. */
struct iso_duration {
  int64_t years, months, weeks, days, hours, minutes, seconds;
  int32_t nanos; /* of the sign of the others, or 0 */
};

/* "P1Y2M3W4DT5H6M7.5S", "-PT90M". */
bool iso_duration_read (struct iso_duration *duration, const char *text, size_t len,
                        struct iso_fault *fault);

void iso_time_write (struct text *out, const struct civil *civil, int32_t nanos);
/* "+02:00"; with seconds where the offset has some. */
void iso_offset_write (struct text *out, int32_t offset);
/* "P1DT2H30M"; "PT0S" when all is 0. */
void iso_duration_write (struct text *out, const struct iso_duration *duration);

#endif
