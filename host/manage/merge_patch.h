/* merge_patch.h - a JSON document changed by another one that says what is to change: RFC 7396.
 * Pure. */
#ifndef TOOLHOST_MANAGE_MERGE_PATCH_H
#define TOOLHOST_MANAGE_MERGE_PATCH_H

#include "base/json_tape.h"
#include "base/json_write.h"

struct json_place {
  const struct json_tape *tape;
  const struct json_node *node; /* NULL: there is nothing */
};

/* Write `target` as it is after `patch`: members of objects are put in the place of those of the
 * same name, null takes them away; whatever else is put in the place of the whole.  What stays
 * keeps its order, what is new comes after it.  Texts that need it are made in `arena`. */
void merge_patch (struct json_place target, struct json_place patch, struct arena *arena,
                  struct json_writer *w);

#endif
