/* Values of several kinds, written as an anyOf with nothing but annotations beside it. */
#include <string.h>

#include "catalog/project/walk.h"

const char *
walk_union_of (const struct walk *k, const struct view *v)
{
  static const char *const keywords[] = { "anyOf", "oneOf" };

  for (size_t i = 0; i < 2 && k->p->unions_alone; i++) {
    struct keyword w = { .text = keywords[i],
                         .len = strlen (keywords[i]),
                         .value = view_member (k, v, keywords[i]),
                         .fact = keyword_fact (keywords[i], strlen (keywords[i])) };
    enum keyword_action action;
    if (!json_is (w.value, JSON_ARRAY))
      continue;
    action = walk_action (k, v, &w);
    if (action == KEYWORD_KEEP || action == KEYWORD_ANY)
      return keywords[i];
  }
  return NULL;
}

/* The view with only some groups of keywords. */
static struct view
reduced (const struct view *v, unsigned show)
{
  struct view part = *v;

  for (unsigned i = 0; i < part.count; i++)
    part.layers[i].show &= show;
  return part;
}

/* Add what a view still shows to another. */
static void
add_layers (struct walk *k, struct view *v, const struct view *more)
{
  struct view_at at = { .layer = 0 };
  struct keyword w;

  if (!view_next (k, more, &at, &w))
    return;
  for (unsigned i = 0; i < more->count; i++)
    view_add (v, more->layers[i].node, more->layers[i].show);
}

static void
put_null_schema (struct walk *k)
{
  jsonw_object (&k->w);
  jsonw_name_string (&k->w, "type", "null");
  jsonw_end (&k->w);
}

static void
put_branches (struct walk *k, const struct view *list, unsigned count, bool nullable)
{
  jsonw_name (&k->w, "anyOf");
  jsonw_array (&k->w);
  for (unsigned i = 0; i < count; i++)
    walk_schema (k, &list[i], false);
  if (nullable)
    put_null_schema (k);
  jsonw_end (&k->w);
}

/* The branches of a union that some value fits; each with what stands around the union. */
static unsigned
branches_of (struct walk *k, const struct json_node *branches, const struct view *around,
             struct view *list)
{
  unsigned count = 0;

  for (const struct json_node *n = json_first (branches); n != json_end (branches);
       n = json_next (n)) {
    struct view *branch = &list[count];
    bool told;
    *branch = (struct view){ .types = around->types };
    view_add (branch, n, SHOW_EVERYTHING);
    add_layers (k, branch, around);
    if (!branch->never && view_types (k, branch, &told) != 0)
      count++;
  }
  return count;
}

static bool
some_take_null (struct walk *k, const struct view *list, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    if (view_takes_null (k, &list[i]))
      return true;
  return false;
}

void
walk_put_union (struct walk *k, const struct view *v, const char *keyword, bool nullable)
{
  const struct json_node *branches = view_member (k, v, keyword);
  unsigned group = keyword_fact (keyword, strlen (keyword))->group;
  struct view around = reduced (v, SHOW_REST | SHOW_UNIONS);
  struct view outside = reduced (v, SHOW_ANNOTATIONS);
  struct view *list = arena_alloc (&k->arena, branches->count * sizeof *list);
  unsigned count;
  size_t was;

  for (unsigned i = 0; i < v->count; i++)
    if (json_member (k->tape, v->layers[i].node, keyword) == branches)
      around.layers[i].show &= ~group;
  if (group == SHOW_ONE_OF)
    walk_loss (k, LOSS_REWRITTEN, keyword, "anyOf stands for it: more than one may fit");
  count = branches_of (k, branches, &around, list);
  if (count == 0)
    walk_loss (k, LOSS_REFUSED, keyword, "no value is good");
  nullable = nullable && !some_take_null (k, list, count);
  if (count == 1) {
    add_layers (k, &list[0], &outside);
    walk_schema (k, &list[0], nullable);
    return;
  }
  jsonw_object (&k->w);
  walk_annotations (k, &outside);
  was = walk_descend (k, keyword, strlen (keyword));
  put_branches (k, list, count, nullable);
  walk_ascend (k, was);
  jsonw_end (&k->w);
}

/* ---- types ---- */

static const unsigned kinds[] = { TYPE_STRING, TYPE_NUMBER, TYPE_BOOLEAN, TYPE_ARRAY, TYPE_OBJECT };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

bool
walk_has_several_types (unsigned types)
{
  unsigned count = 0;

  for (size_t i = 0; i < KINDS; i++)
    count += (types & kinds[i]) != 0;
  return count > 1;
}

void
walk_put_types (struct walk *k, const struct view *v, unsigned types, bool nullable)
{
  struct view outside = reduced (v, SHOW_ANNOTATIONS), list[KINDS];
  unsigned count = 0;

  walk_loss (k, LOSS_REWRITTEN, "type", "anyOf stands for the list of types");
  for (size_t i = 0; i < KINDS; i++) {
    if ((types & kinds[i]) == 0)
      continue;
    list[count] = reduced (v, SHOW_REST);
    list[count++].types = types & kinds[i];
  }
  jsonw_object (&k->w);
  walk_annotations (k, &outside);
  put_branches (k, list, count, nullable || (types & TYPE_NULL) != 0);
  jsonw_end (&k->w);
}

void
walk_put_nullable_reference (struct walk *k, const struct view *v)
{
  struct view outside = reduced (v, SHOW_ANNOTATIONS);
  struct view inside = reduced (v, SHOW_REF);

  jsonw_object (&k->w);
  walk_annotations (k, &outside);
  put_branches (k, &inside, 1, true);
  jsonw_end (&k->w);
}

void
walk_put_choice (struct walk *k, const struct view *list, unsigned count, bool nullable)
{
  if (count == 1) {
    walk_schema (k, list, nullable);
    return;
  }
  jsonw_object (&k->w);
  put_branches (k, list, count, nullable);
  jsonw_end (&k->w);
}
