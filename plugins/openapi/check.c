#include "check.h"

#include <stdio.h>
#include <string.h>

#include "../common/utf8.h"

enum { STEPS_MAX = 100000, DEPTH_MAX = 150 };

struct checking {
  const struct value *root;
  struct text *problems; /* NULL: it is only asked whether it fits */
  struct text where;
  unsigned count, steps, depth;
};

static bool check (struct checking *c, const struct value *value, const struct value *schema);

static bool
problem (struct checking *c, const char *what, const char *detail)
{
  if (c->problems != NULL && c->count < CHECK_PROBLEMS_MAX)
    text_addf (c->problems, "%s: %s%s\n", c->where.len != 0 ? text_get (&c->where) : "/", what,
               detail);
  c->count++;
  return false;
}

/* ---- what it is ---- */

static bool
is_whole (const struct value *value)
{
  const double number = value_number (value);

  return value->type == VALUE_NUMBER && number >= -9.3e18 && number <= 9.3e18
         && number == (double) (long long) number;
}

static bool
is_of (const struct value *value, const struct value *type)
{
  if (!value_is (type, VALUE_STRING))
    return true;
  if (strcmp (type->text, "integer") == 0)
    return is_whole (value);
  return strcmp (value_type_name (value), type->text) == 0;
}

static bool
check_type (struct checking *c, const struct value *value, const struct value *type)
{
  CLEANUP_TEXT struct text expected = { 0 };

  if (type == NULL)
    return true;
  for (size_t i = 0; type->type == VALUE_ARRAY && i < type->count; i++)
    if (is_of (value, type->items[i]))
      return true;
  if (type->type != VALUE_ARRAY && is_of (value, type))
    return true;
  value_write (&expected, type);
  return problem (c, "expected the type ", text_get (&expected));
}

static bool
check_enum (struct checking *c, const struct value *value, const struct value *list)
{
  CLEANUP_TEXT struct text expected = { 0 };

  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++)
    if (value_equal (value, list->items[i]))
      return true;
  if (!value_is (list, VALUE_ARRAY))
    return true;
  value_write (&expected, list);
  expected.len = utf8_cut (text_get (&expected), expected.len, 300);
  if (expected.data != NULL)
    expected.data[expected.len] = '\0';
  return problem (c, "expected one of ", text_get (&expected));
}

/* ---- how much of it ---- */

static bool
check_bounds (struct checking *c, const struct value *schema, const char *least, const char *most,
              double is)
{
  const struct value *min = value_get_z (schema, least), *max = value_get_z (schema, most);
  bool good = true;

  if (value_is (min, VALUE_NUMBER) && is < value_number (min))
    good = problem (c, "it is less than its schema's ", least);
  if (value_is (max, VALUE_NUMBER) && is > value_number (max))
    good = problem (c, "it is more than its schema's ", most);
  return good;
}

static bool
check_size (struct checking *c, const struct value *value, const struct value *schema)
{
  switch (value->type) {
  case VALUE_NUMBER:
    return check_bounds (c, schema, "minimum", "maximum", value_number (value));
  case VALUE_STRING:
    return check_bounds (c, schema, "minLength", "maxLength",
                         (double) utf8_count (value->text, value->count));
  case VALUE_ARRAY:
    return check_bounds (c, schema, "minItems", "maxItems", (double) value->count);
  case VALUE_OBJECT:
    return check_bounds (c, schema, "minProperties", "maxProperties", (double) value->count);
  default:
    return true;
  }
}

/* ---- what it holds ---- */

static bool
check_at (struct checking *c, const char *step, const struct value *value,
          const struct value *schema)
{
  const size_t len = c->where.len;
  bool good;

  text_addf (&c->where, "/%s", step);
  good = check (c, value, schema);
  c->where.len = len;
  if (c->where.data != NULL)
    c->where.data[len] = '\0';
  return good;
}

static bool
check_items (struct checking *c, const struct value *value, const struct value *schema)
{
  const struct value *items = value_get_z (schema, "items");
  bool good = true;

  for (size_t i = 0; items != NULL && value->type == VALUE_ARRAY && i < value->count; i++) {
    char step[24];
    (void) snprintf (step, sizeof step, "%zu", i);
    good = check_at (c, step, value->items[i], items) && good;
  }
  return good;
}

static bool
check_required (struct checking *c, const struct value *value, const struct value *list)
{
  bool good = true;

  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++)
    if (value_get (value, list->items[i]->text, list->items[i]->count) == NULL)
      good = problem (c, "it lacks ", list->items[i]->text);
  return good;
}

static bool
check_members (struct checking *c, const struct value *value, const struct value *schema)
{
  const struct value *properties = value_get_z (schema, "properties");
  const struct value *others = value_get_z (schema, "additionalProperties");
  bool good;

  if (value->type != VALUE_OBJECT)
    return true;
  good = check_required (c, value, value_get_z (schema, "required"));
  if (value_get_z (schema, "patternProperties") != NULL)
    others = NULL;
  for (size_t i = 0; i < value->count; i++) {
    const struct value_member *member = &value->members[i];
    const struct value *own = value_get (properties, member->name, member->len);
    if (own == NULL && value_is (others, VALUE_FALSE))
      good = problem (c, "there is no member ", member->name);
    else if (own != NULL || others != NULL)
      good = check_at (c, member->name, member->value, own != NULL ? own : others) && good;
  }
  return good;
}

/* ---- other schemas ---- */

/* How many of a list it fits. */
static size_t
fitting (struct checking *c, const struct value *value, const struct value *list)
{
  struct text *problems = c->problems;
  const unsigned count = c->count;
  size_t fits = 0;

  c->problems = NULL;
  for (size_t i = 0; i < list->count; i++)
    fits += check (c, value, list->items[i]);
  c->problems = problems;
  c->count = count;
  return fits;
}

static bool
check_branches (struct checking *c, const struct value *value, const struct value *schema)
{
  const struct value *all = value_get_z (schema, "allOf"), *any = value_get_z (schema, "anyOf"),
                     *one = value_get_z (schema, "oneOf");
  bool good = true;

  for (size_t i = 0; value_is (all, VALUE_ARRAY) && i < all->count; i++)
    good = check (c, value, all->items[i]) && good;
  if (value_is (any, VALUE_ARRAY) && fitting (c, value, any) == 0)
    good = problem (c, "it fits none of its schema's ", "anyOf");
  if (value_is (one, VALUE_ARRAY) && fitting (c, value, one) == 0)
    good = problem (c, "it fits none of its schema's ", "oneOf");
  return good;
}

static const struct value *
follow (struct checking *c, const char *ref)
{
  static const char defs[] = "#/$defs/";

  return strncmp (ref, defs, sizeof defs - 1) == 0
           ? value_get_z (value_get_z (c->root, "$defs"), ref + sizeof defs - 1)
           : NULL;
}

static bool
check_object (struct checking *c, const struct value *value, const struct value *schema)
{
  const char *ref = value_cstring (value_get_z (schema, "$ref"));
  const struct value *target = ref != NULL ? follow (c, ref) : NULL;

  if (target != NULL && !check (c, value, target))
    return false;
  if (!check_type (c, value, value_get_z (schema, "type"))
      || !check_enum (c, value, value_get_z (schema, "enum")))
    return false;
  if (value_get_z (schema, "const") != NULL && !value_equal (value, value_get_z (schema, "const")))
    return problem (c, "expected its schema's ", "const");
  return (int) check_size (c, value, schema) & (int) check_items (c, value, schema)
         & (int) check_members (c, value, schema) & (int) check_branches (c, value, schema);
}

/* What takes too long to look at is let pass: the service looks, too. */
static bool
check (struct checking *c, const struct value *value, const struct value *schema)
{
  bool good = true;

  if (value_is (schema, VALUE_FALSE))
    return problem (c, "nothing may stand here", "");
  if (!value_is (schema, VALUE_OBJECT) || ++c->steps > STEPS_MAX || c->depth >= DEPTH_MAX)
    return true;
  c->depth++;
  good = check_object (c, value, schema);
  c->depth--;
  return good;
}

bool
check_value (const struct value *value, const struct value *root, struct text *problems)
{
  struct checking c = { .root = root, .problems = problems };
  const bool good = check (&c, value, root);

  text_free (&c.where);
  return good;
}
