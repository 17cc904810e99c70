/* json_write.h - append JSON to a buf: the commas and the escapes are right by construction.
 *
 *   struct json_writer w = { .out = &buf };
 *   jsonw_object (&w);
 *   jsonw_name (&w, "ok");
 *   jsonw_bool (&w, true);
 *   jsonw_end (&w);
 *
 * Output is compact, on one line.  Nesting deeper than 63 is our own bug (assert). */
#ifndef TOOLHOST_BASE_JSON_WRITE_H
#define TOOLHOST_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

struct json_writer {
  struct buf *out;
  uint64_t objects; /* bit per level: is it an object? */
  uint64_t filled;  /* bit per level: does it have an item already? */
  unsigned depth;
  bool named; /* a member name was written, its value comes next */
};

void jsonw_object (struct json_writer *w);
void jsonw_array (struct json_writer *w);
void jsonw_end (struct json_writer *w); /* of the innermost object or array */
/* A name of our own: nothing in it needs an escape. */
void jsonw_plain_name (struct json_writer *w, const char *name, size_t len);
/* … whose length the compiler knows, where it is a literal. */
static inline void
jsonw_name (struct json_writer *w, const char *name)
{
  jsonw_plain_name (w, name, strlen (name));
}
/* Any name. */
void jsonw_name_len (struct json_writer *w, const char *name, size_t len);
void jsonw_null (struct json_writer *w);
void jsonw_bool (struct json_writer *w, bool value);
void jsonw_int (struct json_writer *w, int64_t value);
void jsonw_uint (struct json_writer *w, uint64_t value);
/* Shortest form that reads back the same; not finite: null. */
void jsonw_double (struct json_writer *w, double value);
/* A string; NULL writes null.  Bytes that are not UTF-8 become U+FFFD. */
void jsonw_string (struct json_writer *w, const char *text);
void jsonw_string_len (struct json_writer *w, const char *text, size_t len);
/* A string of our own: nothing in it needs an escape. */
void jsonw_plain_string (struct json_writer *w, const char *text, size_t len);
void jsonw_stringf (struct json_writer *w, const char *fmt, ...)
  __attribute__ ((format (printf, 2, 3)));
/* Bytes as a base64 string (standard alphabet, padded). */
void jsonw_base64 (struct json_writer *w, const void *data, size_t len);
/* JSON that is known to be good, as one value. */
void jsonw_raw (struct json_writer *w, const char *json, size_t len);

/* name and value in one */
static inline void
jsonw_name_string (struct json_writer *w, const char *name, const char *text)
{
  jsonw_name (w, name);
  jsonw_string (w, text);
}
static inline void
jsonw_name_int (struct json_writer *w, const char *name, int64_t value)
{
  jsonw_name (w, name);
  jsonw_int (w, value);
}
static inline void
jsonw_name_plain (struct json_writer *w, const char *name, const char *text)
{
  jsonw_name (w, name);
  jsonw_plain_string (w, text, strlen (text));
}
static inline void
jsonw_name_bool (struct json_writer *w, const char *name, bool value)
{
  jsonw_name (w, name);
  jsonw_bool (w, value);
}
static inline void
jsonw_name_raw (struct json_writer *w, const char *name, const char *json, size_t len)
{
  jsonw_name (w, name);
  jsonw_raw (w, json, len);
}
/* A list of strings that ends with NULL; NULL: an empty list. */
void jsonw_name_strings (struct json_writer *w, const char *name, char *const *list);
/* Of a list of names in the order of bits, ended by NULL, those whose bits are set. */
void jsonw_name_bits (struct json_writer *w, const char *name, unsigned bits,
                      const char *const *names);

/* The escaped text of a string without its quotes, as above. */
void json_escape (struct buf *out, const char *text, size_t len);
/* Append a step, "/name", to a JSON pointer (RFC 6901); returns the length it had before. */
size_t json_pointer_add (struct buf *pointer, const char *name, size_t len);

#endif
