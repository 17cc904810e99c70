/* inside.h - arrays and objects that were sent as text: what is wrong inside them, too, so that a
 * model can correct all of it at once.  Pure functions; for arguments.c. */
#ifndef TOOLHOST_CALL_INSIDE_H
#define TOOLHOST_CALL_INSIDE_H

#include "schema/schema.h"

/* `report` is why `value` does not fit.  Where it says that a string stands in the place of an
 * array or object, and the string's text is one, the problems inside are added, with pointers as if
 * it stood there itself.  Texts live in `arena`. */
void inside_report (const struct schema *schema, const struct json_tape *tape,
                    const struct json_node *value, struct schema_report *report,
                    struct arena *arena);

#endif
