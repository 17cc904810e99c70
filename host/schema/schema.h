/* schema.h - JSON Schema: compile once, validate many, say what is wrong so that a model can mend
 * it.
 *
 * A compiled schema is immutable and may be used from any thread.  2020-12, 2019-09, draft-07,
 * draft-06 and draft-04, all vocabularies.  "$schema" says which; without it, it is 2020-12.
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

/* Documents that references may lead to, by URI: these and the metaschemas are all there is, the
 * network is never asked.  Immutable once it is filled. */
struct schema_registry;
struct schema_registry *schema_registry_new (void);
/* Text and URI are copied.  False: it is not strict JSON, or the URI is there already. */
bool schema_registry_add (struct schema_registry *registry, const char *uri, const char *text,
                          size_t len, struct error *err);
void schema_registry_free (struct schema_registry *registry);

enum schema_dialect {
  SCHEMA_2020_12 = 1,
  SCHEMA_2019_09 = 2,
  SCHEMA_DRAFT_07 = 4,
  SCHEMA_DRAFT_06 = 8,
  SCHEMA_DRAFT_04 = 16
};

/* Zeros are the defaults. */
struct schema_options {
  const struct schema_registry *registry; /* read while compiling */
  enum schema_dialect dialect;            /* of a schema without "$schema"; 0: 2020-12 */
  bool annotate_formats;                  /* "format" says nothing; else it is asserted */
  uint32_t subschemas_max;                /* 0: 2,000 */
  uint32_t depth_max;                     /* of subschemas in subschemas; 0: 32 */
};

/* Compile the schema at `node` of a tape; options may be NULL.  Everything needed is copied: tape
 * and registry may go.  NULL: err says what and where ("/properties/a/pattern: …"). */
struct schema *schema_compile (const struct json_tape *tape, const struct json_node *node,
                               const struct schema_options *options, struct error *err);
void schema_free (struct schema *schema);

/* One thing that is wrong with a value.  For a model: pointer and message; for programs the rest,
 * whose texts are NULL where there is nothing to say. */
struct schema_problem {
  const char *pointer;        /* JSON pointer to the value, "" for the whole */
  const char *message;        /* a sentence for a model: expected, got, hint */
  const char *keyword;        /* "required"; "" when the schema is false */
  const char *schema_pointer; /* to the keyword in the schema: "/properties/a/type" */
  const char *expected;
  const char *got;
  const char *suggestion;
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
 * long strings with escapes under a pattern or format, large arrays under uniqueItems, large
 * objects under enum, const and unevaluatedProperties. */
bool schema_validate (const struct schema *schema, const struct json_tape *tape,
                      const struct json_node *value, struct schema_report *report,
                      struct arena *arena);

/* The value for people, appended: what must never be shown (as above), or might hold it, stands as
 * "<secret>", and what is nested deeper than 32 as "<deep>". */
void schema_show (const struct schema *schema, const struct json_tape *tape,
                  const struct json_node *value, struct buf *out);

/* The same question with its third answer: within the steps it may take it could not be told.  For
 * those to whom "no" is not the safe answer. */
enum schema_verdict { SCHEMA_FITS, SCHEMA_FITS_NOT, SCHEMA_UNDECIDED };
enum schema_verdict schema_judge (const struct schema *schema, const struct json_tape *tape,
                                  const struct json_node *value);

#endif
