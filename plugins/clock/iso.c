#include "iso.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const char *from, *at, *end;
  struct iso_fault *fault;
};

__attribute__ ((format (printf, 2, 3))) static bool
fault (struct reader *r, const char *fmt, ...)
{
  va_list args;

  r->fault->position = (size_t) (r->at - r->from) + 1;
  va_start (args, fmt);
  (void) vsnprintf (r->fault->text, sizeof r->fault->text, fmt, args);
  va_end (args);
  return false;
}

static char
peek (const struct reader *r)
{
  return r->at < r->end ? *r->at : '\0';
}

static bool
pass (struct reader *r, char c)
{
  if (r->at == r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

static bool
pass_any (struct reader *r, const char *chars)
{
  if (r->at == r->end || *r->at == '\0' || strchr (chars, *r->at) == NULL)
    return false;
  r->at++;
  return true;
}

static bool
digit_next (const struct reader *r)
{
  return r->at < r->end && isdigit ((unsigned char) *r->at);
}

/* Exactly so many digits, a number within bounds. */
static bool
read_field (struct reader *r, int digits, int min, int max, const char *what, int *value)
{
  struct reader start = *r;

  *value = 0;
  for (int i = 0; i < digits; i++) {
    if (!digit_next (r))
      return fault (r, "expected the %s as %d digits", what, digits);
    *value = *value * 10 + (*r->at++ - '0');
  }
  if (*value < min || *value > max)
    return fault (&start, "the %s goes from %d to %d, got %d", what, min, max, *value);
  return true;
}

/* After '.' or ',': up to nine digits count. */
static bool
read_fraction (struct reader *r, int32_t *nanos)
{
  int32_t unit = NANOS / 10;

  *nanos = 0;
  if (!digit_next (r))
    return fault (r, "expected digits after the decimal point");
  for (; digit_next (r); r->at++, unit /= 10)
    *nanos += (*r->at - '0') * unit;
  return true;
}

/* ---- times ---- */

static bool
read_date (struct reader *r, struct civil *civil, bool *extended)
{
  int year;
  struct reader day;

  if (!read_field (r, 4, YEAR_MIN, YEAR_MAX, "year", &year))
    return false;
  *extended = pass (r, '-');
  if (!read_field (r, 2, 1, 12, "month", &civil->month))
    return false;
  if (*extended && !pass (r, '-'))
    return fault (r, "expected \"-\" and the day");
  day = *r;
  if (!read_field (r, 2, 1, 31, "day", &civil->day))
    return false;
  civil->year = year;
  if (civil->day > civil_month_days (year, civil->month))
    return fault (&day, "month %d of %d has %d days, got %d", civil->month, year,
                  civil_month_days (year, civil->month), civil->day);
  return true;
}

static bool
read_seconds (struct reader *r, struct iso_time *time)
{
  if (peek (r) == '6' && r->end - r->at > 1 && r->at[1] == '0')
    return fault (r, "leap seconds have no place in Unix time; use 59");
  if (!read_field (r, 2, 0, 59, "second", &time->civil.second))
    return false;
  return !pass_any (r, ".,") || read_fraction (r, &time->nanos);
}

static bool
read_clock (struct reader *r, struct iso_time *time, bool extended)
{
  if (peek (r) == '2' && r->end - r->at > 1 && r->at[1] == '4')
    return fault (r, "the hour goes from 0 to 23; the end of a day is 00:00 of the next one");
  if (!read_field (r, 2, 0, 23, "hour", &time->civil.hour))
    return false;
  if (extended && !pass (r, ':'))
    return fault (r, "expected \":\" and the minute");
  if (!read_field (r, 2, 0, 59, "minute", &time->civil.minute))
    return false;
  if (extended ? pass (r, ':') : digit_next (r))
    return read_seconds (r, time);
  return true;
}

/* "Z", "+02:00", "+0200", "+02", "+00:09:21"; *there: was there one? */
static bool
read_offset (struct reader *r, int32_t *offset, bool *there)
{
  bool west;
  int hours, minutes = 0, seconds = 0;

  *offset = 0;
  *there = pass_any (r, "Zz");
  if (*there || (peek (r) != '+' && peek (r) != '-'))
    return true;
  *there = true;
  west = *r->at++ == '-';
  if (!read_field (r, 2, 0, 23, "hours of the offset", &hours))
    return false;
  if ((pass (r, ':') || digit_next (r))
      && !read_field (r, 2, 0, 59, "minutes of the offset", &minutes))
    return false;
  if (pass (r, ':') && !read_field (r, 2, 0, 59, "seconds of the offset", &seconds))
    return false;
  *offset = (west ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
  return true;
}

static bool
read_end (struct reader *r)
{
  return r->at == r->end || fault (r, "expected the end here");
}

static bool
read_unix (struct reader *r, struct iso_time *time)
{
  static const int64_t limit = 253402300799; /* 9999-12-31T23:59:59Z */
  bool negative = pass (r, '-');

  if (!digit_next (r))
    return fault (r, "expected seconds since 1970 as digits after \"@\"");
  for (; digit_next (r) && time->seconds <= limit; r->at++)
    time->seconds = time->seconds * 10 + (*r->at - '0');
  if (time->seconds > limit)
    return fault (r, "Unix times go to %" PRId64, limit);
  if (pass (r, '.') && !read_fraction (r, &time->nanos))
    return false;
  if (negative) {
    time->seconds = -time->seconds - (time->nanos > 0);
    time->nanos = time->nanos > 0 ? NANOS - time->nanos : 0;
  }
  time->kind = ISO_UNIX;
  return read_end (r);
}

bool
iso_time_read (struct iso_time *time, const char *text, size_t len, struct iso_fault *fault_out)
{
  struct reader r = { text, text, text + len, fault_out };
  bool extended, with_offset;

  *time = (struct iso_time){ 0 };
  if (len == 3 && memcmp (text, "now", 3) == 0) {
    time->kind = ISO_NOW;
    return true;
  }
  if (pass (&r, '@'))
    return read_unix (&r, time);
  if (!read_date (&r, &time->civil, &extended))
    return false;
  if (r.at == r.end)
    return true;
  if (!pass_any (&r, "Tt "))
    return fault (&r, "expected \"T\" and the time of day");
  if (!read_clock (&r, time, extended) || !read_offset (&r, &time->offset, &with_offset))
    return false;
  time->kind = with_offset ? ISO_OFFSET : ISO_LOCAL;
  return read_end (&r);
}

bool
iso_offset_read (int32_t *offset, const char *text, size_t len)
{
  struct iso_fault ignored;
  struct reader r = { text, text, text + len, &ignored };
  bool there;

  return read_offset (&r, offset, &there) && there && r.at == r.end;
}

/* ---- durations ---- */

static const struct part {
  char letter;
  bool of_time; /* after "T" */
  int seconds;  /* of units that may have a fraction, else 0 */
  size_t member;
} parts[] = {
  { 'Y', false, 0, offsetof (struct iso_duration, years) },
  { 'M', false, 0, offsetof (struct iso_duration, months) },
  { 'W', false, 0, offsetof (struct iso_duration, weeks) },
  { 'D', false, 0, offsetof (struct iso_duration, days) },
  { 'H', true, 3600, offsetof (struct iso_duration, hours) },
  { 'M', true, 60, offsetof (struct iso_duration, minutes) },
  { 'S', true, 1, offsetof (struct iso_duration, seconds) },
};
enum { PARTS = sizeof parts / sizeof *parts };

static int64_t *
part_of (struct iso_duration *duration, const struct part *part)
{
  return (int64_t *) (void *) ((char *) duration + part->member);
}

/* Digits, up to 12 of them. */
static bool
read_amount (struct reader *r, int64_t *amount)
{
  const char *from = r->at;

  if (!digit_next (r))
    return fault (r, "expected a number and one of Y M W D, or \"T\" and one of H M S");
  for (*amount = 0; digit_next (r); r->at++) {
    if (r->at - from == 12)
      return fault (r, "a number has at most 12 digits here");
    *amount = *amount * 10 + (*r->at - '0');
  }
  return true;
}

/* The part whose letter comes next, `from` or a later one. */
static bool
read_letter (struct reader *r, bool of_time, size_t from, size_t *found)
{
  for (size_t i = 0; i < PARTS; i++) {
    if (parts[i].of_time != of_time || parts[i].letter != toupper ((unsigned char) peek (r)))
      continue;
    if (i < from)
      return fault (r, "the parts go Y M W D T H M S, each of them once");
    r->at++;
    *found = i;
    return true;
  }
  return fault (r, of_time ? "expected H, M or S after the number"
                           : "expected Y, M, W or D after the number; hours, minutes and seconds "
                             "follow a \"T\"");
}

/* A fraction of an hour, minute or second; it ends the duration. */
static bool
add_fraction (struct reader *r, struct iso_duration *duration, const struct part *part,
              int32_t fraction)
{
  int64_t nanos = (int64_t) fraction * part->seconds;

  if (part->seconds == 0)
    return fault (r, "only hours, minutes and seconds can have a fraction");
  duration->seconds += nanos / NANOS;
  duration->nanos = (int32_t) (nanos % NANOS);
  return r->at == r->end || fault (r, "only the last part can have a fraction");
}

static bool
read_parts (struct reader *r, struct iso_duration *duration)
{
  bool of_time = false;
  size_t next = 0;

  do {
    int64_t amount = 0;
    int32_t fraction = 0;
    bool fractional;

    if (!of_time && pass_any (r, "Tt"))
      of_time = true;
    if (!read_amount (r, &amount))
      return false;
    fractional = pass_any (r, ".,");
    if ((fractional && !read_fraction (r, &fraction)) || !read_letter (r, of_time, next, &next))
      return false;
    *part_of (duration, &parts[next]) = amount;
    if (fractional && !add_fraction (r, duration, &parts[next], fraction))
      return false;
    next++;
  } while (r->at < r->end);
  return true;
}

bool
iso_duration_read (struct iso_duration *duration, const char *text, size_t len,
                   struct iso_fault *fault_out)
{
  struct reader r = { text, text, text + len, fault_out };
  bool negative = pass (&r, '-');

  *duration = (struct iso_duration){ 0 };
  if (!negative)
    (void) pass (&r, '+');
  if (!pass_any (&r, "Pp"))
    return fault (&r, "expected \"P\": a duration is written like P1DT2H30M");
  if (!read_parts (&r, duration))
    return false;
  for (size_t i = 0; negative && i < PARTS; i++)
    *part_of (duration, &parts[i]) = -*part_of (duration, &parts[i]);
  if (negative)
    duration->nanos = -duration->nanos;
  return true;
}

/* ---- writing ---- */

static void
write_fraction (struct text *out, int32_t nanos)
{
  char digits[16];
  size_t len = 9;

  if (nanos == 0)
    return;
  (void) snprintf (digits, sizeof digits, "%09" PRId32, nanos);
  while (digits[len - 1] == '0')
    len--;
  text_add (out, ".");
  text_add_len (out, digits, len);
}

void
iso_time_write (struct text *out, const struct civil *civil, int32_t nanos)
{
  text_addf (out, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", civil->year, civil->month, civil->day,
             civil->hour, civil->minute, civil->second);
  write_fraction (out, nanos);
}

void
iso_offset_write (struct text *out, int32_t offset)
{
  int32_t size = abs (offset);

  text_addf (out, "%c%02" PRId32 ":%02" PRId32, offset < 0 ? '-' : '+', size / 3600,
             size / 60 % 60);
  if (size % 60 != 0)
    text_addf (out, ":%02" PRId32, size % 60);
}

void
iso_duration_write (struct text *out, const struct iso_duration *duration)
{
  struct iso_duration d = *duration;
  bool negative = d.nanos < 0, of_time = false;
  size_t start;

  for (size_t i = 0; i < PARTS; i++)
    negative |= *part_of (&d, &parts[i]) < 0;
  text_add (out, negative ? "-P" : "P");
  start = out->len;
  for (size_t i = 0; i < PARTS; i++) {
    int64_t amount = llabs (*part_of (&d, &parts[i]));
    bool fraction = parts[i].seconds == 1 && d.nanos != 0;

    if (amount == 0 && !fraction)
      continue;
    if (parts[i].of_time && !of_time)
      text_add (out, "T");
    of_time |= parts[i].of_time;
    text_addf (out, "%" PRId64, amount);
    if (fraction)
      write_fraction (out, abs (d.nanos));
    text_addf (out, "%c", parts[i].letter);
  }
  if (out->len == start)
    text_add (out, "T0S");
}
