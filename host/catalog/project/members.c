/* The members of one schema, each once. */
#include "catalog/project/walk.h"

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

/* ---- what they hold ---- */

/* A value as it is, whatever it is called. */
static void
put_unchanged (struct walk *k, const struct keyword *w)
{
  jsonw_name_len (&k->w, w->text, w->len);
  walk_put_raw (k, w->value);
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
    walk_put_raw (k, w->value);
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
    count += walk_takes_value (s->k, n);
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
    if (walk_takes_value (k, n))
      walk_put_raw (k, n);
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
  if (keyword_is (w, "const") && !s->nullable && walk_action (k, s->v, w) == KEYWORD_KEEP) {
    jsonw_name (&k->w, "const");
    walk_put_raw (k, w->value);
  }
  else
    put_enum (s);
}

static void
put_keyword (struct walk *k, const struct keyword *w, const char *as)
{
  size_t was = walk_descend (k, w->text, w->len);

  jsonw_name (&k->w, as);
  walk_put_below (k, w->value, w->fact->below);
  walk_ascend (k, was);
}

static void
put_object_part (struct writing *s, const struct keyword *w)
{
  if (keyword_is (w, "properties") && begin_part (s, DONE_PROPERTIES))
    walk_put_properties (s->k, s->v);
  else if (keyword_is (w, "required") && begin_part (s, DONE_REQUIRED))
    walk_put_required (s->k, s->v);
  else if (keyword_is (w, "additionalProperties") && begin_part (s, DONE_ADDITIONAL))
    walk_put_additional (s->k, s->v);
}

static void
put_items_once (struct writing *s)
{
  if (begin_part (s, DONE_ITEMS))
    walk_put_items (s->k, s->v);
}

/* ---- one after the other ---- */

static void
put_kept (struct writing *s, const struct keyword *w)
{
  if (keyword_is (w, "type"))
    put_type (s, w);
  else if (keyword_is (w, "description"))
    put_description (s, w);
  else if (keyword_is (w, "enum") || keyword_is (w, "const"))
    put_values (s, w);
  else if (keyword_is (w, "properties") || keyword_is (w, "required")
           || keyword_is (w, "additionalProperties"))
    put_object_part (s, w);
  else if (keyword_is (w, "items") || keyword_is (w, "prefixItems"))
    put_items_once (s);
  else if (keyword_is (w, "$ref") && s->k->p->references != REFERENCES_KEEP)
    walk_put_reference (s->k, w->value);
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
    put_items_once (s);
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

void
walk_put_members (struct walk *k, const struct view *v, bool nullable)
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
