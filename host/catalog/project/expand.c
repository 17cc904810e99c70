/* References and allOf: what they name becomes part of the view. */

#include "catalog/project/walk.h"

static bool
merges_all_of (const struct walk *k, const struct view *v, const struct json_node *value)
{
  struct keyword w = {
    .text = "allOf", .len = 5, .value = value, .fact = keyword_fact ("allOf", 5)
  };

  return json_is (value, JSON_ARRAY) && walk_action (k, v, &w) == KEYWORD_MERGE;
}

static void
expand_all_of (struct walk *k, struct view *v, struct layer *l)
{
  const struct json_node *value = json_member (k->tape, l->node, "allOf");

  if ((l->show & SHOW_ALL_OF) == 0 || !merges_all_of (k, v, value))
    return;
  l->show &= ~(unsigned) SHOW_ALL_OF;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    view_add (v, n, SHOW_EVERYTHING);
}

/* Does anything that counts stand beside the layer's $ref?  `annotations` do. */
static bool
has_company (struct walk *k, const struct view *v, const struct layer *l, bool annotations)
{
  struct view one = { .layers = { *l }, .count = 1 };
  struct view_at at = { .layer = 0 };
  struct keyword w;

  if (v->count > 1)
    return true;
  while (view_next (k, &one, &at, &w))
    if (!keyword_is (&w, "$ref") && walk_action (k, v, &w) != KEYWORD_OMIT
        && (annotations || w.fact->group != SHOW_ANNOTATIONS))
      return true;
  return false;
}

static bool
is_open (const struct walk *k, const struct json_node *target)
{
  for (unsigned i = 0; i < k->open_count; i++)
    if (k->open[i] == target)
      return true;
  return k->open_count == OPEN_MAX;
}

static bool
expand_reference (struct walk *k, struct view *v, struct layer *l, bool nullable)
{
  const struct json_node *reference = json_member (k->tape, l->node, "$ref"), *target;
  bool needed =
    k->p->references == REFERENCES_ALONE ? has_company (k, v, l, !nullable) : v->count > 1;

  if ((l->show & SHOW_REF) == 0 || reference == NULL || k->p->references == REFERENCES_KEEP
      || !needed)
    return true;
  target = walk_resolve (k, reference);
  if (target == NULL) {
    walk_loss (k, LOSS_REFUSED, "$ref", "the reference leads out of the definition");
    return true;
  }
  if (is_open (k, target))
    return false;
  l->show &= ~(unsigned) SHOW_REF;
  k->open[k->open_count++] = target;
  view_add (v, target, SHOW_EVERYTHING);
  return true;
}

bool
walk_expand (struct walk *k, struct view *v, bool nullable)
{
  bool ends = true;

  for (unsigned i = 0; i < v->count; i++) {
    expand_all_of (k, v, &v->layers[i]);
    ends = expand_reference (k, v, &v->layers[i], nullable) && ends;
  }
  if (v->full)
    walk_loss (k, LOSS_REFUSED, "allOf", "more than %d schemas apply at once", VIEW_LAYERS);
  return ends;
}
