#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/compile.h"

enum group { NO_GROUP, COMBINATION, NUMBER, STRING, ARRAY, OBJECT };

/* A subschema while its keywords are read. */
struct subschema {
  struct compiler *c;
  struct draft *draft;
  const struct json_node *node;
  struct resource *resource;
  unsigned depth;
  /* read together when all keywords were seen */
  const struct json_node *properties;
  const struct json_node *required;
  const struct json_node *additional_items;
  bool tuple;         /* "items" was an array */
  bool above_minimum; /* draft-04: "minimum" is meant without its equal, "maximum" likewise */
  bool below_maximum;
};

struct keyword {
  const char *name;
  unsigned drafts;     /* where it has this meaning; elsewhere it says nothing */
  unsigned vocabulary; /* that must be in force, where there are vocabularies */
  bool (*take) (struct subschema *s, const struct keyword *k, const struct json_node *value);
  enum group group;
  size_t field; /* of the group */
};

void
add_edge (struct compiler *c, struct draft *from, struct draft *to, enum edge_kind kind,
          const struct json_node *name)
{
  struct edge *edge = arena_alloc (c->arena, sizeof *edge);

  *edge = (struct edge){ .to = to, .kind = kind, .name = name, .next = from->edges };
  from->edges = edge;
}

static void *
new_zeroed (struct arena *arena, size_t size)
{
  return memset (arena_alloc (arena, size), 0, size);
}

/* ---- the groups of a rule, made when a keyword asks for them ---- */

static struct array_rules *
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

static struct object_rules *
object_of (struct subschema *s)
{
  struct rule *rule = &s->draft->rule;

  if (rule->object == NULL) {
    rule->object = new_zeroed (s->c->arena, sizeof *rule->object);
    rule->object->max = NO_LIMIT;
  }
  return rule->object;
}

static struct string_rules *
string_of (struct subschema *s)
{
  struct rule *rule = &s->draft->rule;

  if (rule->string == NULL) {
    rule->string = new_zeroed (s->c->arena, sizeof *rule->string);
    rule->string->max = NO_LIMIT;
  }
  return rule->string;
}

static void *
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

static void *
field_of (struct subschema *s, const struct keyword *k)
{
  return (char *) group_of (s, k->group) + k->field;
}

/* ---- what several keywords share ---- */

static struct rule *
take_subschema (struct subschema *s, const struct json_node *value, enum edge_kind kind,
                const struct json_node *name)
{
  struct draft *draft = compile_subschema (s->c, value, s->resource, s->depth + 1);

  if (draft == NULL)
    return NULL;
  add_edge (s->c, s->draft, draft, kind, name);
  return &draft->rule;
}

static bool
take_schema (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool inside = k->group != COMBINATION || k->vocabulary == VOCABULARY_UNEVALUATED;
  enum edge_kind kind = inside ? EDGE_INSIDE : EDGE_SAME;
  struct rule *rule = take_subschema (s, value, kind, NULL);

  *(struct rule **) field_of (s, k) = rule;
  return rule != NULL;
}

static bool
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
static bool
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

static bool
is_list_of_strings (const struct json_node *value)
{
  if (value->type != JSON_ARRAY)
    return false;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    if (n->type != JSON_STRING)
      return false;
  return true;
}

static bool
check_type (struct subschema *s, const struct json_node *value, enum json_type type,
            const char *expected)
{
  return value->type == type || refuse (s->c, value, "expected %s", expected);
}

/* ---- any value ---- */

static const struct {
  const char *name;
  uint16_t bits;
} types[] = {
  { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN }, { "integer", TYPE_INTEGER },
  { "string", TYPE_STRING }, { "array", TYPE_ARRAY },     { "number", TYPE_NUMBER | TYPE_INTEGER },
  { "object", TYPE_OBJECT },
};

static bool
add_type (struct subschema *s, const struct json_node *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (json_equals (s->c->tape, name, types[i].name)) {
      bool plain = types[i].bits == TYPE_INTEGER && s->resource->dialect.draft == SCHEMA_DRAFT_04;
      s->draft->rule.types |= plain ? TYPE_PLAIN_INTEGER : types[i].bits;
      return true;
    }
  return refuse (s->c, name, "expected null, boolean, integer, number, string, array or object");
}

static bool
take_type (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->draft->rule.types = 0;
  if (value->type != JSON_ARRAY)
    return add_type (s, value);
  if (value->count == 0)
    return refuse (s->c, value, "expected one or more types");
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    if (!add_type (s, n))
      return false;
  return true;
}

static void
add_value (struct compiler *c, struct values *values, const struct json_node *value)
{
  if (value->type == JSON_STRING)
    (void) words_add (&values->strings, c->tape, value, c->arena);
  else
    values->others[values->others_count++] = value;
}

static struct values *
new_values (struct compiler *c, const struct json_node *source, uint32_t count)
{
  struct values *values = new_zeroed (c->arena, sizeof *values);

  values->source = source;
  words_init (&values->strings, count, c->arena);
  values->others = arena_alloc (c->arena, count * sizeof (struct json_node *));
  return values;
}

static bool
take_enum (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct values *values;

  (void) k;
  if (!check_type (s, value, JSON_ARRAY, "an array of values"))
    return false;
  s->draft->rule.enumeration = values = new_values (s->c, value, value->count);
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    add_value (s->c, values, n);
  words_finish (&values->strings, s->c->arena);
  return true;
}

static bool
take_const (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->draft->rule.constant = new_values (s->c, value, 1);
  s->draft->rule.constant->constant = true;
  add_value (s->c, s->draft->rule.constant, value);
  return true;
}

/* ---- numbers and strings ---- */

static bool
take_bound (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct bound *bound = field_of (s, k);

  if (value->type == JSON_TRUE || value->type == JSON_FALSE)
    return refuse (s->c, value, "expected a number (true and false are of draft-04)");
  if (!check_type (s, value, JSON_NUMBER, "a number"))
    return false;
  bound->source = value;
  bound->value = json_decimal (s->c->tape->text + value->start, value->len);
  bound->is_small = json_decimal_int64 (&bound->value, &bound->small);
  return true;
}

/* draft-04: true says that the bound itself is excluded. */
static bool
take_exclusive (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool minimum = k->field == offsetof (struct number_rules, minimum);

  if (value->type != JSON_TRUE && value->type != JSON_FALSE)
    return refuse (s->c, value, "expected true or false (a number is of draft-06 and later)");
  *(minimum ? &s->above_minimum : &s->below_maximum) = value->type == JSON_TRUE;
  return true;
}

static bool
take_multiple (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  const struct bound *bound = field_of (s, k);

  if (!take_bound (s, k, value))
    return false;
  if (bound->value.digits == NULL || bound->value.negative)
    return refuse (s->c, value, "expected a number above 0");
  if (bound->value.count > 18)
    return refuse (s->c, value, "at most 18 digits are supported");
  return true;
}

static struct regex *
take_regex (struct subschema *s, const struct json_node *value)
{
  struct compiler *c = s->c;
  struct error why = { 0 };
  struct regex *regex;
  size_t len;
  const char *text = json_string (c->tape, value, c->arena, &len);

  if (text == NULL) {
    refuse (c, value, "expected a regular expression");
    return NULL;
  }
  regex = regex_compile (text, len, &why);
  if (regex == NULL) {
    refuse (c, value, "%s", why.text);
    return NULL;
  }
  regex->next = c->schema->patterns;
  c->schema->patterns = regex;
  c->pattern_bytes += regex->size;
  if (c->pattern_bytes <= PATTERN_BYTES_MAX)
    return regex;
  refuse (c, value, "the patterns of the schema take more than %d KiB", PATTERN_BYTES_MAX / 1024);
  return NULL;
}

static bool
take_pattern (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct regex *regex = take_regex (s, value);

  *(struct regex **) field_of (s, k) = regex;
  return regex != NULL;
}

/* ---- arrays ---- */

static bool
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

static bool
take_contains (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  array_of (s)->contains_evaluates = s->resource->dialect.draft == SCHEMA_2020_12;
  return take_schema (s, k, value);
}

static bool
take_additional_items (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->additional_items = value;
  return true;
}

static bool
take_flag (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  if (value->type != JSON_TRUE && value->type != JSON_FALSE)
    return refuse (s->c, value, "expected true or false");
  *(bool *) field_of (s, k) = value->type == JSON_TRUE;
  return true;
}

/* ---- objects ---- */

static bool
take_properties (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->properties = value;
  return check_type (s, value, JSON_OBJECT, "an object of schemas");
}

static bool
take_required (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->required = value;
  return is_list_of_strings (value) || refuse (s->c, value, "expected an array of names");
}

static bool
take_patterns (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct object_rules *object = object_of (s);

  (void) k;
  if (!check_type (s, value, JSON_OBJECT, "an object of schemas"))
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
static bool
take_dependents (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct object_rules *object = object_of (s);
  struct dependent *list;
  bool lists = strcmp (k->name, "dependentSchemas") != 0;
  bool schemas = strcmp (k->name, "dependentRequired") != 0;

  if (!check_type (s, value, JSON_OBJECT, "an object"))
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

/* ---- the rest ---- */

/* `field` of these keywords is the kind of reference. */
static bool
take_ref (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct reference *reference;

  if (!check_type (s, value, JSON_STRING, "a reference"))
    return false;
  (void) group_of (s, COMBINATION);
  reference = arena_alloc (s->c->arena, sizeof *reference);
  *reference = (struct reference){
    .from = s->draft, .text = value, .resource = s->resource, .kind = (enum reference_kind) k->field
  };
  *s->c->references_end = reference;
  s->c->references_end = &reference->next;
  return true;
}

static bool
take_definitions (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  if (!check_type (s, value, JSON_OBJECT, "an object of schemas"))
    return false;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n + 1))
    if (compile_subschema (s->c, n + 1, s->resource, s->depth + 1) == NULL)
      return false;
  return true;
}

static bool
take_secret (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->draft->rule.secret = s->draft->rule.secret || value->type == JSON_TRUE;
  return true;
}

static bool
take_format (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool assert_it = (s->resource->dialect.vocabularies & VOCABULARY_FORMAT_ASSERTION) != 0
                   || !s->c->options->annotate_formats;
  size_t len;
  const char *name = json_string (s->c->tape, value, s->c->arena, &len);

  (void) k;
  if (name == NULL)
    return refuse (s->c, value, "expected the name of a format");
  s->draft->rule.secret = s->draft->rule.secret || json_equals (s->c->tape, value, "password");
  if (assert_it && format_find (name, len) != FORMAT_NONE)
    string_of (s)->format = format_find (name, len);
  return true;
}

enum {
  NEW = SCHEMA_2019_09 | SCHEMA_2020_12,
  SINCE_07 = SCHEMA_DRAFT_07 | NEW,
  SINCE_06 = SCHEMA_DRAFT_06 | SINCE_07,
  ALL = SCHEMA_DRAFT_04 | SINCE_06,
  TUPLES = ALL & ~SCHEMA_2020_12, /* "items" may be an array */
  CORE = VOCABULARY_CORE,
  APPLY = VOCABULARY_APPLICATOR,
  CHECK = VOCABULARY_VALIDATION,
  NOTE = VOCABULARY_CORE /* read whatever else is in force */
};
#define FIELD(group, name) offsetof (struct group, name)

/* All that has a meaning here.  "$schema", "$id" and the anchors are read by note_identity. Other
 * keywords are annotations. */
static const struct keyword keywords[] = {
  { "$ref", ALL, CORE, take_ref, NO_GROUP, REFERENCE },
  { "$dynamicRef", SCHEMA_2020_12, CORE, take_ref, NO_GROUP, DYNAMIC_REFERENCE },
  { "$recursiveRef", SCHEMA_2019_09, CORE, take_ref, NO_GROUP, RECURSIVE_REFERENCE },
  { "$defs", NEW, CORE, take_definitions, NO_GROUP, 0 },
  { "definitions", ALL, CORE, take_definitions, NO_GROUP, 0 },
  { "format", ALL, NOTE, take_format, NO_GROUP, 0 },
  { "writeOnly", ALL, NOTE, take_secret, NO_GROUP, 0 },
  { "x-secret", ALL, NOTE, take_secret, NO_GROUP, 0 },

  { "type", ALL, CHECK, take_type, NO_GROUP, 0 },
  { "enum", ALL, CHECK, take_enum, NO_GROUP, 0 },
  { "const", SINCE_06, CHECK, take_const, NO_GROUP, 0 },

  { "allOf", ALL, APPLY, take_schemas, COMBINATION, FIELD (combination, all) },
  { "anyOf", ALL, APPLY, take_schemas, COMBINATION, FIELD (combination, any) },
  { "oneOf", ALL, APPLY, take_schemas, COMBINATION, FIELD (combination, one) },
  { "not", ALL, APPLY, take_schema, COMBINATION, FIELD (combination, not_) },
  { "if", SINCE_07, APPLY, take_schema, COMBINATION, FIELD (combination, if_) },
  { "then", SINCE_07, APPLY, take_schema, COMBINATION, FIELD (combination, then) },
  { "else", SINCE_07, APPLY, take_schema, COMBINATION, FIELD (combination, else_) },

  { "minimum", ALL, CHECK, take_bound, NUMBER, FIELD (number_rules, minimum) },
  { "maximum", ALL, CHECK, take_bound, NUMBER, FIELD (number_rules, maximum) },
  { "exclusiveMinimum", SINCE_06, CHECK, take_bound, NUMBER, FIELD (number_rules, above) },
  { "exclusiveMaximum", SINCE_06, CHECK, take_bound, NUMBER, FIELD (number_rules, below) },
  { "exclusiveMinimum", SCHEMA_DRAFT_04, CHECK, take_exclusive, NUMBER,
    FIELD (number_rules, minimum) },
  { "exclusiveMaximum", SCHEMA_DRAFT_04, CHECK, take_exclusive, NUMBER,
    FIELD (number_rules, maximum) },
  { "multipleOf", ALL, CHECK, take_multiple, NUMBER, FIELD (number_rules, multiple) },

  { "minLength", ALL, CHECK, take_count, STRING, FIELD (string_rules, min) },
  { "maxLength", ALL, CHECK, take_count, STRING, FIELD (string_rules, max) },
  { "pattern", ALL, CHECK, take_pattern, STRING, FIELD (string_rules, pattern) },

  { "minItems", ALL, CHECK, take_count, ARRAY, FIELD (array_rules, min) },
  { "maxItems", ALL, CHECK, take_count, ARRAY, FIELD (array_rules, max) },
  { "uniqueItems", ALL, CHECK, take_flag, ARRAY, FIELD (array_rules, unique) },
  { "prefixItems", SCHEMA_2020_12, APPLY, take_schemas, ARRAY, FIELD (array_rules, prefix) },
  { "items", ALL, APPLY, take_items, ARRAY, FIELD (array_rules, items) },
  { "additionalItems", TUPLES, APPLY, take_additional_items, NO_GROUP, 0 },
  { "contains", SINCE_06, APPLY, take_contains, ARRAY, FIELD (array_rules, contains) },
  { "minContains", NEW, CHECK, take_count, ARRAY, FIELD (array_rules, min_contains) },
  { "maxContains", NEW, CHECK, take_count, ARRAY, FIELD (array_rules, max_contains) },

  { "properties", ALL, APPLY, take_properties, NO_GROUP, 0 },
  { "required", ALL, CHECK, take_required, NO_GROUP, 0 },
  { "patternProperties", ALL, APPLY, take_patterns, NO_GROUP, 0 },
  { "additionalProperties", ALL, APPLY, take_schema, OBJECT, FIELD (object_rules, additional) },
  { "propertyNames", SINCE_06, APPLY, take_schema, OBJECT, FIELD (object_rules, member_names) },
  { "minProperties", ALL, CHECK, take_count, OBJECT, FIELD (object_rules, min) },
  { "maxProperties", ALL, CHECK, take_count, OBJECT, FIELD (object_rules, max) },
  { "dependentRequired", NEW, CHECK, take_dependents, NO_GROUP, 0 },
  { "dependentSchemas", NEW, APPLY, take_dependents, NO_GROUP, 0 },
  { "dependencies", ALL, APPLY, take_dependents, NO_GROUP, 0 },

  { "unevaluatedItems", NEW, VOCABULARY_UNEVALUATED, take_schema, COMBINATION,
    FIELD (combination, unevaluated_items) },
  { "unevaluatedProperties", NEW, VOCABULARY_UNEVALUATED, take_schema, COMBINATION,
    FIELD (combination, unevaluated_members) },
};

static const struct keyword *
find_keyword (const struct subschema *s, const struct json_node *name)
{
  const struct dialect *dialect = &s->resource->dialect;

  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if ((keywords[i].drafts & dialect->draft) != 0
        && (keywords[i].vocabulary & dialect->vocabularies) != 0
        && json_equals (s->c->tape, name, keywords[i].name))
      return &keywords[i];
  return NULL;
}

/* ---- one subschema ---- */

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
static bool
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

static bool
finish_array (struct subschema *s)
{
  struct rule *rule;

  if (s->additional_items == NULL || !s->tuple)
    return true;
  rule = take_subschema (s, s->additional_items, EDGE_INSIDE, NULL);
  array_of (s)->items = rule;
  return rule != NULL;
}

/* Is the bound one that small integers can be compared with? */
static bool
is_quick (const struct bound *bound)
{
  return bound->source == NULL
         || (bound->is_small && bound->small > INT64_MIN && bound->small < INT64_MAX);
}

static void
add_quick_bounds (struct number_rules *number)
{
  number->quick = is_quick (&number->minimum) && is_quick (&number->maximum)
                  && is_quick (&number->above) && is_quick (&number->below);
  number->least = INT64_MIN;
  number->most = INT64_MAX;
  if (!number->quick)
    return;
  if (number->minimum.source != NULL)
    number->least = number->minimum.small;
  if (number->above.source != NULL && number->above.small >= number->least)
    number->least = number->above.small + 1;
  if (number->maximum.source != NULL)
    number->most = number->maximum.small;
  if (number->below.source != NULL && number->below.small <= number->most)
    number->most = number->below.small - 1;
}

static void
finish_number (struct subschema *s)
{
  struct number_rules *number = s->draft->rule.number;

  if (number == NULL)
    return;
  if (s->above_minimum) {
    number->above = number->minimum;
    number->minimum.source = NULL;
  }
  if (s->below_maximum) {
    number->below = number->maximum;
    number->maximum.source = NULL;
  }
  add_quick_bounds (number);
}

static bool
read_keywords (struct subschema *s)
{
  const struct json_node *end = json_end (s->node);
  /* before 2019-09 a reference stands alone, whatever is beside it; secrecy is our own addition */
  bool alone =
    (s->resource->dialect.draft & NEW) == 0 && json_member (s->c->tape, s->node, "$ref") != NULL;

  for (const struct json_node *n = json_first (s->node); n != end; n = json_next (n + 1)) {
    const struct keyword *k = find_keyword (s, n);
    if (k == NULL || (alone && k->take != take_ref && k->take != take_secret))
      continue;
    if (!k->take (s, k, n + 1))
      return false;
  }
  finish_number (s);
  return finish_array (s) && finish_object (s);
}

static struct draft *
new_draft (struct compiler *c, const struct json_node *node, struct resource *resource)
{
  struct draft *draft = new_zeroed (c->arena, sizeof *draft);

  draft->rule.source = node;
  draft->rule.types = node->type == JSON_FALSE ? 0 : TYPE_ANY;
  draft->resource = resource;
  draft->next = c->drafts;
  c->drafts = draft;
  c->by_node[node - json_root (c->tape)] = draft;
  return draft;
}

/* Is there room for one more, so deep? */
static bool
check_room (struct compiler *c, const struct json_node *node, unsigned depth)
{
  const struct schema_options *options = c->options;
  unsigned depth_max = options->depth_max != 0 ? options->depth_max : SUBSCHEMA_DEPTH_MAX;
  unsigned most = options->subschemas_max != 0 ? options->subschemas_max : SUBSCHEMAS_MAX;

  if (depth > depth_max)
    return refuse (c, node, "too deep: subschemas in subschemas more than %u levels", depth_max);
  if (c->count++ == most)
    return refuse (c, node, "too large: more than %u subschemas", most);
  return true;
}

struct draft *
compile_subschema (struct compiler *c, const struct json_node *node, struct resource *resource,
                   unsigned depth)
{
  struct draft *draft = c->by_node[node - json_root (c->tape)];
  struct subschema s = { .c = c, .node = node, .depth = depth };

  if (draft != NULL)
    return draft;
  if (node->type != JSON_OBJECT && node->type != JSON_TRUE && node->type != JSON_FALSE) {
    refuse (c, node, "expected a schema: an object, true or false");
    return NULL;
  }
  if (!check_room (c, node, depth))
    return NULL;
  s.draft = draft = new_draft (c, node, resource);
  if (node->type != JSON_OBJECT)
    return draft;
  s.resource = draft->resource = note_identity (c, node, resource);
  return s.resource != NULL && read_keywords (&s) ? draft : NULL;
}
