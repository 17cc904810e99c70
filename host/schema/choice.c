#include <string.h>

#include "schema/check.h"
#include "schema/compile.h"

enum { BRANCHES_MAX = 200, NAMES_TRIED_MAX = 16 };

static const struct rule *
followed (const struct rule *rule)
{
  return rule->alias != NULL ? rule->alias : rule;
}

/* ---- by type ---- */

/* Bits as a value has them: a number is one, integer or not. */
static unsigned
value_types (const struct rule *rule)
{
  unsigned types = rule->types;

  if ((types & (TYPE_INTEGER | TYPE_PLAIN_INTEGER)) != 0)
    types |= TYPE_NUMBER;
  return types & ~(unsigned) (TYPE_INTEGER | TYPE_PLAIN_INTEGER);
}

static bool
are_types_apart (const struct branches *branches)
{
  unsigned seen = 0;

  for (uint32_t i = 0; i < branches->count; i++) {
    unsigned types = value_types (followed (branches->rules[i]));
    if ((types & seen) != 0)
      return false;
    seen |= types;
  }
  return true;
}

static struct choice *
choice_by_type (struct compiler *c, const struct branches *branches)
{
  struct choice *choice;

  if (!are_types_apart (branches))
    return NULL;
  choice = arena_alloc (c->arena, sizeof *choice);
  *choice = (struct choice){ .name = NULL };
  memset (choice->branch_of_type, NO_BRANCH, sizeof choice->branch_of_type);
  for (uint32_t i = 0; i < branches->count; i++)
    for (unsigned type = 0; type <= JSON_OBJECT; type++)
      if ((value_types (followed (branches->rules[i])) >> type & 1) != 0)
        choice->branch_of_type[type] = (uint8_t) i;
  return choice;
}

/* ---- by the value of a member ---- */

/* The texts that the member `name` must be one of in a branch; NULL when the branch says less. */
static const struct words *
marks_of (const struct compiler *c, const struct rule *branch, const struct json_node *name)
{
  const struct object_rules *object = branch->object;
  const struct values *values;
  const struct rule *rule;
  uint32_t i;

  if (branch->types != TYPE_OBJECT || object == NULL)
    return NULL;
  i = words_find (&object->names, c->tape, name);
  if (i == WORDS_NONE || !object->properties[i].required || object->properties[i].rule == NULL)
    return NULL;
  rule = followed (object->properties[i].rule);
  values = rule->constant != NULL ? rule->constant : rule->enumeration;
  if (values == NULL || values->others_count != 0 || values->strings.count == 0)
    return NULL;
  return &values->strings;
}

static uint32_t
count_marks (const struct compiler *c, const struct branches *branches,
             const struct json_node *name)
{
  uint32_t count = 0;

  for (uint32_t i = 0; i < branches->count; i++) {
    const struct words *marks = marks_of (c, followed (branches->rules[i]), name);
    if (marks == NULL)
      return 0;
    count += marks->count;
  }
  return count;
}

static struct choice *
choice_by_member (struct compiler *c, const struct branches *branches, const struct json_node *name)
{
  uint32_t count = count_marks (c, branches, name);
  struct choice *choice;
  size_t len;

  if (count == 0)
    return NULL;
  choice = arena_alloc (c->arena, sizeof *choice);
  *choice = (struct choice){ .name = name };
  choice->member.text = json_string (c->tape, name, c->arena, &len);
  choice->member.len = (uint32_t) len;
  words_init (&choice->marks, count, c->arena);
  choice->branch_of_mark = arena_alloc (c->arena, count * sizeof *choice->branch_of_mark);
  for (uint32_t i = 0; i < branches->count; i++) {
    const struct words *marks = marks_of (c, followed (branches->rules[i]), name);
    for (uint32_t m = 0; m < marks->count; m++) {
      uint32_t known = choice->marks.count;
      if (words_add_text (&choice->marks, marks->list[m].text, marks->list[m].len) != known)
        return NULL; /* two branches share it */
      choice->branch_of_mark[known] = i;
    }
  }
  words_finish (&choice->marks, c->arena);
  return choice;
}

static struct choice *
choice_of (struct compiler *c, const struct branches *branches)
{
  const struct rule *first;
  const struct json_node *required;
  struct choice *choice = NULL;
  unsigned tried = 0;

  if (branches->count < 2 || branches->count > BRANCHES_MAX)
    return NULL;
  choice = choice_by_type (c, branches);
  first = followed (branches->rules[0]);
  required = json_member (c->tape, first->source, "required");
  if (choice != NULL || first->object == NULL || !json_is (required, JSON_ARRAY))
    return choice;
  for (const struct json_node *n = json_first (required);
       n != json_end (required) && choice == NULL && tried++ < NAMES_TRIED_MAX; n = json_next (n))
    choice = choice_by_member (c, branches, n);
  return choice;
}

void
add_choices (struct compiler *c, struct rule *rule)
{
  rule->combination->any_choice = choice_of (c, &rule->combination->any);
  rule->combination->one_choice = choice_of (c, &rule->combination->one);
}

/* ---- while checking ---- */

/* The value of the member that tells. */
static const struct json_node *
telling_member (struct checker *k, const struct choice *choice, const struct json_node *object)
{
  const struct word *member = &choice->member;

  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (n + 1)) {
    if (!n->escaped && n->len == member->len
        && words_same (k->tape->text + n->start, member->text, member->len))
      return n + 1;
    if (n->escaped && json_equals_len (k->tape, n, member->text, member->len))
      return n + 1;
  }
  return NULL;
}

const struct rule *
choose (struct checker *k, const struct choice *choice, const struct branches *branches,
        const struct json_node *value)
{
  const struct json_node *mark;
  uint32_t i;

  if (choice->name == NULL) {
    i = choice->branch_of_type[value->type];
    return i != NO_BRANCH ? branches->rules[i] : NULL;
  }
  if (value->type != JSON_OBJECT || !spend (k, value->count / 4))
    return NULL;
  mark = telling_member (k, choice, value);
  if (mark == NULL || mark->type != JSON_STRING)
    return NULL;
  i = words_find (&choice->marks, k->tape, mark);
  return i != WORDS_NONE ? branches->rules[choice->branch_of_mark[i]] : NULL;
}
