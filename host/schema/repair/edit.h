/* edit.h - changes to a JSON text, noted by the node they concern and written all at once.
 * For the repair*.c files alone. */
#ifndef TOOLHOST_SCHEMA_REPAIR_EDIT_H
#define TOOLHOST_SCHEMA_REPAIR_EDIT_H

#include "schema/repair/repair.h"

struct edit {
  enum repair_rule rule;
  bool last;        /* of a member that goes: none follows it */
  const char *text; /* the JSON that takes the place of the node; NULL: the member goes */
  size_t len;
};

struct edits {
  const struct json_tape *tape;
  const struct json_node *root;
  struct edit **by_node; /* by distance from root; NULL: stays as it is */
  uint32_t count;
  struct arena *arena; /* of the edits and of their texts */
};

void edits_begin (struct edits *edits, const struct json_tape *tape, const struct json_node *root,
                  struct arena *arena);

/* The change of a node, NULL: none. */
struct edit *edit_of (const struct edits *edits, const struct json_node *node);

/* Put JSON, which lives as long as the edits, where a value or a name stands.  The first change of
 * a node is the one that counts. */
void edit_replace (struct edits *edits, const struct json_node *node, enum repair_rule rule,
                   const char *json, size_t len);
/* The same with a text that is to become a JSON string. */
void edit_replace_string (struct edits *edits, const struct json_node *node, enum repair_rule rule,
                          const char *text, size_t len);
/* Leave out a member.  The edit is the one of its value. */
void edit_drop (struct edits *edits, const struct json_node *object, const struct json_node *name,
                enum repair_rule rule);

/* Append the text of the root as it is with the changes.  False: it would be too long. */
bool edits_write (const struct edits *edits, struct buf *out);

#endif
