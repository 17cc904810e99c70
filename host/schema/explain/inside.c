/* Arrays and objects: what is wrong with them, and with what is in them. */
#include <string.h>

#include "schema/evaluated.h"
#include "schema/explain/walk.h"

enum { UNEVALUATED_MAX = 500 };

/* ---- arrays ---- */

static void
explain_size (struct explanation *e, const struct step *step, uint32_t min, uint32_t max,
              const char *keyword_min, const char *keyword_max)
{
  uint32_t count = step->value->count;

  if (count >= min && count <= max)
    return;
  found (e, step,
         &(struct finding){ .kind = FOUND_SIZE,
                            .keyword = count < min ? keyword_min : keyword_max,
                            .rule = step->rule,
                            .value = step->value,
                            .min = min,
                            .max = max });
}

/* The keyword for items behind the prefix. */
static const char *
keyword_of_rest (const struct explanation *e, const struct rule *rule)
{
  const struct json_node *items = json_member (&e->schema->tape, rule->source, "items");

  return json_is (items, JSON_ARRAY) ? "additionalItems" : "items";
}

static const char *
keyword_of_prefix (const struct explanation *e, const struct rule *rule)
{
  const struct json_node *items = json_member (&e->schema->tape, rule->source, "items");

  return json_is (items, JSON_ARRAY) ? "items" : "prefixItems";
}

static void
explain_items (struct explanation *e, const struct step *step)
{
  const struct array_rules *rules = step->rule->array;
  const struct json_node *n = json_first (step->value);
  const char *via = keyword_of_prefix (e, step->rule);

  for (uint32_t i = 0; i < step->value->count && !e->k->gave_up; i++, n = json_next (n)) {
    const struct rule *rule = rule_of_item (rules, i);
    if (i == rules->prefix.count)
      via = keyword_of_rest (e, step->rule);
    if (rule == NULL && i >= rules->prefix.count)
      return;
    if (rule != NULL && rule->types == 0 && i >= rules->prefix.count) {
      explain_size (e, step, 0, i, via, via);
      return;
    }
    if (rule != NULL)
      explain_step (
        e, &(struct step){ .up = step, .rule = rule, .value = n, .via = via, .item = true });
  }
}

static void
explain_contains (struct explanation *e, const struct step *step)
{
  const struct array_rules *rules = step->rule->array;
  struct finding f = { .kind = FOUND_CONTAINS,
                       .keyword = "maxContains",
                       .rule = step->rule,
                       .value = step->value,
                       .about = rules->contains,
                       .count = check_count (e->k, rules, step->value),
                       .min = rules->min_contains,
                       .max = rules->max_contains };

  if (f.count >= f.min && f.count <= f.max)
    return;
  if (f.count < f.min)
    f.keyword = json_member (&e->schema->tape, f.rule->source, "minContains") != NULL
                  ? "minContains"
                  : "contains";
  found (e, step, &f);
}

static void
explain_unique (struct explanation *e, const struct step *step)
{
  const struct json_node *first, *second;
  struct finding f = { .kind = FOUND_REPEATED, .keyword = "uniqueItems", .rule = step->rule };
  struct step item = { .up = step, .rule = step->rule, .via = "uniqueItems", .item = true };

  if (!find_repeated (e->k, step->value, &first, &second) || first == NULL)
    return;
  f.other = first;
  f.value = item.value = second;
  found (e, &item, &f);
}

void
explain_array (struct explanation *e, const struct step *step)
{
  const struct array_rules *rules = step->rule->array;

  explain_size (e, step, rules->min, rules->max, "minItems", "maxItems");
  explain_items (e, step);
  if (rules->contains != NULL)
    explain_contains (e, step);
  if (rules->unique)
    explain_unique (e, step);
}

/* ---- objects ---- */

static void
explain_member (struct explanation *e, const struct step *step, const struct json_node *name,
                const char *via, const struct rule *rule)
{
  explain_step (
    e, &(struct step){
         .up = step, .rule = rule, .value = name + 1, .via = via, .name = name, .optional = true });
}

static void
explain_unknown (struct explanation *e, const struct step *step, const struct json_node *name,
                 const char *keyword)
{
  found (e, step,
         &(struct finding){ .kind = FOUND_UNKNOWN,
                            .keyword = keyword,
                            .rule = step->rule,
                            .value = name + 1,
                            .name = name });
}

/* Is there a pattern for the name? */
static bool
explain_patterns (struct explanation *e, const struct step *step, const struct json_node *name)
{
  const struct object_rules *rules = step->rule->object;
  bool known = false;

  for (uint32_t i = 0; i < rules->patterns_count; i++) {
    const struct name_pattern *p = &rules->patterns[i];
    if (!check_pattern (e->k, p->regex, name))
      continue;
    known = true;
    explain_member (e, step, name, "patternProperties", p->rule);
  }
  return known;
}

static void
explain_name (struct explanation *e, const struct step *step, const struct json_node *name)
{
  struct step inner = { .up = step,
                        .rule = step->rule->object->member_names,
                        .value = name,
                        .via = "propertyNames",
                        .name = name };

  if (check_rule (e->k, inner.rule, name))
    return;
  inner.lead = lead_new (e, step);
  explain_step (e, &inner);
}

/* `index` among the known names, or WORDS_NONE. */
static void
explain_one_member (struct explanation *e, const struct step *step, const struct json_node *name,
                    uint32_t index)
{
  const struct object_rules *rules = step->rule->object;
  const struct property *p = index != WORDS_NONE ? &rules->properties[index] : NULL;
  bool known = p != NULL && p->rule != NULL;

  if (name->escaped && !spend (e->k, rules->names.count))
    return;
  if (known)
    explain_step (e, &(struct step){ .up = step,
                                     .rule = p->rule,
                                     .value = name + 1,
                                     .via = "properties",
                                     .name = name,
                                     .optional = !p->required });
  if (explain_patterns (e, step, name))
    known = true;
  if (!known && rules->additional != NULL && rules->additional->types == 0)
    explain_unknown (e, step, name, "additionalProperties");
  else if (!known && rules->additional != NULL)
    explain_member (e, step, name, "additionalProperties", rules->additional);
  if (rules->member_names != NULL)
    explain_name (e, step, name);
}

static void
explain_missing (struct explanation *e, const struct step *step, const bool there[])
{
  const struct object_rules *rules = step->rule->object;

  for (uint32_t i = 0; i < rules->names.count; i++)
    if (rules->properties[i].required && !there[i])
      found (e, step,
             &(struct finding){ .kind = FOUND_MISSING,
                                .keyword = "required",
                                .rule = step->rule,
                                .value = step->value,
                                .missing = rules->names.list[i],
                                .about = rules->properties[i].rule });
}

/* What is missing comes first, then the members in their order. */
static void
explain_members (struct explanation *e, const struct step *step)
{
  const struct object_rules *rules = step->rule->object;
  const struct json_node *object = step->value;
  bool *there;

  if (!spend (e->k, object->count + rules->names.count / 8))
    return;
  if (rules->required_count != 0) {
    uint32_t index = 0;
    there = arena_alloc (e->arena, rules->names.count * sizeof *there);
    memset (there, 0, rules->names.count * sizeof *there);
    for (const struct json_node *n = json_first (object); n != json_end (object);
         n = json_next (n + 1)) {
      index = words_find (&rules->names, e->tape, n);
      if (index != WORDS_NONE)
        there[index] = true;
    }
    explain_missing (e, step, there);
  }
  for (const struct json_node *n = json_first (object); n != json_end (object) && !e->k->gave_up;
       n = json_next (n + 1))
    explain_one_member (e, step, n, words_find (&rules->names, e->tape, n));
}

static void
explain_dependent (struct explanation *e, const struct step *step,
                   const struct dependent *dependent)
{
  const struct json_tape *tape = &e->schema->tape;
  const struct json_node *source = step->rule->source;
  bool modern = json_member (tape, source, "dependencies") == NULL;
  struct finding f = { .kind = FOUND_DEPENDENT,
                       .keyword = modern ? "dependentRequired" : "dependencies",
                       .rule = step->rule,
                       .value = step->value };
  size_t len;
  const char *name = json_string (tape, dependent->name, e->arena, &len);

  if (!spend (e->k, step->value->count)
      || json_member_len (e->tape, step->value, name, len) == NULL)
    return;
  if (dependent->rule != NULL) {
    explain_also (e, step, modern ? "dependentSchemas" : "dependencies", dependent->rule);
    return;
  }
  f.mark = (struct word){ .text = name, .len = (uint32_t) len };
  for (const struct json_node *n = json_first (dependent->required);
       n != json_end (dependent->required); n = json_next (n)) {
    name = json_string (tape, n, e->arena, &len);
    if (!spend (e->k, step->value->count)
        || json_member_len (e->tape, step->value, name, len) != NULL)
      continue;
    f.missing = (struct word){ .text = name, .len = (uint32_t) len };
    found (e, step, &f);
  }
}

void
explain_object (struct explanation *e, const struct step *step)
{
  const struct object_rules *rules = step->rule->object;

  explain_members (e, step);
  for (uint32_t i = 0; i < rules->dependents_count; i++)
    explain_dependent (e, step, &rules->dependents[i]);
  explain_size (e, step, rules->min, rules->max, "minProperties", "maxProperties");
}

/* ---- what nothing has evaluated ---- */

static void
explain_unevaluated_one (struct explanation *e, const struct step *step,
                         const struct json_node *node)
{
  const struct combination *c = step->rule->combination;
  bool member = step->value->type == JSON_OBJECT;

  if (member && c->unevaluated_members->types == 0)
    explain_unknown (e, step, node, "unevaluatedProperties");
  else if (member)
    explain_member (e, step, node, "unevaluatedProperties", c->unevaluated_members);
  else
    explain_step (e, &(struct step){ .up = step,
                                     .rule = c->unevaluated_items,
                                     .value = node,
                                     .via = "unevaluatedItems",
                                     .item = true });
}

void
explain_unevaluated (struct explanation *e, const struct step *step)
{
  const struct json_node *value = step->value;
  uint32_t most = value->count < UNEVALUATED_MAX ? value->count : UNEVALUATED_MAX;
  const struct json_node **list = arena_alloc (e->arena, (most + 1) * sizeof *list);
  uint32_t count = find_unevaluated (e->k, step->rule, value, list, most);

  for (uint32_t i = 0; i < count && i < most; i++)
    explain_unevaluated_one (e, step, list[i]);
}
