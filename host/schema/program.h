/* program.h - what a schema is compiled to.  Owned by struct schema, written while compiling, read
 * only from then on.  For the files of schema/ alone.
 *
 * The schema's own text is kept as a tape: names, enum values and descriptions are nodes of it.  A
 * rule has one group of checks per type of value, so that a value meets only what can concern it.
 */
#ifndef TOOLHOST_SCHEMA_PROGRAM_H
#define TOOLHOST_SCHEMA_PROGRAM_H

#include "base/json_number.h"
#include "base/json_tape.h"
#include "schema/format/format.h"
#include "schema/regex/regex.h"
#include "schema/schema.h"
#include "schema/words.h"

enum {
  SUBSCHEMAS_MAX = 2000, /* by default, as the next */
  SUBSCHEMA_DEPTH_MAX = 32,
  CHAIN_MAX = 64,        /* subschemas that look at one value one because of the other */
  LOOKS_MAX = 10 * 1000, /* at one value, without going into it, by all branches together */
  NO_BRANCH = UINT8_MAX,
  PATTERN_BYTES_MAX = 1 << 20,  /* of all compiled patterns of a schema */
  CHECK_DEPTH_MAX = 600,        /* rules within rules while validating */
  CHECK_COST_MAX = 1000 * 1000, /* steps of one validation, a few ns each */
  NO_LIMIT = UINT32_MAX
};

/* Bits of rule.types: 1 << enum json_type, and bit 0 for integers. */
enum {
  TYPE_INTEGER = 1 << 0,
  TYPE_NULL = 1 << JSON_NULL,
  TYPE_BOOLEAN = 1 << JSON_FALSE | 1 << JSON_TRUE,
  TYPE_NUMBER = 1 << JSON_NUMBER,
  TYPE_STRING = 1 << JSON_STRING,
  TYPE_ARRAY = 1 << JSON_ARRAY,
  TYPE_OBJECT = 1 << JSON_OBJECT,
  TYPE_PLAIN_INTEGER = 1 << 8, /* draft-04: 1.0 is none */
  TYPE_ANY =
    TYPE_NULL | TYPE_BOOLEAN | TYPE_NUMBER | TYPE_STRING | TYPE_ARRAY | TYPE_OBJECT | TYPE_INTEGER
};

struct rule;
struct resource; /* compile.h; later only which one it is matters */

struct branches {
  struct rule **rules;
  uint32_t count;
};

/* Branches of which at most one can fit, known by the value of one member, or by the type. */
struct choice {
  const struct json_node *name; /* the member that tells; NULL: the type does */
  struct word member;           /* the same as text */
  struct words marks;           /* its values */
  uint32_t *branch_of_mark;
  uint8_t branch_of_type[JSON_OBJECT + 1]; /* by enum json_type; NO_BRANCH: none */
};

/* A "$dynamicRef" or "$recursiveRef" that can lead to several places. */
struct dynamic {
  struct rule *otherwise;
  struct resource **resources; /* those that have the anchor */
  struct rule **rules;         /* where it is there */
  uint32_t count;
};

/* Subschemas that look at the same value. */
struct combination {
  struct rule *ref;
  struct dynamic *dynamic;   /* NULL: none */
  struct choice *any_choice; /* NULL: the branches of `any` must be tried */
  struct choice *one_choice;
  struct branches all;
  struct branches any;
  struct branches one;
  struct rule *not_;
  struct rule *if_;
  struct rule *then;
  struct rule *else_;
  /* of what nothing else of the rule has looked at */
  struct rule *unevaluated_items;
  struct rule *unevaluated_members;
};

/* enum, or const as an enum of one */
struct values {
  struct words strings;
  const struct json_node **others;
  uint32_t others_count;
  const struct json_node *source; /* the array, or the one value */
  bool constant;
};

struct bound {
  const struct json_node *source; /* NULL: none */
  struct json_decimal value;
  int64_t small; /* the value, when `is_small` */
  bool is_small;
};

struct number_rules {
  struct bound minimum;
  struct bound maximum;
  struct bound above; /* exclusiveMinimum */
  struct bound below; /* exclusiveMaximum */
  struct bound multiple;
  /* the bounds again, when small integers meet no others */
  bool quick;
  int64_t least;
  int64_t most;
};

struct string_rules {
  uint32_t min; /* code points */
  uint32_t max;
  struct regex *pattern;
  enum format format; /* asserted; FORMAT_NONE: nothing to check */
};

struct array_rules {
  uint32_t min;
  uint32_t max;
  struct branches prefix;
  struct rule *items; /* of those behind the prefix */
  struct rule *contains;
  uint32_t min_contains;
  uint32_t max_contains;
  bool unique;
  bool contains_evaluates; /* unevaluatedItems leaves alone what fitted `contains` */
};

/* By index in object_rules.names; behind the last is one that no name equals. */
struct property {
  struct rule *rule; /* NULL: only required */
  bool required;
  bool more; /* other rules of the object concern it */
  /* copies, so that a member is checked with one look at memory: of its word, and of its rule with
   * aliases followed */
  uint8_t kind;
  uint16_t types;
  uint16_t types_more;
  uint32_t len;
  const char *text;
  uint32_t min_length;
  uint32_t max_length;
  const struct rule *check;
  struct branches by_pattern; /* rules of the patterns that match the name */
};

struct name_pattern {
  struct regex *regex;
  struct rule *rule;
};

/* What the presence of a member asks for. */
struct dependent {
  const struct json_node *name;
  const struct json_node *required; /* an array of names, or NULL */
  struct rule *rule;                /* or NULL */
};

struct object_rules {
  uint32_t min;
  uint32_t max;
  uint32_t least;     /* members there must be: `min`, or as many as are required */
  struct words names; /* of properties and required */
  struct property *properties;
  const char **candidates; /* names of properties, for "did you mean"; ends with NULL */
  uint32_t required_count;
  struct name_pattern *patterns;
  uint32_t patterns_count;
  struct rule *additional;
  struct rule *member_names;
  struct dependent *dependents;
  uint32_t dependents_count;
};

/* What there is to check besides the type: the frequent little have their own ways. */
enum rule_kind {
  RULE_NESTED, /* something that goes into the value, or looks at it again */
  RULE_LEAF,
  RULE_LENGTH, /* only how long a string is */
  RULE_WORD,   /* only whether a string is one of `words` */
  RULE_TEXT,   /* only about strings */
  RULE_RANGE,  /* only bounds of numbers */
  RULE_OBJECT  /* only about objects */
};

struct rule {
  uint16_t types;
  uint16_t more;       /* types of which more than the type is checked */
  uint8_t kind;        /* enum rule_kind */
  bool secret;         /* values that stand here are never shown */
  uint32_t min_length; /* RULE_LENGTH: as in `string` */
  uint32_t max_length;
  const struct words *words; /* RULE_WORD: of `enumeration` or `constant` */
  struct rule *alias;        /* nothing is checked here but what is checked there; else NULL */
  struct values *enumeration;
  struct values *constant;
  struct number_rules *number;
  struct string_rules *string;
  struct array_rules *array;
  struct object_rules *object;
  struct combination *combination;
  struct resource *resource; /* it is of: where dynamic references look for it; NULL: nobody does */
  const struct json_node *source; /* the subschema */
};

struct schema {
  struct arena arena;    /* of everything but the patterns */
  struct json_tape tape; /* an array: the schema, then the documents it refers to */
  struct rule *root;
  struct words secret_names; /* values of members of this name are never shown */
  struct regex *patterns;    /* all, by their `next` */
};

#endif
