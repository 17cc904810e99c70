#include "base/json_text.h"
#include "schema/repair/work.h"

/* ---- what a rule admits ---- */

static uint16_t
types_of_values (const struct values *values)
{
  uint16_t types = 0;

  if (values == NULL)
    return TYPE_ANY;
  if (values->strings.count != 0)
    types |= TYPE_STRING;
  for (uint32_t i = 0; i < values->others_count; i++) {
    types |= (uint16_t) (1U << values->others[i]->type);
    if (values->others[i]->type == JSON_NUMBER)
      types |= TYPE_INTEGER;
  }
  return types;
}

static uint16_t
types_of_branches (struct mender *m, const struct branches *branches)
{
  uint16_t types = 0;

  if (branches->count == 0)
    return TYPE_ANY;
  for (uint32_t i = 0; i < branches->count; i++)
    types |= admitted_types (m, branches->rules[i]);
  return types;
}

uint16_t
admitted_types (struct mender *m, const struct rule *rule)
{
  const struct combination *c;
  uint16_t types;

  rule = rule_itself (rule);
  types = rule->types;
  types &= types_of_values (rule->enumeration);
  types &= types_of_values (rule->constant);
  c = rule->combination;
  if (c == NULL || types == 0 || !spend (m->k, 1))
    return types;
  if (c->ref != NULL)
    types &= admitted_types (m, c->ref);
  for (uint32_t i = 0; i < c->all.count; i++)
    types &= admitted_types (m, c->all.rules[i]);
  types &= types_of_branches (m, &c->any);
  types &= types_of_branches (m, &c->one);
  return types;
}

/* ---- arrays and objects ---- */

static void
walk_items (struct mender *m, const struct array_rules *rules, const struct json_node *array)
{
  const struct json_node *n = json_first (array);

  for (uint32_t i = 0; i < array->count && !m->k->gave_up; i++, n = json_next (n)) {
    const struct rule *rule = rule_of_item (rules, i);
    if (rule != NULL)
      walk_rule (m, rule, n);
  }
}

/* A member by one of the rules for its value. */
static void
walk_value (struct mender *m, const struct rule *rule, const struct json_node *object,
            const struct json_node *name, bool optional)
{
  const struct json_node *value = name + 1;

  if (!optional)
    walk_rule (m, rule, value);
  else if (value->type == JSON_NULL && !check_rule (m->k, rule, value))
    edit_drop (&m->edits, object, name, REPAIR_NULL);
  else if (m->mode == REPAIR_LENIENT && is_word_for_nothing (m, value)
           && (admitted_types (m, rule) & TYPE_STRING) == 0)
    edit_drop (&m->edits, object, name, REPAIR_NOTHING);
  else
    walk_rule (m, rule, value);
}

static void
walk_member (struct mender *m, const struct object_rules *rules, const struct json_node *object,
             const struct json_node *name)
{
  uint32_t i = words_find (&rules->names, m->k->tape, name);
  const struct property *p = i != WORDS_NONE ? &rules->properties[i] : NULL;
  bool optional = p == NULL || !p->required;
  bool known = p != NULL && p->rule != NULL;

  if (known)
    walk_value (m, p->rule, object, name, optional);
  for (i = 0; i < rules->patterns_count; i++)
    if (check_pattern (m->k, rules->patterns[i].regex, name)) {
      known = true;
      walk_value (m, rules->patterns[i].rule, object, name, optional);
    }
  if (known || rules->additional == NULL)
    return;
  if (rule_itself (rules->additional)->types == 0)
    mend_unknown (m, rules, object, name);
  else
    walk_value (m, rules->additional, object, name, optional);
}

static bool
holds_member (struct mender *m, const struct json_node *object, const struct json_node *name)
{
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (n + 1))
    if (json_text_same (m->k->tape, n, &m->k->schema->tape, name))
      return true;
  return false;
}

static void
walk_object (struct mender *m, const struct object_rules *rules, const struct json_node *object)
{
  for (const struct json_node *n = json_first (object);
       n != json_end (object) && spend (m->k, n->escaped ? 1 + rules->names.count : 1);
       n = json_next (n + 1))
    walk_member (m, rules, object, n);
  for (uint32_t i = 0; i < rules->dependents_count; i++) {
    const struct dependent *d = &rules->dependents[i];
    if (d->rule != NULL && spend (m->k, object->count) && holds_member (m, object, d->name))
      walk_rule (m, d->rule, object);
  }
}

/* ---- combinations ---- */

/* Could the object become one that the branch accepts, as far as the members go that tell branches
 * apart: those with few values, and those that must be there? */
static bool
bears_marks (struct mender *m, const struct object_rules *rules, const struct json_node *object)
{
  for (uint32_t i = 0; i < rules->names.count; i++) {
    const struct word *word = &rules->names.list[i];
    const struct property *p = &rules->properties[i];
    const struct rule *rule = p->rule != NULL ? rule_itself (p->rule) : NULL;
    const struct json_node *value;
    if (!p->required && (rule == NULL || (rule->constant == NULL && rule->enumeration == NULL)))
      continue;
    if (!spend (m->k, object->count))
      return false;
    value = json_member_len (m->k->tape, object, word->text, word->len);
    if (value == NULL && p->required)
      return false;
    if (json_is (value, JSON_NULL) && !p->required)
      continue; /* left out when it does not fit */
    if (value != NULL && rule != NULL
        && !(near_values (m, rule->constant, value) && near_values (m, rule->enumeration, value)))
      return false;
  }
  return true;
}

static bool
may_be_of_type (struct mender *m, const struct rule *rule, const struct json_node *value)
{
  return spend (m->k, 1) && check_type (m->k->tape, admitted_types (m, rule), value);
}

static bool
could_mean (struct mender *m, const struct rule *rule, const struct json_node *value)
{
  const struct combination *c;

  rule = rule_itself (rule);
  if (!may_be_of_type (m, rule, value) || !near_values (m, rule->constant, value)
      || !near_values (m, rule->enumeration, value))
    return false;
  if (value->type == JSON_OBJECT && rule->object != NULL && !bears_marks (m, rule->object, value))
    return false;
  c = rule->combination;
  if (c == NULL)
    return true;
  for (uint32_t i = 0; i < c->all.count; i++)
    if (!could_mean (m, c->all.rules[i], value))
      return false;
  return c->ref == NULL || could_mean (m, c->ref, value);
}

/* The one branch of which `test` holds; NULL: none, or more. */
static const struct rule *
only_branch (struct mender *m, const struct branches *branches, const struct json_node *value,
             bool (*test) (struct mender *m, const struct rule *rule,
                           const struct json_node *value))
{
  const struct rule *only = NULL;

  for (uint32_t i = 0; i < branches->count; i++)
    if (test (m, branches->rules[i], value)) {
      if (only != NULL)
        return NULL;
      only = branches->rules[i];
    }
  return only;
}

/* Where no branch fits, mend by the one that can have been meant; where there are more, or one
 * fits, the value is left alone. */
static void
walk_branches (struct mender *m, const struct branches *branches, const struct json_node *value)
{
  const struct rule *rule;

  for (uint32_t i = 0; i < branches->count; i++)
    if (check_rule (m->k, branches->rules[i], value))
      return;
  rule = only_branch (m, branches, value, may_be_of_type);
  if (rule == NULL)
    rule = only_branch (m, branches, value, could_mean);
  if (rule != NULL)
    walk_rule (m, rule, value);
}

static void
walk_combination (struct mender *m, const struct combination *c, const struct json_node *value)
{
  if (c->ref != NULL)
    walk_rule (m, c->ref, value);
  for (uint32_t i = 0; i < c->all.count; i++)
    walk_rule (m, c->all.rules[i], value);
  walk_branches (m, &c->any, value);
  walk_branches (m, &c->one, value);
  if (c->if_ != NULL) {
    const struct rule *rule = check_rule (m->k, c->if_, value) ? c->then : c->else_;
    if (rule != NULL)
      walk_rule (m, rule, value);
  }
}

/* ---- a rule ---- */

static void
walk_inside (struct mender *m, const struct rule *rule, const struct json_node *value)
{
  const struct combination *c = rule->combination;

  if (value->type == JSON_ARRAY && rule->array != NULL)
    walk_items (m, rule->array, value);
  if (value->type == JSON_OBJECT && rule->object != NULL)
    walk_object (m, rule->object, value);
  if (c == NULL)
    return;
  walk_combination (m, c, value);
  if (value->type == JSON_OBJECT && c->unevaluated_members != NULL
      && rule_itself (c->unevaluated_members)->types == 0)
    mend_unevaluated (m, rule, value);
}

void
walk_rule (struct mender *m, const struct rule *rule, const struct json_node *value)
{
  struct checker *k = m->k;
  uint16_t types;

  if (k->gave_up || check_rule (k, rule, value) || k->gave_up)
    return;
  if (k->depth == CHECK_DEPTH_MAX) {
    k->gave_up = true;
    return;
  }
  rule = rule_itself (rule);
  types = admitted_types (m, rule);
  if (!check_type (k->tape, types, value)) {
    mend_type (m, rule, types, value);
    return;
  }
  k->depth++;
  mend_case (m, rule->constant, value);
  mend_case (m, rule->enumeration, value);
  walk_inside (m, rule, value);
  k->depth--;
}
