/* civil.h - dates of the proleptic Gregorian calendar and the seconds they stand for. */
#ifndef TOOLHOST_CLOCK_CIVIL_H
#define TOOLHOST_CLOCK_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

enum { YEAR_MIN = 1, YEAR_MAX = 9999 };
enum { DAY_SECONDS = 86400 };

/* A date and time of day without a zone. */
struct civil {
  int64_t year;
  int month, day;           /* from 1 */
  int hour, minute, second; /* 23:59:59 at most */
};

/* Seconds since 1970-01-01T00:00:00 of the same, unnamed zone; and back. */
int64_t civil_to_seconds (const struct civil *civil);
struct civil civil_from_seconds (int64_t seconds);
/* Days since 1970-01-01 of a date. */
int64_t civil_days (int64_t year, int month, int day);

/* Is it of the years that can be told? */
bool civil_in_range (const struct civil *civil);
bool civil_leap_year (int64_t year);
int civil_month_days (int64_t year, int month);
int civil_weekday (const struct civil *civil);     /* Monday is 1, Sunday 7 */
int civil_day_of_year (const struct civil *civil); /* from 1 */
/* The ISO 8601 week and the year it belongs to. */
int civil_week (const struct civil *civil, int64_t *week_year);

/* Months later (or earlier), on the last day of the month where it is shorter. */
struct civil civil_add_months (struct civil civil, int64_t months);

#endif
