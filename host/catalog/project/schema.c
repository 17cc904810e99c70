/* One schema after the other, from the outermost one down. */
#include <stdio.h>
#include <string.h>

#include "catalog/project/walk.h"

/* ---- schemas below a keyword ---- */

void
walk_put_raw (struct walk *k, const struct json_node *value)
{
  size_t len;
  const char *raw = json_raw (k->tape, value, &len);

  jsonw_raw (&k->w, raw, len);
}

static void
put_below_one (struct walk *k, const struct json_node *value)
{
  struct view below = { .count = 0 };

  view_add (&below, value, SHOW_EVERYTHING);
  walk_schema (k, &below, false);
}

static bool
is_schema (const struct json_node *value)
{
  return json_is (value, JSON_OBJECT) || json_is (value, JSON_TRUE) || json_is (value, JSON_FALSE);
}

/* What stands in a list or map of schemas, and in `dependencies` may be a list of names. */
static void
put_below_some (struct walk *k, const struct json_node *value)
{
  if (is_schema (value))
    put_below_one (k, value);
  else
    walk_put_raw (k, value);
}

void
walk_put_below (struct walk *k, const struct json_node *value, enum below kind)
{
  char number[24];
  size_t index = 0;

  if (kind == BELOW_MAP && json_is (value, JSON_OBJECT)) {
    jsonw_object (&k->w);
    for (const struct json_node *n = json_first (value); n != json_end (value);) {
      size_t len;
      const char *name = json_string (k->tape, n, &k->arena, &len);
      size_t was = walk_descend (k, name, len);
      jsonw_name_len (&k->w, name, len);
      put_below_some (k, json_next (n));
      walk_ascend (k, was);
      n = json_next (json_next (n));
    }
    jsonw_end (&k->w);
  }
  else if (kind != BELOW_NONE && json_is (value, JSON_ARRAY)) {
    jsonw_array (&k->w);
    for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
      size_t was =
        walk_descend (k, number, (size_t) snprintf (number, sizeof number, "%zu", index++));
      put_below_some (k, n);
      walk_ascend (k, was);
    }
    jsonw_end (&k->w);
  }
  else if (kind == BELOW_ONE && is_schema (value))
    put_below_one (k, value);
  else
    walk_put_raw (k, value);
}

/* ---- one schema ---- */

/* true and {} */
static void
put_anything (struct walk *k)
{
  if (k->p->untyped == UNTYPED_REFUSE)
    walk_loss (k, LOSS_REFUSED, "type", "it takes values of any type");
  if (k->p->untyped == UNTYPED_KEEP && !k->p->boolean_objects)
    jsonw_bool (&k->w, true);
  else {
    jsonw_object (&k->w);
    jsonw_end (&k->w);
  }
}

static void
put_never (struct walk *k)
{
  if (k->p->untyped != UNTYPED_KEEP)
    walk_loss (k, LOSS_REFUSED, "not", "no value is good");
  if (k->p->boolean_objects)
    jsonw_raw (&k->w, "{\"not\":{}}", strlen ("{\"not\":{}}"));
  else
    jsonw_bool (&k->w, false);
}

/* A reference that can't be put in the place of the schema: what stands beside it is left out. */
static void
put_bare_reference (struct walk *k, const struct view *v)
{
  const struct json_node *reference = view_member (k, v, "$ref");

  if (v->count > 1 || reference == NULL)
    walk_loss (k, LOSS_REFUSED, "$ref", "a schema that holds itself can't be merged into another");
  walk_loss (k, LOSS_DROPPED, "$ref", "what stands beside it is left out");
  jsonw_object (&k->w);
  if (reference != NULL)
    walk_put_reference (k, reference);
  jsonw_end (&k->w);
}

/* Do the values need an anyOf, because null may not stand among them? */
static bool
null_stands_apart (struct walk *k, const struct view *v, unsigned types)
{
  return view_has_values (k, v) && (types & TYPE_NULL) != 0 && types != TYPE_NULL
         && !provider_lists (k->p, k->p->enum_types, "null", strlen ("null"));
}

static void
put_expanded (struct walk *k, struct view *v, bool nullable)
{
  bool told, refers = view_member (k, v, "$ref") != NULL;
  const char *either = walk_union_of (k, v);
  unsigned types = view_types (k, v, &told);

  if (k->p->untyped != UNTYPED_KEEP && told)
    v->types = types;
  if (either != NULL)
    walk_put_union (k, v, either, nullable);
  else if (refers && nullable)
    walk_put_nullable_reference (k, v);
  else if (told
           && ((k->p->one_type && walk_has_several_types (types))
               || null_stands_apart (k, v, types)))
    walk_put_types (k, v, types, nullable);
  else {
    jsonw_object (&k->w);
    walk_put_members (k, v, nullable);
    jsonw_end (&k->w);
  }
}

/* Is there room for one more schema in another? */
static bool
may_go_on (struct walk *k)
{
  if (k->w.depth > WRITER_DEPTH)
    walk_loss (k, LOSS_REFUSED, "", "its schemas are nested too deeply");
  else if (k->w.out->len > RESULT_MAX)
    walk_loss (k, LOSS_REFUSED, "", "written without references it is over %d bytes", RESULT_MAX);
  return !k->refused && walk_spend (k, 1);
}

void
walk_schema (struct walk *k, const struct view *v, bool nullable)
{
  struct view view = *v;
  unsigned open = k->open_count;
  bool at_root = k->at_root;

  if (!may_go_on (k)) {
    jsonw_null (&k->w);
    return;
  }
  k->at_root = false;
  if (!walk_expand (k, &view, nullable))
    put_bare_reference (k, &view);
  else if (view.never)
    put_never (k);
  else if (view.count == 0)
    put_anything (k);
  else
    put_expanded (k, &view, nullable);
  k->open_count = open;
  k->at_root = at_root;
}

/* ---- the outermost schema ---- */

static void
put_definitions (struct walk *k)
{
  if (k->targets_count < 2)
    return;
  jsonw_name (&k->w, "$defs");
  jsonw_object (&k->w);
  for (k->target = 1; k->target < k->targets_count && !k->refused; k->target++) {
    const struct target *t = &k->targets[k->target];
    k->pointer.len = 0;
    buf_puts (&k->pointer, t->pointer);
    jsonw_name (&k->w, t->name);
    put_below_one (k, t->node);
  }
  jsonw_end (&k->w);
}

void
walk_root (struct walk *k)
{
  struct view view = { .count = 0 };

  view_add (&view, k->root, SHOW_EVERYTHING);
  k->targets[0] = (struct target){ .node = k->root, .name = "", .pointer = "" };
  k->targets_count = 1;
  k->at_root = true;
  if (!walk_expand (k, &view, false))
    walk_loss (k, LOSS_REFUSED, "$ref", "the schema holds itself");
  walk_take_alternatives (k, &view);
  jsonw_object (&k->w);
  walk_put_members (k, &view, false);
  k->at_root = false;
  put_definitions (k);
  jsonw_end (&k->w);
  if (k->p->recursion != RECURSION_KEEP && walk_is_circular (k))
    walk_loss (k, LOSS_REFUSED, "$ref",
               k->p->recursion == RECURSION_REFUSE
                 ? "a schema holds itself"
                 : "a schema holds itself where a property is required");
}
