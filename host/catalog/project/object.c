/* Objects: their properties, which of them are required, and what else they may hold. */
#include <string.h>

#include "catalog/project/walk.h"

enum {
  WORDS_MAX = 400, /* bytes of a phrase that lists names */
  LOOKUP = 16      /* nodes it takes to look whether an object has a property, about */
};

static const struct json_node *
properties_of (const struct walk *k, const struct layer *l)
{
  const struct json_node *properties = json_member (k->tape, l->node, "properties");

  return (l->show & SHOW_REST) != 0 && json_is (properties, JSON_OBJECT) ? properties : NULL;
}

/* ---- names ---- */

/* Is the property one of the view's layers before `before`? */
static bool
named_before (const struct walk *k, const struct view *v, unsigned before, const char *name,
              size_t len)
{
  for (unsigned i = 0; i < before; i++)
    if (json_member_len (k->tape, properties_of (k, &v->layers[i]), name, len) != NULL)
      return true;
  return false;
}

static bool
is_named (const struct walk *k, const struct view *v, const char *name, size_t len)
{
  if (named_before (k, v, v->count, name, len))
    return true;
  for (unsigned i = 0; k->at_root && i < k->alternatives_count; i++)
    if (named_before (k, &k->alternatives[i], k->alternatives[i].count, name, len))
      return true;
  return false;
}

static bool
is_required (const struct walk *k, const struct view *v, const char *name, size_t len)
{
  if (view_requires (k, v, name, len))
    return true;
  if (!k->at_root || k->alternatives_count == 0)
    return false;
  for (unsigned i = 0; i < k->alternatives_count; i++)
    if (!view_requires (k, &k->alternatives[i], name, len))
      return false;
  return true;
}

/* Walk over the names of all properties: the view's own, then those that only its alternatives
 * have.  `visit` gets the schemas of each. */
typedef void (*visit_property) (struct walk *k, const struct view *v, const char *name, size_t len,
                                void *data);

static void
each_property_of (struct walk *k, const struct view *v, const struct view *names, unsigned skip,
                  visit_property visit, void *data)
{
  for (unsigned i = 0; i < names->count; i++) {
    const struct json_node *properties = properties_of (k, &names->layers[i]);
    if (properties == NULL)
      continue;
    for (const struct json_node *n = json_first (properties);
         n != json_end (properties) && walk_spend (k, LOOKUP * (v->count + skip));
         n = json_next (json_next (n))) {
      size_t len;
      const char *name = json_string (k->tape, n, &k->arena, &len);
      bool seen = named_before (k, names, i, name, len);
      if (names != v)
        seen = seen || named_before (k, v, v->count, name, len);
      for (unsigned a = 0; a < skip; a++)
        seen = seen || named_before (k, &k->alternatives[a], k->alternatives[a].count, name, len);
      if (!seen)
        visit (k, v, name, len, data);
    }
  }
}

static void
each_property (struct walk *k, const struct view *v, visit_property visit, void *data)
{
  each_property_of (k, v, v, 0, visit, data);
  for (unsigned i = 0; k->at_root && i < k->alternatives_count; i++)
    each_property_of (k, v, &k->alternatives[i], i, visit, data);
}

/* Walk over the names that the view's own layers require, each once. */
static void
each_required (struct walk *k, const struct view *v, visit_property visit, void *data)
{
  struct view before = *v;

  for (unsigned i = 0; i < v->count; i++) {
    const struct json_node *required = json_member (k->tape, v->layers[i].node, "required");
    before.count = i;
    if ((v->layers[i].show & SHOW_REST) == 0 || !json_is (required, JSON_ARRAY))
      continue;
    for (const struct json_node *n = json_first (required); n != json_end (required);
         n = json_next (n)) {
      size_t len;
      const char *name = json_string (k->tape, n, &k->arena, &len);
      if (name != NULL && !view_requires (k, &before, name, len))
        visit (k, v, name, len, data);
    }
  }
}

/* ---- properties ---- */

/* The schemas of a property that only alternatives have; returns how many. */
static unsigned
alternatives_of (struct walk *k, const char *name, size_t len, struct view *list)
{
  unsigned count = 0;

  for (unsigned i = 0; i < k->alternatives_count; i++) {
    struct view one = view_property (k, &k->alternatives[i], name, len);
    bool seen = one.count == 0;
    for (unsigned a = 0; a < count && one.count == 1; a++)
      seen = seen
             || (list[a].count == 1
                 && json_same (k->tape, list[a].layers[0].node, k->tape, one.layers[0].node));
    if (!seen)
      list[count++] = one;
  }
  return count;
}

static bool
all_take_null (struct walk *k, const struct view *list, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    if (view_takes_null (k, &list[i]))
      return true;
  return false;
}

static void
put_property (struct walk *k, const struct view *v, const char *name, size_t len, void *data)
{
  struct view *list = arena_alloc (&k->arena, ALTERNATIVES_MAX * sizeof *list);
  bool required = is_required (k, v, name, len), own = named_before (k, v, v->count, name, len);
  unsigned count = 1;
  size_t was;

  (void) data;
  if (!own)
    count = alternatives_of (k, name, len, list);
  else
    list[0] = view_property (k, v, name, len);
  if (count == 1 && list[0].never && k->p->untyped != UNTYPED_KEEP)
    return;
  if (k->at_root && !name_rule_fits (&k->p->parameter_name, name, len))
    walk_loss (k, LOSS_REFUSED, "properties", "\"%.*s\" can't be the name of a property there",
               (int) (len < 80 ? len : 80), name);
  was = walk_descend (k, name, len);
  jsonw_name_len (&k->w, name, len);
  k->optional += !required;
  walk_put_choice (k, list, count,
                   k->p->nullable_optional && !required && !all_take_null (k, list, count));
  k->optional -= !required;
  walk_ascend (k, was);
}

void
walk_put_properties (struct walk *k, const struct view *v)
{
  size_t was = walk_descend (k, "properties", strlen ("properties"));

  jsonw_name (&k->w, "properties");
  jsonw_object (&k->w);
  each_property (k, v, put_property, NULL);
  jsonw_end (&k->w);
  walk_ascend (k, was);
}

/* ---- required ---- */

/* Names for a sentence. */
struct names {
  struct buf text;
  size_t more; /* that did not fit */
};

static void
add_name (struct names *names, const char *name, size_t len)
{
  if (names->more != 0 || names->text.len + len > WORDS_MAX) {
    names->more++;
    return;
  }
  buf_puts (&names->text, names->text.len != 0 ? ", " : "");
  buf_append (&names->text, name, len);
}

/* One of all properties, of which every one is required. */
static void
require (struct walk *k, const struct view *v, const char *name, size_t len, void *data)
{
  struct view child = view_property (k, v, name, len);

  if (child.never)
    return;
  jsonw_string_len (&k->w, name, len);
  if (!is_required (k, v, name, len))
    add_name (data, name, len);
}

static void
require_all (struct walk *k, const struct view *v)
{
  struct names optional = { .more = 0 };

  each_property (k, v, require, &optional);
  if (optional.more != 0)
    buf_printf (&optional.text, " and %zu more", optional.more);
  if (optional.text.len != 0)
    walk_loss (k, LOSS_REWRITTEN, "required", "null stands for leaving out %s",
               buf_cstr (&optional.text));
  buf_free (&optional.text);
}

static void
put_name (struct walk *k, const struct view *v, const char *name, size_t len, void *data)
{
  (void) v;
  (void) data;
  jsonw_string_len (&k->w, name, len);
}

/* Of the names that an alternative of a view requires, those that all of them do, and not the view
 * itself. */
static void
put_common_name (struct walk *k, const struct view *alternative, const char *name, size_t len,
                 void *data)
{
  const struct view *const *v = data;

  (void) alternative;
  if (!view_requires (k, *v, name, len) && is_required (k, *v, name, len))
    jsonw_string_len (&k->w, name, len);
}

/* A closed object can't have what is required but has no schema. */
static void
check_named (struct walk *k, const struct view *v, const char *name, size_t len, void *data)
{
  (void) data;
  if (!is_named (k, v, name, len))
    walk_loss (k, LOSS_REFUSED, "required", "\"%.*s\" is required, but has no schema",
               (int) (len < 80 ? len : 80), name);
}

void
walk_put_required (struct walk *k, const struct view *v)
{
  if (k->p->closed_objects)
    each_required (k, v, check_named, NULL);
  jsonw_name (&k->w, "required");
  jsonw_array (&k->w);
  if (k->p->nullable_optional)
    require_all (k, v);
  else {
    each_required (k, v, put_name, NULL);
    if (k->at_root && k->alternatives_count != 0)
      each_required (k, &k->alternatives[0], put_common_name, &v);
  }
  jsonw_end (&k->w);
}

/* ---- other properties ---- */

/* Is the object closed by one of its schemas? */
static bool
is_closed (const struct walk *k, const struct view *v)
{
  static const char *const keywords[] = { "additionalProperties", "unevaluatedProperties" };

  for (unsigned i = 0; i < v->count; i++)
    for (size_t w = 0; w < sizeof keywords / sizeof keywords[0]; w++)
      if (json_is (json_member (k->tape, v->layers[i].node, keywords[w]), JSON_FALSE))
        return true;
  return false;
}

static void
count_property (struct walk *k, const struct view *v, const char *name, size_t len, void *data)
{
  (void) k;
  (void) v;
  (void) name;
  (void) len;
  ++*(size_t *) data;
}

static void
close_object (struct walk *k, const struct view *v)
{
  const struct json_node *additional = view_member (k, v, "additionalProperties");
  bool free_names = view_member (k, v, "patternProperties") != NULL
                    || (additional != NULL && additional->type != JSON_FALSE);
  size_t count = 0;

  if (is_closed (k, v) && !free_names)
    return;
  each_property (k, v, count_property, &count);
  if (count == 0 && (free_names || !k->at_root))
    walk_loss (k, LOSS_REFUSED, "additionalProperties",
               "an object whose properties have no fixed names");
  else if (count != 0)
    walk_loss (k, LOSS_REWRITTEN, "additionalProperties", "no other properties can be given");
}

void
walk_put_additional (struct walk *k, const struct view *v)
{
  struct view below = view_below (k, v, "additionalProperties");
  size_t was;

  jsonw_name (&k->w, "additionalProperties");
  if (k->p->closed_objects) {
    close_object (k, v);
    jsonw_bool (&k->w, false);
    return;
  }
  was = walk_descend (k, "additionalProperties", strlen ("additionalProperties"));
  if (below.never || below.count == 0)
    jsonw_bool (&k->w, !below.never);
  else
    walk_schema (k, &below, false);
  walk_ascend (k, was);
}

/* ---- alternatives ---- */

/* What one alternative requires beyond the rest, while it is written down. */
struct set {
  const struct view *rest;
  struct buf *words;
  size_t start;
};

static void
add_to_set (struct walk *k, const struct view *alternative, const char *name, size_t len,
            void *data)
{
  struct set *set = data;

  (void) alternative;
  if (is_required (k, set->rest, name, len))
    return;
  buf_puts (set->words, set->words->len == set->start ? "(" : ", ");
  buf_append (set->words, name, len);
}

/* "(a, b)"; false: nothing. */
static bool
add_set (struct walk *k, const struct view *v, const struct view *alternative, struct buf *words)
{
  struct set set = { .rest = v, .words = words, .start = words->len };

  each_required (k, alternative, add_to_set, &set);
  if (words->len == set.start)
    return false;
  buf_putc (words, ')');
  return true;
}

/* "exactly one of these sets of properties: (a) or (b, c)" */
static void
describe_alternatives (struct walk *k, const struct view *v, bool one)
{
  struct buf *words = &k->alternatives_words;

  buf_printf (words, "with %s of these sets of properties: ", one ? "exactly one" : "at least one");
  for (unsigned i = 0; i < k->alternatives_count; i++) {
    if (i != 0)
      buf_puts (words, " or ");
    if (!add_set (k, v, &k->alternatives[i], words) || words->len > WORDS_MAX) {
      words->len = 0;
      return;
    }
  }
}

static void
take_branches (struct walk *k, const struct json_node *branches)
{
  k->alternatives = arena_alloc (&k->arena, ALTERNATIVES_MAX * sizeof *k->alternatives);
  if (branches->count > ALTERNATIVES_MAX)
    walk_loss (k, LOSS_REFUSED, "anyOf", "over %d alternatives", ALTERNATIVES_MAX);
  for (const struct json_node *n = json_first (branches);
       n != json_end (branches) && k->alternatives_count < ALTERNATIVES_MAX; n = json_next (n)) {
    struct view *branch = &k->alternatives[k->alternatives_count++];
    unsigned open = k->open_count;
    *branch = (struct view){ .count = 0 };
    /* A branch that is a reference alone has company as well: that of the outermost schema. */
    const struct json_node *ref = json_member (k->tape, n, "$ref");
    view_add (branch, n, SHOW_EVERYTHING & ~(unsigned) SHOW_REF);
    if (ref != NULL)
      view_add (branch, walk_resolve (k, ref), SHOW_EVERYTHING);
    if (!walk_expand (k, branch, false))
      walk_loss (k, LOSS_REFUSED, "$ref", "the schema holds itself");
    k->open_count = open;
  }
}

void
walk_take_alternatives (struct walk *k, struct view *v)
{
  static const struct {
    const char *keyword;
    unsigned group;
  } unions[] = { { "anyOf", SHOW_ANY_OF }, { "oneOf", SHOW_ONE_OF } };

  for (size_t i = 0; i < sizeof unions / sizeof unions[0]; i++) {
    const char *keyword = unions[i].keyword;
    const struct json_node *branches = view_member (k, v, keyword);
    if (!json_is (branches, JSON_ARRAY) || k->p->root_never == NULL
        || !provider_lists (k->p, k->p->root_never, keyword, strlen (keyword)))
      continue;
    take_branches (k, branches);
    for (unsigned l = 0; l < v->count; l++)
      if (json_member (k->tape, v->layers[l].node, keyword) == branches)
        v->layers[l].show &= ~unions[i].group;
    walk_loss (k, LOSS_REWRITTEN, keyword, "the alternatives are merged into one object");
    describe_alternatives (k, v, unions[i].group == SHOW_ONE_OF);
    return;
  }
}
