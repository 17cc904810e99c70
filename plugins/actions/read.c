#include "read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MAX = 300 };

bool
read_begin (struct reading *r, const struct scope *scope, const struct place *at,
            const struct value *object)
{
  *r = (struct reading){ .scope = scope, .at = at, .object = object, .good = true };
  if (!value_is (object, VALUE_OBJECT))
    r->good = problem (scope->problems, at, "wrong_type", NULL, "expected an object, got %s",
                       value_type_name (object));
  return r->good;
}

void
read_known (struct reading *r, const char *const *names)
{
  for (size_t i = 0; i < r->object->count; i++) {
    const char *name = r->object->members[i].name;
    const struct place at = { r->at, name, 0 };
    size_t n = 0;

    while (names[n] != NULL && strcmp (names[n], name) != 0)
      n++;
    if (names[n] == NULL)
      r->good = problem_unknown (r->scope->problems, &at, "unknown_member", name, names,
                                 "there is no member \"%s\" here", name);
  }
}

static void
wrong (struct reading *r, const char *name, const char *code, const char *hint, const char *fmt,
       va_list args)
{
  const struct place at = { r->at, name, 0 };
  char said[SAID_MAX];

  (void) vsnprintf (said, sizeof said, fmt, args);
  r->good = problem (r->scope->problems, &at, code, hint, "%s", said);
}

void
read_wrong (struct reading *r, const char *name, const char *code, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  wrong (r, name, code, NULL, fmt, args);
  va_end (args);
}

void
read_hint (struct reading *r, const char *name, const char *code, const char *hint, const char *fmt,
           ...)
{
  va_list args;

  va_start (args, fmt);
  wrong (r, name, code, hint, fmt, args);
  va_end (args);
}

const struct value *
read_value (struct reading *r, const char *name, bool required)
{
  const struct value *value = value_get_z (r->object, name);

  if (value == NULL && required)
    read_wrong (r, name, "missing_member", "\"%s\" is missing", name);
  return value;
}

const struct value *
read_spelling (struct reading *r, const char *const *names, bool required, const char **name)
{
  const struct value *value = NULL;

  *name = names[0];
  for (size_t i = 0; names[i] != NULL; i++) {
    const struct value *other = value_get_z (r->object, names[i]);
    if (other == NULL)
      continue;
    if (value == NULL) {
      value = other;
      *name = names[i];
    }
    else if (!value_equal (value, other))
      read_wrong (r, names[i], "conflicting_members",
                  "\"%s\" and \"%s\" are two spellings of one member and differ", *name, names[i]);
  }
  if (value == NULL && required)
    read_wrong (r, names[0], "missing_member", "\"%s\" is missing", names[0]);
  return value;
}

const char *
read_text (struct reading *r, const char *name, bool required, size_t max)
{
  const struct value *value = read_value (r, name, required);
  const char *text = value_cstring (value);

  if (value == NULL)
    return NULL;
  if (text == NULL || value->count == 0)
    read_wrong (r, name, "wrong_type", "expected a text that is not empty");
  else if (value->count > max)
    read_wrong (r, name, "too_long", "at most %zu bytes", max);
  else
    return text;
  return NULL;
}

bool
read_bool (struct reading *r, const char *name, bool otherwise)
{
  const struct value *value = read_value (r, name, false);

  if (value == NULL)
    return otherwise;
  if (value->type != VALUE_TRUE && value->type != VALUE_FALSE)
    read_wrong (r, name, "wrong_type", "expected true or false, got %s", value_type_name (value));
  return value->type == VALUE_TRUE;
}

int64_t
read_int (struct reading *r, const char *name, int64_t min, int64_t max, int64_t otherwise)
{
  const struct value *value = read_value (r, name, false);
  char *end;
  int64_t number;

  if (value == NULL)
    return otherwise;
  errno = 0;
  number = value->type == VALUE_NUMBER ? strtoll (value->text, &end, 10) : 0;
  if (value->type == VALUE_NUMBER && *end == '\0' && errno == 0 && number >= min && number <= max)
    return number;
  read_wrong (r, name, "wrong_type", "expected a whole number from %" PRId64 " to %" PRId64, min,
              max);
  return otherwise;
}

const struct value *
read_list (struct reading *r, const char *name, bool required, size_t max)
{
  const struct value *value = read_value (r, name, required);

  if (value == NULL)
    return NULL;
  if (value->type != VALUE_ARRAY)
    read_wrong (r, name, "wrong_type", "expected a list, got %s", value_type_name (value));
  else if (value->count > max)
    read_wrong (r, name, "too_many", "at most %zu items", max);
  else
    return value;
  return NULL;
}

bool
read_expr (struct reading *r, const char *name, struct expr *expr, const struct value *value,
           bool bare)
{
  const struct place at = { r->at, name, 0 };
  const bool good = expr_read (expr, r->scope, &at, value, bare);

  r->good &= good;
  return good;
}
