/* reading.h - a definition while it is read, and what is particular to each kind of it:
 * definition.c reads what plugins say of themselves, offers.c knows the kinds.  Nobody else
 * includes this. */
#ifndef TOOLHOST_CATALOG_READING_H
#define TOOLHOST_CATALOG_READING_H

#include "base/error.h"
#include "base/json_tape.h"
#include "catalog/definition.h"

struct reading {
  struct json_tape tape;
  const struct json_node *root;
  struct arena arena;
};

/* A list of DESCRIBE, and what the definitions in it are. */
struct offer_rules {
  const char *list;
  const char *word;           /* for one, in sentences */
  const char *schema;         /* that it has to fit */
  const char *const *members; /* as MCP lists them; NULL-terminated */
  bool optional;              /* DESCRIBE may lack the list */
  /* What it is known by, as far as there is such a thing: whatever else is wrong is told with it.
   */
  void (*name) (struct reading *r, struct tool *tool);
  /* What the schema can't say; fills the tool. */
  bool (*read) (struct reading *r, struct tool *tool, struct error *err);
};

extern const struct offer_rules offer_rules[OFFER_LISTS]; /* in the order of a worker's numbers */

#endif
