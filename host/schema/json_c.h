/* json_c.h - values that json-c holds, judged by the same program as all others: they are put on a
 * tape first, so that nothing can be valid here and not there.  For results and documents that are
 * made in this process; what was read from elsewhere is on a tape already. */
#ifndef TOOLHOST_SCHEMA_JSON_C_H
#define TOOLHOST_SCHEMA_JSON_C_H

#include "schema/schema.h"

struct json_object; /* json-c */

/* As schema_validate.  A value that is no JSON (base/json_c.h) is not valid, and its one problem
 * says so.  The tape is the arena's, also of a valid value. */
bool schema_validate_json_c (const struct schema *schema, struct json_object *object,
                             struct schema_report *report, struct arena *arena);

#endif
