/* problem_parts.h - the parts of the sentence that tells a finding: what is expected, what was got,
 * what to do about it.  For problem.c, which puts them together. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_PROBLEM_PARTS_H
#define TOOLHOST_SCHEMA_EXPLAIN_PROBLEM_PARTS_H

#include "schema/explain/guess.h"
#include "schema/explain/problem.h"

struct parts {
  const struct telling *t;
  const struct explanation *e;
  const struct finding *f;
  struct line *expected; /* these three are of the text for programs too */
  struct line *got;
  struct line *suggestion;
  struct line note; /* more about what is expected, which the sentence may have elsewhere */
};

/* Fill in the parts of p->f, each of which was empty. */
void parts_fill (struct parts *p);

/* problem_names.c: what a member that is not known was meant to be, and what else is allowed. */
void fill_unknown (struct parts *p);
/* problem_names.c: the values of the member that tells variants apart; each is offered as what may
 * have been meant. */
void add_marks (const struct parts *p, struct line *line, struct guess *guess);
/* problem_parts.c: "did you mean …?", when a word was found. */
void suggest_word (struct parts *p, const struct guess *guess);

#endif
