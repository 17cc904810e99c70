/* compile.h - what lives while a schema is compiled: shared by schema.c, which reads the keywords,
 * and link.c, which connects the rules. */
#ifndef TOOLHOST_SCHEMA_COMPILE_H
#define TOOLHOST_SCHEMA_COMPILE_H

#include "schema/program.h"
#include "schema/schema.h"

enum dialect { DRAFT_06 = 1, DRAFT_07 = 2, DRAFT_2020 = 4 };

enum edge_kind {
  EDGE_SAME,   /* the subschema looks at the same value */
  EDGE_INSIDE, /* at a part of it that has no fixed name */
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
  uint16_t chain;
  enum { VISIT_NOT_YET, VISIT_OPEN, VISIT_DONE } visit;
};

/* "$ref", to be resolved when all is read. */
struct reference {
  struct draft *from;
  const struct json_node *text;
  const struct json_node *resource; /* whose "#" is meant */
  struct reference *next;
};

/* A subschema with an "$id", or the whole. */
struct resource {
  const struct json_node *node;
  const char *id; /* without an empty fragment; NULL: none */
  size_t id_len;
  struct resource *next;
};

struct anchor {
  const struct json_node *node;
  const struct json_node *resource;
  const char *name;
  size_t name_len;
  struct anchor *next;
};

struct compiler {
  struct schema *schema;
  const struct json_tape *tape; /* the schema's */
  struct arena *arena;          /* the schema's */
  struct error *err;
  enum dialect dialect;
  uint32_t count; /* subschemas */
  size_t pattern_bytes;
  struct draft **by_node; /* by distance from the root; NULL: not compiled */
  struct draft *drafts;
  struct reference *references;
  struct reference **references_end;
  struct resource *resources;
  struct anchor *anchors;
};

/* Compile the subschema at a node of the schema's tape, once: later calls return the same draft. */
struct draft *compile_subschema (struct compiler *c, const struct json_node *node,
                                 const struct json_node *resource, unsigned depth);

void add_edge (struct compiler *c, struct draft *from, struct draft *to, enum edge_kind kind,
               const struct json_node *name);

/* Note "$id" and "$anchor" of a subschema; returns the resource it belongs to, NULL for an error.
 */
const struct json_node *note_identity (struct compiler *c, const struct json_node *node,
                                       const struct json_node *resource);

/* Resolve the references, refuse circles that never look into the value, spread secrecy. */
bool link_rules (struct compiler *c);

/* Set the error, led by the JSON pointer of `node` in the schema; false always. */
bool refuse (struct compiler *c, const struct json_node *node, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

#endif
