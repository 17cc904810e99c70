#include "schema/evaluated.h"

#include <string.h>

enum { WORDS_ON_STACK = 16, BITS = 64 };

/* Which items or members were looked at, by their position. */
struct marks {
  uint64_t *words;
  bool all;
};

static void mark_rule (struct checker *k, const struct rule *rule, const struct json_node *value,
                       struct marks *marks);

static void
mark (struct marks *marks, uint32_t i)
{
  marks->words[i / BITS] |= UINT64_C (1) << i % BITS;
}

static bool
is_marked (const struct marks *marks, uint32_t i)
{
  return marks->all || (marks->words[i / BITS] >> i % BITS & 1) != 0;
}

/* ---- objects ---- */

static bool
is_known_member (struct checker *k, const struct object_rules *rules, const struct json_node *name)
{
  uint32_t i = words_find (&rules->names, k->tape, name);

  if (i != WORDS_NONE)
    return rules->properties[i].rule != NULL || rules->properties[i].by_pattern.count != 0;
  for (uint32_t p = 0; p < rules->patterns_count; p++)
    if (check_pattern (k, rules->patterns[p].regex, name))
      return true;
  return false;
}

static void
mark_members (struct checker *k, const struct object_rules *rules, const struct json_node *value,
              struct marks *marks)
{
  uint32_t i = 0;

  if (rules->additional != NULL) {
    marks->all = true;
    return;
  }
  for (const struct json_node *n = json_first (value); n != json_end (value);
       n = json_next (n + 1), i++)
    if (spend (k, 1) && is_known_member (k, rules, n))
      mark (marks, i);
  for (uint32_t d = 0; d < rules->dependents_count; d++)
    if (rules->dependents[d].rule != NULL && has_member (k, value, rules->dependents[d].name))
      mark_rule (k, rules->dependents[d].rule, value, marks);
}

/* ---- arrays ---- */

static void
mark_items (struct checker *k, const struct array_rules *rules, const struct json_node *value,
            struct marks *marks)
{
  const struct json_node *n = json_first (value);

  if (rules->items != NULL && value->count > rules->prefix.count)
    marks->all = true;
  for (uint32_t i = 0; i < value->count; i++, n = json_next (n))
    if (i < rules->prefix.count
        || (rules->contains_evaluates && rules->contains != NULL
            && check_rule (k, rules->contains, n)))
      mark (marks, i);
}

/* ---- combinations ---- */

static void
mark_fitting (struct checker *k, const struct branches *branches, const struct json_node *value,
              struct marks *marks)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if (check_rule (k, branches->rules[i], value))
      mark_rule (k, branches->rules[i], value, marks);
}

static void
mark_condition (struct checker *k, const struct combination *c, const struct json_node *value,
                struct marks *marks)
{
  bool fits = check_rule (k, c->if_, value);
  const struct rule *next = fits ? c->then : c->else_;

  if (fits)
    mark_rule (k, c->if_, value, marks);
  if (next != NULL)
    mark_rule (k, next, value, marks);
}

/* All but the unevaluated* of this very rule. */
static void
mark_combination (struct checker *k, const struct combination *c, const struct json_node *value,
                  struct marks *marks)
{
  if (c->ref != NULL)
    mark_rule (k, c->ref, value, marks);
  if (c->dynamic != NULL)
    mark_rule (k, dynamic_target (k, c->dynamic), value, marks);
  for (uint32_t i = 0; i < c->all.count; i++)
    mark_rule (k, c->all.rules[i], value, marks);
  mark_fitting (k, &c->any, value, marks);
  mark_fitting (k, &c->one, value, marks);
  if (c->if_ != NULL)
    mark_condition (k, c, value, marks);
}

static void
mark_keywords (struct checker *k, const struct rule *rule, const struct json_node *value,
               struct marks *marks)
{
  if (value->type == JSON_OBJECT && rule->object != NULL)
    mark_members (k, rule->object, value, marks);
  if (value->type == JSON_ARRAY && rule->array != NULL)
    mark_items (k, rule->array, value, marks);
  if (rule->combination != NULL)
    mark_combination (k, rule->combination, value, marks);
}

/* What `rule`, which the value fits, has looked at. */
static void
mark_rule (struct checker *k, const struct rule *rule, const struct json_node *value,
           struct marks *marks)
{
  const struct combination *c = rule->combination;
  struct scope scope;

  if (marks->all || !spend (k, 1) || k->depth == CHECK_DEPTH_MAX)
    return;
  if (c != NULL && (value->type == JSON_OBJECT ? c->unevaluated_members : c->unevaluated_items)) {
    marks->all = true;
    return;
  }
  k->depth++;
  enter_scope (k, rule, &scope);
  mark_keywords (k, rule, value, marks);
  leave_scope (k, &scope);
  k->depth--;
}

/* ---- what is left over ---- */

static uint32_t
find (struct checker *k, const struct rule *rule, const struct rule *left_over,
      const struct json_node *value, struct marks *marks, const struct json_node **out,
      uint32_t most)
{
  bool object = value->type == JSON_OBJECT;
  const struct json_node *n = json_first (value);
  uint32_t found = 0;

  mark_keywords (k, rule, value, marks);
  for (uint32_t i = 0; i < value->count && !marks->all; i++, n = json_next (n + object)) {
    if (is_marked (marks, i) || check_rule (k, left_over, n + object))
      continue;
    if (found < most)
      out[found] = n;
    found++;
    if (most == 0)
      break;
  }
  return found;
}

uint32_t
find_unevaluated (struct checker *k, const struct rule *rule, const struct json_node *value,
                  const struct json_node **out, uint32_t most)
{
  const struct combination *c = rule->combination;
  const struct rule *left_over =
    value->type == JSON_OBJECT ? c->unevaluated_members : c->unevaluated_items;
  uint32_t words = value->count / BITS + 1;
  uint64_t on_stack[WORDS_ON_STACK];
  CLEANUP_FREE uint64_t *large = NULL;
  struct marks marks = { .words = on_stack };

  if (left_over == NULL || (value->type != JSON_OBJECT && value->type != JSON_ARRAY))
    return 0;
  if (words > WORDS_ON_STACK)
    marks.words = large = xmalloc (words * sizeof *large);
  memset (marks.words, 0, words * sizeof *marks.words);
  return find (k, rule, left_over, value, &marks, out, most);
}

bool
check_unevaluated (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  return find_unevaluated (k, rule, value, NULL, 0) == 0;
}
