/* problems.h - what is wrong with a value, as a text for the model and as JSON for programs: the
 * same shape for arguments that don't fit a schema, for what a tool's own validate says, and for
 * results.  Pure functions. */
#ifndef TOOLHOST_CALL_PROBLEMS_H
#define TOOLHOST_CALL_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "schema/schema.h"

/* Append one line "- /pointer: message" for each problem to the `text` that says what they are of,
 * and how many more there are.  `whole` is what the empty pointer is called.  All of it stays below
 * 2 kB. */
void problems_text (const struct schema_report *report, const char *whole, struct buf *text);

/* Append [{"instancePath","message","schemaPath","keyword","expected","got","suggestion"}, …]; of
 * each the members that say something. */
void problems_json (const struct schema_report *report, struct buf *json);

/* How many there are, told or not. */
size_t problems_count (const struct schema_report *report);

/* What a tool's own validate has found, as its worker sends it: [{"pointer","message"}, …].  The
 * texts live in `arena`; what is no list of that kind is no problem. */
void problems_read (struct schema_report *report, const char *json, size_t len,
                    struct arena *arena);

#endif
