#include "schema/explain/explain.h"

#include <stddef.h>
#include <string.h>

#include "schema/explain/walk.h"

/* ---- values, numbers, strings ---- */

static void
explain_type (struct explanation *e, const struct step *step)
{
  const struct rule *rule = step->rule;
  struct finding f = { .kind = FOUND_TYPE,
                       .keyword = "type",
                       .rule = rule,
                       .value = step->value,
                       .types = rule->types,
                       .optional = step->optional };

  if (rule->types == 0) {
    f.kind = FOUND_NOTHING_ALLOWED;
    f.keyword = "";
  }
  found (e, step, &f);
}

static void
explain_values (struct explanation *e, const struct step *step, const struct values *values)
{
  found (e, step,
         &(struct finding){ .kind = FOUND_VALUE,
                            .keyword = values->constant ? "const" : "enum",
                            .rule = step->rule,
                            .value = step->value,
                            .values = values,
                            .optional = step->optional });
}

/* The keyword whose bound the number breaks; NULL: none. */
static const char *
broken_bound (struct explanation *e, const struct number_rules *rules,
              const struct json_node *value)
{
  static const struct {
    const char *keyword;
    size_t field;
  } bounds[] = { { "minimum", offsetof (struct number_rules, minimum) },
                 { "maximum", offsetof (struct number_rules, maximum) },
                 { "exclusiveMinimum", offsetof (struct number_rules, above) },
                 { "exclusiveMaximum", offsetof (struct number_rules, below) } };

  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    struct number_rules one = { .minimum.source = NULL };
    memcpy ((char *) &one + bounds[i].field, (const char *) rules + bounds[i].field,
            sizeof (struct bound));
    if (!check_bounds (e->tape, &one, value))
      return bounds[i].keyword;
  }
  return check_multiple (e->k, &rules->multiple, value) ? NULL : "multipleOf";
}

static void
explain_number (struct explanation *e, const struct step *step)
{
  const char *keyword = broken_bound (e, step->rule->number, step->value);

  if (keyword != NULL)
    found (e, step,
           &(struct finding){
             .kind = FOUND_NUMBER, .keyword = keyword, .rule = step->rule, .value = step->value });
}

static void
explain_length (struct explanation *e, const struct step *step)
{
  const struct string_rules *rules = step->rule->string;
  bool is_short = text_length (e->tape, step->value) < rules->min;

  found (e, step,
         &(struct finding){ .kind = FOUND_LENGTH,
                            .keyword = is_short ? "minLength" : "maxLength",
                            .rule = step->rule,
                            .value = step->value,
                            .min = rules->min,
                            .max = rules->max });
}

static void
explain_string (struct explanation *e, const struct step *step)
{
  const struct string_rules *rules = step->rule->string;
  struct finding f = { .rule = step->rule, .value = step->value };

  if (!check_length (e->k, rules, step->value)) {
    explain_length (e, step);
    return;
  }
  if (rules->pattern != NULL && !check_pattern (e->k, rules->pattern, step->value)) {
    f.kind = FOUND_PATTERN;
    f.keyword = "pattern";
  }
  else if (!check_format (e->k, rules->format, step->value)) {
    f.kind = FOUND_FORMAT;
    f.keyword = "format";
  }
  else
    return;
  found (e, step, &f);
}

/* ---- combinations ---- */

static void
explain_not (struct explanation *e, const struct step *step, const struct rule *rule)
{
  if (check_rule (e->k, rule, step->value))
    found (e, step,
           &(struct finding){ .kind = FOUND_EXCLUDED,
                              .keyword = "not",
                              .rule = step->rule,
                              .value = step->value,
                              .about = rule });
}

static void
explain_condition (struct explanation *e, const struct step *step, const struct combination *c)
{
  bool fits = check_rule (e->k, c->if_, step->value);
  const struct rule *rule = fits ? c->then : c->else_;

  if (rule != NULL)
    explain_also (e, step, fits ? "then" : "else", rule);
}

static bool
wants_evaluation (const struct combination *c, const struct json_node *value)
{
  return (c->unevaluated_items != NULL && value->type == JSON_ARRAY)
         || (c->unevaluated_members != NULL && value->type == JSON_OBJECT);
}

static void
explain_combination (struct explanation *e, const struct step *step)
{
  const struct combination *c = step->rule->combination;

  if (c->ref != NULL)
    explain_also (e, step, "$ref", c->ref);
  if (c->dynamic != NULL)
    explain_also (e, step, "$dynamicRef", dynamic_target (e->k, c->dynamic));
  for (uint32_t i = 0; i < c->all.count; i++)
    explain_also (e, step, "allOf", c->all.rules[i]);
  if (c->any.count != 0)
    explain_any (e, step, c);
  if (c->one.count != 0)
    explain_one (e, step, c);
  if (c->not_ != NULL)
    explain_not (e, step, c->not_);
  if (c->if_ != NULL)
    explain_condition (e, step, c);
}

/* ---- a rule ---- */

static void
explain_by_type (struct explanation *e, const struct step *step)
{
  const struct rule *rule = step->rule;

  if (step->value->type == JSON_NUMBER && rule->number != NULL)
    explain_number (e, step);
  if (step->value->type == JSON_STRING && rule->string != NULL)
    explain_string (e, step);
  if (step->value->type == JSON_ARRAY && rule->array != NULL)
    explain_array (e, step);
  if (step->value->type == JSON_OBJECT && rule->object != NULL)
    explain_object (e, step);
}

static void
explain_rule (struct explanation *e, const struct step *step)
{
  const struct rule *rule = step->rule;
  unsigned before = e->found;

  if (rule->alias != NULL)
    explain_also (e, step, "$ref", rule->alias);
  else if (rule->constant != NULL && !check_values (e->k, rule->constant, step->value))
    explain_values (e, step, rule->constant);
  else if (rule->enumeration != NULL && !check_values (e->k, rule->enumeration, step->value))
    explain_values (e, step, rule->enumeration);
  else if (!check_type (e->tape, rule->types, step->value))
    explain_type (e, step);
  else {
    explain_by_type (e, step);
    if (rule->combination != NULL)
      explain_combination (e, step);
    /* where something else is wrong too little was evaluated */
    if (rule->combination != NULL && e->found == before
        && wants_evaluation (rule->combination, step->value))
      explain_unevaluated (e, step);
  }
}

void
explain_step (struct explanation *e, const struct step *step)
{
  struct checker *k = e->k;
  struct scope scope;

  if (k->gave_up || !spend (k, 1))
    return;
  if (k->depth == CHECK_DEPTH_MAX) {
    k->gave_up = true;
    return;
  }
  k->depth++;
  enter_scope (k, step->rule, &scope);
  explain_rule (e, step);
  leave_scope (k, &scope);
  k->depth--;
}

void
explain_also (struct explanation *e, const struct step *step, const char *via,
              const struct rule *rule)
{
  explain_step (
    e, &(struct step){
         .up = step, .rule = rule, .value = step->value, .via = via, .optional = step->optional });
}

void
explain (struct checker *k, const struct json_node *value, struct schema_report *report,
         struct arena *arena)
{
  struct step whole = { .rule = k->schema->root, .value = value };
  struct finding f = { .kind = FOUND_OTHER, .rule = whole.rule, .value = value };
  struct explanation e;

  findings_begin (&e, k, value, arena);
  if (!k->gave_up) {
    k->budget = CHECK_COST_MAX;
    explain_step (&e, &whole);
  }
  if (e.count == 0) {
    f.kind = k->gave_up ? FOUND_COSTLY : FOUND_OTHER;
    f.keyword = k->gave_up && k->at_pattern ? "pattern" : NULL;
    k->gave_up = false;
    k->budget = CHECK_COST_MAX;
    found (&e, &whole, &f);
  }
  findings_report (&e, report);
}
