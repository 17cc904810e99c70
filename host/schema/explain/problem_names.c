#include <string.h>

#include "schema/explain/mark.h"
#include "schema/explain/phrase.h"
#include "schema/explain/problem_parts.h"

enum {
  CANDIDATES_MAX = 2000, /* names looked at for "did you mean" */
  NAMES_FEW = 240,       /* bytes of the list beside a suggestion */
  NAMES_MANY = 700
};

/* ---- names ---- */

/* Names that an object may have, all those told once. */
struct names {
  struct parts *p;
  struct phrase_list list;
  struct guess guess;
  struct word unknown; /* the one that is asked about */
  bool elsewhere;      /* a branch that does not fit knows it */
  unsigned nesting;
  unsigned budget;
};

static void
add_own_names (struct names *names, const struct object_rules *rules)
{
  for (uint32_t i = 0; i < rules->names.count && names->budget != 0; i++, names->budget--) {
    const struct word *word = &rules->names.list[i];
    struct line *next;
    if (rules->properties[i].rule == NULL || rules->properties[i].rule->types == 0)
      continue;
    if (words_is (&rules->names, i, names->unknown.text, names->unknown.len))
      names->elsewhere = true;
    else
      guess_offer (&names->guess, word->text, word->len);
    next = phrase_list_next (&names->list);
    if (next != NULL)
      line_add_text (next, word->text, word->len, LINE_PIECE);
  }
}

static void
add_pattern_names (struct names *names, const struct rule *rule)
{
  const struct json_tape *tape = &names->p->e->schema->tape;
  const struct json_node *patterns = json_member (tape, rule->source, "patternProperties");

  if (rule->object->patterns_count == 0 || !json_is (patterns, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (patterns); n != json_end (patterns);
       n = json_next (n + 1)) {
    struct line *next = n[1].type != JSON_FALSE ? phrase_list_next (&names->list) : NULL;
    if (next == NULL)
      continue;
    line_add (next, "what matches ");
    line_add_string (next, tape, n, LINE_PIECE);
  }
}

static void add_names_of_branches (struct names *names, const struct branches *branches);

/* Of a rule, and with `deep` of all that looks at the same object. */
static void
add_names (struct names *names, const struct rule *rule, bool deep)
{
  enum { NESTING_MOST = 8 };
  const struct combination *c = rule->combination;

  if (rule->object != NULL) {
    add_own_names (names, rule->object);
    add_pattern_names (names, rule);
  }
  if (!deep || names->nesting == NESTING_MOST || names->budget == 0)
    return;
  names->nesting++;
  if (rule_behind (rule) != NULL)
    add_names (names, rule_behind (rule), true);
  if (c != NULL) {
    const struct rule *const rules[] = { c->if_, c->then, c->else_ };
    add_names_of_branches (names, &c->all);
    add_names_of_branches (names, &c->any);
    add_names_of_branches (names, &c->one);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
      if (rules[i] != NULL)
        add_names (names, rules[i], true);
  }
  names->nesting--;
}

static void
add_names_of_branches (struct names *names, const struct branches *branches)
{
  for (uint32_t i = 0; i < branches->count && names->budget != 0; i++, names->budget--)
    add_names (names, branches->rules[i], true);
}

void
fill_unknown (struct parts *p)
{
  bool deep = p->f->rule->combination != NULL
              && p->f->rule->combination->unevaluated_members != NULL
              && strcmp (p->f->keyword, "unevaluatedProperties") == 0;
  struct names names = { .p = p, .budget = CANDIDATES_MAX };
  const char *word;
  size_t len;

  word = json_string (p->e->tape, p->f->name, p->e->arena, &len);
  names.unknown = (struct word){ .text = word, .len = (uint32_t) len };
  guess_begin (&names.guess, word, len);
  names.list = phrase_list_begin (p->expected, p->t->room < NAMES_FEW ? p->t->room : NAMES_FEW);
  add_names (&names, p->f->rule, deep);
  if (names.guess.found == NULL && !names.elsewhere && names.list.left != 0) {
    /* nothing to go by but the list */
    line_cut (p->expected, 0);
    names.list = phrase_list_begin (p->expected, p->t->room < NAMES_MANY ? p->t->room : NAMES_MANY);
    names.budget = CANDIDATES_MAX;
    add_names (&names, p->f->rule, deep);
  }
  phrase_list_end (&names.list);
  if (names.elsewhere)
    line_add (p->suggestion, "known only to a variant that does not fit");
  else
    suggest_word (p, &names.guess);
}

/* ---- variants ---- */

/* A value of the mark, or all of several. */
static void
add_mark (const struct parts *p, struct phrase_list *list, const struct values *values)
{
  const struct json_node *n = values->constant ? values->source : json_first (values->source);
  uint32_t count = values->constant ? 1 : values->source->count;

  for (uint32_t i = 0; i < count; i++, n = json_next (n)) {
    struct line *next = phrase_list_next (list);
    if (next != NULL)
      line_add_json (next, &p->e->schema->tape, n, LINE_PIECE);
  }
}

/* The values that the member which tells variants apart may have. */
void
add_marks (const struct parts *p, struct line *line, struct guess *guess)
{
  const struct branches *branches = p->f->branches;
  struct phrase_list list;

  line_add (line, "one of ");
  list = phrase_list_begin (line, p->t->room);
  for (uint32_t i = 0; i < branches->count; i++) {
    const struct values *values = mark_values (branches->rules[i], &p->f->mark);
    if (values == NULL)
      continue;
    for (uint32_t j = 0; j < values->strings.count; j++)
      guess_offer (guess, values->strings.list[j].text, values->strings.list[j].len);
    add_mark (p, &list, values);
  }
  phrase_list_end (&list);
}
