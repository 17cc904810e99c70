/* clock.c - the tool: what time it is, was and will be, in the time zones of the world. */
#include <inttypes.h>
#include <stdlib.h>
#include <toolhost.h>

#include "../common/json_scan.h"
#include "../common/text.h"
#include "civil.h"
#include "iso.h"
#include "work.h"
#include "zones.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "clock",
    "title": "Clock",
    "description": "Tell the time, convert it between time zones, add durations, and measure between times; by the system's time zone database, with daylight saving. op now: the current time in zone. op convert: time (in zone from, unless it has an offset) as it is in zone to. op add: time (default: now) plus duration, by the calendar of zone. op diff: from time to until.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "op": { "type": "string", "enum": ["now", "convert", "add", "diff"], "description": "What to do." },
        "zone": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64,
          "description": "IANA name, UTC, or an offset; of now, add and diff.",
          "examples": ["Europe/Paris", "UTC", "+05:30"]
        },
        "time": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64,
          "description": "ISO 8601 with or without offset, \"now\", or \"@\" and Unix seconds.",
          "examples": ["2025-03-30T02:30", "2025-07-01T12:00:00Z", "@1700000000"]
        },
        "from": { "type": "string", "minLength": 1, "maxLength": 64, "description": "Zone of a time without offset; of convert." },
        "to": { "type": "string", "minLength": 1, "maxLength": 64, "description": "Zone to convert to." },
        "until": { "type": "string", "minLength": 1, "maxLength": 64, "description": "The other time of diff, written like time." },
        "duration": {
          "description": "What to add: ISO 8601, negative with a \"-\" in front, or numbers by unit. Months end on their last day where the day is missing; days keep the local time, hours are exact.",
          "anyOf": [
            { "type": "string", "maxLength": 128 },
            {
              "type": "object",
              "properties": {
                "years": { "$ref": "#/$defs/amount", "description": "By the calendar." },
                "months": { "$ref": "#/$defs/amount", "description": "By the calendar." },
                "weeks": { "$ref": "#/$defs/amount", "description": "By the calendar." },
                "days": { "$ref": "#/$defs/amount", "description": "By the calendar." },
                "hours": { "$ref": "#/$defs/amount", "description": "Exactly." },
                "minutes": { "$ref": "#/$defs/amount", "description": "Exactly." },
                "seconds": { "$ref": "#/$defs/amount", "description": "Exactly." }
              },
              "minProperties": 1,
              "additionalProperties": false
            }
          ],
          "examples": ["P1DT2H30M", "-P1M", { "days": 90 }]
        },
        "ambiguous": {
          "type": "string",
          "enum": ["earlier", "later"],
          "default": "earlier",
          "description": "Which one of a local time that happens twice."
        }
      },
      "required": ["op"],
      "additionalProperties": false,
      "examples": [
        { "op": "now" },
        { "op": "convert", "time": "2025-07-01T09:00", "from": "+05:30", "to": "UTC" },
        { "op": "add", "time": "2025-01-31", "zone": "UTC", "duration": "P1M" }
      ],
      "$defs": { "amount": { "type": "integer", "minimum": -999999999999, "maximum": 999999999999 } }
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "time": { "type": "string", "description": "Local time with its offset." },
        "zone": { "type": "string" },
        "offset": { "type": "string" },
        "abbreviation": { "type": "string" },
        "dst": { "type": "boolean" },
        "weekday": { "type": "string" },
        "week": { "type": "string", "description": "ISO week, 2025-W13." },
        "day_of_year": { "type": "integer" },
        "utc": { "type": "string" },
        "unix": { "type": "integer", "description": "Whole seconds since 1970." },
        "notes": { "type": "array", "items": { "type": "string" }, "description": "Local times that happen twice or never, and what was done." },
        "seconds": { "type": "number", "description": "Of diff: exactly." },
        "duration": { "type": "string", "description": "Of diff: by the calendar." }
      },
      "additionalProperties": false
    },
    "annotations": {
      "title": "Clock",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

/* ---- arguments ---- */

enum {
  TAKES_ZONE = 1,
  TAKES_TIME = 2,
  TAKES_FROM = 4,
  TAKES_TO = 8,
  TAKES_UNTIL = 16,
  TAKES_DURATION = 32,
  TAKES_AMBIGUOUS = 64
};

static const char *const members[] = { "zone",  "time",     "from",     "to",
                                       "until", "duration", "ambiguous" };
enum { MEMBERS = sizeof members / sizeof *members };

struct op {
  const char *name;
  unsigned takes, needs;
  toolhost_status (*run) (struct work *work);
};

static const struct op *op_of (toolhost_call *call);

static void
check_time (toolhost_call *call, const char *member)
{
  struct iso_time time;
  struct iso_fault fault;
  char pointer[32];
  size_t len;
  const char *text = toolhost_arg_string_len (call, member, &len);

  if (text == NULL || iso_time_read (&time, text, len, &fault))
    return;
  (void) snprintf (pointer, sizeof pointer, "/%s", member);
  toolhost_invalid (call, pointer, "position %zu: %s", fault.position, fault.text);
}

static void
check_duration (toolhost_call *call)
{
  struct iso_duration duration;
  struct iso_fault fault;
  size_t len;
  const char *text = toolhost_arg_string_len (call, "duration", &len);

  if (text != NULL && !iso_duration_read (&duration, text, len, &fault))
    toolhost_invalid (call, "/duration", "position %zu: %s", fault.position, fault.text);
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  const struct op *op = op_of (call);

  (void) self;
  if (op == NULL)
    return toolhost_invalid (call, "/op", "expected now, convert, add or diff");
  for (unsigned i = 0; i < MEMBERS; i++) {
    bool given = toolhost_has_arg (call, members[i]);
    char pointer[32];

    (void) snprintf (pointer, sizeof pointer, "/%s", members[i]);
    if (!given && (op->needs & 1U << i) != 0)
      toolhost_invalid (call, pointer, "op %s needs \"%s\"", op->name, members[i]);
    if (given && (op->takes & 1U << i) == 0)
      toolhost_invalid (call, pointer, "op %s has no use for \"%s\"", op->name, members[i]);
  }
  check_time (call, "time");
  check_time (call, "until");
  check_duration (call);
  return TOOLHOST_OK;
}

static struct iso_duration
duration_of (toolhost_call *call)
{
  struct iso_duration d = { 0 };
  struct iso_fault fault;
  size_t len;
  const char *text = toolhost_arg_string_len (call, "duration", &len);

  if (text != NULL) {
    (void) iso_duration_read (&d, text, len, &fault);
    return d;
  }
  d.years = toolhost_arg_int (call, "/duration/years", 0);
  d.months = toolhost_arg_int (call, "/duration/months", 0);
  d.weeks = toolhost_arg_int (call, "/duration/weeks", 0);
  d.days = toolhost_arg_int (call, "/duration/days", 0);
  d.hours = toolhost_arg_int (call, "/duration/hours", 0);
  d.minutes = toolhost_arg_int (call, "/duration/minutes", 0);
  d.seconds = toolhost_arg_int (call, "/duration/seconds", 0);
  return d;
}

/* ---- results ---- */

static const char *
weekday_name (const struct civil *civil)
{
  static const char *const names[] = { "Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday" };
  return names[civil_weekday (civil) - 1];
}

static void
add_calendar (struct text *json, const struct civil *civil)
{
  CLEANUP_TEXT struct text week = { 0 };
  int64_t week_year;
  int number = civil_week (civil, &week_year);

  text_addf (&week, "%04" PRId64 "-W%02d", week_year, number);
  json_name_string (json, "weekday", weekday_name (civil));
  json_name_string (json, "week", text_get (&week));
  json_name_int (json, "day_of_year", civil_day_of_year (civil));
}

static toolhost_status
send (struct work *work, struct text *text, struct text *json)
{
  if (work->notes.len > 0) {
    json_close (&work->notes, ']');
    json_name (json, "notes");
    json_raw (json, text_get (&work->notes));
  }
  json_close (json, '}');
  text_add (text, text_get (&work->said));
  if (!text_ok (text) || !text_ok (json) || !text_ok (&work->notes) || !text_ok (&work->said))
    return toolhost_fail (work->call, "clock_no_memory", "out of memory");
  (void) toolhost_text_len (work->call, text_get (text), text->len);
  return toolhost_json_len (work->call, text_get (json), json->len);
}

/* "CEST" in "(Sunday, Europe/Paris, CEST)"; not "+0545", and not twice "UTC". */
static bool
worth_saying (const char *abbreviation, const struct zone *zone)
{
  return strpbrk (abbreviation, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL
         && strcmp (abbreviation, zone_name (zone)) != 0;
}

/* The moment in a zone is the result. */
static toolhost_status
tell_moment (struct work *work, const struct zone *zone, struct moment moment)
{
  const struct local_type *type = zone_at (zone, moment.seconds);
  struct civil local = civil_from_seconds (moment.seconds + type->offset);
  struct civil universal = civil_from_seconds (moment.seconds);
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 }, offset = { 0 }, utc = { 0 };

  if (!civil_in_range (&local) || !civil_in_range (&universal))
    return work_fail_range (work);
  iso_offset_write (&offset, type->offset);
  iso_time_write (&utc, &universal, moment.nanos);
  text_add (&utc, "Z");
  iso_time_write (&text, &local, moment.nanos);
  text_add (&text, type->offset == 0 ? "Z" : text_get (&offset));
  json_open (&json, '{');
  json_name_string (&json, "time", text_get (&text));
  json_name_string (&json, "zone", zone_name (zone));
  json_name_string (&json, "offset", text_get (&offset));
  json_name_string (&json, "abbreviation", type->abbreviation);
  json_name_bool (&json, "dst", type->dst);
  add_calendar (&json, &local);
  json_name_string (&json, "utc", text_get (&utc));
  json_name_int (&json, "unix", moment.seconds);
  text_addf (&text, " (%s, %s", weekday_name (&local), zone_name (zone));
  if (worth_saying (type->abbreviation, zone))
    text_addf (&text, ", %s", type->abbreviation);
  text_add (&text, ")");
  return send (work, &text, &json);
}

/* ---- the operations ---- */

/* Where no zone was named: the one that the time's own offset stands for. */
static toolhost_status
need_zone (struct work *work, struct zone **zone)
{
  if (*zone == NULL)
    *zone = work_zone_of_time (work);
  return *zone != NULL ? TOOLHOST_OK
                       : toolhost_fail (work->call, "clock_no_memory", "out of memory");
}

static toolhost_status
run_now (struct work *work)
{
  CLEANUP_ZONE struct zone *zone = NULL;
  toolhost_status status = work_zone (work, "zone", &zone);

  if (status == TOOLHOST_OK)
    status = need_zone (work, &zone);
  return status == TOOLHOST_OK ? tell_moment (work, zone, work_now (work)) : status;
}

static toolhost_status
run_convert (struct work *work)
{
  CLEANUP_ZONE struct zone *from = NULL, *to = NULL;
  struct moment moment;
  toolhost_status status = work_zone (work, "from", &from);

  if (status == TOOLHOST_OK)
    status = work_zone (work, "to", &to);
  if (status == TOOLHOST_OK)
    status = work_moment (work, "time", from, &moment);
  return status == TOOLHOST_OK ? tell_moment (work, to, moment) : status;
}

static toolhost_status
run_add (struct work *work)
{
  CLEANUP_ZONE struct zone *zone = NULL;
  struct iso_duration duration = duration_of (work->call);
  struct moment moment;
  toolhost_status status = work_zone (work, "zone", &zone);

  if (status == TOOLHOST_OK)
    status = work_moment (work, "time", zone, &moment);
  if (status == TOOLHOST_OK)
    status = need_zone (work, &zone);
  if (status == TOOLHOST_OK && !work_add (work, zone, &duration, &moment))
    status = work_fail_range (work);
  return status == TOOLHOST_OK ? tell_moment (work, zone, moment) : status;
}

/* Seconds between two moments as a JSON number, exactly. */
static void
add_seconds (struct text *json, struct moment from, struct moment until)
{
  int64_t seconds = until.seconds - from.seconds;
  int32_t nanos = until.nanos - from.nanos;
  CLEANUP_TEXT struct text number = { 0 };
  bool negative = seconds < 0 || (seconds == 0 && nanos < 0);

  if (negative) {
    seconds = -seconds;
    nanos = -nanos;
  }
  if (nanos < 0) {
    seconds--;
    nanos += NANOS;
  }
  text_addf (&number, "%s%" PRId64, negative ? "-" : "", seconds);
  if (nanos != 0)
    text_addf (&number, ".%09" PRId32, nanos);
  json_name (json, "seconds");
  json_raw (json, text_get (&number));
}

static toolhost_status
run_diff (struct work *work)
{
  CLEANUP_ZONE struct zone *zone = NULL;
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 };
  struct moment from, until;
  struct iso_duration duration;
  toolhost_status status = work_zone (work, "zone", &zone);

  if (status == TOOLHOST_OK)
    status = work_moment (work, "time", zone, &from);
  if (status == TOOLHOST_OK)
    status = work_moment (work, "until", zone, &until);
  if (status == TOOLHOST_OK)
    status = need_zone (work, &zone);
  if (status != TOOLHOST_OK)
    return status;
  duration = work_between (zone, from, until);
  iso_duration_write (&text, &duration);
  json_open (&json, '{');
  json_name_string (&json, "zone", zone_name (zone));
  json_name_string (&json, "duration", text_get (&text));
  add_seconds (&json, from, until);
  return send (work, &text, &json);
}

static const struct op ops[] = {
  { "now", TAKES_ZONE, 0, run_now },
  { "convert", TAKES_TIME | TAKES_FROM | TAKES_TO | TAKES_AMBIGUOUS, TAKES_TIME | TAKES_TO,
    run_convert },
  { "add", TAKES_ZONE | TAKES_TIME | TAKES_DURATION | TAKES_AMBIGUOUS, TAKES_DURATION, run_add },
  { "diff", TAKES_ZONE | TAKES_TIME | TAKES_UNTIL | TAKES_AMBIGUOUS, TAKES_TIME | TAKES_UNTIL,
    run_diff },
};

static const struct op *
op_of (toolhost_call *call)
{
  const char *name = toolhost_arg_string_or (call, "op", "");

  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp (ops[i].name, name) == 0)
      return &ops[i];
  return NULL;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  struct work work = { .clock = self, .call = call };
  toolhost_status status = op_of (call)->run (&work);

  text_free (&work.notes);
  text_free (&work.said);
  return status;
}

/* ---- configuration ---- */

static bool
set_now (struct clock *clock, const char *text, size_t len, toolhost_build *build)
{
  struct iso_time time;
  struct iso_fault fault;

  if (!iso_time_read (&time, text, len, &fault)) {
    toolhost_build_error (build, "/now", "position %zu: %s", fault.position, fault.text);
    return false;
  }
  if (time.kind != ISO_OFFSET && time.kind != ISO_UNIX) {
    toolhost_build_error (build, "/now", "expected a time with an offset or Z");
    return false;
  }
  clock->stopped = true;
  clock->now.nanos = time.nanos;
  clock->now.seconds =
    time.kind == ISO_UNIX ? time.seconds : civil_to_seconds (&time.civil) - time.offset;
  return true;
}

/* The values of the configuration; all are strings. */
struct config {
  struct text now, zone, zoneinfo;
};

static void
config_free (struct config *config)
{
  text_free (&config->now);
  text_free (&config->zone);
  text_free (&config->zoneinfo);
}

static bool
read_config (toolhost_build *build, const char *json, size_t len, struct config *config)
{
  const struct member {
    const char *name;
    struct text *value;
  } known[] = { { "now", &config->now },
                { "zone", &config->zone },
                { "zoneinfo", &config->zoneinfo } };
  struct json_scan scan = { json, json + len };
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_enter (&scan, '{'))
    return true;
  while (json_scan_name (&scan, &name)) {
    const struct member *m = NULL;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (strcmp (known[i].name, text_get (&name)) == 0)
        m = &known[i];
    if (m == NULL || !json_scan_string (&scan, m->value)) {
      toolhost_build_error (build, "",
                            "\"%s\": expected only \"zone\", \"zoneinfo\" and \"now\", each a "
                            "string",
                            text_get (&name));
      return false;
    }
  }
  return true;
}

static bool
check_zone (struct clock *clock, toolhost_build *build)
{
  struct zones_fault fault = { 0 };
  struct zone *zone;

  if (clock->zone.len == 0)
    return true;
  zone = zones_get (&clock->zones, text_get (&clock->zone), &fault);
  if (zone == NULL)
    toolhost_build_error (build, "/zone", "%s", text_get (&fault.text));
  text_free (&fault.text);
  zone_free (zone);
  return zone != NULL;
}

static void
close_clock (void *self)
{
  struct clock *clock = self;

  if (clock == NULL)
    return;
  zones_close (&clock->zones);
  text_free (&clock->zone);
  free (clock);
}

static toolhost_status
open_clock (toolhost_build *build, const char *json, size_t len, void **self)
{
  __attribute__ ((cleanup (config_free))) struct config config = { 0 };
  struct clock *clock;

  if (!read_config (build, json, len, &config))
    return TOOLHOST_FAILED;
  clock = calloc (1, sizeof *clock);
  if (clock == NULL)
    return toolhost_build_error (build, "", "out of memory");
  zones_open (&clock->zones,
              config.zoneinfo.len > 0 ? text_get (&config.zoneinfo) : "/usr/share/zoneinfo");
  clock->zone = config.zone;
  config.zone = (struct text){ 0 };
  if ((config.now.len > 0 && !set_now (clock, text_get (&config.now), config.now.len, build))
      || !check_zone (clock, build)) {
    close_clock (clock);
    return TOOLHOST_FAILED;
  }
  *self = clock;
  return TOOLHOST_OK;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 5000;
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .validate = validate,
                                    .execute = execute, .max_time = max_time };

TOOLHOST_PLUGIN (.name = "clock", .version = "1.0",
                 .description = "Times, time zones and durations.", .threads = TOOLHOST_PARALLEL,
                 .open = open_clock, .close = close_clock, TOOLHOST_TOOLS (&tool))
