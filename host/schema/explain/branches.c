/* Values that fit none of several branches, or too many: which one was meant. */
#include "schema/explain/mark.h"
#include "schema/explain/phrase.h"
#include "schema/explain/walk.h"

/* Branches of which one must fit. */
struct variants {
  const struct branches *branches;
  const struct choice *choice; /* NULL: they must be tried */
  const char *keyword;
};

static struct finding
finding_of (const struct step *step, const struct variants *v, enum finding_kind kind)
{
  return (struct finding){ .kind = kind,
                           .keyword = v->keyword,
                           .rule = step->rule,
                           .value = step->value,
                           .branches = v->branches,
                           .optional = step->optional };
}

/* ---- the branch that is closest ---- */

/* Branches that admit values of this type, the first one of them in *first; all their types. */
static uint32_t
branches_of_type (const struct explanation *e, const struct branches *branches,
                  const struct json_node *value, uint32_t *first, uint16_t *types)
{
  uint32_t count = 0;

  *types = 0;
  for (uint32_t i = branches->count; i-- != 0;) {
    uint16_t own = rule_types (branches->rules[i]);
    *types |= own;
    if (check_type (e->tape, own, value)) {
      *first = i;
      count++;
    }
  }
  return count;
}

/* Members of the value that a branch knows by name. */
static uint32_t
known_members (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  uint32_t known = 0;

  if (rule->alias != NULL)
    rule = rule->alias;
  if (value->type != JSON_OBJECT || rule->object == NULL || !spend (e->k, value->count))
    return 0;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n + 1))
    known += words_find (&rule->object->names, e->tape, n) != WORDS_NONE;
  return known;
}

/* By what is wrong with the value by each of them; of equals the one that knows more of it. */
static uint32_t
lightest (struct explanation *e, const struct step *step, const struct variants *v)
{
  uint64_t least = UINT64_MAX;
  uint32_t best = 0, best_known = 0;

  for (uint32_t i = 0; i < v->branches->count && !e->k->gave_up; i++) {
    uint32_t known;
    e->weighed = step;
    e->weight = 0;
    explain_also (e, step, v->keyword, v->branches->rules[i]);
    e->weighed = NULL;
    known = known_members (e, v->branches->rules[i], step->value);
    if (e->weight < least || (e->weight == least && known > best_known)) {
      least = e->weight;
      best = i;
      best_known = known;
    }
  }
  return best;
}

/* ---- the member that tells branches apart ---- */

static bool
find_mark (struct explanation *e, const struct variants *v, struct word *mark)
{
  size_t len;

  if (v->choice == NULL)
    return mark_find (v->branches, mark, &e->k->budget) && spend (e->k, 0);
  if (v->choice->name == NULL)
    return false;
  mark->text = json_string (&e->schema->tape, v->choice->name, e->arena, &len);
  mark->len = (uint32_t) len;
  return true;
}

/* The branches that admit a value of the mark, the first in *best. */
static uint32_t
branches_of_mark (struct explanation *e, const struct branches *branches, const struct word *mark,
                  const struct json_node *value, uint32_t *best)
{
  uint32_t count = 0;

  if (!spend (e->k, branches->count))
    return 0;
  for (uint32_t i = branches->count; i-- != 0;) {
    const struct values *values = mark_values (branches->rules[i], mark);
    if (values != NULL && check_values (e->k, values, value)) {
      *best = i;
      count++;
    }
  }
  return count;
}

/* Is there no branch for objects that does without the mark? */
static bool
is_required (const struct branches *branches, const struct word *mark)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if ((rule_types (branches->rules[i]) & TYPE_OBJECT) != 0
        && !rule_requires (branches->rules[i], mark))
      return false;
  return true;
}

/* The mark is not there, or has a value of no branch. */
static void
found_mark (struct explanation *e, const struct step *step, const struct variants *v,
            const struct word *mark, const struct json_node *value)
{
  struct finding f = finding_of (step, v, value != NULL ? FOUND_MARK : FOUND_MISSING);

  f.mark = *mark;
  if (value == NULL)
    f.missing = *mark;
  else {
    f.value = value;
    f.name = value - 1;
  }
  found (e, step, &f);
}

enum choice_by_mark {
  MARK_SAYS_NOTHING,
  MARK_CHOSE,   /* one branch */
  MARK_IS_WRONG /* itself, and was told */
};

static enum choice_by_mark
choose_by_mark (struct explanation *e, const struct step *step, const struct variants *v,
                struct word *mark, uint32_t *best)
{
  const struct json_node *value;
  uint32_t count = 0;

  if (step->value->type != JSON_OBJECT || !find_mark (e, v, mark))
    return MARK_SAYS_NOTHING;
  value = json_member_len (e->tape, step->value, mark->text, mark->len);
  if (value != NULL)
    count = branches_of_mark (e, v->branches, mark, value, best);
  if (count == 1)
    return MARK_CHOSE;
  if (count != 0 || (value == NULL && !is_required (v->branches, mark)))
    return MARK_SAYS_NOTHING;
  found_mark (e, step, v, mark, value);
  return MARK_IS_WRONG;
}

/* ---- none ---- */

/* Tell what is wrong with the value by the branch that was meant. */
static void
explain_closest (struct explanation *e, const struct step *step, const struct variants *v,
                 uint32_t best, const struct word *mark)
{
  struct step inner = { .up = step,
                        .rule = v->branches->rules[best],
                        .value = step->value,
                        .via = v->keyword,
                        .optional = step->optional,
                        .lead = lead_new (e, step) };

  inner.lead->branches = v->branches;
  inner.lead->closest = best;
  inner.lead->mark = *mark;
  explain_step (e, &inner);
}

static void
explain_none (struct explanation *e, const struct step *step, const struct variants *v)
{
  struct finding f = finding_of (step, v, FOUND_TYPE);
  struct word mark = { .text = NULL };
  unsigned before = e->found;
  uint32_t best = 0;
  uint32_t fitting = branches_of_type (e, v->branches, step->value, &best, &f.types);

  if (fitting == 0 || e->weighed != NULL) {
    f.kind = fitting == 0 && f.types != 0 ? FOUND_TYPE : FOUND_OTHER;
    found (e, step, &f);
    return;
  }
  if (fitting == 1)
    explain_also (e, step, v->keyword, v->branches->rules[best]);
  else {
    enum choice_by_mark chosen = choose_by_mark (e, step, v, &mark, &best);
    if (chosen == MARK_SAYS_NOTHING)
      best = lightest (e, step, v);
    if (chosen != MARK_IS_WRONG)
      explain_closest (e, step, v, best, &mark);
  }
  f.kind = FOUND_OTHER;
  if (e->found == before)
    found (e, step, &f);
}

/* How many branches fit, up to `most`, and the first of them. */
static uint32_t
count_fitting (struct explanation *e, const struct step *step, const struct variants *v,
               uint32_t most, struct finding *f)
{
  if (v->choice != NULL) {
    const struct rule *only = choose (e->k, v->choice, v->branches, step->value);
    return f->count = only != NULL && check_rule (e->k, only, step->value);
  }
  for (uint32_t i = 0; i < v->branches->count && f->count < most; i++)
    if (check_rule (e->k, v->branches->rules[i], step->value)) {
      if (f->count < VARIANTS_TOLD)
        f->fits[f->count] = i;
      f->count++;
    }
  return f->count;
}

void
explain_any (struct explanation *e, const struct step *step, const struct combination *c)
{
  struct variants v = { .branches = &c->any, .choice = c->any_choice, .keyword = "anyOf" };
  struct finding f = finding_of (step, &v, FOUND_OTHER);

  if (count_fitting (e, step, &v, 1, &f) == 0 && !e->k->gave_up)
    explain_none (e, step, &v);
}

void
explain_one (struct explanation *e, const struct step *step, const struct combination *c)
{
  struct variants v = { .branches = &c->one, .choice = c->one_choice, .keyword = "oneOf" };
  struct finding f = finding_of (step, &v, FOUND_SEVERAL);

  count_fitting (e, step, &v, UINT32_MAX, &f);
  if (e->k->gave_up || f.count == 1)
    return;
  if (f.count == 0)
    explain_none (e, step, &v);
  else
    found (e, step, &f);
}
