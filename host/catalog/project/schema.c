/* One schema after the other: what is done with each keyword. */
#include <stdio.h>
#include <string.h>

#include "catalog/project/walk.h"

/* ---- what is done with a keyword ---- */

static bool
is (const struct keyword *w, const char *name)
{
  return strcmp (w->text, name) == 0;
}

/* Is a part of the pattern one that the provider does not take?  Parts that begin with a backslash
 * are escapes and only looked for where one begins. */
static bool
pattern_has (const struct walk *k, const char *pattern, size_t len, const struct json_node *parts)
{
  for (size_t i = 0; i < len; i++) {
    for (const struct json_node *n = json_first (parts); n != json_end (parts); n = json_next (n)) {
      char part[8];
      size_t part_len = 0;
      struct arena none = { 0 };
      const char *text = json_string (&k->p->tape, n, &none, &part_len);
      if (part_len <= sizeof part)
        memcpy (part, text, part_len);
      arena_free (&none);
      if (part_len <= sizeof part && part_len <= len - i
          && memcmp (pattern + i, part, part_len) == 0)
        return true;
    }
    i += pattern[i] == '\\';
  }
  return false;
}

static bool
takes_pattern (const struct walk *k, const struct json_node *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *pattern = json_string (k->tape, value, &arena, &len);

  return k->p->pattern_never == NULL || pattern == NULL
         || !pattern_has (k, pattern, len, k->p->pattern_never);
}

static bool
takes_format (const struct walk *k, const struct json_node *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *format = json_string (k->tape, value, &arena, &len);

  return format != NULL && provider_lists (k->p, k->p->string_formats, format, len);
}

static bool
takes_only (const struct walk *k, const struct keyword *w)
{
  const struct json_node *list = json_member_len (&k->p->tape, k->p->only, w->text, w->len);

  if (list == NULL)
    return true;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_same (&k->p->tape, n, k->tape, w->value))
      return true;
  return false;
}

static bool
takes_value (const struct walk *k, const struct json_node *value)
{
  static const struct {
    unsigned types;
    const char *name;
  } names[] = {
    { TYPE_NULL, "null" },     { TYPE_BOOLEAN, "boolean" }, { TYPE_NUMBER, "number" },
    { TYPE_STRING, "string" }, { TYPE_ARRAY, "array" },     { TYPE_OBJECT, "object" },
  };
  unsigned types = walk_value_types (k, value);

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if ((names[i].types & types) != 0)
      return provider_lists (k->p, k->p->enum_types, names[i].name, strlen (names[i].name));
  return true;
}

/* Null is left out of an enum whose provider does not take it: its type says that it is good. */
static bool
takes_values (const struct walk *k, const struct keyword *w)
{
  if (is (w, "const"))
    return takes_value (k, w->value);
  if (!json_is (w->value, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n))
    if (n->type != JSON_NULL && !takes_value (k, n))
      return false;
  return true;
}

static bool
takes (const struct walk *k, const struct keyword *w)
{
  if (is (w, "format"))
    return takes_format (k, w->value);
  if (is (w, "pattern"))
    return takes_pattern (k, w->value);
  if (is (w, "enum") || is (w, "const"))
    return takes_values (k, w);
  return takes_only (k, w);
}

/* A union that says nothing but which properties are required. */
static bool
is_of_sets (const struct walk *k, const struct keyword *w)
{
  if (!k->p->unions_alone || (w->fact->group & SHOW_UNIONS) == 0 || !json_is (w->value, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n))
    if (!json_is (n, JSON_OBJECT) || n->count != 1 || json_member (k->tape, n, "required") == NULL)
      return false;
  return true;
}

static enum keyword_action
root_action (const struct keyword *w)
{
  return w->fact->group == SHOW_ALL_OF ? KEYWORD_MERGE : KEYWORD_DESCRIBE;
}

enum keyword_action
walk_action (const struct walk *k, const struct view *v, const struct keyword *w)
{
  enum keyword_action action = provider_action (k->p, w->text, w->len);

  if (k->at_root && k->p->root_never != NULL
      && provider_lists (k->p, k->p->root_never, w->text, w->len))
    return root_action (w);
  if (v->types != 0 && w->fact->types != 0 && (w->fact->types & v->types) == 0)
    return KEYWORD_OMIT;
  if (w->fact->below == BELOW_MAP && w->fact->group == SHOW_ANNOTATIONS
      && k->p->references != REFERENCES_KEEP)
    return KEYWORD_OMIT;
  if (action == KEYWORD_DROP && strncmp (w->text, "x-", 2) == 0)
    return KEYWORD_OMIT;
  if (action == KEYWORD_DESCRIBE && is (w, "default") && w->value->type == JSON_NULL)
    return KEYWORD_OMIT;
  if (is_of_sets (k, w))
    return KEYWORD_DESCRIBE;
  if ((action == KEYWORD_KEEP || action == KEYWORD_ENUM) && !takes (k, w))
    return KEYWORD_DESCRIBE;
  return action;
}

/* ---- references and allOf become part of the view ---- */

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
    if (!is (&w, "$ref") && walk_action (k, v, &w) != KEYWORD_OMIT
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

/* ---- the members of one schema ---- */

/* A schema while it is written. */
struct writing {
  struct walk *k;
  const struct view *v;
  bool nullable;
  unsigned types;
  bool told; /* the types are known */
  unsigned done;
  struct buf words; /* what moves to the description */
};
enum {
  DONE_TYPE = 1 << 0,
  DONE_DESCRIPTION = 1 << 1,
  DONE_VALUES = 1 << 2,
  DONE_PROPERTIES = 1 << 3,
  DONE_REQUIRED = 1 << 4,
  DONE_ADDITIONAL = 1 << 5,
  DONE_ITEMS = 1 << 6
};

/* The part is to be written now, and not again. */
static bool
begin_part (struct writing *s, unsigned part)
{
  bool first = (s->done & part) == 0;

  s->done |= part;
  return first;
}

static void
note (struct writing *s, const struct keyword *w, unsigned groups)
{
  if ((w->fact->group & groups) == 0)
    return;
  switch (walk_action (s->k, s->v, w)) {
  case KEYWORD_DESCRIBE:
    walk_loss_of (s->k, walk_words (s->k, s->v, w, &s->words) ? LOSS_MOVED : LOSS_DROPPED, w->text);
    break;
  case KEYWORD_DROP:
    walk_loss_of (s->k, LOSS_DROPPED, w->text);
    break;
  case KEYWORD_REFUSE:
    walk_loss (s->k, LOSS_REFUSED, w->text, "there is nothing like it there");
    break;
  default:
    break;
  }
}

/* What is lost, before anything is written: the description holds it, and may come first. */
static void
note_all (struct writing *s, unsigned groups)
{
  struct view_at at = { .layer = 0 };
  struct keyword w;

  while (view_next (s->k, s->v, &at, &w))
    note (s, &w, groups);
}

static void
put_raw (struct walk *k, const struct json_node *value)
{
  size_t len;
  const char *raw = json_raw (k->tape, value, &len);

  jsonw_raw (&k->w, raw, len);
}

/* A value as it is, whatever it is called. */
static void
put_unchanged (struct walk *k, const struct keyword *w)
{
  jsonw_name_len (&k->w, w->text, w->len);
  put_raw (k, w->value);
}

static void
put_type_names (struct walk *k, unsigned types)
{
  static const struct {
    unsigned types;
    const char *name;
  } names[] = {
    { TYPE_STRING, "string" },   { TYPE_FRACTION, "number" }, { TYPE_INTEGER, "integer" },
    { TYPE_BOOLEAN, "boolean" }, { TYPE_ARRAY, "array" },     { TYPE_OBJECT, "object" },
    { TYPE_NULL, "null" },
  };

  if ((types & TYPE_FRACTION) != 0)
    types &= ~(unsigned) TYPE_INTEGER;
  bool list = (types & (types - 1)) != 0;
  if (list)
    jsonw_array (&k->w);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if ((types & names[i].types) != 0)
      jsonw_string (&k->w, names[i].name);
  if (list)
    jsonw_end (&k->w);
}

static void
put_type (struct writing *s, const struct keyword *w)
{
  struct walk *k = s->k;

  if (!begin_part (s, DONE_TYPE))
    return;
  jsonw_name (&k->w, "type");
  if (k->p->untyped == UNTYPED_KEEP && w != NULL)
    put_raw (k, w->value);
  else
    put_type_names (k, s->types | (s->nullable ? TYPE_NULL : 0));
}

static void
put_description (struct writing *s, const struct keyword *w)
{
  struct walk *k = s->k;
  CLEANUP_BUF struct buf text = { 0 };
  size_t len = 0;
  const char *own = w != NULL ? json_string (k->tape, w->value, &k->arena, &len) : NULL;

  if (!begin_part (s, DONE_DESCRIPTION) || (own == NULL && s->words.len == 0))
    return;
  buf_append (&text, own, own != NULL ? len : 0);
  if (s->words.len != 0) {
    buf_puts (&text, len != 0 ? " (" : "");
    buf_append (&text, s->words.data, s->words.len);
    buf_puts (&text, len != 0 ? ")" : "");
  }
  jsonw_name (&k->w, "description");
  jsonw_string_len (&k->w, text.data, text.len);
}

/* The values; whether null is one of them, and how many the provider takes. */
static size_t
count_values (struct writing *s, bool *null)
{
  size_t count = 0;

  *null = false;
  for (const struct json_node *n = NULL; (n = view_value (s->k, s->v, n)) != NULL;) {
    *null = *null || n->type == JSON_NULL;
    count += takes_value (s->k, n);
  }
  return count;
}

static void
put_enum (struct writing *s)
{
  struct walk *k = s->k;
  bool null;
  size_t count = count_values (s, &null);

  if (count == 0) {
    if (!null)
      walk_loss (k, LOSS_REFUSED, "enum", "no value is good");
    return; /* null alone: its type says so */
  }
  jsonw_name (&k->w, "enum");
  jsonw_array (&k->w);
  for (const struct json_node *n = NULL; (n = view_value (k, s->v, n)) != NULL;)
    if (takes_value (k, n))
      put_raw (k, n);
  if (s->nullable && !null)
    jsonw_null (&k->w);
  jsonw_end (&k->w);
}

static void
put_values (struct writing *s, const struct keyword *w)
{
  struct walk *k = s->k;

  if (k->p->untyped == UNTYPED_KEEP) {
    put_unchanged (k, w);
    return;
  }
  if (!begin_part (s, DONE_VALUES))
    return;
  if (is (w, "const") && !s->nullable && walk_action (k, s->v, w) == KEYWORD_KEEP) {
    jsonw_name (&k->w, "const");
    put_raw (k, w->value);
  }
  else
    put_enum (s);
}

/* ---- schemas below a keyword ---- */

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
    put_raw (k, value);
}

static void
put_below (struct walk *k, const struct json_node *value, enum below kind)
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
    put_raw (k, value);
}

static void
put_keyword (struct walk *k, const struct keyword *w, const char *as)
{
  size_t was = walk_descend (k, w->text, w->len);

  jsonw_name (&k->w, as);
  put_below (k, w->value, w->fact->below);
  walk_ascend (k, was);
}

static void
put_reference (struct walk *k, const struct keyword *w)
{
  if (k->p->references == REFERENCES_KEEP) {
    put_unchanged (k, w);
    return;
  }
  jsonw_name (&k->w, "$ref");
  if (walk_reference (k, w->value))
    return;
  jsonw_null (&k->w);
  walk_loss (k, LOSS_REFUSED, "$ref",
             "the reference leads out of the definition, or is one of over %d", TARGETS_MAX);
}

/* ---- arrays ---- */

/* prefixItems, or what was called items before it. */
static const struct json_node *
prefix_of (const struct walk *k, const struct view *v)
{
  const struct json_node *items = view_member (k, v, "items");

  return json_is (items, JSON_ARRAY) ? items : view_member (k, v, "prefixItems");
}

/* Any of the items at any place. */
static void
put_items_of_prefix (struct writing *s, const struct json_node *prefix)
{
  struct walk *k = s->k;
  struct view *list = arena_alloc (&k->arena, (prefix->count + 1) * sizeof *list);
  struct view rest = view_below (k, s->v, "items");
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
put_items_after (struct writing *s, const struct json_node *prefix)
{
  struct walk *k = s->k;
  struct view below = view_below (k, s->v, "items");
  size_t was = walk_descend (k, "items", strlen ("items"));

  if (prefix != NULL && below.never && k->p->untyped != UNTYPED_KEEP)
    put_end_of_items (k, s->v, prefix);
  else {
    jsonw_name (&k->w, "items");
    walk_schema (k, &below, false);
  }
  walk_ascend (k, was);
}

static void
put_prefix (struct writing *s, const struct json_node *prefix, bool keeps)
{
  struct walk *k = s->k;
  const char *name = prefix == view_member (k, s->v, "items") ? "items" : "prefixItems";
  size_t was = walk_descend (k, name, strlen (name));

  if (keeps) {
    jsonw_name (&k->w, k->p->untyped == UNTYPED_KEEP ? name : "prefixItems");
    put_below (k, prefix, BELOW_LIST);
  }
  else if (prefix->count != 0)
    put_items_of_prefix (s, prefix);
  walk_ascend (k, was);
}

static void
put_items (struct writing *s)
{
  struct walk *k = s->k;
  const struct json_node *prefix = prefix_of (k, s->v);
  const struct json_node *items = view_member (k, s->v, "items");
  bool keeps = provider_action (k->p, "prefixItems", strlen ("prefixItems")) == KEYWORD_KEEP;

  if (!begin_part (s, DONE_ITEMS))
    return;
  if (prefix != NULL)
    put_prefix (s, prefix, keeps);
  if (items == NULL || items == prefix)
    return;
  if (prefix == NULL || keeps)
    put_items_after (s, prefix);
  else if (json_is (items, JSON_FALSE))
    put_end_of_items (k, s->v, prefix);
}

/* ---- all together ---- */

static void
put_object_part (struct writing *s, const struct keyword *w)
{
  if (is (w, "properties") && begin_part (s, DONE_PROPERTIES))
    walk_put_properties (s->k, s->v);
  else if (is (w, "required") && begin_part (s, DONE_REQUIRED))
    walk_put_required (s->k, s->v);
  else if (is (w, "additionalProperties") && begin_part (s, DONE_ADDITIONAL))
    walk_put_additional (s->k, s->v);
}

static void
put_kept (struct writing *s, const struct keyword *w)
{
  if (is (w, "type"))
    put_type (s, w);
  else if (is (w, "description"))
    put_description (s, w);
  else if (is (w, "enum") || is (w, "const"))
    put_values (s, w);
  else if (is (w, "properties") || is (w, "required") || is (w, "additionalProperties"))
    put_object_part (s, w);
  else if (is (w, "items") || is (w, "prefixItems"))
    put_items (s);
  else if (is (w, "$ref"))
    put_reference (s->k, w);
  else if (w->fact->below != BELOW_NONE)
    put_keyword (s->k, w, w->text);
  else
    put_unchanged (s->k, w);
}

static void
put_member (struct writing *s, const struct keyword *w)
{
  switch (walk_action (s->k, s->v, w)) {
  case KEYWORD_KEEP:
    put_kept (s, w);
    break;
  case KEYWORD_ENUM:
    put_values (s, w);
    break;
  case KEYWORD_ITEMS:
    put_items (s);
    break;
  case KEYWORD_ANY:
    put_keyword (s->k, w, "anyOf");
    break;
  default:
    break;
  }
}

/* Does the object need parts that its schema does not mention? */
static void
complete_object (struct writing *s)
{
  bool merged = s->k->at_root && s->k->alternatives_count != 0;

  if ((s->types & TYPE_OBJECT) == 0 || !s->told || (!s->k->p->closed_objects && !merged))
    return;
  if (begin_part (s, DONE_PROPERTIES))
    walk_put_properties (s->k, s->v);
  if (begin_part (s, DONE_REQUIRED))
    walk_put_required (s->k, s->v);
  if (s->k->p->closed_objects && begin_part (s, DONE_ADDITIONAL))
    walk_put_additional (s->k, s->v);
}

static void
complete (struct writing *s)
{
  struct walk *k = s->k;

  if (s->told && k->p->untyped != UNTYPED_KEEP)
    put_type (s, NULL);
  if (!s->told && !view_defers (k, s->v) && k->p->untyped == UNTYPED_REFUSE)
    walk_loss (k, LOSS_REFUSED, "type", "it takes values of any type");
  put_description (s, NULL);
  complete_object (s);
  if (k->p->items_needed && s->told && (s->types & TYPE_ARRAY) != 0 && begin_part (s, DONE_ITEMS))
    walk_loss (k, LOSS_REFUSED, "items", "it takes items of any type");
}

static void
put_members (struct walk *k, const struct view *v, bool nullable)
{
  struct writing s = { .k = k, .v = v, .nullable = nullable };
  struct view_at at = { .layer = 0 };
  struct keyword w;

  s.types = view_types (k, v, &s.told);
  if (s.types == 0) {
    if (k->p->untyped != UNTYPED_KEEP)
      walk_loss (k, LOSS_REFUSED, "type", "no value is good");
    s.types = TYPE_ANY;
  }
  note_all (&s, SHOW_EVERYTHING);
  if (k->at_root && k->alternatives_words.len != 0) {
    buf_puts (&s.words, s.words.len != 0 ? ", " : "");
    buf_append (&s.words, k->alternatives_words.data, k->alternatives_words.len);
  }
  while (view_next (k, v, &at, &w))
    put_member (&s, &w);
  complete (&s);
  buf_free (&s.words);
}

void
walk_annotations (struct walk *k, const struct view *v)
{
  struct writing s = { .k = k, .v = v };
  struct view_at at = { .layer = 0 };
  struct keyword w;

  note_all (&s, SHOW_ANNOTATIONS);
  while (view_next (k, v, &at, &w))
    if (w.fact->group == SHOW_ANNOTATIONS)
      put_member (&s, &w);
  put_description (&s, NULL);
  buf_free (&s.words);
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
  struct keyword w = { .text = "$ref", .len = 4, .value = view_member (k, v, "$ref") };

  if (v->count > 1 || w.value == NULL)
    walk_loss (k, LOSS_REFUSED, "$ref", "a schema that holds itself can't be merged into another");
  walk_loss (k, LOSS_DROPPED, "$ref", "what stands beside it is left out");
  jsonw_object (&k->w);
  if (w.value != NULL)
    put_reference (k, &w);
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
    put_members (k, v, nullable);
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
  put_members (k, &view, false);
  k->at_root = false;
  put_definitions (k);
  jsonw_end (&k->w);
  if (k->p->recursion != RECURSION_KEEP && walk_is_circular (k))
    walk_loss (k, LOSS_REFUSED, "$ref",
               k->p->recursion == RECURSION_REFUSE
                 ? "a schema holds itself"
                 : "a schema holds itself where a property is required");
}
