#include "schema/explain/place.h"

const struct json_node *
place_step (const struct json_node *container, const struct json_node *target,
            const struct json_node **name, uint32_t *index)
{
  const struct json_node *n = json_first (container);

  *name = NULL;
  *index = 0;
  if (container->type == JSON_ARRAY) {
    for (; target >= n + n->skip; n = json_next (n))
      ++*index;
    return n;
  }
  while (target >= n + 1 + n[1].skip)
    n = json_next (n + 1);
  *name = n;
  return n + 1;
}
