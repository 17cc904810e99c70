/* phrase.h - the parts of the sentences that say what a rule expects and what it got. */
#ifndef TOOLHOST_SCHEMA_PHRASE_H
#define TOOLHOST_SCHEMA_PHRASE_H

#include "schema/line.h"
#include "schema/program.h"

/* "integer", "string or null", … */
void phrase_types (struct line *line, uint16_t types);
/* "string "5"", "an array with 2 items"; of what must not be shown only the type. */
void phrase_got (struct line *line, const struct json_tape *tape, const struct json_node *value,
                 bool secret);
/* "at least 1 and below 10"; nothing when there is no bound. */
void phrase_bounds (struct line *line, const struct schema *schema,
                    const struct number_rules *rules);
/* "at least 2 items", "2 to 5 items". */
void phrase_count (struct line *line, uint32_t min, uint32_t max, const char *noun);
/* "one of "a", "b"", or the one value. */
void phrase_values (struct line *line, const struct schema *schema, const struct values *values);
/* " (the first sentence of the description)", if there is one. */
void phrase_description (struct line *line, const struct schema *schema, const struct rule *rule);

/* The types a rule admits, those of what it refers to included. */
uint16_t rule_types (const struct rule *rule);
/* A member of the subschema, or of what it refers to; NULL when neither has it. */
const struct json_node *rule_annotation (const struct schema *schema, const struct rule *rule,
                                         const char *name);

/* The word that was probably meant: equal but for case, '_' and '-', or near; NULL when none. */
const char *meant (const struct json_tape *tape, const struct json_node *string,
                   const char *const *candidates, struct arena *arena);

#endif
