#include "schema/keywords.h"

void *
new_zeroed (struct arena *arena, size_t size)
{
  return memset (arena_alloc (arena, size), 0, size);
}

/* ---- the groups of a rule, made when a keyword asks for them ---- */

struct array_rules *
array_of (struct subschema *s)
{
  struct rule *rule = &s->draft->rule;

  if (rule->array == NULL) {
    rule->array = new_zeroed (s->c->arena, sizeof *rule->array);
    rule->array->max = rule->array->max_contains = NO_LIMIT;
    rule->array->min_contains = 1;
  }
  return rule->array;
}

struct object_rules *
object_of (struct subschema *s)
{
  struct rule *rule = &s->draft->rule;

  if (rule->object == NULL) {
    rule->object = new_zeroed (s->c->arena, sizeof *rule->object);
    rule->object->max = NO_LIMIT;
  }
  return rule->object;
}

struct string_rules *
string_of (struct subschema *s)
{
  struct rule *rule = &s->draft->rule;

  if (rule->string == NULL) {
    rule->string = new_zeroed (s->c->arena, sizeof *rule->string);
    rule->string->max = NO_LIMIT;
  }
  return rule->string;
}

void *
group_of (struct subschema *s, enum group group)
{
  struct rule *rule = &s->draft->rule;

  switch (group) {
  case ARRAY:
    return array_of (s);
  case OBJECT:
    return object_of (s);
  case STRING:
    return string_of (s);
  case NUMBER:
    if (rule->number == NULL)
      rule->number = new_zeroed (s->c->arena, sizeof *rule->number);
    return rule->number;
  default:
    if (rule->combination == NULL)
      rule->combination = new_zeroed (s->c->arena, sizeof *rule->combination);
    return rule->combination;
  }
}

void *
field_of (struct subschema *s, const struct keyword *k)
{
  return (char *) group_of (s, k->group) + k->field;
}

/* ---- what several keywords share ---- */

struct rule *
take_subschema (struct subschema *s, const struct json_node *value, enum edge_kind kind,
                const struct json_node *name)
{
  struct draft *draft = compile_subschema (s->c, value, s->resource, s->depth + 1);

  if (draft == NULL)
    return NULL;
  add_edge (s->c, s->draft, draft, kind, name);
  return &draft->rule;
}

bool
take_schema (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool inside = k->group != COMBINATION || k->vocabulary == VOCABULARY_UNEVALUATED;
  enum edge_kind kind = inside ? EDGE_INSIDE : EDGE_SAME;
  struct rule *rule = take_subschema (s, value, kind, NULL);

  *(struct rule **) field_of (s, k) = rule;
  return rule != NULL;
}

bool
take_schemas (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  enum edge_kind kind = k->group == COMBINATION ? EDGE_SAME : EDGE_INSIDE;
  struct branches *branches = field_of (s, k);

  if (value->type != JSON_ARRAY || value->count == 0)
    return refuse (s->c, value, "expected an array of one or more schemas");
  branches->rules = arena_alloc (s->c->arena, value->count * sizeof *branches->rules);
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
    struct rule *rule = take_subschema (s, n, kind, NULL);
    if (rule == NULL)
      return false;
    branches->rules[branches->count++] = rule;
  }
  return true;
}

/* A non-negative integer; what is beyond any length there can be counts as the greatest. */
bool
take_count (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  const struct json_tape *tape = s->c->tape;
  struct json_decimal d;
  int64_t count;

  if (value->type != JSON_NUMBER)
    return refuse (s->c, value, "expected a non-negative integer");
  d = json_decimal (tape->text + value->start, value->len);
  if (d.negative || !json_decimal_is_integer (&d))
    return refuse (s->c, value, "expected a non-negative integer");
  if (!json_decimal_int64 (&d, &count) || count > NO_LIMIT)
    count = NO_LIMIT;
  *(uint32_t *) field_of (s, k) = (uint32_t) count;
  return true;
}

bool
is_list_of_strings (const struct json_node *value)
{
  if (value->type != JSON_ARRAY)
    return false;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    if (n->type != JSON_STRING)
      return false;
  return true;
}

bool
expect_type (struct subschema *s, const struct json_node *value, enum json_type type,
             const char *expected)
{
  return value->type == type || refuse (s->c, value, "expected %s", expected);
}

bool
take_flag (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  if (value->type != JSON_TRUE && value->type != JSON_FALSE)
    return refuse (s->c, value, "expected true or false");
  *(bool *) field_of (s, k) = value->type == JSON_TRUE;
  return true;
}
