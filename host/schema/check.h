/* check.h - does a value fit a rule?  The quick answer, and the pieces of it that explain.c asks
 * again to find out why not.  For the files of schema/ alone; a checker belongs to one thread. */
#ifndef TOOLHOST_SCHEMA_CHECK_H
#define TOOLHOST_SCHEMA_CHECK_H

#include "schema/program.h"

/* The resources that were entered on the way to a rule, innermost first.  Only kept for schemas
 * with references that depend on it. */
struct scope {
  const struct resource *resource;
  const struct scope *outer;
};

struct checker {
  const struct schema *schema;
  const struct json_tape *tape; /* of the value */
  int64_t budget;               /* steps left */
  unsigned depth;
  bool gave_up;    /* out of budget or too deep: every answer is false from here on */
  bool at_pattern; /* it was a pattern that used up the budget */
  const struct scope *scope;
};

static inline struct checker
checker_for (const struct schema *schema, const struct json_tape *tape)
{
  return (struct checker){ .schema = schema, .tape = tape, .budget = CHECK_COST_MAX };
}

/* Around all that is done with a rule; `scope` is the caller's and lives between the two. */
static inline void
enter_scope (struct checker *k, const struct rule *rule, struct scope *scope)
{
  scope->outer = k->scope;
  if (rule->resource == NULL || (k->scope != NULL && k->scope->resource == rule->resource))
    return;
  scope->resource = rule->resource;
  k->scope = scope;
}

static inline void
leave_scope (struct checker *k, const struct scope *scope)
{
  k->scope = scope->outer;
}

/* check_rule's way when the type alone is no answer. */
bool check_more (struct checker *k, const struct rule *rule, const struct json_node *value);
bool check_integer (const struct json_tape *tape, uint16_t types, const struct json_node *value);

static inline bool
check_type (const struct json_tape *tape, uint16_t types, const struct json_node *value)
{
  return (types >> value->type & 1) != 0
         || (value->type == JSON_NUMBER && check_integer (tape, types, value));
}

/* Does the value fit the rule? */
static inline bool
check_rule (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  if (rule->alias != NULL)
    rule = rule->alias;
  if (!check_type (k->tape, rule->types, value))
    return false;
  return (rule->more >> value->type & 1) == 0 || check_more (k, rule, value);
}
bool check_values (struct checker *k, const struct values *values, const struct json_node *value);
bool check_bounds (const struct json_tape *tape, const struct number_rules *rules,
                   const struct json_node *value);
bool check_multiple (struct checker *k, const struct bound *unit, const struct json_node *value);
bool check_length (struct checker *k, const struct string_rules *rules,
                   const struct json_node *value);
bool check_pattern (struct checker *k, const struct regex *regex, const struct json_node *string);
bool check_format (struct checker *k, enum format format, const struct json_node *string);
bool has_member (struct checker *k, const struct json_node *object, const struct json_node *name);

/* The only branch a value can fit; NULL: it fits none. */
const struct rule *choose (struct checker *k, const struct choice *choice,
                           const struct branches *branches, const struct json_node *value);
/* Where a reference leads that depends on how it was reached. */
const struct rule *dynamic_target (struct checker *k, const struct dynamic *dynamic);
/* Items that fit `contains`. */
uint32_t check_count (struct checker *k, const struct array_rules *rules,
                      const struct json_node *value);

/* The rule for an item at an index, NULL: anything goes. */
static inline const struct rule *
rule_of_item (const struct array_rules *rules, uint32_t index)
{
  return index < rules->prefix.count ? rules->prefix.rules[index] : rules->items;
}

/* Code points of a string. */
uint32_t text_length (const struct json_tape *tape, const struct json_node *string);

/* unique.c: the first two equal items of an array; false when there are none.  NULL twice: the
 * checker gave up. */
bool find_repeated (struct checker *k, const struct json_node *array,
                    const struct json_node **first, const struct json_node **second);

/* Take steps off the budget; false when it is used up. */
static inline bool
spend (struct checker *k, int64_t steps)
{
  k->budget -= steps;
  if (k->budget >= 0)
    return true;
  k->gave_up = true;
  return false;
}

#endif
