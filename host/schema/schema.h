/* schema.h - JSON Schema: compile once, validate many, say what is wrong so that a model can mend
 * it.
 *
 * A compiled schema is immutable and may be used from any thread.  Today it covers the keywords of
 * 2020-12, draft-07 and draft-06 that tool definitions use (schema.c lists them); a schema with a
 * keyword whose meaning it does not implement is refused when it is compiled, never half checked.
 * "format" is an annotation, as 2020-12 has it by default.
 *
 * Both sides are bounded: a schema in the number and depth of its subschemas and in its patterns,
 * a validation in the steps it takes, so that no value, however made, keeps it busy for long. */
#ifndef TOOLHOST_SCHEMA_SCHEMA_H
#define TOOLHOST_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json_tape.h"

struct schema;

/* Compile the schema at `node` of a tape.  Everything needed is copied: the tape may go.  NULL: err
 * says what and where ("/properties/a/pattern: …").  Never touches the network: a "$ref" must lead
 * into the same schema. */
struct schema *schema_compile (const struct json_tape *tape, const struct json_node *node,
                               struct error *err);
void schema_free (struct schema *schema);

/* One thing that is wrong with a value. */
struct schema_problem {
  const char *pointer; /* JSON pointer to the value, "" for the whole */
  const char *message; /* a sentence for a model: expected, got, hint */
};

enum { SCHEMA_MAX_PROBLEMS = 10 };

struct schema_report {
  struct schema_problem problems[SCHEMA_MAX_PROBLEMS];
  size_t count;
  size_t more; /* how many more there were */
};

/* Is the value valid?  When not, and report is not NULL, it is filled: at most 10 problems and 2
 * kB, in `arena`.  What the texts quote of the value is cut and made harmless, and never comes from
 * below a property that is writeOnly, x-secret or of format password.
 *
 * A valid value allocates nothing in the arena, and elsewhere only for what is out of the ordinary:
 * long strings with escapes under a pattern, large arrays under uniqueItems, large objects under
 * enum and const. */
bool schema_validate (const struct schema *schema, const struct json_tape *tape,
                      const struct json_node *value, struct schema_report *report,
                      struct arena *arena);

#endif
