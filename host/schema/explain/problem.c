#include "schema/explain/problem.h"

#include <string.h>

#include "schema/explain/mark.h"
#include "schema/explain/problem_parts.h"

enum { MESSAGE_MOST = 400 }; /* of an errorMessage */

/* ---- the sentence ---- */

static void
add_in_brackets (struct line *m, const struct line *text)
{
  if (text->len != 0)
    line_add (m, " (%s)", text->text);
}

static void
say_what_fits (struct line *m, const struct parts *p, const char *before_got)
{
  line_add (m, "expected %s%s%s got %s%s", p->expected->text, p->note.text, before_got,
            p->t->group != NULL ? "for example " : "", p->got->text);
  add_in_brackets (m, p->suggestion);
}

static void
say_expected (struct line *m, const struct parts *p)
{
  say_what_fits (m, p, ",");
}

/* Behind a list of values. */
static void
say_listed (struct line *m, const struct parts *p)
{
  say_what_fits (m, p, ";");
}

static void
say_nothing_allowed (struct line *m, const struct parts *p)
{
  line_add (m, "%s is allowed here", p->expected->text);
  add_in_brackets (m, p->suggestion);
}

static void
say_missing (struct line *m, const struct parts *p)
{
  line_add (m, "required %s is missing%s", p->expected->text, p->note.text);
}

static void
say_dependent (struct line *m, const struct parts *p)
{
  line_add (m, "%s, but missing", p->expected->text);
}

static void
say_unknown (struct line *m, const struct parts *p)
{
  const struct line *suggestion = p->suggestion;
  bool asked = suggestion->len != 0 && suggestion->text[suggestion->len - 1] == '?';

  line_add (m, "unknown property%s%s", suggestion->len != 0 ? "; " : "", suggestion->text);
  if (p->expected->len != 0 && p->t->listed != p->f->rule)
    line_add (m, "%s allowed here: %s", asked ? "" : ";", p->expected->text);
}

static void
say_repeated (struct line *m, const struct parts *p)
{
  line_add (m, "%s; %s", p->got->text, p->expected->text);
}

static void
say_several (struct line *m, const struct parts *p)
{
  line_add (m, "matched %s, %s is allowed%s", p->got->text, p->expected->text, p->note.text);
}

static void
say_costly (struct line *m, const struct parts *p)
{
  line_add (m, "%stoo costly to check against the schema; %s",
            p->f->keyword != NULL ? "pattern " : "", p->suggestion->text);
}

static void
say_other (struct line *m, const struct parts *p)
{
  line_add (m, "does not fit the schema: expected %s, got %s", p->expected->text, p->got->text);
}

static void (*const sentences[]) (struct line *m, const struct parts *p) = {
  [FOUND_COSTLY] = say_costly,     [FOUND_VALUE] = say_listed,
  [FOUND_MARK] = say_listed,       [FOUND_TYPE] = say_expected,
  [FOUND_MISSING] = say_missing,   [FOUND_DEPENDENT] = say_dependent,
  [FOUND_UNKNOWN] = say_unknown,   [FOUND_NOTHING_ALLOWED] = say_nothing_allowed,
  [FOUND_NUMBER] = say_expected,   [FOUND_FORMAT] = say_expected,
  [FOUND_PATTERN] = say_expected,  [FOUND_LENGTH] = say_expected,
  [FOUND_REPEATED] = say_repeated, [FOUND_SIZE] = say_expected,
  [FOUND_CONTAINS] = say_expected, [FOUND_SEVERAL] = say_several,
  [FOUND_EXCLUDED] = say_expected, [FOUND_REPLACED] = NULL, /* always told as the schema says */
  [FOUND_OTHER] = say_other
};

/* What was not told yet, the outermost first. */
static void
say_lead (const struct explanation *e, struct line *m, const struct lead *lead)
{
  if (lead == NULL || lead->told)
    return;
  say_lead (e, m, lead->before);
  if (lead->branches == NULL) {
    line_add (m, "the name of this property: ");
    return;
  }
  line_add (m, "matched none of %u variants; closest is ", (unsigned) lead->branches->count);
  mark_label (m, e->schema, lead->branches, lead->closest, &lead->mark);
  line_add (m, ": ");
}

/* "in 5 items (0, 1, 2, 3, 4): " */
static void
say_places (const struct explanation *e, struct line *m, const struct group *group)
{
  struct line pointer = { .len = 0 };
  const char *star;
  uint32_t shown = group->count < GROUP_PLACES ? group->count : GROUP_PLACES;

  line_add_pointers (&pointer, e->tape, e->root, group->places[0], group->last);
  star = strstr (pointer.text, "/*");
  line_add (m, "in %s%u items", e->k->gave_up ? "at least " : "", (unsigned) group->count);
  if (star == NULL || strstr (star + 2, "/*") != NULL) {
    line_add (m, ": ");
    return;
  }
  for (uint32_t i = 0; i < shown; i++) {
    struct line own = { .len = 0 };
    const char *index;
    line_add_pointer (&own, e->tape, e->root, group->places[i]);
    if (own.len <= (size_t) (star - pointer.text))
      break;
    index = own.text + (star - pointer.text) + 1;
    line_add (m, "%s%.*s", i != 0 ? ", " : " (", (int) strcspn (index, "/"), index);
  }
  line_add (m, group->count > shown ? ", …): " : "): ");
}

static void
add_place (const struct telling *t, struct line *pointer)
{
  const struct explanation *e = t->e;
  const struct finding *f = t->finding;
  const struct json_node *last = t->group != NULL ? t->group->last : f->value;

  line_add_pointers (pointer, e->tape, e->root, f->value, last);
  if (f->missing.text != NULL)
    line_add_token_text (pointer, f->missing.text, f->missing.len);
}

static void
say (const struct telling *t, struct parts *p, struct line *m)
{
  const struct finding *f = t->finding;

  if (t->group != NULL)
    say_places (t->e, m, t->group);
  if (f->told_as != NULL) {
    line_add_string (m, &t->e->schema->tape, f->told_as, MESSAGE_MOST);
    return;
  }
  say_lead (t->e, m, f->lead);
  sentences[f->kind](m, p);
}

void
problem_tell (const struct telling *t, struct problem_text *text)
{
  struct parts p = { .t = t,
                     .e = t->e,
                     .f = t->finding,
                     .expected = &text->expected,
                     .got = &text->got,
                     .suggestion = &text->suggestion };

  memset (text, 0, sizeof *text);
  add_place (t, &text->pointer);
  line_add_schema_pointer (&text->schema_pointer, t->e->schema, t->finding->rule->source,
                           t->finding->keyword);
  parts_fill (&p);
  say (t, &p, &text->message);
  line_add_line (p.expected, &p.note);
}
