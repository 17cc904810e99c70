/* Arrays: what their items are. */
#include <string.h>

#include "catalog/project/walk.h"

/* prefixItems, or what was called items before it. */
static const struct json_node *
prefix_of (const struct walk *k, const struct view *v)
{
  const struct json_node *items = view_member (k, v, "items");

  return json_is (items, JSON_ARRAY) ? items : view_member (k, v, "prefixItems");
}

/* Any of the items at any place. */
static void
put_items_of_prefix (struct walk *k, const struct view *v, const struct json_node *prefix)
{
  struct view *list = arena_alloc (&k->arena, (prefix->count + 1) * sizeof *list);
  struct view rest = view_below (k, v, "items");
  unsigned count = 0;

  walk_loss (k, LOSS_REWRITTEN, "prefixItems", "any of its schemas fits any item");
  for (const struct json_node *n = json_first (prefix); n != json_end (prefix); n = json_next (n)) {
    list[count] = (struct view){ .count = 0 };
    view_add (&list[count++], n, SHOW_EVERYTHING);
  }
  if (rest.count != 0)
    list[count++] = rest;
  jsonw_name (&k->w, "items");
  walk_put_choice (k, list, count, false);
}

/* No items beyond those of the prefix. */
static void
put_end_of_items (struct walk *k, const struct view *v, const struct json_node *prefix)
{
  if (provider_action (k->p, "maxItems", strlen ("maxItems")) != KEYWORD_KEEP
      || view_member (k, v, "maxItems") != NULL)
    return;
  jsonw_name (&k->w, "maxItems");
  jsonw_uint (&k->w, prefix->count);
}

static void
put_items_after (struct walk *k, const struct view *v, const struct json_node *prefix)
{
  struct view below = view_below (k, v, "items");
  size_t was = walk_descend (k, "items", strlen ("items"));

  if (prefix != NULL && below.never && k->p->untyped != UNTYPED_KEEP)
    put_end_of_items (k, v, prefix);
  else {
    jsonw_name (&k->w, "items");
    walk_schema (k, &below, false);
  }
  walk_ascend (k, was);
}

static void
put_prefix (struct walk *k, const struct view *v, const struct json_node *prefix, bool keeps)
{
  const char *name = prefix == view_member (k, v, "items") ? "items" : "prefixItems";
  size_t was = walk_descend (k, name, strlen (name));

  if (keeps) {
    jsonw_name (&k->w, k->p->untyped == UNTYPED_KEEP ? name : "prefixItems");
    walk_put_below (k, prefix, BELOW_LIST);
  }
  else if (prefix->count != 0)
    put_items_of_prefix (k, v, prefix);
  walk_ascend (k, was);
}

void
walk_put_items (struct walk *k, const struct view *v)
{
  const struct json_node *prefix = prefix_of (k, v);
  const struct json_node *items = view_member (k, v, "items");
  bool keeps = provider_action (k->p, "prefixItems", strlen ("prefixItems")) == KEYWORD_KEEP;

  if (prefix != NULL)
    put_prefix (k, v, prefix, keeps);
  if (items == NULL || items == prefix)
    return;
  if (prefix == NULL || keeps)
    put_items_after (k, v, prefix);
  else if (json_is (items, JSON_FALSE))
    put_end_of_items (k, v, prefix);
}
