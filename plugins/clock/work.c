#include "work.h"

#include <time.h>

struct moment
work_now (const struct work *work)
{
  struct timespec ts;

  if (work->clock->stopped)
    return work->clock->now;
  (void) clock_gettime (CLOCK_REALTIME, &ts);
  /* Nobody needs more than milliseconds of a time that took a call to get here. */
  return (struct moment){ ts.tv_sec, (int32_t) (ts.tv_nsec / 1000000 * 1000000) };
}

toolhost_status
work_fail_range (struct work *work)
{
  return toolhost_fail (work->call, "clock_out_of_range",
                        "the result is outside the years %d to %d", YEAR_MIN, YEAR_MAX);
}

/* ---- local times ---- */

static void
note (struct work *work, const char *text)
{
  if (work->notes.len == 0)
    json_open (&work->notes, '[');
  json_string (&work->notes, text);
  text_addf (&work->said, "\nNote: %s", text);
}

static void
note_twice (struct work *work, const struct zone *zone, int64_t local,
            const struct zone_moments *moments, bool later)
{
  CLEANUP_TEXT struct text text = { 0 };
  struct civil civil = civil_from_seconds (local);

  iso_time_write (&text, &civil, 0);
  text_addf (&text, " happens twice in %s; took the %s one, ", zone_name (zone),
             later ? "later" : "earlier");
  iso_offset_write (&text, (int32_t) (local - (later ? moments->later : moments->earlier)));
  text_addf (&text, "; the %s one is ", later ? "earlier" : "later");
  iso_offset_write (&text, (int32_t) (local - (later ? moments->earlier : moments->later)));
  note (work, text_get (&text));
}

static void
note_never (struct work *work, const struct zone *zone, int64_t local,
            const struct zone_moments *moments)
{
  CLEANUP_TEXT struct text text = { 0 };
  struct civil civil = civil_from_seconds (local);
  int64_t gap = moments->later - moments->earlier;
  struct iso_duration by = { .hours = gap / 3600, .minutes = gap / 60 % 60, .seconds = gap % 60 };

  iso_time_write (&text, &civil, 0);
  text_addf (&text, " does not exist in %s, where clocks are set forward by ", zone_name (zone));
  iso_duration_write (&text, &by);
  text_add (&text, " over it; moved forward by as much");
  note (work, text_get (&text));
}

/* The moment of a local time; when there are two, the one the caller asked for; when there is none,
 * the one that is as much later as clocks are set forward. */
static int64_t
moment_of_local (struct work *work, const struct zone *zone, int64_t local)
{
  struct zone_moments moments = zone_find (zone, local);
  bool later = strcmp (toolhost_arg_string_or (work->call, "ambiguous", "earlier"), "later") == 0;

  if (moments.times == 0)
    note_never (work, zone, local, &moments);
  else if (moments.earlier != moments.later)
    note_twice (work, zone, local, &moments, later);
  return moments.times == 0 || later ? moments.later : moments.earlier;
}

toolhost_status
work_moment (struct work *work, const char *member, const struct zone *zone, struct moment *moment)
{
  struct iso_time time;
  struct iso_fault fault;
  size_t len;
  const char *text = toolhost_arg_string_len (work->call, member, &len);

  if (text == NULL || !iso_time_read (&time, text, len, &fault)) {
    *moment = work_now (work);
    return TOOLHOST_OK;
  }
  *moment = (struct moment){ time.seconds, time.nanos };
  if (time.kind == ISO_NOW)
    *moment = work_now (work);
  else if (time.kind == ISO_OFFSET)
    moment->seconds = civil_to_seconds (&time.civil) - time.offset;
  else if (time.kind == ISO_LOCAL && zone != NULL)
    moment->seconds = moment_of_local (work, zone, civil_to_seconds (&time.civil));
  else if (time.kind == ISO_LOCAL)
    return toolhost_fail (work->call, "clock_zone_needed",
                          "\"%s\" has no offset: say its zone with \"%s\", or write it with an "
                          "offset or Z",
                          member, toolhost_has_arg (work->call, "to") ? "from" : "zone");
  return TOOLHOST_OK;
}

void
work_zone_cleanup (struct zone **zone)
{
  zone_free (*zone);
}
/* ---- arguments ---- */

toolhost_status
work_zone (struct work *work, const char *member, struct zone **zone)
{
  const char *otherwise = work->clock->zone.len > 0 ? text_get (&work->clock->zone) : NULL;
  const char *name = toolhost_arg_string_or (work->call, member, otherwise);
  struct zones_fault fault = { 0 };
  toolhost_status status = TOOLHOST_OK;

  *zone = NULL;
  if (name == NULL && toolhost_has_arg (work->call, member))
    return toolhost_fail (work->call, "clock_unknown_zone", "a zone's name holds no U+0000");
  if (name == NULL)
    return TOOLHOST_OK;
  *zone = zones_get (&work->clock->zones, name, &fault);
  if (*zone == NULL)
    status = toolhost_fail (work->call, fault.code, "%s", text_get (&fault.text));
  text_free (&fault.text);
  return status;
}

struct zone *
work_zone_of_time (struct work *work)
{
  struct iso_time time = { 0 };
  struct iso_fault fault;
  CLEANUP_TEXT struct text name = { 0 };
  size_t len;
  const char *text = toolhost_arg_string_len (work->call, "time", &len);

  if (text == NULL || !iso_time_read (&time, text, len, &fault) || time.kind != ISO_OFFSET
      || time.offset == 0)
    return zone_fixed ("UTC", 0, "UTC");
  iso_offset_write (&name, time.offset);
  return zone_fixed (text_get (&name), time.offset, "");
}

/* ---- arithmetic ---- */

/* Set the nanoseconds right. */
static struct moment
settled (int64_t seconds, int64_t nanos)
{
  seconds += nanos / NANOS;
  nanos %= NANOS;
  if (nanos < 0) {
    nanos += NANOS;
    seconds--;
  }
  return (struct moment){ seconds, (int32_t) nanos };
}

/* The local time that is months and days later by the calendar; false: out of range. */
static bool
calendar_later (const struct zone *zone, int64_t seconds, int64_t months, int64_t days,
                int64_t *local)
{
  struct civil civil = civil_from_seconds (seconds + zone_at (zone, seconds)->offset);

  civil = civil_add_months (civil, months);
  if (!civil_in_range (&civil))
    return false;
  *local = civil_to_seconds (&civil) + days * DAY_SECONDS;
  civil = civil_from_seconds (*local);
  return civil_in_range (&civil);
}

bool
work_add (struct work *work, const struct zone *zone, const struct iso_duration *d,
          struct moment *moment)
{
  enum { AMOUNT_MAX = 4000000 }; /* more days than there are in range */
  int64_t exact, local;
  int64_t months = d->years * 12 + d->months, days = d->weeks * 7 + d->days;

  if (months != 0 || days != 0) {
    if (months > AMOUNT_MAX || months < -AMOUNT_MAX || days > AMOUNT_MAX || days < -AMOUNT_MAX
        || !calendar_later (zone, moment->seconds, months, days, &local))
      return false;
    moment->seconds = moment_of_local (work, zone, local);
  }
  exact = d->hours * 3600 + d->minutes * 60 + d->seconds;
  *moment = settled (moment->seconds + exact, (int64_t) moment->nanos + d->nanos);
  return true;
}

/* The moment that is months and days later; local times that do not exist or exist twice count as
 * in work_add. */
static int64_t
later_moment (const struct zone *zone, int64_t seconds, int64_t months, int64_t days)
{
  int64_t local;
  struct zone_moments moments;

  if (!calendar_later (zone, seconds, months, days, &local))
    return INT64_MAX;
  if (months == 0 && days == 0)
    return seconds;
  moments = zone_find (zone, local);
  return moments.times == 0 ? moments.later : moments.earlier;
}

/* Months since the year 0, by the zone's clocks. */
static int64_t
month_number (const struct zone *zone, int64_t seconds)
{
  struct civil civil = civil_from_seconds (seconds + zone_at (zone, seconds)->offset);
  return civil.year * 12 + civil.month;
}

/* Forwards only. */
static struct iso_duration
between (const struct zone *zone, struct moment from, struct moment until)
{
  struct iso_duration d = { 0 };
  /* What is left must not be less than the fractions, which are taken off last. */
  int64_t end = until.seconds - (until.nanos < from.nanos);
  int64_t rest, days = 31;
  int64_t months = month_number (zone, end) - month_number (zone, from.seconds);

  while (months > 0 && later_moment (zone, from.seconds, months, 0) > end)
    months--;
  while (days > 0 && later_moment (zone, from.seconds, months, days) > end)
    days--;
  rest = end - later_moment (zone, from.seconds, months, days);
  d.years = months / 12;
  d.months = months % 12;
  d.days = days;
  d.hours = rest / 3600;
  d.minutes = rest / 60 % 60;
  d.seconds = rest % 60;
  d.nanos = until.nanos - from.nanos + (until.nanos < from.nanos ? NANOS : 0);
  return d;
}

struct iso_duration
work_between (const struct zone *zone, struct moment from, struct moment until)
{
  struct iso_duration d;

  if (until.seconds > from.seconds || (until.seconds == from.seconds && until.nanos >= from.nanos))
    return between (zone, from, until);
  d = between (zone, until, from);
  return (struct iso_duration){ -d.years, -d.months,  0,          -d.days,
                                -d.hours, -d.minutes, -d.seconds, -d.nanos };
}
