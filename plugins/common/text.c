#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

void
text_free (struct text *text)
{
  free (text->data);
  *text = (struct text){ 0 };
}

bool
text_ok (const struct text *text)
{
  return !text->failed;
}

const char *
text_get (const struct text *text)
{
  return text->data != NULL ? text->data : "";
}

void
text_clear (struct text *text)
{
  text->len = 0;
  if (text->data != NULL)
    text->data[0] = '\0';
}

/* Make room for `more` bytes and a NUL. */
static bool
make_room (struct text *text, size_t more)
{
  size_t size = text->size != 0 ? text->size : 64;
  char *data;

  if (text->failed || more > SIZE_MAX / 4 - text->len) {
    text->failed = true;
    return false;
  }
  while (size <= text->len + more)
    size *= 2;
  if (size == text->size)
    return true;
  data = realloc (text->data, size);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->size = size;
  return true;
}

void
text_add_len (struct text *text, const char *more, size_t len)
{
  if (!make_room (text, len))
    return;
  if (len > 0)
    memcpy (text->data + text->len, more, len);
  text->len += len;
  text->data[text->len] = '\0';
}

void
text_add (struct text *text, const char *more)
{
  text_add_len (text, more, strlen (more));
}

void
text_addf (struct text *text, const char *fmt, ...)
{
  va_list args;
  int n;

  va_start (args, fmt);
  n = vsnprintf (NULL, 0, fmt, args);
  va_end (args);
  if (n < 0 || !make_room (text, (size_t) n))
    return;
  va_start (args, fmt);
  (void) vsnprintf (text->data + text->len, (size_t) n + 1, fmt, args);
  va_end (args);
  text->len += (size_t) n;
}

void
text_add_line (struct text *text, const char *more, size_t len)
{
  for (size_t i = 0; i < len;) {
    uint32_t point = 0;
    size_t n = utf8_next (more + i, len - i, &point);
    bool control = (point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0)
                   || point == 0x2028 || point == 0x2029;

    if (n == 0 || control)
      text_add (text, "\xEF\xBF\xBD");
    else
      text_add_len (text, more + i, n);
    i += n != 0 ? n : 1;
  }
}

/* ---- JSON ---- */

/* A comma, unless the value is the first here or follows its name. */
static void
separate (struct text *text)
{
  if (text->len > 0 && strchr ("{[:", text->data[text->len - 1]) == NULL)
    text_add (text, ",");
}

void
json_open (struct text *text, char bracket)
{
  separate (text);
  text_add_len (text, &bracket, 1);
}

void
json_close (struct text *text, char bracket)
{
  text_add_len (text, &bracket, 1);
}

static void
add_escaped (struct text *text, char c)
{
  static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = c != '\0' ? strchr (plain, c) : NULL;

  if (found != NULL)
    text_addf (text, "\\%c", letters[found - plain]);
  else
    text_addf (text, "\\u%04x", (unsigned char) c);
}

void
json_string_len (struct text *text, const char *value, size_t len)
{
  separate (text);
  text_add (text, "\"");
  for (size_t i = 0; i < len;) {
    size_t run = 0;
    size_t n = 1;

    while (i + run < len && (unsigned char) value[i + run] >= 0x20
           && (unsigned char) value[i + run] < 0x80 && value[i + run] != '"'
           && value[i + run] != '\\')
      run++;
    text_add_len (text, value + i, run);
    i += run;
    if (i == len)
      break;
    if ((unsigned char) value[i] < 0x80)
      add_escaped (text, value[i]);
    else if ((n = utf8_next (value + i, len - i, NULL)) > 0)
      text_add_len (text, value + i, n);
    else {
      text_add (text, "\xEF\xBF\xBD");
      n = 1;
    }
    i += n;
  }
  text_add (text, "\"");
}

void
json_string (struct text *text, const char *value)
{
  json_string_len (text, value, strlen (value));
}

void
json_name (struct text *text, const char *name)
{
  json_string (text, name);
  text_add (text, ":");
}

void
json_raw (struct text *text, const char *json)
{
  separate (text);
  text_add (text, json);
}

void
json_int (struct text *text, int64_t value)
{
  separate (text);
  text_addf (text, "%" PRId64, value);
}

void
json_bool (struct text *text, bool value)
{
  json_raw (text, value ? "true" : "false");
}

void
json_name_string (struct text *text, const char *name, const char *value)
{
  json_name (text, name);
  json_string (text, value);
}

void
json_name_int (struct text *text, const char *name, int64_t value)
{
  json_name (text, name);
  json_int (text, value);
}

void
json_name_bool (struct text *text, const char *name, bool value)
{
  json_name (text, name);
  json_bool (text, value);
}
