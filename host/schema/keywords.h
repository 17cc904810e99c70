/* keywords.h - the reading of keywords, for the files that do it: keywords.c has their table,
 * keywords_shared.c what several have in common, keywords_scalar.c those about single values and
 * keywords_nested.c those about arrays and objects.  Each take_ reads one keyword into the rule in
 * the making; false: the error is set. */
#ifndef TOOLHOST_SCHEMA_KEYWORDS_H
#define TOOLHOST_SCHEMA_KEYWORDS_H

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

struct keyword;

typedef bool take_keyword (struct subschema *s, const struct keyword *k,
                           const struct json_node *value);

struct keyword {
  const char *name;
  unsigned drafts;     /* where it has this meaning; elsewhere it says nothing */
  unsigned vocabulary; /* that must be in force, where there are vocabularies */
  take_keyword *take;
  enum group group;
  size_t field; /* of the group */
};

/* Memory of the schema, zeroed. */
void *new_zeroed (struct arena *arena, size_t size);

/* The groups of a rule, made when a keyword asks for them. */
struct array_rules *array_of (struct subschema *s);
struct object_rules *object_of (struct subschema *s);
struct string_rules *string_of (struct subschema *s);
void *group_of (struct subschema *s, enum group group);
void *field_of (struct subschema *s, const struct keyword *k);

struct rule *take_subschema (struct subschema *s, const struct json_node *value,
                             enum edge_kind kind, const struct json_node *name);
struct regex *take_regex (struct subschema *s, const struct json_node *value);
bool is_list_of_strings (const struct json_node *value);
bool expect_type (struct subschema *s, const struct json_node *value, enum json_type type,
                  const char *expected);

take_keyword take_schema, take_schemas, take_count, take_flag;
take_keyword take_type, take_enum, take_const, take_bound, take_exclusive, take_multiple,
  take_pattern, take_format;
take_keyword take_items, take_contains, take_additional_items, take_properties, take_required,
  take_patterns, take_dependents;

/* When all keywords of a subschema were read: what several of them say together. */
void finish_number (struct subschema *s);
bool finish_array (struct subschema *s);
bool finish_object (struct subschema *s);

#endif
