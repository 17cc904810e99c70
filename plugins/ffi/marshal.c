#include "marshal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/base64.h"
#include "../common/near.h"

/* ---- problems ---- */

void
marshal_wrong (struct marshal *m, const char *fmt, ...)
{
  CLEANUP_TEXT struct text line = { 0 };
  char text[300];
  va_list list;

  va_start (list, fmt);
  (void) vsnprintf (text, sizeof text, fmt, list);
  va_end (list);
  text_add_line (&line, text, strlen (text));
  m->wrong = true;
  m->tell (m->ctx, m->where, text_get (&line));
}

/* A place is left by cutting it off again. */
static size_t
enter (char *where, const char *name)
{
  const size_t len = strlen (where);

  (void) snprintf (where + len, DOCUMENT_PLACE_MAX - len, "/%s", name);
  return len;
}

static size_t
enter_item (char *where, size_t index)
{
  const size_t len = strlen (where);

  (void) snprintf (where + len, DOCUMENT_PLACE_MAX - len, "/%zu", index);
  return len;
}

/* ---- guards ---- */

enum { GUARD = 16, GUARD_BYTE = 0xa7 };

void *
guard_alloc (struct values *pool, size_t size)
{
  char *data = values_alloc (pool, size + GUARD);

  if (data != NULL)
    memset (data + size, GUARD_BYTE, GUARD);
  return data;
}

bool
guard_holds (const void *data, size_t size)
{
  const unsigned char *at = (const unsigned char *) data + size;

  for (size_t i = 0; i < GUARD; i++)
    if (at[i] != GUARD_BYTE)
      return false;
  return true;
}

/* ---- numbers ---- */

static void
put_integer (const struct c_type *type, uint64_t value, void *at)
{
  switch (type->size) {
  case 1:
    *(uint8_t *) at = (uint8_t) value;
    break;
  case 2:
    *(uint16_t *) at = (uint16_t) value;
    break;
  case 4:
    *(uint32_t *) at = (uint32_t) value;
    break;
  default:
    *(uint64_t *) at = value;
  }
}

static void
marshal_integer (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  const unsigned bits = 8 * (unsigned) type->size - (type->is_signed ? 1 : 0);
  const uint64_t most = bits >= 64 ? UINT64_MAX : ((uint64_t) 1 << bits) - 1;
  uint64_t magnitude;
  bool negative;

  if (value->type != VALUE_NUMBER) {
    marshal_wrong (m, "expected a whole number, got %s", value_type_name (value));
    return;
  }
  if (!document_whole (value->text, &negative, &magnitude)
      || (negative ? !type->is_signed || magnitude > most + 1 : magnitude > most)) {
    if (type->is_signed)
      marshal_wrong (m, "%.40s does not fit %s: expected a whole number from -%llu to %llu",
                     value->text, type->name, (unsigned long long) most + 1,
                     (unsigned long long) most);
    else
      marshal_wrong (m, "%.40s does not fit %s: expected a whole number from 0 to %llu",
                     value->text, type->name, (unsigned long long) most);
    return;
  }
  put_integer (type, negative ? -magnitude : magnitude, at);
}

static void
marshal_real (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  double number;

  if (value->type != VALUE_NUMBER) {
    marshal_wrong (m, "expected a number, got %s", value_type_name (value));
    return;
  }
  number = strtod (value->text, NULL);
  if (isinf (number) || (type->kind == C_FLOAT && fabs (number) > (double) FLT_MAX)) {
    marshal_wrong (m, "%.40s does not fit %s", value->text, type->name);
    return;
  }
  if (type->kind == C_FLOAT)
    *(float *) at = (float) number;
  else if (type->kind == C_DOUBLE)
    *(double *) at = number;
  else
    *(long double *) at = strtold (value->text, NULL);
}

/* ---- texts ---- */

char *
marshal_text (struct marshal *m, const struct value *value, size_t max)
{
  char *copy;

  if (value->type != VALUE_STRING) {
    marshal_wrong (m, "expected a string, got %s", value_type_name (value));
    return NULL;
  }
  if (memchr (value->text, '\0', value->count) != NULL) {
    marshal_wrong (m, "a C string can't hold U+0000");
    return NULL;
  }
  if (value->count > max) {
    marshal_wrong (m, "expected at most %zu bytes, got %zu", max, value->count);
    return NULL;
  }
  /* A copy: the function may write into what it promised to read only. */
  copy = guard_alloc (m->pool, value->count + 1);
  if (copy != NULL)
    memcpy (copy, value->text, value->count);
  return copy;
}

static void
marshal_char (struct marshal *m, const struct value *value, void *at)
{
  if (value->type != VALUE_STRING || value->count != 1 || value->text[0] <= 0)
    marshal_wrong (m, "expected one character of ASCII");
  else
    *(char *) at = value->text[0];
}

static void
marshal_chars (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  const char *text = marshal_text (m, value, type->count - 1);

  if (text != NULL)
    memcpy (at, text, strlen (text));
}

/* ---- what has names ---- */

static void
marshal_enum (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  CLEANUP_TEXT struct text more = { 0 };
  const char *name = value_cstring (value);
  struct near near = { .word = name };

  for (size_t i = 0; name != NULL && i < type->count; i++) {
    if (strcmp (type->constants[i].name, name) == 0) {
      put_integer (type, (uint64_t) type->constants[i].value, at);
      return;
    }
    near_offer (&near, type->constants[i].name);
  }
  near_say (&near, &more);
  marshal_wrong (m, "expected a name of %s%s", type->name, text_get (&more));
}

static void
marshal_struct (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  if (value->type != VALUE_OBJECT) {
    marshal_wrong (m, "expected an object with the members of %s", type->name);
    return;
  }
  for (size_t i = 0; i < type->count; i++) {
    const struct c_member *member = &type->members[i];
    const struct value *item = value_get_z (value, member->name);
    const size_t before = enter (m->where, member->name);
    if (item == NULL)
      marshal_wrong (m, "this member is missing");
    else
      marshal_value (m, member->type, item, (char *) at + member->offset);
    m->where[before] = '\0';
  }
  for (size_t i = 0; i < value->count; i++) {
    size_t n = 0;
    while (n < type->count && strcmp (type->members[n].name, value->members[i].name) != 0)
      n++;
    if (n == type->count)
      marshal_wrong (m, "%s has no member \"%.60s\"", type->name, value->members[i].name);
  }
}

static void
marshal_items (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  for (size_t i = 0; i < value->count; i++) {
    const size_t before = enter_item (m->where, i);
    marshal_value (m, type, value->items[i], (char *) at + i * type->size);
    m->where[before] = '\0';
  }
}

static void
marshal_array (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  if (type->of->kind == C_CHAR)
    marshal_chars (m, type, value, at);
  else if (value->type != VALUE_ARRAY || value->count != type->count)
    marshal_wrong (m, "expected a list of %zu", type->count);
  else
    marshal_items (m, type->of, value, at);
}

void
marshal_value (struct marshal *m, const struct c_type *type, const struct value *value, void *at)
{
  switch (type->kind) {
  case C_BOOL:
    if (value->type != VALUE_TRUE && value->type != VALUE_FALSE)
      marshal_wrong (m, "expected true or false, got %s", value_type_name (value));
    *(bool *) at = value->type == VALUE_TRUE;
    break;
  case C_CHAR:
    marshal_char (m, value, at);
    break;
  case C_INT:
    marshal_integer (m, type, value, at);
    break;
  case C_ENUM:
    marshal_enum (m, type, value, at);
    break;
  case C_STRUCT:
    marshal_struct (m, type, value, at);
    break;
  case C_ARRAY:
    marshal_array (m, type, value, at);
    break;
  case C_POINTER:
    if (value->type != VALUE_NULL)
      *(char **) at = marshal_text (m, value, BYTES_DEFAULT);
    break;
  default:
    marshal_real (m, type, value, at);
  }
}

/* ---- lists ---- */

static void *
marshal_bytes (struct marshal *m, const struct param *param, const struct value *value, size_t room,
               size_t *count)
{
  CLEANUP_TEXT struct text bytes = { 0 };
  const char *from = value->text;
  size_t wrong;
  char *data;

  *count = value->count;
  if (value->type != VALUE_STRING) {
    marshal_wrong (m, "expected a string, got %s", value_type_name (value));
    return NULL;
  }
  if (param->encoding == ENCODING_BASE64) {
    if (!base64_decode (&bytes, value->text, value->count, &wrong)) {
      marshal_wrong (m, "this is no base64: character %zu does not fit", wrong);
      return NULL;
    }
    from = text_get (&bytes);
    *count = bytes.len;
  }
  if (*count > param->max) {
    marshal_wrong (m, "expected at most %zu bytes, got %zu", param->max, *count);
    return NULL;
  }
  /* Without a length it is a C string, which ends at its NUL. */
  if (param->length < 0 && param->encoding == ENCODING_TEXT
      && (*count >= room || memchr (from, '\0', *count) != NULL)) {
    marshal_wrong (m, "expected fewer than %zu bytes, and no U+0000", room);
    return NULL;
  }
  data = guard_alloc (m->pool, room > *count ? room : *count);
  if (data != NULL && *count != 0)
    memcpy (data, from, *count);
  return data;
}

void *
marshal_list (struct marshal *m, const struct param *param, const struct value *value, size_t room,
              size_t *count)
{
  void *data;

  if (param->form == FORM_BYTES)
    return marshal_bytes (m, param, value, room, count);
  *count = value->count;
  if (value->type != VALUE_ARRAY || value->count > param->max) {
    marshal_wrong (m, "expected a list of at most %zu", param->max);
    return NULL;
  }
  data = guard_alloc (m->pool, (room > *count ? room : *count) * param->item->size);
  if (data != NULL)
    marshal_items (m, param->item, value, data);
  return data;
}
