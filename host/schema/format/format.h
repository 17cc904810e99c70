/* format.h - the values of "format" that are asserted for tools: is a text one?  Pure functions;
 * nothing is allocated but for host names with labels of "xn--" and for regular expressions.  For
 * the files of schema/ and the CLI. */
#ifndef TOOLHOST_SCHEMA_FORMAT_FORMAT_H
#define TOOLHOST_SCHEMA_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum format {
  FORMAT_NONE, /* any text: a format that is not known, and says nothing */
  FORMAT_DATE_TIME,
  FORMAT_DATE,
  FORMAT_TIME,
  FORMAT_DURATION,
  FORMAT_EMAIL,
  FORMAT_HOSTNAME,
  FORMAT_IPV4,
  FORMAT_IPV6,
  FORMAT_URI,
  FORMAT_URI_REFERENCE,
  FORMAT_URI_TEMPLATE,
  FORMAT_UUID,
  FORMAT_JSON_POINTER,
  FORMAT_RELATIVE_JSON_POINTER,
  FORMAT_REGEX
};

/* The format of a name; FORMAT_NONE when it is not one of the above. */
enum format format_find (const char *name, size_t len);
/* Is the text (good UTF-8, may hold NUL) of this format? */
bool format_check (enum format format, const char *text, size_t len);
/* For a message: the name ("date-time") and a phrase with an example
 * ("a date and time with zone, such as 2026-01-31T12:00:00Z"). */
const char *format_name (enum format format);
const char *format_phrase (enum format format);

#endif
