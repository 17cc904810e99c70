#include "document.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../common/near.h"
#include "c_parse.h"

/* ---- places ---- */

struct place
document_enter (struct document *doc, const char *name)
{
  const struct place before = { strlen (doc->where) };
  char *at = doc->where + before.len, *end = doc->where + sizeof doc->where - 1;

  if (at < end)
    *at++ = '/';
  for (; *name != '\0' && at + 2 < end; name++)
    if (*name == '~' || *name == '/') {
      *at++ = '~';
      *at++ = *name == '~' ? '0' : '1';
    }
    else
      *at++ = *name;
  *at = '\0';
  return before;
}

struct place
document_enter_item (struct document *doc, size_t index)
{
  char digits[24];

  (void) snprintf (digits, sizeof digits, "%zu", index);
  return document_enter (doc, digits);
}

void
document_leave (struct document *doc, struct place before)
{
  doc->where[before.len] = '\0';
}

bool
document_wrong (struct document *doc, const char *name, const char *fmt, ...)
{
  CLEANUP_TEXT struct text line = { 0 };
  char text[600];
  struct place before = { strlen (doc->where) };
  va_list list;

  if (doc->why != NULL)
    return false;
  va_start (list, fmt);
  (void) vsnprintf (text, sizeof text, fmt, list);
  va_end (list);
  text_add_line (&line, text, strlen (text));
  doc->why = values_text (doc->pool, text_get (&line), line.len);
  if (name[0] != '\0')
    before = document_enter (doc, name);
  memcpy (doc->wrong, doc->where, sizeof doc->wrong);
  document_leave (doc, before);
  return false;
}

/* ---- members ---- */

bool
document_object (struct document *doc, const struct value *value, const char *const *names)
{
  if (!value_is (value, VALUE_OBJECT))
    return document_wrong (doc, "", "expected an object");
  for (size_t i = 0; i < value->count; i++) {
    CLEANUP_TEXT struct text why = { 0 };
    struct near near = { .word = value->members[i].name };
    size_t n = 0;
    while (names[n] != NULL && strcmp (names[n], value->members[i].name) != 0)
      near_offer (&near, names[n++]);
    if (names[n] != NULL)
      continue;
    near_say (&near, &why);
    return document_wrong (doc, value->members[i].name, "there is no such member%s",
                           text_get (&why));
  }
  return true;
}

static const struct value *
get (const struct value *object, const char *name)
{
  const struct value *value = value_get_z (object, name);

  return value_is (value, VALUE_NULL) ? NULL : value;
}

bool
document_text (struct document *doc, const struct value *object, const char *name,
               const char **text)
{
  const struct value *value = get (object, name);

  if (value == NULL)
    return true;
  if (value_cstring (value) == NULL)
    return document_wrong (doc, name, "expected a text without U+0000");
  *text = value_cstring (value);
  return true;
}

bool
document_bool (struct document *doc, const struct value *object, const char *name, bool *is)
{
  const struct value *value = get (object, name);

  if (value == NULL)
    return true;
  if (value->type != VALUE_TRUE && value->type != VALUE_FALSE)
    return document_wrong (doc, name, "expected true or false");
  *is = value->type == VALUE_TRUE;
  return true;
}

bool
document_size (struct document *doc, const struct value *object, const char *name, size_t least,
               size_t most, size_t *size)
{
  const struct value *value = get (object, name);
  bool negative;
  uint64_t number;

  if (value == NULL)
    return true;
  if (value->type != VALUE_NUMBER || !document_whole (value->text, &negative, &number) || negative
      || number < least || number > most)
    return document_wrong (doc, name, "expected a whole number from %zu to %zu", least, most);
  *size = (size_t) number;
  return true;
}

static void
say_words (struct text *out, const char *const *words)
{
  for (size_t i = 0; words[i] != NULL; i++)
    text_addf (out, "%s\"%s\"", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
}

bool
document_choice (struct document *doc, const struct value *object, const char *name,
                 const char *const *words, int *choice)
{
  CLEANUP_TEXT struct text all = { 0 };
  const struct value *value = get (object, name);
  const char *text = value_cstring (value);

  if (value == NULL)
    return true;
  for (int i = 0; text != NULL && words[i] != NULL; i++)
    if (strcmp (words[i], text) == 0) {
      *choice = i;
      return true;
    }
  say_words (&all, words);
  return document_wrong (doc, name, "expected %s", text_get (&all));
}

bool
document_type (struct document *doc, const struct value *object, const char *name,
               const struct c_type **type)
{
  const char *text = NULL, *why;

  if (!document_text (doc, object, name, &text))
    return false;
  if (text == NULL)
    return true;
  if (strcmp (text, "string") == 0)
    text = "const char *";
  *type = c_type_read (doc->types, text, &why);
  return *type != NULL || document_wrong (doc, name, "%s", why);
}

/* ---- numbers and names ---- */

bool
document_is_c_name (const char *name)
{
  const size_t len = strlen (name);

  return len != 0 && len <= 128 && !isdigit ((unsigned char) name[0])
         && strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

/* The digits of a number without its point, and how many of them stand after it less its exponent:
 * it is whole when no more than its last zeros do. */
struct decimal {
  char digits[64];
  size_t count;
  long after;
};

static bool
take_digits (struct decimal *d, const char *at)
{
  bool point = false;
  long exponent = 0;

  for (; isdigit ((unsigned char) *at) || *at == '.'; at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (d->count == 0 && *at == '0' && !point)
      continue; /* a zero that leads */
    if (d->count == sizeof d->digits)
      return false;
    d->digits[d->count++] = *at;
    d->after += point;
  }
  if (*at == 'e' || *at == 'E') {
    bool negative = *++at == '-';
    at += *at == '-' || *at == '+';
    for (; isdigit ((unsigned char) *at); at++)
      exponent = exponent < 1000 ? exponent * 10 + (*at - '0') : exponent;
    d->after += negative ? exponent : -exponent;
  }
  return *at == '\0';
}

bool
document_whole (const char *text, bool *negative, uint64_t *magnitude)
{
  struct decimal d = { .count = 0 };

  *magnitude = 0;
  *negative = *text == '-';
  if (!take_digits (&d, text + *negative))
    return false;
  while (d.count > 0 && d.digits[d.count - 1] == '0') {
    d.count--;
    d.after--;
  }
  if (d.count == 0) {
    *negative = false;
    return true;
  }
  if (d.after > 0 || d.after < -20)
    return false;
  for (size_t i = 0; i < d.count; i++)
    if (__builtin_mul_overflow (*magnitude, 10, magnitude)
        || __builtin_add_overflow (*magnitude, (uint64_t) (d.digits[i] - '0'), magnitude))
      return false;
  for (; d.after < 0; d.after++)
    if (__builtin_mul_overflow (*magnitude, 10, magnitude))
      return false;
  return true;
}
