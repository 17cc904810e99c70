/* text.h - a text that grows, and JSON written into one.
 *
 * A failure to get memory is remembered: everything after it does nothing, and whoever made the
 * text asks text_ok once at the end.  Zero-initialise; free with text_free. */
#ifndef TOOLHOST_PLUGINS_COMMON_TEXT_H
#define TOOLHOST_PLUGINS_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  char *data; /* followed by a NUL; NULL while empty */
  size_t len;
  size_t size;
  bool failed;
};

void text_free (struct text *text);
#define CLEANUP_TEXT __attribute__ ((cleanup (text_free)))

bool text_ok (const struct text *text);
/* The text as a C string, "" when there is none. */
const char *text_get (const struct text *text);
void text_clear (struct text *text);
void text_add (struct text *text, const char *more);
void text_add_len (struct text *text, const char *more, size_t len);
void text_addf (struct text *text, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* A text of unknown origin as one line of good UTF-8: control characters and bytes that are not
 * UTF-8 become U+FFFD. */
void text_add_line (struct text *text, const char *more, size_t len);

/* JSON: each of these is one value, or the name before a value; the commas come by themselves.
 * Bytes that are not UTF-8 become U+FFFD. */
void json_open (struct text *text, char bracket);  /* '{' or '[' */
void json_close (struct text *text, char bracket); /* '}' or ']' */
void json_name (struct text *text, const char *name);
void json_string (struct text *text, const char *value);
void json_string_len (struct text *text, const char *value, size_t len);
void json_int (struct text *text, int64_t value);
void json_bool (struct text *text, bool value);
/* JSON that is known to be good. */
void json_raw (struct text *text, const char *json);
void json_name_string (struct text *text, const char *name, const char *value);
void json_name_int (struct text *text, const char *name, int64_t value);
void json_name_bool (struct text *text, const char *name, bool value);

#endif
