#include <string.h>

#include "schema/explain/phrase.h"
#include "schema/repair/work.h"

enum {
  KNOWN_MAX = 64, /* sets of names that apply to one object */
  STEPS_PER_NAME = 64
};

/* The rules that say which names an object may have. */
struct known {
  const struct object_rules *list[KNOWN_MAX];
  unsigned count;
  bool any; /* every name may be known, or there are too many rules to tell */
};

/* ---- the name that was meant ---- */

/* The names that are allowed and not there yet; ends with NULL. */
static const char **
free_names (struct mender *m, const struct known *known, const struct json_node *object)
{
  const char **names;
  size_t count = 0;

  for (unsigned i = 0; i < known->count; i++)
    count += known->list[i]->names.count;
  if (!spend (m->k, (int64_t) (count * (STEPS_PER_NAME + object->count))))
    count = 0;
  names = arena_alloc (m->arena, (count + 1) * sizeof *names);
  if (count == 0) {
    names[0] = NULL;
    return names;
  }
  count = 0;
  for (unsigned i = 0; i < known->count; i++)
    for (const char *const *c = known->list[i]->candidates; c != NULL && *c != NULL; c++)
      if (json_member (m->k->tape, object, *c) == NULL)
        names[count++] = *c;
  names[count] = NULL;
  return names;
}

/* Take a name out of the list, wherever it is there. */
static void
remove_name (const char **names, const char *name)
{
  const char **kept = names;

  for (; *names != NULL; names++)
    if (strcmp (*names, name) != 0)
      *kept++ = *names;
  *kept = NULL;
}

static bool
is_same_name (const struct mender *m, const struct json_node *name, const char *text)
{
  struct word word = { .text = text, .len = (uint32_t) strlen (text) };

  return same_folded (m->k->tape, name, &word);
}

/* What an unknown name stands for.  Of several near ones none was meant surely, unless one differs
 * only in case and the like; then *doubt is set. */
static const char *
near_name (struct mender *m, const struct known *known, const struct json_node *object,
           const struct json_node *name, bool *doubt)
{
  const char **names = free_names (m, known, object);
  const char *near = meant (m->k->tape, name, names, m->arena);
  const char *other;

  if (near == NULL)
    return NULL;
  remove_name (names, near);
  other = meant (m->k->tape, name, names, m->arena);
  *doubt = other != NULL && (!is_same_name (m, name, near) || is_same_name (m, name, other));
  return near;
}

static void
mend_name (struct mender *m, const struct known *known, const struct json_node *object,
           const struct json_node *name)
{
  bool doubt = false;
  const char *near;

  if (edit_of (&m->edits, name) != NULL || edit_of (&m->edits, name + 1) != NULL)
    return;
  near = near_name (m, known, object, name, &doubt);
  if (near == NULL)
    edit_drop (&m->edits, object, name, REPAIR_EXTRA);
  else if (!doubt)
    edit_replace_string (&m->edits, name, REPAIR_NAME, near, strlen (near));
}

void
mend_unknown (struct mender *m, const struct object_rules *rules, const struct json_node *object,
              const struct json_node *name)
{
  struct known known = { .list = { rules }, .count = 1 };

  if (m->mode == REPAIR_LENIENT)
    mend_name (m, &known, object, name);
}

/* ---- unevaluatedProperties ---- */

static void gather (struct mender *m, struct known *known, const struct rule *rule);

static void
gather_branches (struct mender *m, struct known *known, const struct branches *branches)
{
  for (uint32_t i = 0; i < branches->count; i++)
    gather (m, known, branches->rules[i]);
}

static void
gather_object (struct mender *m, struct known *known, const struct object_rules *rules)
{
  if (rules->additional != NULL || known->count == KNOWN_MAX)
    known->any = true;
  else
    known->list[known->count++] = rules;
  for (uint32_t i = 0; i < rules->dependents_count; i++)
    if (rules->dependents[i].rule != NULL)
      gather (m, known, rules->dependents[i].rule);
}

static void
gather_combination (struct mender *m, struct known *known, const struct combination *c)
{
  const struct rule *const rules[] = { c->ref, c->if_, c->then, c->else_ };

  if (c->dynamic != NULL)
    known->any = true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i] != NULL)
      gather (m, known, rules[i]);
  gather_branches (m, known, &c->all);
  gather_branches (m, known, &c->any);
  gather_branches (m, known, &c->one);
}

/* All subschemas that look at the same object, whether they fit it or not: a name that one of them
 * knows is left alone. */
static void
gather (struct mender *m, struct known *known, const struct rule *rule)
{
  rule = rule_itself (rule);
  if (known->any || !spend (m->k, 1))
    return;
  if (rule->object != NULL)
    gather_object (m, known, rule->object);
  if (rule->combination != NULL && rule->combination->unevaluated_members != NULL)
    known->any = true;
  else if (rule->combination != NULL)
    gather_combination (m, known, rule->combination);
}

static bool
knows (struct mender *m, const struct object_rules *rules, const struct json_node *name)
{
  uint32_t i = words_find (&rules->names, m->k->tape, name);

  if (i != WORDS_NONE && rules->properties[i].rule != NULL)
    return true;
  for (i = 0; i < rules->patterns_count; i++)
    if (check_pattern (m->k, rules->patterns[i].regex, name))
      return true;
  return false;
}

static bool
is_known (struct mender *m, const struct known *known, const struct json_node *name)
{
  for (unsigned i = 0; i < known->count; i++)
    if (!spend (m->k, 1) || knows (m, known->list[i], name))
      return true;
  return false;
}

void
mend_unevaluated (struct mender *m, const struct rule *rule, const struct json_node *object)
{
  struct known known = { .count = 0 };

  if (m->mode != REPAIR_LENIENT)
    return;
  if (rule->object != NULL)
    gather_object (m, &known, rule->object);
  gather_combination (m, &known, rule->combination);
  for (const struct json_node *n = json_first (object); n != json_end (object) && !known.any;
       n = json_next (n + 1))
    if (!is_known (m, &known, n))
      mend_name (m, &known, object, n);
}
