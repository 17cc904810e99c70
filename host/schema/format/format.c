#include "schema/format/format.h"

#include <string.h>

#include "schema/format/kinds.h"
#include "schema/regex/regex.h"

static bool
is_any (const char *text, size_t len)
{
  (void) text;
  (void) len;
  return true;
}

/* By enum format. */
static const struct kind {
  const char *name;
  bool (*is) (const char *text, size_t len);
  const char *phrase;
} kinds[] = {
  [FORMAT_NONE] = { "", is_any, "any text" },
  [FORMAT_DATE_TIME] = { "date-time", format_is_date_time,
                         "a date and time with zone, such as 2026-01-31T12:00:00Z" },
  [FORMAT_DATE] = { "date", format_is_date, "a date, such as 2026-01-31" },
  [FORMAT_TIME] = { "time", format_is_time, "a time with zone, such as 12:00:00Z" },
  [FORMAT_DURATION] = { "duration", format_is_duration, "a duration, such as P1DT12H or PT30M" },
  [FORMAT_EMAIL] = { "email", format_is_email, "an email address, such as ann@example.com" },
  [FORMAT_HOSTNAME] = { "hostname", format_is_hostname, "a host name, such as www.example.com" },
  [FORMAT_IPV4] = { "ipv4", format_is_ipv4, "an IPv4 address, such as 192.0.2.1" },
  [FORMAT_IPV6] = { "ipv6", format_is_ipv6, "an IPv6 address, such as 2001:db8::1" },
  [FORMAT_URI] = { "uri", format_is_uri, "a URI with scheme, such as https://example.com/a" },
  [FORMAT_URI_REFERENCE] = { "uri-reference", format_is_uri_reference,
                             "a URI or a relative reference, such as https://example.com/a or /a" },
  [FORMAT_URI_TEMPLATE] = { "uri-template", format_is_uri_template,
                            "a URI template, such as /users/{id}" },
  [FORMAT_UUID] = { "uuid", format_is_uuid,
                    "a UUID, such as 123e4567-e89b-12d3-a456-426614174000" },
  [FORMAT_JSON_POINTER] = { "json-pointer", format_is_json_pointer,
                            "a JSON pointer, such as /a/0" },
  [FORMAT_RELATIVE_JSON_POINTER] = { "relative-json-pointer", format_is_relative_json_pointer,
                                     "a relative JSON pointer, such as 1/a" },
  [FORMAT_REGEX] = { "regex", regex_is_valid,
                     "a regular expression of ECMA-262, such as ^[a-z]+$" },
};

enum format
format_find (const char *name, size_t len)
{
  for (unsigned i = FORMAT_NONE + 1; i < sizeof kinds / sizeof *kinds; i++)
    if (strlen (kinds[i].name) == len && memcmp (kinds[i].name, name, len) == 0)
      return (enum format) i;
  return FORMAT_NONE;
}

bool
format_check (enum format format, const char *text, size_t len)
{
  return kinds[format].is (text, len);
}

const char *
format_name (enum format format)
{
  return kinds[format].name;
}

const char *
format_phrase (enum format format)
{
  return kinds[format].phrase;
}
