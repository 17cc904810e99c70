#include "civil.h"

/* The Gregorian calendar repeats after 400 years. */
enum { ERA_YEARS = 400, ERA_DAYS = 146097, EPOCH_DAYS = 719468 /* 0000-03-01 to 1970-01-01 */ };

static int64_t
floor_div (int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

int64_t
civil_days (int64_t year, int month, int day)
{
  /* Years that begin in March have their leap day at the end. */
  int64_t y = month <= 2 ? year - 1 : year;
  int64_t era = floor_div (y, ERA_YEARS);
  int64_t year_of_era = y - era * ERA_YEARS;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

  return era * ERA_DAYS + day_of_era - EPOCH_DAYS;
}

static struct civil
from_days (int64_t days)
{
  int64_t z = days + EPOCH_DAYS;
  int64_t era = floor_div (z, ERA_DAYS);
  int64_t day_of_era = z - era * ERA_DAYS;
  int64_t year_of_era =
    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153; /* March is 0 */
  struct civil civil = { .day = (int) (day_of_year - (153 * month + 2) / 5 + 1) };

  civil.month = (int) (month < 10 ? month + 3 : month - 9);
  civil.year = year_of_era + era * ERA_YEARS + (civil.month <= 2);
  return civil;
}

int64_t
civil_to_seconds (const struct civil *civil)
{
  return civil_days (civil->year, civil->month, civil->day) * DAY_SECONDS + civil->hour * 3600
         + civil->minute * 60 + civil->second;
}

struct civil
civil_from_seconds (int64_t seconds)
{
  int64_t days = floor_div (seconds, DAY_SECONDS);
  int rest = (int) (seconds - days * DAY_SECONDS);
  struct civil civil = from_days (days);

  civil.hour = rest / 3600;
  civil.minute = rest / 60 % 60;
  civil.second = rest % 60;
  return civil;
}

bool
civil_in_range (const struct civil *civil)
{
  return civil->year >= YEAR_MIN && civil->year <= YEAR_MAX;
}

bool
civil_leap_year (int64_t year)
{
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int
civil_month_days (int64_t year, int month)
{
  static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  return days[month - 1] + (month == 2 && civil_leap_year (year));
}

int
civil_weekday (const struct civil *civil)
{
  /* 1970-01-01 was a Thursday. */
  int64_t days = civil_days (civil->year, civil->month, civil->day) + 3;
  return (int) (days - floor_div (days, 7) * 7) + 1;
}

int
civil_day_of_year (const struct civil *civil)
{
  return (int) (civil_days (civil->year, civil->month, civil->day) - civil_days (civil->year, 1, 1))
         + 1;
}

int
civil_week (const struct civil *civil, int64_t *week_year)
{
  /* A week belongs to the year that its Thursday is in. */
  int64_t days = civil_days (civil->year, civil->month, civil->day) + 4 - civil_weekday (civil);
  struct civil thursday = from_days (days);

  *week_year = thursday.year;
  return (civil_day_of_year (&thursday) - 1) / 7 + 1;
}

struct civil
civil_add_months (struct civil civil, int64_t months)
{
  int64_t month = civil.year * 12 + civil.month - 1 + months;
  int last;

  civil.year = floor_div (month, 12);
  civil.month = (int) (month - civil.year * 12) + 1;
  last = civil_month_days (civil.year, civil.month);
  if (civil.day > last)
    civil.day = last;
  return civil;
}
