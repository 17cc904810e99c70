/* phrase.h - the parts of the sentences that say what a rule expects and what it got. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_PHRASE_H
#define TOOLHOST_SCHEMA_EXPLAIN_PHRASE_H

#include "schema/explain/line.h"
#include "schema/program.h"

/* "integer", "string or null", … */
void phrase_types (struct line *line, uint16_t types);
/* "string "5"", "an array with 2 items"; of what must not be shown only the type. */
void phrase_got (struct line *line, const struct json_tape *tape, const struct json_node *value,
                 bool secret);
/* "1..9", "at least 1 and below 10"; nothing when there is no bound. */
void phrase_bounds (struct line *line, const struct schema *schema,
                    const struct number_rules *rules);
/* "at least 2 items", "2 to 5 items". */
void phrase_count (struct line *line, uint32_t min, uint32_t max, const char *noun);
/* "one of "a", "b"", or the one value; of a long list as much as fits into `room` bytes, and how
 * many more there are. */
void phrase_values (struct line *line, const struct schema *schema, const struct values *values,
                    size_t room);
/* " (the first sentence of the description)", if there is one. */
void phrase_description (struct line *line, const struct schema *schema, const struct rule *rule);
/* "; such as "a"", the first of its examples, if it has any. */
void phrase_example (struct line *line, const struct schema *schema, const struct rule *rule);

/* A list in the making, for what is not at hand as an array. */
struct phrase_list {
  struct line *line;
  size_t limit; /* of line->len */
  uint32_t shown;
  uint32_t left;
};

struct phrase_list phrase_list_begin (struct line *line, size_t room);
/* Where the next one goes: after a comma; NULL when there is no more room. */
struct line *phrase_list_next (struct phrase_list *list);
/* " and 5 more", when some were left out. */
void phrase_list_end (const struct phrase_list *list);

/* The rule that is looked at in the place of this one, by "$ref"; NULL: none. */
const struct rule *rule_behind (const struct rule *rule);
/* The types a rule admits, those of what it refers to included. */
uint16_t rule_types (const struct rule *rule);
/* Its const, or its enum, or that of what it refers to; NULL when there is none. */
const struct values *rule_values (const struct rule *rule);
/* A member of the subschema, or of what it refers to; NULL when neither has it. */
const struct json_node *rule_annotation (const struct schema *schema, const struct rule *rule,
                                         const char *name);
/* What a rule says about a member: of its own, of what it refers to, or of what all must fit; NULL
 * when nothing. */
const struct rule *rule_member (const struct rule *rule, const struct word *name);
/* Must the member be there, by the same rules? */
bool rule_requires (const struct rule *rule, const struct word *name);

/* The word that was probably meant: equal but for case, '_', '-' and blanks, or near; NULL when
 * none. */
const char *meant (const struct json_tape *tape, const struct json_node *string,
                   const char *const *candidates, struct arena *arena);

#endif
