/* registry.h - the documents that references may lead to, and those of them that a compilation
 * uses.  For the compiler of schemas. */
#ifndef TOOLHOST_SCHEMA_REGISTRY_H
#define TOOLHOST_SCHEMA_REGISTRY_H

#include "schema/schema.h"
#include "schema/uri.h"

struct document {
  struct uri uri;
  const char *text; /* strict JSON */
  size_t len;
};

/* In the registry, or a metaschema; NULL: neither.  `registry` may be NULL. */
const struct document *registry_find (const struct schema_registry *registry, struct uri uri);

/* metaschemas.c, made from meta/ */
extern const struct document schema_metaschemas[];
extern const size_t schema_metaschemas_count;

/* What a compilation has asked for. */
struct documents {
  const struct schema_registry *registry;
  const struct document *list[64];
  size_t count;
};

/* Find a document and add it, unless it is there.  False: there is none, or no room. */
bool documents_add (struct documents *documents, struct uri uri);

#endif
