#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/base64.h"
#include "../common/utf8.h"
#include "marshal.h"

__attribute__ ((format (printf, 2, 3))) static bool
wrong (struct unmarshal *u, const char *fmt, ...)
{
  va_list list;

  va_start (list, fmt);
  (void) vsnprintf (u->why, sizeof u->why, fmt, list);
  va_end (list);
  return false;
}

/* ---- numbers ---- */

int64_t
unmarshal_integer (const struct c_type *type, const void *at)
{
  switch (type->size) {
  case 1:
    return type->is_signed ? *(const int8_t *) at : *(const uint8_t *) at;
  case 2:
    return type->is_signed ? *(const int16_t *) at : *(const uint16_t *) at;
  case 4:
    return type->is_signed ? *(const int32_t *) at : (int64_t) * (const uint32_t *) at;
  default:
    return *(const int64_t *) at;
  }
}

static bool
put_integer (struct unmarshal *u, const struct c_type *type, const void *at)
{
  const int64_t number = unmarshal_integer (type, at);
  char digits[24];

  if (type->is_signed)
    json_int (u->out, number);
  else {
    (void) snprintf (digits, sizeof digits, "%llu", (unsigned long long) number);
    json_raw (u->out, digits);
  }
  return true;
}

/* The shortest digits that mean the same number. */
static bool
put_real (struct unmarshal *u, double number, bool is_float)
{
  char digits[40];

  if (!isfinite (number))
    return wrong (u, "it is %s, which JSON can't say",
                  isnan (number) ? "not a number (NaN)" : "infinite");
  for (int precision = is_float ? 6 : 15; precision <= 17; precision++) {
    (void) snprintf (digits, sizeof digits, "%.*g", precision, number);
    if (is_float ? strtof (digits, NULL) == (float) number : strtod (digits, NULL) == number)
      break;
  }
  json_raw (u->out, digits);
  return true;
}

/* ---- texts ---- */

bool
unmarshal_text (struct unmarshal *u, const char *text, size_t len)
{
  len = strnlen (text, len);
  if (!utf8_valid (text, len))
    return wrong (u, "it is no text in UTF-8; \"encoding\": \"base64\" tells any bytes");
  json_string_len (u->out, text, len);
  return true;
}

bool
unmarshal_string (struct unmarshal *u, const char *text, size_t max)
{
  const size_t len = strnlen (text, max + 1);

  if (len > max)
    return wrong (u, "it is longer than %zu bytes", max);
  return unmarshal_text (u, text, len);
}

static bool
put_char (struct unmarshal *u, char c)
{
  if ((unsigned char) c > 127)
    return wrong (u, "it is the byte %d, no character of ASCII", (unsigned char) c);
  json_string_len (u->out, &c, c != '\0');
  return true;
}

/* ---- what has names ---- */

static bool
put_enum (struct unmarshal *u, const struct c_type *type, const void *at)
{
  const int64_t number = unmarshal_integer (type, at);

  for (size_t i = 0; i < type->count; i++)
    if (type->constants[i].value == number) {
      json_string (u->out, type->constants[i].name);
      return true;
    }
  json_int (u->out, number);
  return true;
}

static bool
put_items (struct unmarshal *u, const struct c_type *type, const void *at, size_t count)
{
  const size_t before = strlen (u->where);

  json_open (u->out, '[');
  for (size_t i = 0; i < count; i++) {
    (void) snprintf (u->where + before, sizeof u->where - before, "/%zu", i);
    if (!unmarshal_value (u, type, (const char *) at + i * type->size))
      return false;
  }
  u->where[before] = '\0';
  json_close (u->out, ']');
  return true;
}

static bool
put_struct (struct unmarshal *u, const struct c_type *type, const void *at)
{
  const size_t before = strlen (u->where);

  json_open (u->out, '{');
  for (size_t i = 0; i < type->count; i++) {
    const struct c_member *member = &type->members[i];
    (void) snprintf (u->where + before, sizeof u->where - before, "/%s", member->name);
    json_name (u->out, member->name);
    if (!unmarshal_value (u, member->type, (const char *) at + member->offset))
      return false;
  }
  u->where[before] = '\0';
  json_close (u->out, '}');
  return true;
}

bool
unmarshal_value (struct unmarshal *u, const struct c_type *type, const void *at)
{
  switch (type->kind) {
  case C_BOOL:
    json_bool (u->out, *(const unsigned char *) at != 0);
    return true;
  case C_CHAR:
    return put_char (u, *(const char *) at);
  case C_INT:
    return put_integer (u, type, at);
  case C_ENUM:
    return put_enum (u, type, at);
  case C_STRUCT:
    return put_struct (u, type, at);
  case C_ARRAY:
    return type->of->kind == C_CHAR ? unmarshal_text (u, at, type->count)
                                    : put_items (u, type->of, at, type->count);
  case C_POINTER:
    if (*(char *const *) at == NULL)
      json_raw (u->out, "null");
    return *(char *const *) at == NULL || unmarshal_string (u, *(char *const *) at, BYTES_DEFAULT);
  case C_FLOAT:
    return put_real (u, (double) *(const float *) at, true);
  case C_DOUBLE:
    return put_real (u, *(const double *) at, false);
  default:
    return put_real (u, (double) *(const long double *) at, false);
  }
}

bool
unmarshal_list (struct unmarshal *u, const struct param *param, const void *at, size_t count)
{
  CLEANUP_TEXT struct text base64 = { 0 };

  if (param->form == FORM_LIST)
    return put_items (u, param->item, at, count);
  if (param->encoding == ENCODING_TEXT)
    return unmarshal_text (u, at, count);
  base64_encode (&base64, at, count);
  if (!text_ok (&base64))
    u->out->failed = true;
  json_string_len (u->out, text_get (&base64), base64.len);
  return true;
}
