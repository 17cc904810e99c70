#include "condition.h"

#include <string.h>

#include "read.h"

const char *const condition_op_names[OPS + 1] = {
  [OP_EQ] = "eq",         [OP_NE] = "ne",   [OP_GT] = "gt",   [OP_GTE] = "gte",
  [OP_LT] = "lt",         [OP_LTE] = "lte", [OP_IN] = "in",   [OP_EXISTS] = "exists",
  [OP_TRUTHY] = "truthy", [OP_ALL] = "all", [OP_ANY] = "any", [OP_NOT] = "not",
};

enum { DEPTH_MAX = 16, PARTS_MAX = 32 };

static bool read_at (struct condition *condition, const struct scope *scope, const struct place *at,
                     const struct value *value, unsigned depth);

static bool
takes_value (enum condition_op op)
{
  return op <= OP_IN;
}

/* ---- reading ---- */

static const char *const comparing_ops[] = { "eq",  "ne", "gt",     "gte",    "lt",
                                             "lte", "in", "exists", "truthy", NULL };

static void
read_op (struct reading *r, struct condition *condition)
{
  const char *op = read_text (r, "op", true, NAME_LEN_MAX);
  const struct place at = { r->at, "op", 0 };

  condition->op = OPS;
  for (int i = 0; op != NULL && i <= OP_TRUTHY; i++)
    if (strcmp (condition_op_names[i], op) == 0)
      condition->op = (enum condition_op) i;
  if (op != NULL && condition->op == OPS)
    r->good = problem_unknown (r->scope->problems, &at, "unknown_operator", op, comparing_ops,
                               "expected eq, ne, gt, gte, lt, lte, in, exists or truthy, not "
                               "\"%s\"",
                               op);
}

/* The path may stand in the brackets of a template. */
static void
read_condition_path (struct reading *r, struct condition *condition)
{
  const char *text = read_text (r, "path", true, PATH_MAX_LEN);
  const struct place at = { r->at, "path", 0 };
  size_t len = text != NULL ? strlen (text) : 0;
  const char *why;

  if (text == NULL)
    return;
  if (len > 4 && strncmp (text, "{{", 2) == 0 && strcmp (text + len - 2, "}}") == 0) {
    text += 2;
    len -= 4;
  }
  if (!path_read (&condition->path, r->scope->pool, text, len, ROOTS, &why))
    read_hint (r, "path", "bad_path",
               "begin with params, user, workflow, agents, flags, tenant, "
               "result, webhook or error",
               "%s", strcmp (why, "unknown root") == 0 ? "the path has no known root" : why);
  else
    r->good &= expr_check_path (r->scope, &at, &condition->path);
}

static bool
read_comparison (struct condition *condition, const struct scope *scope, const struct place *at,
                 const struct value *value)
{
  static const char *const known[] = { "path", "op", "value", NULL };
  const struct place value_at = { at, "value", 0 };
  const struct value *with;
  struct reading r;

  condition->value.source = &value_null;
  if (!read_begin (&r, scope, at, value))
    return false;
  read_known (&r, known);
  read_condition_path (&r, condition);
  read_op (&r, condition);
  if (condition->op == OPS)
    return false;
  with = read_value (&r, "value", takes_value (condition->op));
  if (with != NULL && !takes_value (condition->op))
    read_hint (&r, "value", "unknown_member", "{\"not\": {…}} turns a condition around",
               "%s takes no value", condition_op_names[condition->op]);
  if (with != NULL)
    r.good &= expr_read (&condition->value, scope, &value_at, with, false);
  if (condition->op == OP_IN && condition->value.kind == EXPR_CONSTANT
      && !value_is (with, VALUE_ARRAY))
    read_wrong (&r, "value", "wrong_type", "expected a list, or a template that gives one");
  return r.good;
}

static bool
read_parts (struct condition *condition, const struct scope *scope, const struct place *at,
            const struct value *list, unsigned depth)
{
  bool good = true;

  if (list->type != VALUE_ARRAY || list->count == 0 || list->count > PARTS_MAX)
    return problem (scope->problems, at, "wrong_type", NULL,
                    "expected a list of 1 to %d conditions", PARTS_MAX);
  condition->parts = values_alloc (scope->pool, list->count * sizeof *condition->parts);
  condition->count = condition->parts != NULL ? list->count : 0;
  for (size_t i = 0; i < condition->count; i++) {
    const struct place part = { at, NULL, i };
    good &= read_at (&condition->parts[i], scope, &part, list->items[i], depth + 1);
  }
  return good;
}

/* { "all": […] }, { "any": […] }, { "not": {…} } */
static bool
read_combined (struct condition *condition, const struct scope *scope, const struct place *at,
               const struct value *value, unsigned depth)
{
  const char *name = condition_op_names[condition->op];
  const struct place inside = { at, name, 0 };
  const struct value *part = value_get_z (value, name);

  if (value->count != 1)
    return problem (scope->problems, at, "unknown_member", NULL,
                    "nothing stands beside \"%s\" in a condition", name);
  if (condition->op != OP_NOT)
    return read_parts (condition, scope, &inside, part, depth);
  condition->parts = values_alloc (scope->pool, sizeof *condition->parts);
  condition->count = condition->parts != NULL;
  return condition->count == 1 && read_at (condition->parts, scope, &inside, part, depth + 1);
}

static bool
read_at (struct condition *condition, const struct scope *scope, const struct place *at,
         const struct value *value, unsigned depth)
{
  *condition = (struct condition){ .op = OPS };
  if (depth > DEPTH_MAX)
    return problem (scope->problems, at, "too_deep", NULL,
                    "conditions stand within each other at most %d times", DEPTH_MAX);
  for (int op = OP_ALL; op <= OP_NOT; op++)
    if (value_get_z (value, condition_op_names[op]) != NULL) {
      condition->op = (enum condition_op) op;
      return read_combined (condition, scope, at, value, depth);
    }
  return read_comparison (condition, scope, at, value);
}

bool
condition_read (struct condition *condition, const struct scope *scope, const struct place *at,
                const struct value *value)
{
  return read_at (condition, scope, at, value, 0);
}

/* ---- holding ---- */

/* Everything but null, false, 0, "" and what is empty. */
static bool
is_truthy (const struct value *value)
{
  if (value == NULL)
    return false;
  switch (value->type) {
  case VALUE_NULL:
  case VALUE_FALSE:
    return false;
  case VALUE_TRUE:
    return true;
  case VALUE_NUMBER:
    return value_number (value) < 0 || value_number (value) > 0;
  default:
    return value->count != 0;
  }
}

/* Numbers by size, texts by their bytes; what can't be compared is *neither. */
static int
compare (const struct value *a, const struct value *b, bool *neither)
{
  *neither = false;
  if (value_is (a, VALUE_NUMBER) && value_is (b, VALUE_NUMBER)) {
    const double x = value_number (a), y = value_number (b);
    return (x > y) - (x < y);
  }
  if (value_is (a, VALUE_STRING) && value_is (b, VALUE_STRING)) {
    const int order = memcmp (a->text, b->text, a->count < b->count ? a->count : b->count);
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
  }
  *neither = true;
  return 0;
}

static bool
is_in (const struct value *value, const struct value *list)
{
  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++)
    if (value_equal (value, list->items[i]))
      return true;
  return false;
}

static bool
is_ordered (enum condition_op op, const struct value *a, const struct value *b)
{
  bool neither;
  const int order = compare (a, b, &neither);

  if (neither)
    return false;
  switch (op) {
  case OP_GT:
    return order > 0;
  case OP_GTE:
    return order >= 0;
  case OP_LT:
    return order < 0;
  default:
    return order <= 0;
  }
}

static bool
comparison_holds (const struct condition *condition, const struct lookup *lookup)
{
  const struct value *value = lookup->find (lookup->ctx, &condition->path);
  const struct value *with = expr_value (&condition->value, lookup);

  switch (condition->op) {
  case OP_EQ:
    return value_equal (value, with);
  case OP_NE:
    return !value_equal (value, with);
  case OP_IN:
    return is_in (value, with);
  case OP_EXISTS:
    return value != NULL && value->type != VALUE_NULL;
  case OP_TRUTHY:
    return is_truthy (value);
  default:
    return is_ordered (condition->op, value, with);
  }
}

bool
condition_holds (const struct condition *condition, const struct lookup *lookup)
{
  const bool any = condition->op == OP_ANY;

  if (condition->op < OP_ALL)
    return comparison_holds (condition, lookup);
  if (condition->op == OP_NOT)
    return !condition_holds (condition->parts, lookup);
  for (size_t i = 0; i < condition->count; i++)
    if (condition_holds (&condition->parts[i], lookup) == any)
      return any;
  return !any;
}

/* ---- writing ---- */

static void
write_comparison (const struct condition *condition, struct text *out)
{
  json_name_string (out, "path", condition->path.text);
  json_name_string (out, "op", condition_op_names[condition->op]);
  if (takes_value (condition->op)) {
    json_name (out, "value");
    value_write (out, condition->value.source);
  }
}

void
condition_write (const struct condition *condition, struct text *out)
{
  json_open (out, '{');
  if (condition->op < OP_ALL)
    write_comparison (condition, out);
  else {
    json_name (out, condition_op_names[condition->op]);
    if (condition->op != OP_NOT)
      json_open (out, '[');
    for (size_t i = 0; i < condition->count; i++)
      condition_write (&condition->parts[i], out);
    if (condition->op != OP_NOT)
      json_close (out, ']');
  }
  json_close (out, '}');
}
