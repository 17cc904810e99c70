/* problem.h - one finding in words: the sentence for a model and the texts for programs, made of
 * the same parts.  For finding.c alone. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_PROBLEM_H
#define TOOLHOST_SCHEMA_EXPLAIN_PROBLEM_H

#include "schema/explain/finding.h"
#include "schema/explain/line.h"

/* Told together: findings of a group, or one of them. */
struct telling {
  struct explanation *e;
  const struct finding *finding;
  const struct group *group; /* NULL: of one value only */
  size_t room;               /* for each list of values or names */
  const struct rule *listed; /* whose allowed names were told just before */
};

struct problem_text {
  struct line pointer;
  struct line message;
  struct line schema_pointer;
  struct line expected; /* these three are empty where there is nothing to say */
  struct line got;
  struct line suggestion;
};

void problem_tell (const struct telling *t, struct problem_text *text);

#endif
