/* walk.h - what the parts of the projection share.  For the files of project/ only.
 *
 * A schema is looked at through a view: one schema, or several that all apply (those of an allOf,
 * one that stands beside a $ref, a branch of an anyOf and what stands around it) as if they were
 * one.  Each is a layer of which some groups of keywords may be hidden, because they were dealt
 * with already. */
#ifndef TOOLHOST_CATALOG_PROJECT_WALK_H
#define TOOLHOST_CATALOG_PROJECT_WALK_H

#include <string.h>

#include "base/json_write.h"
#include "catalog/project/project.h"

enum {
  VIEW_LAYERS = 16,
  OPEN_MAX = 32,         /* references that are being put in the place of a schema */
  TARGETS_MAX = 256,     /* schemas that references name */
  ALTERNATIVES_MAX = 32, /* branches of an anyOf or oneOf */
  WRITER_DEPTH = 48,     /* nested containers of the result; one schema adds up to six */
  RESULT_MAX = 512 * 1024,
  BUDGET = 2 * 1000 * 1000 /* nodes looked at, so that no definition keeps the loop busy */
};

/* Groups of keywords. */
enum {
  SHOW_ANNOTATIONS = 1 << 0,
  SHOW_ALL_OF = 1 << 1,
  SHOW_REF = 1 << 2,
  SHOW_ANY_OF = 1 << 3,
  SHOW_ONE_OF = 1 << 4,
  SHOW_REST = 1 << 5,
  SHOW_UNIONS = SHOW_ANY_OF | SHOW_ONE_OF,
  SHOW_EVERYTHING = (1 << 6) - 1
};

/* Types of values; a number that may have a fraction is both of its bits. */
enum {
  TYPE_NULL = 1 << 0,
  TYPE_BOOLEAN = 1 << 1,
  TYPE_INTEGER = 1 << 2,
  TYPE_FRACTION = 1 << 3,
  TYPE_NUMBER = TYPE_INTEGER | TYPE_FRACTION,
  TYPE_STRING = 1 << 4,
  TYPE_ARRAY = 1 << 5,
  TYPE_OBJECT = 1 << 6,
  TYPE_ANY = (1 << 7) - 1
};

/* What kind of value a keyword has: schemas below it are projected as well. */
enum below { BELOW_NONE, BELOW_ONE, BELOW_LIST, BELOW_MAP };

/* What is known of a keyword. */
struct fact {
  const char *name;
  unsigned group;
  unsigned types; /* it says something of; 0: of all */
  enum below below;
};
/* Never NULL: unknown keywords have a fact of their own. */
const struct fact *keyword_fact (const char *keyword, size_t len);

struct layer {
  const struct json_node *node; /* an object */
  unsigned show;
};

struct view {
  struct layer layers[VIEW_LAYERS];
  unsigned count;
  unsigned types; /* the value is one of these; 0: not known */
  bool never;     /* one of the schemas is false */
  bool full;      /* there were more layers than fit */
};

struct keyword {
  const char *text; /* a C string */
  size_t len;
  const struct json_node *value;
  const struct fact *fact;
};
static inline bool
keyword_is (const struct keyword *keyword, const char *name)
{
  return strcmp (keyword->text, name) == 0;
}

struct view_at {
  unsigned layer;
  const struct json_node *next;
};

/* A schema that references name, and goes to $defs. */
struct target {
  const struct json_node *node;
  const char *name;
  const char *pointer; /* into the definition */
};
struct walk {
  const struct provider *p;
  const struct json_tape *tape;
  const struct json_node *root; /* the schema */
  struct arena arena;
  struct json_writer w;
  struct buf pointer; /* to where the walk stands */
  size_t base;        /* length of its part that leads to the schema */
  struct losses *losses;
  bool refused;
  uint32_t budget;
  struct target targets[TARGETS_MAX]; /* the first is the outermost schema */
  unsigned targets_count;
  unsigned target;                               /* whose schema is being written */
  uint64_t needs[TARGETS_MAX][TARGETS_MAX / 64]; /* bit: that target is part of this one */
  unsigned optional;                             /* properties around that may be left out */
  const struct json_node *open[OPEN_MAX];
  unsigned open_count;
  bool at_root;              /* the members of the outermost schema are being written */
  struct view *alternatives; /* branches of its anyOf or oneOf, to be merged into it */
  unsigned alternatives_count;
  struct buf alternatives_words; /* what that loses */
};

/* ---- project.c: losses and pointers ---- */

void walk_loss (struct walk *k, enum loss_kind kind, const char *keyword, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));
/* The keyword went to the description, or was left out: losses of one place are one loss. */
void walk_loss_of (struct walk *k, enum loss_kind kind, const char *keyword);
/* Take from the budget; false, and the tool is refused, when nothing is left of it. */
bool walk_spend (struct walk *k, uint32_t nodes);
/* Append "/name" to the pointer, escaped; returns the length to go back to. */
size_t walk_descend (struct walk *k, const char *name, size_t len);
void walk_ascend (struct walk *k, size_t was);

/* ---- view.c ---- */

/* Add a schema; any value. */
void view_add (struct view *v, const struct json_node *node, unsigned show);
/* The next keyword that is shown, each once: NULL-terminated walk over all layers. */
bool view_next (struct walk *k, const struct view *v, struct view_at *at, struct keyword *found);
/* The value of a keyword in the first layer that shows it, or NULL. */
const struct json_node *view_member (const struct walk *k, const struct view *v,
                                     const char *keyword);
/* The schemas that all layers have below a keyword, or below a property. */
struct view view_below (const struct walk *k, const struct view *v, const char *keyword);
struct view view_property (const struct walk *k, const struct view *v, const char *name,
                           size_t len);
bool view_requires (const struct walk *k, const struct view *v, const char *name, size_t len);
/* Do other schemas say what it is: those of a reference, or of a union? */
bool view_defers (const struct walk *k, const struct view *v);
/* The types the value may have; `told` says whether a keyword says so. */
unsigned view_types (struct walk *k, const struct view *v, bool *told);
/* Types of a value, as "type" would name them. */
unsigned walk_value_types (const struct walk *k, const struct json_node *value);
/* The value of `enum` or `const` that all layers allow, one after the other; NULL at the end.
 * Begin with NULL. */
const struct json_node *view_value (struct walk *k, const struct view *v,
                                    const struct json_node *before);
bool view_has_values (const struct walk *k, const struct view *v);
/* Does the schema itself say that null is good? */
bool view_takes_null (struct walk *k, const struct view *v);

/* ---- refs.c ---- */

/* The schema a reference names, NULL when it is not in the definition. */
const struct json_node *walk_resolve (struct walk *k, const struct json_node *reference);
/* Write the reference as one to $defs; a loss when it leads nowhere. */
void walk_put_reference (struct walk *k, const struct json_node *reference);
/* Can the schemas be met only by values that have no end? */
bool walk_is_circular (const struct walk *k);

/* ---- words.c ---- */

/* Gather what the keyword says in words, for a description.  False: that would be too long. */
bool walk_words (struct walk *k, const struct view *v, const struct keyword *keyword,
                 struct buf *out);

/* ---- schema.c ---- */

/* Write the outermost schema. */
void walk_root (struct walk *k);
/* Write a schema; `nullable`: with null as one more value. */
void walk_schema (struct walk *k, const struct view *v, bool nullable);
/* Write the value of a keyword, with the schemas below it. */
void walk_put_below (struct walk *k, const struct json_node *value, enum below kind);
/* Write a value as it is. */
void walk_put_raw (struct walk *k, const struct json_node *value);

/* ---- action.c ---- */

/* What is done with a keyword of the view. */
enum keyword_action walk_action (const struct walk *k, const struct view *v,
                                 const struct keyword *keyword);
/* Does the provider take the value in an enum? */
bool walk_takes_value (const struct walk *k, const struct json_node *value);

/* ---- expand.c ---- */

/* Put the schemas that its references and allOfs name into the view.  False: a reference is left
 * that would never end. */
bool walk_expand (struct walk *k, struct view *v, bool nullable);

/* ---- members.c ---- */

/* Write the members of a schema into an object that is open. */
void walk_put_members (struct walk *k, const struct view *v, bool nullable);
/* Only its title and description. */
void walk_annotations (struct walk *k, const struct view *v);

/* ---- array.c ---- */

/* `items`, and what stands for the prefix before them. */
void walk_put_items (struct walk *k, const struct view *v);

/* ---- object.c ---- */

void walk_put_properties (struct walk *k, const struct view *v);
void walk_put_required (struct walk *k, const struct view *v);
void walk_put_additional (struct walk *k, const struct view *v);
/* Make the branches of the outermost anyOf or oneOf part of the schema. */
void walk_take_alternatives (struct walk *k, struct view *v);

/* ---- limits.c ---- */

/* Count what a schema, as it would be sent, takes of the profile's limits; what is beyond them is a
 * loss. */
void walk_limits (struct walk *k, const char *schema, size_t len, struct project_figures *figures);

/* ---- union.c ---- */

/* Which of anyOf and oneOf is to be written as an anyOf with nothing beside it; NULL: none. */
const char *walk_union_of (const struct walk *k, const struct view *v);
void walk_put_union (struct walk *k, const struct view *v, const char *keyword, bool nullable);
/* A schema for each of the types, as an anyOf. */
void walk_put_types (struct walk *k, const struct view *v, unsigned types, bool nullable);
/* Are there several types besides null? */
bool walk_has_several_types (unsigned types);
/* A reference, or null. */
void walk_put_nullable_reference (struct walk *k, const struct view *v);
/* One schema of the list, or several as an anyOf. */
void walk_put_choice (struct walk *k, const struct view *list, unsigned count, bool nullable);

#endif
