/* work.h - what the parts of the repair share.  repair.c goes over a value again and again
 * until it fits, walk.c finds the values that do not fit and the rule each was meant for,
 * value.c and name.c say what was meant.  For these files alone. */
#ifndef TOOLHOST_SCHEMA_REPAIR_WORK_H
#define TOOLHOST_SCHEMA_REPAIR_WORK_H

#include "schema/check.h"
#include "schema/repair/edit.h"

struct mender {
  struct checker *k; /* its budget is that of the whole repair */
  enum repair_mode mode;
  bool trial; /* of one item as an array: nothing is made an array again */
  const struct json_node *root;
  struct edits edits;
  struct arena *arena; /* as long as the edits */
};

/* A rule that only stands for another is that one. */
static inline const struct rule *
rule_itself (const struct rule *rule)
{
  while (rule->alias != NULL)
    rule = rule->alias;
  return rule;
}

/* repair.c: go over a value once and note the edits; false: nothing can be done.  The text with
 * them is appended to `out`, the edits stay in m->edits. */
bool mend_once (struct mender *m, const struct rule *rule, const struct json_tape *tape,
                const struct json_node *value, struct buf *out);
/* repair.c: would this JSON fit the rule, mended if need be? */
bool mend_try (const struct mender *m, const struct rule *rule, const char *json, size_t len);

/* walk.c: note an edit for everything below `value` that has one. */
void walk_rule (struct mender *m, const struct rule *rule, const struct json_node *value);
/* walk.c: the types a rule admits with all that looks at the same value; rather too many
 * than too few. */
uint16_t admitted_types (struct mender *m, const struct rule *rule);

/* value.c: the value is of none of the types that the rule admits. */
void mend_type (struct mender *m, const struct rule *rule, uint16_t types,
                const struct json_node *value);
/* value.c: the value is none of these, which may be NULL. */
void mend_case (struct mender *m, const struct values *values, const struct json_node *value);
/* value.c: may the value stay, or become one of these? */
bool near_values (struct mender *m, const struct values *values, const struct json_node *value);
/* value.c: are they the same but for case, blanks, '-' and '_'?  Texts with nothing else in
 * them are the same as none. */
bool same_folded (const struct json_tape *tape, const struct json_node *string,
                  const struct word *word);
/* value.c: is this text a word for nothing: "null", "None"? */
bool is_word_for_nothing (const struct mender *m, const struct json_node *value);

/* name.c: the member has a name that `rules` does not allow. */
void mend_unknown (struct mender *m, const struct object_rules *rules,
                   const struct json_node *object, const struct json_node *name);
/* name.c: the members of an object that no subschema of the rule knows. */
void mend_unevaluated (struct mender *m, const struct rule *rule, const struct json_node *object);

#endif
