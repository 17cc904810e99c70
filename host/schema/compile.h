/* compile.h - what lives while a schema is compiled: shared by schema.c, which begins and ends it,
 * keywords.c, which reads the keywords, identity.c, which knows resources and anchors, and link.c,
 * which connects the rules. */
#ifndef TOOLHOST_SCHEMA_COMPILE_H
#define TOOLHOST_SCHEMA_COMPILE_H

#include "schema/dialect.h"
#include "schema/program.h"
#include "schema/registry.h"
#include "schema/schema.h"

enum edge_kind {
  EDGE_SAME,   /* the subschema looks at the same value */
  EDGE_INSIDE, /* at a part of it that has no fixed name, or is only reached dynamically */
  EDGE_MEMBER  /* at the member `name` */
};

struct edge {
  struct draft *to;
  enum edge_kind kind;
  const struct json_node *name;
  struct edge *next;
};

/* A rule in the making. */
struct draft {
  struct rule rule; /* first: a draft is where its rule will be */
  struct edge *edges;
  struct draft *next; /* of all */
  struct resource *resource;
  uint32_t looks; /* at one value, by this subschema and all that look at it with it */
  uint16_t chain;
  enum { VISIT_NOT_YET, VISIT_OPEN, VISIT_DONE } visit;
};

enum reference_kind { REFERENCE, DYNAMIC_REFERENCE, RECURSIVE_REFERENCE };

/* "$ref" and its relatives, to be resolved when all is read. */
struct reference {
  struct draft *from;
  const struct json_node *text;
  struct resource *resource; /* where it stands */
  enum reference_kind kind;
  /* found when it is resolved, of those that depend on how they are reached */
  struct anchor *anchor;
  struct resource *recursive;
  struct reference *next;
};

/* A document, or a subschema with an "$id". */
struct resource {
  const struct json_node *node;
  struct uri uri;       /* without a fragment */
  struct uri retrieved; /* where a document was found, which may be another */
  struct dialect dialect;
  bool recursive; /* "$recursiveAnchor": true */
  struct resource *next;
};

struct anchor {
  const struct json_node *node;
  struct resource *resource;
  const char *name;
  size_t name_len;
  bool dynamic;
  struct anchor *next;
};

struct compiler {
  struct schema *schema;
  const struct json_tape *tape; /* the schema's */
  struct arena *arena;          /* the schema's */
  const struct schema_options *options;
  struct error *err;
  struct documents *documents; /* those on the tape */
  uint32_t count;              /* subschemas */
  size_t pattern_bytes;
  struct draft **by_node; /* by distance from the root; NULL: not compiled */
  struct draft *drafts;
  struct reference *references;
  struct reference **references_end;
  struct resource *resources;
  struct anchor *anchors;
  bool dynamic;        /* a reference depends on how it was reached */
  bool wants_document; /* one was added to `documents`: compile again with it */
};

/* keywords.c: compile the subschema at a node of the schema's tape, once: later calls return the
 * same draft. */
struct draft *compile_subschema (struct compiler *c, const struct json_node *node,
                                 struct resource *resource, unsigned depth);
void add_edge (struct compiler *c, struct draft *from, struct draft *to, enum edge_kind kind,
               const struct json_node *name);

/* identity.c: the resource of a document that was found at a URI; NULL for an error. */
struct resource *add_document_resource (struct compiler *c, const struct json_node *node,
                                        struct uri uri, const struct dialect *usual);
/* Note "$id" and the anchors of a subschema; returns the resource it belongs to, NULL for an error.
 */
struct resource *note_identity (struct compiler *c, const struct json_node *node,
                                struct resource *around);
struct resource *find_resource (const struct compiler *c, struct uri uri);
/* The innermost resource that a node is in. */
struct resource *resource_around (const struct compiler *c, const struct json_node *node);
struct anchor *find_anchor (const struct compiler *c, struct resource *resource, const char *name,
                            size_t len);

/* link.c: resolve the references, refuse circles that never look into the value and schemas that
 * look at it too often, spread secrecy.  True with `wants_document` set: begin again. */
bool link_rules (struct compiler *c);

/* choice.c: find out which branch a value can fit without trying them. */
void add_choices (struct compiler *c, struct rule *rule);

/* Set the error, led by the JSON pointer of `node` in the schema; false always. */
bool refuse (struct compiler *c, const struct json_node *node, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

#endif
