/* secret.h - what must never be shown: values of a schema that is writeOnly, x-secret or of format
 * password, and what could hold one.  For the files of schema/. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_SECRET_H
#define TOOLHOST_SCHEMA_EXPLAIN_SECRET_H

#include "schema/program.h"

/* May `target` (a value below `root`, which is the whole, or the name of a member) not be shown?
 * Secret is what stands at or below a member of a secret name, whichever rule looks at it, or of a
 * name that is nearly one; and text with an object in it, for that may have such a member. */
bool value_is_secret (const struct schema *schema, const struct json_tape *tape,
                      const struct json_node *root, const struct json_node *target);

#endif
