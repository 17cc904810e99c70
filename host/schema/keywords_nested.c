#include "schema/keywords.h"

#include <string.h>

/* ---- arrays ---- */

bool
take_items (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  static const struct keyword prefix = { .group = ARRAY,
                                         .field = offsetof (struct array_rules, prefix) };

  if (value->type != JSON_ARRAY)
    return take_schema (s, k, value);
  if (s->resource->dialect.draft == SCHEMA_2020_12)
    return refuse (s->c, value,
                   "expected a schema (an array is of draft-07; since 2020-12 it is prefixItems)");
  s->tuple = true;
  return value->count == 0 || take_schemas (s, &prefix, value);
}

bool
take_contains (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  array_of (s)->contains_evaluates = s->resource->dialect.draft == SCHEMA_2020_12;
  return take_schema (s, k, value);
}

bool
take_additional_items (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->additional_items = value;
  return true;
}

/* ---- objects ---- */

bool
take_properties (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->properties = value;
  return expect_type (s, value, JSON_OBJECT, "an object of schemas");
}

bool
take_required (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->required = value;
  return is_list_of_strings (value) || refuse (s->c, value, "expected an array of names");
}

bool
take_patterns (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct object_rules *object = object_of (s);

  (void) k;
  if (!expect_type (s, value, JSON_OBJECT, "an object of schemas"))
    return false;
  object->patterns = arena_alloc (s->c->arena, value->count * sizeof *object->patterns);
  for (const struct json_node *n = json_first (value); n != json_end (value);
       n = json_next (n + 1)) {
    struct name_pattern *pattern = &object->patterns[object->patterns_count];
    pattern->regex = take_regex (s, n);
    if (pattern->regex == NULL)
      return false;
    pattern->rule = take_subschema (s, n + 1, EDGE_INSIDE, NULL);
    if (pattern->rule == NULL)
      return false;
    object->patterns_count++;
  }
  return true;
}

/* dependentRequired, dependentSchemas, and dependencies, which may hold both. */
bool
take_dependents (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct object_rules *object = object_of (s);
  struct dependent *list;
  bool lists = strcmp (k->name, "dependentSchemas") != 0;
  bool schemas = strcmp (k->name, "dependentRequired") != 0;

  if (!expect_type (s, value, JSON_OBJECT, "an object"))
    return false;
  list = arena_alloc (s->c->arena, (object->dependents_count + value->count) * sizeof *list);
  if (object->dependents_count != 0)
    memcpy (list, object->dependents, object->dependents_count * sizeof *list);
  object->dependents = list;
  for (const struct json_node *n = json_first (value); n != json_end (value);
       n = json_next (n + 1)) {
    struct dependent dependent = { .name = n };
    if (lists && is_list_of_strings (n + 1))
      dependent.required = n + 1;
    else if (!schemas)
      return refuse (s->c, n + 1, "expected an array of names");
    else if ((dependent.rule = take_subschema (s, n + 1, EDGE_SAME, NULL)) == NULL)
      return false;
    object->dependents[object->dependents_count++] = dependent;
  }
  return true;
}

/* ---- when all keywords were read ---- */

static bool
add_properties (struct subschema *s, struct object_rules *object)
{
  const struct json_node *all = s->properties;
  uint32_t n = 0;

  object->candidates = arena_alloc (s->c->arena, (all->count + 1) * sizeof *object->candidates);
  for (const struct json_node *p = json_first (all); p != json_end (all); p = json_next (p + 1)) {
    uint32_t i = words_add (&object->names, s->c->tape, p, s->c->arena);
    struct rule *rule = take_subschema (s, p + 1, EDGE_MEMBER, p);
    if (rule == NULL)
      return false;
    object->properties[i].rule = rule;
    object->candidates[n] = json_cstring (s->c->tape, p, s->c->arena);
    n += object->candidates[n] != NULL;
  }
  object->candidates[n] = NULL;
  return true;
}

static void
add_required (struct subschema *s, struct object_rules *object)
{
  const struct json_node *all = s->required;

  for (const struct json_node *n = json_first (all); n != json_end (all); n = json_next (n)) {
    struct property *p =
      &object->properties[words_add (&object->names, s->c->tape, n, s->c->arena)];
    object->required_count += !p->required;
    p->required = true;
  }
}

/* One table for the names of properties and required. */
bool
finish_object (struct subschema *s)
{
  uint32_t most = 0;
  struct object_rules *object;

  if (s->properties == NULL && s->required == NULL)
    return true;
  if (s->properties != NULL)
    most += s->properties->count;
  if (s->required != NULL)
    most += s->required->count;
  object = object_of (s);
  words_init (&object->names, most, s->c->arena);
  object->properties = new_zeroed (s->c->arena, (most + 1) * sizeof *object->properties);
  if (s->properties != NULL && !add_properties (s, object))
    return false;
  if (s->required != NULL)
    add_required (s, object);
  words_finish (&object->names, s->c->arena);
  return true;
}

bool
finish_array (struct subschema *s)
{
  struct rule *rule;

  if (s->additional_items == NULL || !s->tuple)
    return true;
  rule = take_subschema (s, s->additional_items, EDGE_INSIDE, NULL);
  array_of (s)->items = rule;
  return rule != NULL;
}
