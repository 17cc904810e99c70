#include <limits.h>
#include <sys/stat.h>

#include "civil.h"
#include "common/plugin_test.h"
#include "iso.h"
#include "rule.h"
#include "zone.h"

/* The tests of zones need the system's database, as the tool does. */
static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, "{\"now\":\"2025-07-01T10:20:30.4567Z\"}");
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* ---- the calendar ---- */

static void
calendar (void)
{
  CU_ASSERT_EQUAL (civil_days (1970, 1, 1), 0);
  CU_ASSERT_EQUAL (civil_days (2000, 3, 1), 11017);
  CU_ASSERT_EQUAL (civil_days (1, 1, 1), -719162);
  for (int64_t day = -800000; day < 3000000; day += 97) {
    struct civil civil = civil_from_seconds (day * DAY_SECONDS + 12345);

    CU_ASSERT_EQUAL_FATAL (civil_to_seconds (&civil), day * DAY_SECONDS + 12345);
  }
}

static void
weeks (void)
{
  static const struct {
    int64_t year;
    int month, day, weekday, week;
    int64_t week_year;
    int of_year;
  } days[] = {
    { 2025, 1, 1, 3, 1, 2025, 1 },   { 2024, 12, 30, 1, 1, 2025, 365 },
    { 2021, 1, 3, 7, 53, 2020, 3 },  { 2020, 12, 31, 4, 53, 2020, 366 },
    { 2000, 2, 29, 2, 9, 2000, 60 }, { 2023, 1, 1, 7, 52, 2022, 1 },
  };

  for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
    struct civil civil = { .year = days[i].year, .month = days[i].month, .day = days[i].day };
    int64_t week_year;

    CU_ASSERT_EQUAL (civil_weekday (&civil), days[i].weekday);
    CU_ASSERT_EQUAL (civil_week (&civil, &week_year), days[i].week);
    CU_ASSERT_EQUAL (week_year, days[i].week_year);
    CU_ASSERT_EQUAL (civil_day_of_year (&civil), days[i].of_year);
  }
}

/* ---- texts ---- */

static void
times_that_are_none (void)
{
  static const struct {
    const char *text;
    size_t position;
    const char *part;
  } faults[] = {
    { "", 1, "the year as 4 digits" },
    { "25-01-01", 3, "the year as 4 digits" },
    { "2025", 5, "the month as 2 digits" },
    { "2025-13-01", 6, "the month goes from 1 to 12, got 13" },
    { "2025-02-29", 9, "month 2 of 2025 has 28 days, got 29" },
    { "2025-1-1", 7, "the month as 2 digits" },
    { "2025-0101", 8, "expected \"-\" and the day" },
    { "2025-01-32", 9, "the day goes from 1 to 31" },
    { "0000-01-01", 1, "the year goes from 1 to 9999" },
    { "2025-01-01X", 11, "expected \"T\"" },
    { "2025-01-01T", 12, "the hour as 2 digits" },
    { "2025-01-01T24:00", 12, "00:00 of the next one" },
    { "2025-01-01T25:00", 12, "the hour goes from 0 to 23" },
    { "2025-01-01T10", 14, "expected \":\" and the minute" },
    { "2025-01-01T10:60", 15, "the minute goes from 0 to 59" },
    { "2025-01-01T10:00:60Z", 18, "leap seconds" },
    { "2025-01-01T10:00:61", 18, "the second goes from 0 to 59" },
    { "2025-01-01T10:00:00.", 21, "digits after the decimal point" },
    { "2025-01-01T10:00+24:00", 18, "hours of the offset" },
    { "2025-01-01T10:00+01:60", 21, "minutes of the offset" },
    { "2025-01-01T10:00Zx", 18, "expected the end" },
    { "2025-01-01T10:00 CET", 17, "expected the end" },
    { "@", 2, "as digits after \"@\"" },
    { "@99999999999999", 14, "Unix times go to" },
    { "@12x", 4, "expected the end" },
    { "tomorrow", 1, "the year as 4 digits" },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct iso_time time;
    struct iso_fault fault = { 0 };

    CU_ASSERT_FALSE (iso_time_read (&time, faults[i].text, strlen (faults[i].text), &fault));
    if (fault.position != faults[i].position)
      printf ("# %s: position %zu, not %zu\n", faults[i].text, fault.position, faults[i].position);
    CU_ASSERT_EQUAL (fault.position, faults[i].position);
    CU_ASSERT_TRUE (told_part ("fault", faults[i].text, faults[i].part, fault.text));
  }
}

static void
times_are_read (void)
{
  static const struct {
    const char *text, *utc;
  } times[] = {
    { "2025-07-01T12:00:00Z", "2025-07-01T12:00:00Z" },
    { "2025-07-01t12:00:00z", "2025-07-01T12:00:00Z" },
    { "2025-07-01 12:00+02:00", "2025-07-01T10:00:00Z" },
    { "2025-07-01T12:00:00.25-0530", "2025-07-01T17:30:00.25Z" },
    { "2025-07-01T12:00:00,123456789123-05", "2025-07-01T17:00:00.123456789Z" },
    { "20250701T120000Z", "2025-07-01T12:00:00Z" },
    { "20250701T1200Z", "2025-07-01T12:00:00Z" },
    { "1911-03-11T00:00:00+00:09:21", "1911-03-10T23:50:39Z" },
    { "@0", "1970-01-01T00:00:00Z" },
    { "@1700000000.5", "2023-11-14T22:13:20.5Z" },
    { "@-1.25", "1969-12-31T23:59:58.75Z" },
    { "now", "2025-07-01T10:20:30.4567Z" },
  };
  char args[200], part[200];

  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    snprintf (args, sizeof args, "{\"op\":\"convert\",\"time\":\"%s\",\"to\":\"UTC\"}",
              times[i].text);
    snprintf (part, sizeof part, "\"utc\":\"%s\"", times[i].utc);
    CU_ASSERT_TRUE (gives (mock, "clock", args, part));
  }
}

static void
durations (void)
{
  static const struct {
    const char *text, *written;
  } good[] = {
    { "P1Y2M3W4DT5H6M7S", "P1Y2M3W4DT5H6M7S" },
    { "p1d", "P1D" },
    { "-P1M", "-P1M" },
    { "+PT90M", "PT90M" },
    { "PT0S", "PT0S" },
    { "PT1.5H", "PT1H1800S" },
    { "PT0,25S", "PT0.25S" },
    { "-PT0.5S", "-PT0.5S" },
    { "P1M1DT1M", "P1M1DT1M" },
  };
  static const struct {
    const char *text;
    size_t position;
    const char *part;
  } bad[] = {
    { "", 1, "expected \"P\"" },         { "1D", 1, "expected \"P\"" },
    { "P", 2, "expected a number" },     { "PT", 3, "expected a number" },
    { "P1DT", 5, "expected a number" },  { "P1", 3, "expected Y, M, W or D" },
    { "P1H", 3, "follow a \"T\"" },      { "PT1D", 4, "expected H, M or S" },
    { "P1D1M", 5, "each of them once" }, { "PT1S1M", 6, "each of them once" },
    { "P0.5D", 6, "only hours" },        { "PT0.5H1M", 7, "only the last part" },
    { "PT1.H", 5, "after the decimal" }, { "P1234567890123D", 14, "at most 12 digits" },
    { "P-1D", 2, "expected a number" },
  };

  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct iso_duration duration;
    struct iso_fault fault;
    CLEANUP_TEXT struct text written = { 0 };

    CU_ASSERT_TRUE (iso_duration_read (&duration, good[i].text, strlen (good[i].text), &fault));
    iso_duration_write (&written, &duration);
    CU_ASSERT_TRUE (told ("duration", good[i].text, good[i].written, text_get (&written)));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct iso_duration duration;
    struct iso_fault fault = { 0 };

    CU_ASSERT_FALSE (iso_duration_read (&duration, bad[i].text, strlen (bad[i].text), &fault));
    CU_ASSERT_EQUAL (fault.position, bad[i].position);
    CU_ASSERT_TRUE (told_part ("fault", bad[i].text, bad[i].part, fault.text));
  }
}

/* ---- rules and files ---- */

static bool
rule_of (struct rule *rule, const char *text)
{
  return rule_read (rule, text, strlen (text));
}

static void
rules (void)
{
  static const char *const bad[] = { "",
                                     "UT0",
                                     "UTC",
                                     "CET-1CEST",
                                     "CET-1CEST,M3.5.0",
                                     "CET-25",
                                     "CET-1:60",
                                     "CET-1CEST,M13.5.0,M10.5.0",
                                     "CET-1CEST,M3.6.0,M10.5.0",
                                     "<+01-1",
                                     "CET-1CEST,J0,J365",
                                     "CET-1CEST,M3.5.0,M10.5.0/168",
                                     "CET-1CEST,M3.5.0,M10.5.0x" };
  struct rule rule;
  int64_t next;

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CU_ASSERT_FALSE (rule_of (&rule, bad[i]));
  /* Clocks of the whole year on DST, as RFC 8536 writes it. */
  CU_ASSERT_TRUE (rule_of (&rule, "EST5EDT,0/0,J365/25"));
  for (int64_t t = 1700000000; t < 1700000000 + 400 * DAY_SECONDS; t += 1800)
    CU_ASSERT_TRUE_FATAL (rule_at (&rule, t)->dst);
  /* In the south summer spans the turn of the year. */
  CU_ASSERT_TRUE (rule_of (&rule, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
  CU_ASSERT_EQUAL (rule_at (&rule, 1735689600)->offset, 39600);
  CU_ASSERT_EQUAL (rule_at (&rule, 1751328000)->offset, 37800);
  CU_ASSERT_TRUE (rule_next (&rule, 1735689600, &next));
  CU_ASSERT_EQUAL (next, 1743865200);
  /* J60 is March 1 also in leap years, 59 is not. */
  CU_ASSERT_TRUE (rule_of (&rule, "AAA0BBB,J60/0,J300/0"));
  CU_ASSERT_TRUE (rule_next (&rule, 1704067200, &next));
  CU_ASSERT_EQUAL (next, 1709251200);
  CU_ASSERT_TRUE (rule_of (&rule, "AAA0BBB,59/0,300/0"));
  CU_ASSERT_TRUE (rule_next (&rule, 1704067200, &next));
  CU_ASSERT_EQUAL (next, 1709164800);
}

static size_t
read_zone_file (const char *name, unsigned char *data, size_t size)
{
  char path[200];
  FILE *file;
  size_t len;

  snprintf (path, sizeof path, "/usr/share/zoneinfo/%s", name);
  file = fopen (path, "r");
  if (file == NULL)
    return 0;
  len = fread (data, 1, size, file);
  fclose (file);
  return len;
}

/* Every head of a good file and every file with one byte changed: refused or used, never a crash.
 */
static void
damaged_files (void)
{
  static unsigned char data[10000];
  size_t len = read_zone_file ("Europe/Paris", data, sizeof data);
  const char *why;

  CU_ASSERT_TRUE_FATAL (len > 44);
  for (size_t head = 0; head < len; head++) {
    unsigned char *copy = malloc (head + 1);

    memcpy (copy, data, head);
    CU_ASSERT_PTR_NULL (zone_read ("x", copy, head, &why));
    free (copy);
  }
  for (size_t at = 0; at < len; at++) {
    unsigned char kept = data[at];
    struct zone *zone;

    data[at] ^= 0x81;
    zone = zone_read ("x", data, len, &why);
    if (zone != NULL) {
      (void) zone_at (zone, 1700000000);
      (void) zone_find (zone, 1700000000);
      zone_free (zone);
    }
    data[at] = kept;
  }
}

/* ---- the tool ---- */

struct example {
  const char *args, *text;
};

static void
check_says (const struct example *examples, size_t count)
{
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_TRUE (says (mock, "clock", examples[i].args, examples[i].text));
}

static void
check_gives (const struct example *examples, size_t count)
{
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_TRUE (gives (mock, "clock", examples[i].args, examples[i].text));
}

static void
op_now (void)
{
  static const struct example examples[] = {
    { "{\"op\":\"now\"}", "2025-07-01T10:20:30.4567Z (Tuesday, UTC)" },
    { "{\"op\":\"now\",\"zone\":\"UTC\"}", "2025-07-01T10:20:30.4567Z (Tuesday, UTC)" },
    { "{\"op\":\"now\",\"zone\":\"+05:30\"}", "2025-07-01T15:50:30.4567+05:30 (Tuesday, +05:30)" },
    { "{\"op\":\"now\",\"zone\":\"Europe/Paris\"}",
      "2025-07-01T12:20:30.4567+02:00 (Tuesday, Europe/Paris, CEST)" },
    { "{\"op\":\"now\",\"zone\":\"Asia/Kathmandu\"}",
      "2025-07-01T16:05:30.4567+05:45 (Tuesday, Asia/Kathmandu)" },
    { "{\"op\":\"now\",\"zone\":\"America/New_York\"}",
      "2025-07-01T06:20:30.4567-04:00 (Tuesday, America/New_York, EDT)" },
  };

  check_says (examples, sizeof examples / sizeof *examples);
  CU_ASSERT_TRUE (gives (
    mock, "clock", "{\"op\":\"now\",\"zone\":\"Europe/Paris\"}",
    "{\"time\":\"2025-07-01T12:20:30.4567+02:00\",\"zone\":\"Europe/Paris\",\"offset\":\"+02:00\","
    "\"abbreviation\":\"CEST\",\"dst\":true,\"weekday\":\"Tuesday\",\"week\":\"2025-W27\","
    "\"day_of_year\":182,\"utc\":\"2025-07-01T10:20:30.4567Z\",\"unix\":1751365230}"));
}

#define CONVERT(time, from, to)                                                                    \
  "{\"op\":\"convert\",\"time\":\"" time "\",\"from\":\"" from "\",\"to\":\"" to "\"}"

static void
op_convert (void)
{
  static const struct example examples[] = {
    { CONVERT ("2025-07-01T09:00", "America/New_York", "Europe/Paris"),
      "\"time\":\"2025-07-01T15:00:00+02:00\"" },
    { CONVERT ("2025-03-20T09:00", "America/New_York", "Europe/Paris"),
      "\"time\":\"2025-03-20T14:00:00+01:00\"" },
    { CONVERT ("2025-07-01T09:00Z", "America/New_York", "Europe/Paris"),
      "\"time\":\"2025-07-01T11:00:00+02:00\"" },
    { CONVERT ("2025-12-31T23:30", "Europe/Paris", "Pacific/Kiritimati"),
      "\"time\":\"2026-01-01T12:30:00+14:00\"" },
    { CONVERT ("2025-06-01T00:00", "Asia/Kathmandu", "UTC"), "\"utc\":\"2025-05-31T18:15:00Z\"" },
    /* before the first change: local mean time */
    { CONVERT ("1850-01-01T00:00", "UTC", "Europe/Paris"), "+00:09:21\"" },
    /* after the last change that any file lists */
    { CONVERT ("2500-07-01T00:00", "UTC", "Europe/Paris"),
      "\"time\":\"2500-07-01T02:00:00+02:00\"" },
    { CONVERT ("2500-01-01T00:00", "UTC", "Europe/Paris"),
      "\"time\":\"2500-01-01T01:00:00+01:00\"" },
    { CONVERT ("2500-03-28T01:00", "UTC", "Europe/Paris"), "\"abbreviation\":\"CEST\"" },
    { CONVERT ("2500-03-28T00:59:59", "UTC", "Europe/Paris"), "\"abbreviation\":\"CET\"" },
    { CONVERT ("9999-07-01T00:00", "UTC", "America/New_York"), "\"abbreviation\":\"EDT\"" },
    { CONVERT ("2500-01-15T12:00", "Australia/Lord_Howe", "UTC"),
      "\"utc\":\"2500-01-15T01:00:00Z\"" },
    { CONVERT ("2500-06-15T12:00", "Australia/Lord_Howe", "UTC"),
      "\"utc\":\"2500-06-15T01:30:00Z\"" },
    { CONVERT ("2025-07-01T12:00", "Europe/Dublin", "UTC"), "\"utc\":\"2025-07-01T11:00:00Z\"" },
    { CONVERT ("2025-07-01T12:00", "-03:30", "+14"), "\"time\":\"2025-07-02T05:30:00+14:00\"" },
  };
  check_gives (examples, sizeof examples / sizeof *examples);
}

/* Clocks set forward: the local time does not exist. */
static void
gaps (void)
{
  static const struct example examples[] = {
    { CONVERT ("2025-03-30T02:30", "Europe/Paris", "Europe/Paris"),
      "2025-03-30T03:30:00+02:00 (Sunday, Europe/Paris, CEST)\n"
      "Note: 2025-03-30T02:30:00 does not exist in Europe/Paris, where clocks are set forward by "
      "PT1H over it; moved forward by as much" },
    { CONVERT ("2025-03-30T01:59:59", "Europe/Paris", "Europe/Paris"),
      "2025-03-30T01:59:59+01:00 (Sunday, Europe/Paris, CET)" },
    { CONVERT ("2025-03-30T03:00", "Europe/Paris", "Europe/Paris"),
      "2025-03-30T03:00:00+02:00 (Sunday, Europe/Paris, CEST)" },
    { CONVERT ("2025-03-09T02:30", "America/New_York", "UTC"),
      "2025-03-09T07:30:00Z (Sunday, UTC)\n"
      "Note: 2025-03-09T02:30:00 does not exist in America/New_York, where clocks are set forward "
      "by PT1H over it; moved forward by as much" },
    { CONVERT ("2025-10-05T02:15", "Australia/Lord_Howe", "Australia/Lord_Howe"),
      "2025-10-05T02:45:00+11:00 (Sunday, Australia/Lord_Howe)\n"
      "Note: 2025-10-05T02:15:00 does not exist in Australia/Lord_Howe, where clocks are set "
      "forward by PT30M over it; moved forward by as much" },
    /* a whole day is missing */
    { CONVERT ("2011-12-30T12:00", "Pacific/Apia", "Pacific/Apia"),
      "2011-12-31T12:00:00+14:00 (Saturday, Pacific/Apia)\n"
      "Note: 2011-12-30T12:00:00 does not exist in Pacific/Apia, where clocks are set forward by "
      "PT24H over it; moved forward by as much" },
    { CONVERT ("2011-12-29T23:59:59", "Pacific/Apia", "Pacific/Apia"),
      "2011-12-29T23:59:59-10:00 (Thursday, Pacific/Apia)" },
    { CONVERT ("2500-03-28T02:30", "Europe/Paris", "UTC"),
      "2500-03-28T01:30:00Z (Sunday, UTC)\n"
      "Note: 2500-03-28T02:30:00 does not exist in Europe/Paris, where clocks are set forward by "
      "PT1H over it; moved forward by as much" },
  };
  check_says (examples, sizeof examples / sizeof *examples);
}

/* Clocks set back: the local time happens twice. */
static void
overlaps (void)
{
  static const struct example examples[] = {
    { CONVERT ("2025-10-26T02:30", "Europe/Paris", "UTC"),
      "2025-10-26T00:30:00Z (Sunday, UTC)\n"
      "Note: 2025-10-26T02:30:00 happens twice in Europe/Paris; took the earlier one, +02:00; the "
      "later one is +01:00" },
    { "{\"op\":\"convert\",\"time\":\"2025-10-26T02:30\",\"from\":\"Europe/Paris\",\"to\":\"UTC\","
      "\"ambiguous\":\"later\"}",
      "2025-10-26T01:30:00Z (Sunday, UTC)\n"
      "Note: 2025-10-26T02:30:00 happens twice in Europe/Paris; took the later one, +01:00; the "
      "earlier one is +02:00" },
    { CONVERT ("2025-10-26T03:00", "Europe/Paris", "UTC"), "2025-10-26T02:00:00Z (Sunday, UTC)" },
    { CONVERT ("2025-10-26T01:59:59", "Europe/Paris", "UTC"),
      "2025-10-25T23:59:59Z (Saturday, UTC)" },
    { CONVERT ("2025-11-02T01:15", "America/New_York", "UTC"),
      "2025-11-02T05:15:00Z (Sunday, UTC)\n"
      "Note: 2025-11-02T01:15:00 happens twice in America/New_York; took the earlier one, -04:00; "
      "the later one is -05:00" },
    { CONVERT ("2025-04-06T01:45", "Australia/Lord_Howe", "UTC"),
      "2025-04-05T14:45:00Z (Saturday, UTC)\n"
      "Note: 2025-04-06T01:45:00 happens twice in Australia/Lord_Howe; took the earlier one, "
      "+11:00; the later one is +10:30" },
    { CONVERT ("2500-10-31T02:30", "Europe/Paris", "UTC"),
      "2500-10-31T00:30:00Z (Sunday, UTC)\n"
      "Note: 2500-10-31T02:30:00 happens twice in Europe/Paris; took the earlier one, +02:00; the "
      "later one is +01:00" },
  };
  check_says (examples, sizeof examples / sizeof *examples);
  CU_ASSERT_TRUE (gives (mock, "clock", CONVERT ("2025-10-26T02:30", "Europe/Paris", "UTC"),
                         ",\"notes\":[\"2025-10-26T02:30:00 happens twice"));
}

#define ADD(time, zone, duration)                                                                  \
  "{\"op\":\"add\",\"time\":\"" time "\",\"zone\":\"" zone "\",\"duration\":\"" duration "\"}"

static void
op_add (void)
{
  static const struct example examples[] = {
    { ADD ("2025-01-31", "UTC", "P1M"), "\"time\":\"2025-02-28T00:00:00Z\"" },
    { ADD ("2024-01-31", "UTC", "P1M"), "\"time\":\"2024-02-29T00:00:00Z\"" },
    { ADD ("2024-02-29", "UTC", "P1Y"), "\"time\":\"2025-02-28T00:00:00Z\"" },
    { ADD ("2025-03-31", "UTC", "-P1M"), "\"time\":\"2025-02-28T00:00:00Z\"" },
    { ADD ("2025-12-31T23:59:59", "UTC", "PT1S"), "\"time\":\"2026-01-01T00:00:00Z\"" },
    { ADD ("2025-01-01", "UTC", "-PT0.25S"), "\"time\":\"2024-12-31T23:59:59.75Z\"" },
    { ADD ("2025-01-01T00:00:00.9", "UTC", "PT0.2S"), "\"time\":\"2025-01-01T00:00:01.1Z\"" },
    { ADD ("2025-01-01", "UTC", "P1Y2M3W4DT5H6M7S"), "\"time\":\"2026-03-26T05:06:07Z\"" },
    { ADD ("2025-01-15", "UTC", "-P13M"), "\"time\":\"2023-12-15T00:00:00Z\"" },
    /* a day keeps the time of day, 24 hours do not */
    { ADD ("2025-03-29T12:00", "Europe/Paris", "P1D"), "\"time\":\"2025-03-30T12:00:00+02:00\"" },
    { ADD ("2025-03-29T12:00", "Europe/Paris", "PT24H"), "\"time\":\"2025-03-30T13:00:00+02:00\"" },
    { ADD ("2025-10-25T12:00", "Europe/Paris", "P1D"), "\"time\":\"2025-10-26T12:00:00+01:00\"" },
    { ADD ("2025-03-29T02:30", "Europe/Paris", "P1D"), "does not exist in Europe/Paris" },
    { ADD ("2025-10-25T02:30", "Europe/Paris", "P1D"), "happens twice in Europe/Paris" },
    /* exact time goes through both of the times that look the same */
    { ADD ("2025-10-26T02:30+02:00", "Europe/Paris", "PT1H"),
      "\"time\":\"2025-10-26T02:30:00+01:00\"" },
    { ADD ("2025-07-01T12:00Z", "Europe/Paris", "P1D"), "\"time\":\"2025-07-02T14:00:00+02:00\"" },
    { "{\"op\":\"add\",\"duration\":\"PT1H\"}", "\"time\":\"2025-07-01T11:20:30.4567Z\"" },
    { "{\"op\":\"add\",\"time\":\"2025-07-01T12:00:00+05:30\",\"duration\":\"P1D\"}",
      "\"time\":\"2025-07-02T12:00:00+05:30\",\"zone\":\"+05:30\"" },
    { "{\"op\":\"add\",\"time\":\"2025-01-31T00:00Z\",\"duration\":{\"months\":1,\"days\":-1,"
      "\"hours\":2}}",
      "\"time\":\"2025-02-27T02:00:00Z\"" },
  };
  check_gives (examples, sizeof examples / sizeof *examples);
}

#define DIFF(time, until, zone)                                                                    \
  "{\"op\":\"diff\",\"time\":\"" time "\",\"until\":\"" until "\",\"zone\":\"" zone "\"}"

static void
op_diff (void)
{
  static const struct example examples[] = {
    { DIFF ("2025-01-01", "2025-12-25", "UTC"), "\"duration\":\"P11M24D\",\"seconds\":30931200" },
    { DIFF ("2025-12-25", "2025-01-01", "UTC"), "\"duration\":\"-P11M24D\",\"seconds\":-30931200" },
    { DIFF ("2000-02-29", "2025-02-28", "UTC"), "\"duration\":\"P25Y\"," },
    { DIFF ("2025-01-31", "2025-03-01", "UTC"), "\"duration\":\"P1M1D\"," },
    { DIFF ("2025-03-29T12:00", "2025-03-30T12:00", "Europe/Paris"),
      "\"duration\":\"P1D\",\"seconds\":82800" },
    { DIFF ("2025-03-29T12:00", "2025-03-30T11:00", "Europe/Paris"),
      "\"duration\":\"PT22H\",\"seconds\":79200" },
    { DIFF ("2025-01-01T00:00:00.5", "2025-01-01T00:00:02.25", "UTC"),
      "\"duration\":\"PT1.75S\",\"seconds\":1.750000000" },
    { DIFF ("2025-01-01T00:00:02.25", "2025-01-01T00:00:00.5", "UTC"),
      "\"duration\":\"-PT1.75S\",\"seconds\":-1.750000000" },
    { DIFF ("2025-01-01", "2025-01-01", "UTC"), "\"duration\":\"PT0S\",\"seconds\":0" },
    { DIFF ("0001-01-01", "9999-12-31T23:59:59", "UTC"),
      "\"duration\":\"P9998Y11M30DT23H59M59S\"" },
    { DIFF ("2025-07-01T12:00:00Z", "2025-07-01T12:00:00+02:00", "UTC"), "\"duration\":\"-PT2H\"" },
    { "{\"op\":\"diff\",\"time\":\"now\",\"until\":\"2025-07-02T00:00:00Z\"}",
      "\"seconds\":49169.543300000" },
  };
  check_gives (examples, sizeof examples / sizeof *examples);
}

static void
unknown_zones (void)
{
  static const struct {
    const char *zone, *part;
  } zones[] = {
    { "Europe/Pariss", "did you mean \"Europe/Paris\"" },
    { "Paris", "\"Europe/Paris\"" },
    { "europe/paris", "\"Europe/Paris\"" },
    { "New York", "\"America/New_York\"" },
    { "Asia/Katmandou", "\"Asia/Kat" },
    { "PST", "abbreviations mean different zones" },
    { "Mars/Olympus_Mons", "unknown time zone" },
    { "Europe", "unknown time zone" },
    { "../../../etc/passwd", "unknown time zone" },
    { "/etc/localtime", "unknown time zone" },
    { "Europe//Paris", "unknown time zone" },
    { "Europe/../Europe/Paris", "unknown time zone" },
    { "tzdata.zi", "unknown time zone" },
    { "+25:00", "unknown time zone" },
    { "a\\u0000b", "U+0000" },
  };
  char args[200];

  for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
    snprintf (args, sizeof args, "{\"op\":\"now\",\"zone\":\"%s\"}", zones[i].zone);
    CU_ASSERT_TRUE (fails (mock, "clock", args, "clock_unknown_zone", zones[i].part));
  }
}

static void
arguments (void)
{
  static const struct {
    const char *args, *part;
  } faults[] = {
    { "{\"op\":\"convert\",\"time\":\"now\"}", "op convert needs \\\"to\\\"" },
    { "{\"op\":\"convert\",\"to\":\"UTC\"}", "op convert needs \\\"time\\\"" },
    { "{\"op\":\"now\",\"to\":\"UTC\"}", "op now has no use for \\\"to\\\"" },
    { "{\"op\":\"add\"}", "op add needs \\\"duration\\\"" },
    { "{\"op\":\"diff\",\"time\":\"now\"}", "op diff needs \\\"until\\\"" },
    { "{\"op\":\"convert\",\"time\":\"2025-13-01\",\"to\":\"UTC\"}",
      "position 6: the month goes from 1 to 12, got 13" },
    { "{\"op\":\"diff\",\"time\":\"now\",\"until\":\"x\"}", "\"pointer\":\"/until\"" },
    { "{\"op\":\"add\",\"duration\":\"1 day\"}", "position 1: expected \\\"P\\\"" },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    CU_ASSERT_TRUE (refuses (mock, "clock", faults[i].args, faults[i].part));
  CU_ASSERT_TRUE (fails (mock, "clock",
                         "{\"op\":\"convert\",\"time\":\"2025-01-01\",\"to\":\"UTC\"}",
                         "clock_zone_needed", "say its zone with \"from\""));
  CU_ASSERT_TRUE (fails (mock, "clock",
                         "{\"op\":\"add\",\"time\":\"2025-01-01\",\"duration\":\"P1D\"}",
                         "clock_zone_needed", "say its zone with \"zone\""));
  CU_ASSERT_TRUE (
    fails (mock, "clock", ADD ("9999-12-31", "UTC", "P1D"), "clock_out_of_range", "9999"));
  CU_ASSERT_TRUE (
    fails (mock, "clock", ADD ("2025-01-01", "UTC", "P999999999999Y"), "clock_out_of_range", ""));
  CU_ASSERT_TRUE (fails (mock, "clock", ADD ("2025-01-01", "Europe/Paris", "-PT999999999999H"),
                         "clock_out_of_range", ""));
  CU_ASSERT_TRUE (fails (mock, "clock", CONVERT ("9999-12-31T23:00", "UTC", "Asia/Tokyo"),
                         "clock_out_of_range", ""));
}

static void
configuration (void)
{
  static const struct {
    const char *config, *part;
  } faults[] = {
    { "{\"now\":\"yesterday\"}", "position 1" },
    { "{\"now\":\"2025-01-01\"}", "an offset or Z" },
    { "{\"zone\":\"Europe/Pariss\"}", "did you mean \"Europe/Paris\"" },
    { "{\"timezone\":\"UTC\"}", "\"timezone\": expected only" },
    { "{\"zone\":1}", "\"zone\": expected only" },
  };
  toolhost_mock *own =
    toolhost_mock_new (toolhost_plugin_entry, "{\"now\":\"@0\",\"zone\":\"Europe/Paris\"}");

  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  CU_ASSERT_TRUE (says (own, "clock", "{\"op\":\"now\"}",
                        "1970-01-01T01:00:00+01:00 (Thursday, Europe/Paris, CET)"));
  CU_ASSERT_TRUE (gives (own, "clock",
                         "{\"op\":\"convert\",\"time\":\"2025-07-01T12:00\",\"to\":\"UTC\"}",
                         "2025-07-01T10:00:00Z"));
  toolhost_mock_free (own);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    own = toolhost_mock_new (toolhost_plugin_entry, faults[i].config);
    CU_ASSERT_PTR_NULL (own);
    CU_ASSERT_TRUE (
      told_part ("refusal", faults[i].config, faults[i].part, toolhost_mock_error ()));
    toolhost_mock_free (own);
  }
}

static void
without_database (void)
{
  toolhost_mock *own =
    toolhost_mock_new (toolhost_plugin_entry, "{\"now\":\"@0\",\"zoneinfo\":\"/absent\"}");

  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  CU_ASSERT_TRUE (says (own, "clock", "{\"op\":\"now\"}", "1970-01-01T00:00:00Z (Thursday, UTC)"));
  CU_ASSERT_TRUE (
    gives (own, "clock", "{\"op\":\"now\",\"zone\":\"-08:00\"}", "1969-12-31T16:00:00-08:00"));
  CU_ASSERT_TRUE (fails (own, "clock", "{\"op\":\"now\",\"zone\":\"Europe/Paris\"}",
                         "clock_no_tzdata", "plugins.d/clock.json"));
  toolhost_mock_free (own);
}

static void
real_clock (void)
{
  toolhost_mock *own = toolhost_mock_new (toolhost_plugin_entry, NULL);
  toolhost_mock_result *r;

  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  r = toolhost_mock_call (own, "clock", "{\"op\":\"now\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_TRUE (strcmp (r->text, "2025") > 0);
  toolhost_mock_result_free (r);
  toolhost_mock_free (own);
}

static void
definition (void)
{
  CU_ASSERT_TRUE (definition_fits (mock, "clock"));
}

static CU_TestInfo tests[] = {
  { "days since 1970 and back", calendar },
  { "weekdays and ISO weeks", weeks },
  { "times that are none, with their position", times_that_are_none },
  { "times are read", times_are_read },
  { "durations", durations },
  { "rules of TZif footers", rules },
  { "damaged zone files", damaged_files },
  { "now", op_now },
  { "convert", op_convert },
  { "local times that do not exist", gaps },
  { "local times that happen twice", overlaps },
  { "add", op_add },
  { "diff", op_diff },
  { "unknown zones", unknown_zones },
  { "arguments", arguments },
  { "configuration", configuration },
  { "without the zone database", without_database },
  { "the real clock", real_clock },
  { "definition fits its literal", definition },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "clock", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
