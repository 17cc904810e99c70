/* schema.h - schemas of a document as JSON Schema 2020-12, which inputSchema and outputSchema are.
 *
 * What OpenAPI 3.0 says in words of its own (nullable, exclusiveMinimum: true, example) is said in
 * those of JSON Schema; what references lead to stands in "$defs", so that circles stay circles;
 * what only the other side sends is left out: readOnly members of requests, writeOnly of answers.
 */
#ifndef TOOLHOST_PLUGINS_OPENAPI_SCHEMA_H
#define TOOLHOST_PLUGINS_OPENAPI_SCHEMA_H

#include "document.h"

enum { SCHEMA_PARTS_MAX = 20000 /* schemas within one tool's */ };

struct schema_def {
  struct located at;
  const char *name;
  const struct value *schema; /* NULL: not written yet */
};

/* The writing of one tool's schema.  Set the first five, then zero. */
struct schema_writing {
  struct document *document;
  struct values *pool; /* for what is written */
  struct text *why;
  bool request; /* else it is an answer's */
  bool files;   /* binary texts are files: { "name", "type", "data" } */

  struct schema_def *defs;
  size_t defs_count, defs_room;
  size_t parts;
  bool failed;
};

/* A schema in the words of 2020-12; NULL: `why` says what can't be said. */
const struct value *schema_write (struct schema_writing *w, struct located schema);
/* All that references have led to so far, an object for "$defs"; NULL: `why` says more.  An empty
 * object: none. */
const struct value *schema_defs (struct schema_writing *w);
void schema_writing_free (struct schema_writing *w);

/* Is it what only the other side sends: readOnly in a request, writeOnly in an answer? */
bool schema_is_hidden (struct document *document, struct located schema, bool request);
/* Does it stand for bytes, in a form? */
bool schema_is_binary (const struct value *schema);
/* How many objects stand within each other as members of members, this one counted; more than
 * `max`: max + 1. */
unsigned schema_nesting (struct document *document, struct located schema, unsigned max);

#endif
