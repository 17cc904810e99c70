/* kinds.h - one function for each format, and the classes of ASCII characters that they are
 * made of.  For format*.c alone.
 *
 * The functions are pure and allocate nothing, but format_is_a_label.  The text is good UTF-8 and
 * may hold NUL, which is a character like any other and fits nowhere but in a JSON pointer. */
#ifndef TOOLHOST_SCHEMA_FORMAT_KINDS_H
#define TOOLHOST_SCHEMA_FORMAT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- time.c ---- */

/* RFC 3339, 5.6: date-time, full-date, full-time */
bool format_is_date_time (const char *text, size_t len);
bool format_is_date (const char *text, size_t len);
bool format_is_time (const char *text, size_t len);
/* RFC 3339, appendix A: duration, with capital letters as in ISO 8601 */
bool format_is_duration (const char *text, size_t len);

/* ---- net.c ---- */

/* RFC 1123, 2.1, its labels of "xn--" as in RFC 5890, 2.3.2.1 */
bool format_is_hostname (const char *text, size_t len);
/* RFC 2673, 3.2: dotted-quad */
bool format_is_ipv4 (const char *text, size_t len);
/* RFC 4291, 2.2 */
bool format_is_ipv6 (const char *text, size_t len);
/* RFC 5321, 4.1.2: Mailbox */
bool format_is_email (const char *text, size_t len);

/* ---- idn.c ---- */

/* RFC 5891, 4: a label of at most 63 letters, digits and hyphens that begins with "xn--", in any
 * case, and stands for what may be registered */
bool format_is_a_label (const char *text, size_t len);

/* ---- uri.c ---- */

/* RFC 3986, appendix A: URI, URI-reference */
bool format_is_uri (const char *text, size_t len);
bool format_is_uri_reference (const char *text, size_t len);

/* ---- template.c ---- */

/* RFC 6570, 2: URI-Template of levels 1 to 4 */
bool format_is_uri_template (const char *text, size_t len);

/* ---- id.c ---- */

/* RFC 9562, 4: UUID, of any version and variant */
bool format_is_uuid (const char *text, size_t len);
/* RFC 6901, 3 */
bool format_is_json_pointer (const char *text, size_t len);
/* draft-bhutton-relative-json-pointer-00, 3 */
bool format_is_relative_json_pointer (const char *text, size_t len);

/* ---- chars.c ---- */

enum {
  CHAR_DIGIT = 1 << 0,
  CHAR_HEX = 1 << 1,
  CHAR_ALPHA = 1 << 2,
  CHAR_UNRESERVED = 1 << 3, /* RFC 3986: letters, digits, "-._~" */
  CHAR_SUB_DELIM = 1 << 4,  /* RFC 3986: "!$&'()*+,;=" */
  CHAR_COLON = 1 << 5,
  CHAR_AT = 1 << 6,
  CHAR_SLASH = 1 << 7,    /* "/?", what a query may hold beyond a path */
  CHAR_SCHEME = 1 << 8,   /* RFC 3986: letters, digits, "+-." */
  CHAR_ATEXT = 1 << 9,    /* RFC 5322: what an atom of an email address is made of */
  CHAR_LITERAL = 1 << 10, /* RFC 6570: outside of expressions */
  CHAR_VARNAME = 1 << 11, /* RFC 6570: letters, digits, "_" */

  CHAR_ALNUM = CHAR_ALPHA | CHAR_DIGIT
};

/* By byte; of the bytes above 0x7f none is in any class. */
extern const uint16_t format_chars[256];

static inline bool
format_char_is (char c, unsigned classes)
{
  return (format_chars[(unsigned char) c] & classes) != 0;
}

/* Behind the characters of these classes at `p`. */
static inline const char *
format_skip (const char *p, const char *end, unsigned classes)
{
  while (p < end && format_char_is (*p, classes))
    p++;
  return p;
}

/* Does "%" and two hex digits stand at `p`?  RFC 3986, 2.1 */
static inline bool
format_percent_at (const char *p, const char *end)
{
  return end - p >= 3 && p[0] == '%' && format_char_is (p[1], CHAR_HEX)
         && format_char_is (p[2], CHAR_HEX);
}

/* Behind the characters of these classes and percent-encoded ones. */
static inline const char *
format_skip_encoded (const char *p, const char *end, unsigned classes)
{
  for (;;) {
    p = format_skip (p, end, classes);
    if (!format_percent_at (p, end))
      return p;
    p += 3;
  }
}

#endif
