#include "schema/keywords.h"

#include <string.h>

void
add_edge (struct compiler *c, struct draft *from, struct draft *to, enum edge_kind kind,
          const struct json_node *name)
{
  struct edge *edge = arena_alloc (c->arena, sizeof *edge);

  *edge = (struct edge){ .to = to, .kind = kind, .name = name, .next = from->edges };
  from->edges = edge;
}

/* ---- the rest ---- */

/* `field` of these keywords is the kind of reference. */
static bool
take_ref (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct reference *reference;

  if (!expect_type (s, value, JSON_STRING, "a reference"))
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
  if (!expect_type (s, value, JSON_OBJECT, "an object of schemas"))
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
