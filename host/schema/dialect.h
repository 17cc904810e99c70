/* dialect.h - which JSON Schema a document is written in, and which of its vocabularies are in
 * force.  For the compiler of schemas. */
#ifndef TOOLHOST_SCHEMA_DIALECT_H
#define TOOLHOST_SCHEMA_DIALECT_H

#include "base/error.h"
#include "base/json_tape.h"
#include "schema/registry.h"
#include "schema/schema.h"

/* Bits. */
enum vocabulary {
  VOCABULARY_CORE = 1 << 0,
  VOCABULARY_APPLICATOR = 1 << 1,
  VOCABULARY_UNEVALUATED = 1 << 2,
  VOCABULARY_VALIDATION = 1 << 3,
  VOCABULARY_ANNOTATION = 1 << 4,
  VOCABULARY_FORMAT_ASSERTION = 1 << 5,
  VOCABULARY_ALL = (1 << 5) - 1 /* of a dialect's own metaschema: formats are not asserted */
};

struct dialect {
  enum schema_dialect draft;
  unsigned vocabularies;
};

/* A draft with all its vocabularies. */
struct dialect dialect_of_draft (enum schema_dialect draft);

/* What "$schema" says: a draft, or a metaschema of the registry with a "$vocabulary" of its own.
 * False: err says why it can't be followed. */
bool dialect_read (struct dialect *dialect, const struct json_tape *tape,
                   const struct json_node *value, const struct documents *documents,
                   struct error *err);

#endif
