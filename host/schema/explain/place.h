/* place.h - where a node stands in its document: found from the tape alone, by walking down to it.
 */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_PLACE_H
#define TOOLHOST_SCHEMA_EXPLAIN_PLACE_H

#include "base/json_tape.h"

/* The item or value right below `container` that is or holds `target`, which may also be the name
 * of a member.  Of a member *name is set; of an item *name is NULL and *index is set. */
const struct json_node *place_step (const struct json_node *container,
                                    const struct json_node *target, const struct json_node **name,
                                    uint32_t *index);

/* Is `target` the name of the member whose value is `step`? */
static inline bool
place_is_name (const struct json_node *step, const struct json_node *target)
{
  return target + 1 == step;
}

#endif
