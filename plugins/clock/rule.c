#include "rule.h"

#include <ctype.h>
#include <string.h>

#include "civil.h"

/* ---- reading ---- */

struct reader {
  const char *at, *end;
};

static bool
pass (struct reader *r, char c)
{
  if (r->at == r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

static bool
read_number (struct reader *r, int min, int max, int *value)
{
  const char *from = r->at;

  *value = 0;
  while (r->at < r->end && isdigit ((unsigned char) *r->at) && r->at - from < 3)
    *value = *value * 10 + (*r->at++ - '0');
  return r->at > from && *value >= min && *value <= max;
}

/* "CEST" or "<+1030>". */
static bool
read_abbreviation (struct reader *r, struct local_type *type)
{
  bool quoted = pass (r, '<');
  const char *from = r->at;
  size_t len;

  while (r->at < r->end
         && (isalpha ((unsigned char) *r->at)
             || (quoted && (isdigit ((unsigned char) *r->at) || *r->at == '+' || *r->at == '-'))))
    r->at++;
  len = (size_t) (r->at - from);
  if (len < 3 || len > ABBREVIATION_MAX || (quoted && !pass (r, '>')))
    return false;
  memcpy (type->abbreviation, from, len);
  type->abbreviation[len] = '\0';
  return true;
}

/* "[+-]hh[:mm[:ss]]" as seconds. */
static bool
read_time (struct reader *r, int max_hours, int32_t *seconds)
{
  bool negative = pass (r, '-');
  int hours, minutes = 0, rest = 0;

  if (!negative)
    (void) pass (r, '+');
  if (!read_number (r, 0, max_hours, &hours))
    return false;
  if (pass (r, ':')) {
    if (!read_number (r, 0, 59, &minutes))
      return false;
    if (pass (r, ':') && !read_number (r, 0, 59, &rest))
      return false;
  }
  *seconds = hours * 3600 + minutes * 60 + rest;
  if (negative)
    *seconds = -*seconds;
  return true;
}

static bool
read_day (struct reader *r, struct rule_day *day)
{
  bool ok;

  if (pass (r, 'M')) {
    day->kind = RULE_MONTH;
    ok = read_number (r, 1, 12, &day->month) && pass (r, '.') && read_number (r, 1, 5, &day->week)
         && pass (r, '.') && read_number (r, 0, 6, &day->weekday);
  }
  else {
    day->kind = pass (r, 'J') ? RULE_JULIAN : RULE_DAY;
    ok = read_number (r, day->kind == RULE_JULIAN, 365, &day->day);
  }
  day->time = 2 * 3600;
  return ok && (!pass (r, '/') || read_time (r, 167, &day->time));
}

bool
rule_read (struct rule *rule, const char *text, size_t len)
{
  struct reader r = { text, text + len };
  int32_t west;

  *rule = (struct rule){ 0 };
  if (!read_abbreviation (&r, &rule->standard) || !read_time (&r, 24, &west))
    return false;
  rule->standard.offset = -west;
  if (r.at == r.end)
    return true;
  rule->has_dst = true;
  rule->dst.dst = true;
  rule->dst.offset = rule->standard.offset + 3600;
  if (!read_abbreviation (&r, &rule->dst))
    return false;
  if (r.at < r.end && *r.at != ',') {
    if (!read_time (&r, 24, &west))
      return false;
    rule->dst.offset = -west;
  }
  return pass (&r, ',') && read_day (&r, &rule->start) && pass (&r, ',')
         && read_day (&r, &rule->end) && r.at == r.end;
}

/* ---- using ---- */

/* Days since 1970-01-01 of the day in a year. */
static int64_t
day_in_year (const struct rule_day *day, int64_t year)
{
  int64_t first = civil_days (year, 1, 1);
  int weekday, date;

  if (day->kind == RULE_DAY)
    return first + day->day;
  if (day->kind == RULE_JULIAN)
    return first + day->day - 1 + (civil_leap_year (year) && day->day >= 60);
  weekday = civil_weekday (&(struct civil){ .year = year, .month = day->month, .day = 1 });
  date = 1 + (day->weekday - weekday + 7) % 7 + 7 * (day->week - 1);
  while (date > civil_month_days (year, day->month))
    date -= 7;
  return civil_days (year, day->month, date);
}

struct change {
  int64_t at;
  const struct local_type *to;
};

enum { CHANGES = 6 };

/* The changes of the year that a moment is in and of its neighbours, in their order. */
static void
changes_around (const struct rule *rule, int64_t seconds, struct change changes[CHANGES])
{
  int64_t year = civil_from_seconds (seconds).year;
  size_t n = 0;

  for (int64_t y = year - 1; y <= year + 1; y++) {
    /* A year's end goes first: where it meets a start, DST goes on all year. */
    const struct change two[2] = {
      { day_in_year (&rule->end, y) * DAY_SECONDS + rule->end.time - rule->dst.offset,
        &rule->standard },
      { day_in_year (&rule->start, y) * DAY_SECONDS + rule->start.time - rule->standard.offset,
        &rule->dst }
    };

    for (size_t i = 0; i < 2; i++) {
      size_t place = n++;

      for (; place > 0 && changes[place - 1].at > two[i].at; place--)
        changes[place] = changes[place - 1];
      changes[place] = two[i];
    }
  }
}

const struct local_type *
rule_at (const struct rule *rule, int64_t seconds)
{
  struct change changes[CHANGES];
  size_t n = CHANGES;

  if (!rule->has_dst)
    return &rule->standard;
  changes_around (rule, seconds, changes);
  while (n > 1 && changes[n - 1].at > seconds)
    n--;
  return changes[n - 1].to;
}

bool
rule_next (const struct rule *rule, int64_t seconds, int64_t *next)
{
  struct change changes[CHANGES];

  if (!rule->has_dst)
    return false;
  changes_around (rule, seconds, changes);
  for (size_t i = 0; i < CHANGES; i++)
    if (changes[i].at > seconds) {
      *next = changes[i].at;
      return true;
    }
  return false;
}
