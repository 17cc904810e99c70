#include <string.h>

#include "schema/format/kinds.h"

enum { DATE_LEN = 10, MINUTES_OF_DAY = 24 * 60 };

/* The number of two digits, at least 100 when they are none. */
static inline unsigned
two_digits (const char *p)
{
  unsigned tens = (unsigned char) p[0] - (unsigned) '0';
  unsigned ones = (unsigned char) p[1] - (unsigned) '0';
  return tens < 10 && ones < 10 ? tens * 10 + ones : 100;
}

static inline unsigned
days_of (unsigned year, unsigned month)
{
  static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (unsigned) (leap && month == 2);
}

/* full-date, of the ten bytes at `p`. */
static inline bool
is_full_date (const char *p)
{
  unsigned century = two_digits (p), of_century = two_digits (p + 2);
  unsigned month = two_digits (p + 5), day = two_digits (p + 8);

  if (century > 99 || of_century > 99 || p[4] != '-' || p[7] != '-')
    return false;
  return month >= 1 && month <= 12 && day >= 1
         && day <= days_of (century * 100 + of_century, month);
}

/* time-offset, which is all of the rest; its minutes east of Greenwich go to *offset. */
static bool
is_offset (const char *p, const char *end, int *offset)
{
  unsigned hours, minutes;

  if (end - p == 1) {
    *offset = 0;
    return (p[0] | 32) == 'z';
  }
  if (end - p != 6 || (p[0] != '+' && p[0] != '-') || p[3] != ':')
    return false;
  hours = two_digits (p + 1);
  minutes = two_digits (p + 4);
  *offset = (int) (hours * 60 + minutes);
  if (p[0] == '-')
    *offset = -*offset;
  return hours < 24 && minutes < 60;
}

/* Second 60 is there only at the end of a day in UTC (RFC 3339, 5.7).  Which days had one is not
 * looked at: nobody knows that of the future. */
static bool
may_leap (unsigned hour, unsigned minute, int offset)
{
  int utc = (int) (hour * 60 + minute) - offset + MINUTES_OF_DAY;
  return utc % MINUTES_OF_DAY == MINUTES_OF_DAY - 1;
}

bool
format_is_time (const char *text, size_t len)
{
  enum { CLOCK_LEN = 8 };
  const char *p = text + CLOCK_LEN, *end = text + len;
  unsigned hour, minute, second;
  int offset;

  if (len <= CLOCK_LEN || text[2] != ':' || text[5] != ':')
    return false;
  hour = two_digits (text);
  minute = two_digits (text + 3);
  second = two_digits (text + 6);
  if (hour > 23 || minute > 59 || second > 60)
    return false;
  if (*p == '.') {
    const char *fraction = p + 1;
    p = format_skip (fraction, end, CHAR_DIGIT);
    if (p == fraction)
      return false;
  }
  return is_offset (p, end, &offset) && (second < 60 || may_leap (hour, minute, offset));
}

bool
format_is_date (const char *text, size_t len)
{
  return len == DATE_LEN && is_full_date (text);
}

bool
format_is_date_time (const char *text, size_t len)
{
  return len > DATE_LEN && (text[DATE_LEN] | 32) == 't' && is_full_date (text)
         && format_is_time (text + DATE_LEN + 1, len - DATE_LEN - 1);
}

/* Behind numbers with units, which stand in the order of `units` and leave none out in between
 * ("1Y2M", but not "1Y2D"); NULL: there is none, or something is wrong. */
static const char *
skip_units (const char *p, const char *end, const char *units)
{
  const char *next = NULL; /* the unit to come; at first any */

  while (p < end && format_char_is (*p, CHAR_DIGIT)) {
    p = format_skip (p, end, CHAR_DIGIT);
    if (p == end || *p == '\0')
      return NULL;
    const char *unit = strchr (units, *p);
    if (unit == NULL || (next != NULL && unit != next))
      return NULL;
    next = unit + 1;
    p++;
  }
  return next != NULL ? p : NULL;
}

/* dur-date, dur-time or dur-week. */
bool
format_is_duration (const char *text, size_t len)
{
  const char *p = text, *end = text + len;

  if (len < 3 || *p++ != 'P')
    return false;
  if (end[-1] == 'W')
    return skip_units (p, end, "W") == end;
  if (*p != 'T')
    p = skip_units (p, end, "YMD");
  if (p == NULL || p == end)
    return p != NULL;
  return *p == 'T' && skip_units (p + 1, end, "HMS") == end;
}
