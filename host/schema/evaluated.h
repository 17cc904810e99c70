/* evaluated.h - what unevaluatedItems and unevaluatedProperties are about: the items and members of
 * a value that no other part of a rule has looked at.  For check.c and explain.c; found by a second
 * walk over what fitted, so that all other rules pay nothing for it. */
#ifndef TOOLHOST_SCHEMA_EVALUATED_H
#define TOOLHOST_SCHEMA_EVALUATED_H

#include "schema/check.h"

/* Do the items and members that are left over fit the rule's unevaluated*?  The value fits all the
 * rest of the rule. */
bool check_unevaluated (struct checker *k, const struct rule *rule, const struct json_node *value);

/* Those left over that do not fit: of an object the names, of an array the items; at most `most`
 * are put into `out`, all are counted. */
uint32_t find_unevaluated (struct checker *k, const struct rule *rule,
                           const struct json_node *value, const struct json_node **out,
                           uint32_t most);

#endif
