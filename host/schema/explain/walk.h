/* walk.h - the walk over a value and its rules, for its parts: explain.c, which goes
 * through the rules, inside.c, for arrays and objects, and branches.c, for anyOf
 * and oneOf. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_WALK_H
#define TOOLHOST_SCHEMA_EXPLAIN_WALK_H

#include "schema/explain/finding.h"

/* Find what is wrong with the value of a step by its rule; nothing when it fits. */
void explain_step (struct explanation *e, const struct step *step);
/* The same by another rule for the same value, which a keyword of this one led to. */
void explain_also (struct explanation *e, const struct step *step, const char *via,
                   const struct rule *rule);

/* An array or object, and a rule with something about them. */
void explain_array (struct explanation *e, const struct step *step);
void explain_object (struct explanation *e, const struct step *step);
/* What the rest of the rule, which fits, has not evaluated. */
void explain_unevaluated (struct explanation *e, const struct step *step);

/* A rule with anyOf or oneOf. */
void explain_any (struct explanation *e, const struct step *step, const struct combination *c);
void explain_one (struct explanation *e, const struct step *step, const struct combination *c);

#endif
