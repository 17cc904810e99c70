/* check.h - does a value fit a rule?  The quick answer, and the pieces of it that explain.c asks
 * again to find out why not.  For the files of schema/ alone; a checker belongs to one thread. */
#ifndef TOOLHOST_SCHEMA_CHECK_H
#define TOOLHOST_SCHEMA_CHECK_H

#include "schema/program.h"

struct checker {
  const struct schema *schema;
  const struct json_tape *tape; /* of the value */
  int64_t budget;               /* steps left */
  unsigned depth;
  bool gave_up; /* out of budget or too deep: every answer is false from here on */
  struct regex_work work;
};

void checker_begin (struct checker *k, const struct schema *schema, const struct json_tape *tape);
void checker_end (struct checker *k);

bool check_rule (struct checker *k, const struct rule *rule, const struct json_node *value);

bool check_type (const struct json_tape *tape, uint16_t types, const struct json_node *value);
bool check_values (struct checker *k, const struct values *values, const struct json_node *value);
bool check_bounds (const struct json_tape *tape, const struct number_rules *rules,
                   const struct json_node *value);
bool check_multiple (struct checker *k, const struct bound *unit, const struct json_node *value);
bool check_length (struct checker *k, const struct string_rules *rules,
                   const struct json_node *value);
bool check_pattern (struct checker *k, const struct regex *regex, const struct json_node *string);
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
