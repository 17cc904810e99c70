/* rule.h - what a validate action checks of the parameters (A2-11). */
#ifndef TOOLHOST_PLUGINS_ACTIONS_RULE_H
#define TOOLHOST_PLUGINS_ACTIONS_RULE_H

#include "program.h"

/* The types of parameters, and of rules: NULL-terminated. */
extern const char *const parameter_types[];
/* Is the value of this type?  An integer is a number without a fraction. */
bool parameter_is (const struct value *value, const char *type);

/* False: there were problems. */
bool rule_read (struct rule *rule, const struct scope *scope, const struct place *at,
                const struct value *value);
/* What is wrong with the parameter as { param, rule, message }, appended to a list; true: nothing.
 */
bool rule_check (const struct rule *rule, const struct value *params, struct values *pool,
                 const struct value **errors);
void rule_write (const struct rule *rule, struct text *out);
void rule_free (const struct rule *rule);

#endif
