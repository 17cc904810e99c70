/* Several schemas looked at as one, and what is known of keywords. */
#include <string.h>

#include "catalog/project/walk.h"

/* ---- keywords ---- */

static const struct fact facts[] = {
  { "title", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "description", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "default", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "examples", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "deprecated", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "readOnly", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "writeOnly", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "$comment", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "$schema", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "$id", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "$anchor", SHOW_ANNOTATIONS, 0, BELOW_NONE },
  { "$defs", SHOW_ANNOTATIONS, 0, BELOW_MAP },
  { "definitions", SHOW_ANNOTATIONS, 0, BELOW_MAP },
  { "allOf", SHOW_ALL_OF, 0, BELOW_LIST },
  { "anyOf", SHOW_ANY_OF, 0, BELOW_LIST },
  { "oneOf", SHOW_ONE_OF, 0, BELOW_LIST },
  { "$ref", SHOW_REF, 0, BELOW_NONE },
  { "not", SHOW_REST, 0, BELOW_ONE },
  { "if", SHOW_REST, 0, BELOW_ONE },
  { "then", SHOW_REST, 0, BELOW_ONE },
  { "else", SHOW_REST, 0, BELOW_ONE },
  { "multipleOf", SHOW_REST, TYPE_NUMBER, BELOW_NONE },
  { "minimum", SHOW_REST, TYPE_NUMBER, BELOW_NONE },
  { "maximum", SHOW_REST, TYPE_NUMBER, BELOW_NONE },
  { "exclusiveMinimum", SHOW_REST, TYPE_NUMBER, BELOW_NONE },
  { "exclusiveMaximum", SHOW_REST, TYPE_NUMBER, BELOW_NONE },
  { "minLength", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "maxLength", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "pattern", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "format", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "contentEncoding", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "contentMediaType", SHOW_REST, TYPE_STRING, BELOW_NONE },
  { "contentSchema", SHOW_REST, TYPE_STRING, BELOW_ONE },
  { "items", SHOW_REST, TYPE_ARRAY, BELOW_ONE },
  { "prefixItems", SHOW_REST, TYPE_ARRAY, BELOW_LIST },
  { "additionalItems", SHOW_REST, TYPE_ARRAY, BELOW_ONE },
  { "unevaluatedItems", SHOW_REST, TYPE_ARRAY, BELOW_ONE },
  { "contains", SHOW_REST, TYPE_ARRAY, BELOW_ONE },
  { "minContains", SHOW_REST, TYPE_ARRAY, BELOW_NONE },
  { "maxContains", SHOW_REST, TYPE_ARRAY, BELOW_NONE },
  { "minItems", SHOW_REST, TYPE_ARRAY, BELOW_NONE },
  { "maxItems", SHOW_REST, TYPE_ARRAY, BELOW_NONE },
  { "uniqueItems", SHOW_REST, TYPE_ARRAY, BELOW_NONE },
  { "properties", SHOW_REST, TYPE_OBJECT, BELOW_MAP },
  { "patternProperties", SHOW_REST, TYPE_OBJECT, BELOW_MAP },
  { "additionalProperties", SHOW_REST, TYPE_OBJECT, BELOW_ONE },
  { "unevaluatedProperties", SHOW_REST, TYPE_OBJECT, BELOW_ONE },
  { "propertyNames", SHOW_REST, TYPE_OBJECT, BELOW_ONE },
  { "minProperties", SHOW_REST, TYPE_OBJECT, BELOW_NONE },
  { "maxProperties", SHOW_REST, TYPE_OBJECT, BELOW_NONE },
  { "required", SHOW_REST, TYPE_OBJECT, BELOW_NONE },
  { "dependentRequired", SHOW_REST, TYPE_OBJECT, BELOW_NONE },
  { "dependentSchemas", SHOW_REST, TYPE_OBJECT, BELOW_MAP },
  { "dependencies", SHOW_REST, TYPE_OBJECT, BELOW_MAP },
};

const struct fact *
keyword_fact (const char *keyword, size_t len)
{
  static const struct fact unknown = { "", SHOW_REST, 0, BELOW_NONE };

  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
    if (strlen (facts[i].name) == len && memcmp (facts[i].name, keyword, len) == 0)
      return &facts[i];
  return &unknown;
}

/* ---- views ---- */

void
view_add (struct view *v, const struct json_node *node, unsigned show)
{
  if (json_is (node, JSON_FALSE))
    v->never = true;
  if (!json_is (node, JSON_OBJECT))
    return;
  if (v->count == VIEW_LAYERS) {
    v->full = true;
    return;
  }
  v->layers[v->count++] = (struct layer){ .node = node, .show = show };
}

static const struct json_node *
layer_member (const struct walk *k, const struct layer *l, const struct fact *fact,
              const char *name, size_t len)
{
  return (fact->group & l->show) != 0 ? json_member_len (k->tape, l->node, name, len) : NULL;
}

/* Does a layer before `before` show the keyword as well? */
static bool
seen_before (const struct walk *k, const struct view *v, unsigned before, const struct keyword *w)
{
  for (unsigned i = 0; i < before; i++)
    if (layer_member (k, &v->layers[i], w->fact, w->text, w->len) != NULL)
      return true;
  return false;
}

bool
view_next (struct walk *k, const struct view *v, struct view_at *at, struct keyword *found)
{
  for (; at->layer < v->count; at->layer++, at->next = NULL) {
    const struct layer *l = &v->layers[at->layer];
    if (at->next == NULL)
      at->next = json_first (l->node);
    while (at->next != json_end (l->node)) {
      const struct json_node *name = at->next;
      found->text = json_string (k->tape, name, &k->arena, &found->len);
      found->value = json_next (name);
      found->fact = keyword_fact (found->text, found->len);
      found->text = found->fact->name[0] != '\0'
                      ? found->fact->name
                      : arena_strndup (&k->arena, found->text, found->len);
      at->next = json_next (found->value);
      if ((found->fact->group & l->show) != 0 && !seen_before (k, v, at->layer, found))
        return true;
    }
  }
  return false;
}

const struct json_node *
view_member (const struct walk *k, const struct view *v, const char *keyword)
{
  size_t len = strlen (keyword);
  const struct fact *fact = keyword_fact (keyword, len);
  const struct json_node *value = NULL;

  for (unsigned i = 0; i < v->count && value == NULL; i++)
    value = layer_member (k, &v->layers[i], fact, keyword, len);
  return value;
}

struct view
view_below (const struct walk *k, const struct view *v, const char *keyword)
{
  struct view below = { .count = 0 };

  for (unsigned i = 0; i < v->count; i++)
    if ((v->layers[i].show & SHOW_REST) != 0)
      view_add (&below, json_member (k->tape, v->layers[i].node, keyword), SHOW_EVERYTHING);
  return below;
}

struct view
view_property (const struct walk *k, const struct view *v, const char *name, size_t len)
{
  struct view below = { .count = 0 };

  for (unsigned i = 0; i < v->count; i++) {
    const struct json_node *properties = json_member (k->tape, v->layers[i].node, "properties");
    if ((v->layers[i].show & SHOW_REST) != 0)
      view_add (&below, json_member_len (k->tape, properties, name, len), SHOW_EVERYTHING);
  }
  return below;
}

bool
view_requires (const struct walk *k, const struct view *v, const char *name, size_t len)
{
  for (unsigned i = 0; i < v->count; i++) {
    const struct json_node *required = json_member (k->tape, v->layers[i].node, "required");
    if ((v->layers[i].show & SHOW_REST) == 0 || !json_is (required, JSON_ARRAY))
      continue;
    for (const struct json_node *n = json_first (required); n != json_end (required);
         n = json_next (n))
      if (json_equals_len (k->tape, n, name, len))
        return true;
  }
  return false;
}

/* ---- values ---- */

unsigned
walk_value_types (const struct walk *k, const struct json_node *value)
{
  static const unsigned types[] = {
    [JSON_NULL] = TYPE_NULL,     [JSON_FALSE] = TYPE_BOOLEAN, [JSON_TRUE] = TYPE_BOOLEAN,
    [JSON_STRING] = TYPE_STRING, [JSON_ARRAY] = TYPE_ARRAY,   [JSON_OBJECT] = TYPE_OBJECT,
  };
  int64_t whole;

  if (value->type == JSON_NUMBER)
    return json_int64 (k->tape, value, &whole) ? TYPE_INTEGER : TYPE_FRACTION;
  return types[value->type];
}

/* The layer's own `const` or `enum`; *one: it is const. */
static const struct json_node *
layer_values (const struct walk *k, const struct layer *l, bool *one)
{
  const struct json_node *value = NULL;

  if ((l->show & SHOW_REST) == 0)
    return NULL;
  value = json_member (k->tape, l->node, "const");
  *one = value != NULL;
  if (value == NULL)
    value = json_member (k->tape, l->node, "enum");
  return *one || json_is (value, JSON_ARRAY) ? value : NULL;
}

static bool
layer_allows (const struct walk *k, const struct layer *l, const struct json_node *value)
{
  bool one;
  const struct json_node *values = layer_values (k, l, &one);

  if (values == NULL)
    return true;
  if (one)
    return json_same (k->tape, values, k->tape, value);
  for (const struct json_node *n = json_first (values); n != json_end (values); n = json_next (n))
    if (json_same (k->tape, n, k->tape, value))
      return true;
  return false;
}

static bool
allowed (const struct walk *k, const struct view *v, const struct json_node *value)
{
  if (v->types != 0 && (walk_value_types (k, value) & v->types) == 0)
    return false;
  for (unsigned i = 0; i < v->count; i++)
    if (!layer_allows (k, &v->layers[i], value))
      return false;
  return true;
}

bool
view_has_values (const struct walk *k, const struct view *v)
{
  bool one;

  for (unsigned i = 0; i < v->count; i++)
    if (layer_values (k, &v->layers[i], &one) != NULL)
      return true;
  return false;
}

const struct json_node *
view_value (struct walk *k, const struct view *v, const struct json_node *before)
{
  const struct json_node *values = NULL;
  bool one = false;

  for (unsigned i = 0; i < v->count && values == NULL; i++)
    values = layer_values (k, &v->layers[i], &one);
  if (values == NULL)
    return NULL;
  if (one)
    return before == NULL && allowed (k, v, values) ? values : NULL;
  for (const struct json_node *n = before == NULL ? json_first (values) : json_next (before);
       n != json_end (values); n = json_next (n))
    if (allowed (k, v, n))
      return n;
  return NULL;
}

/* ---- types ---- */

static unsigned
named_type (const struct walk *k, const struct json_node *name)
{
  static const struct {
    const char *name;
    unsigned types;
  } names[] = {
    { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN }, { "integer", TYPE_INTEGER },
    { "number", TYPE_NUMBER }, { "string", TYPE_STRING },   { "array", TYPE_ARRAY },
    { "object", TYPE_OBJECT },
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (json_equals (k->tape, name, names[i].name))
      return names[i].types;
  return 0;
}

static unsigned
named_types (const struct walk *k, const struct json_node *type)
{
  unsigned types = 0;

  if (!json_is (type, JSON_ARRAY))
    return named_type (k, type);
  for (const struct json_node *n = json_first (type); n != json_end (type); n = json_next (n))
    types |= named_type (k, n);
  return types;
}

/* What the keywords say something of. */
static unsigned
implied_types (struct walk *k, const struct view *v)
{
  struct view_at at = { .layer = 0 };
  struct keyword keyword;
  unsigned types = 0;

  while (view_next (k, v, &at, &keyword))
    types |= keyword.fact->types;
  return types;
}

bool
view_defers (const struct walk *k, const struct view *v)
{
  return view_member (k, v, "$ref") != NULL || walk_union_of (k, v) != NULL;
}

unsigned
view_types (struct walk *k, const struct view *v, bool *told)
{
  unsigned types = TYPE_ANY, values = 0;

  *told = v->types != 0;
  for (unsigned i = 0; i < v->count; i++) {
    const struct json_node *type = json_member (k->tape, v->layers[i].node, "type");
    if (type == NULL || (v->layers[i].show & SHOW_REST) == 0)
      continue;
    types &= named_types (k, type);
    *told = true;
  }
  for (const struct json_node *n = NULL; (n = view_value (k, v, n)) != NULL;)
    values |= walk_value_types (k, n);
  if (values != 0) {
    types &= values;
    *told = true;
  }
  if (!*told && k->p->untyped != UNTYPED_KEEP && !view_defers (k, v)) {
    values = implied_types (k, v);
    *told = values != 0;
    types = *told ? values : types;
  }
  return v->types != 0 ? types & v->types : types;
}

/* ---- null ---- */

enum { NULL_HOPS = 16 }; /* schemas in schemas that are looked into */

static bool node_takes_null (struct walk *k, const struct json_node *node, unsigned hops,
                             bool *said);

static bool
branch_takes_null (struct walk *k, const struct json_node *branches, unsigned hops)
{
  bool said;

  for (const struct json_node *n = json_first (branches); n != json_end (branches);
       n = json_next (n))
    if (node_takes_null (k, n, hops, &said) && said)
      return true;
  return false;
}

/* Is null good for the schema?  *said: a keyword of it says so. */
static bool
node_takes_null (struct walk *k, const struct json_node *node, unsigned hops, bool *said)
{
  static const char *const unions[] = { "anyOf", "oneOf" };
  struct view v = { .count = 0 };
  const struct json_node *type = json_member (k->tape, node, "type");
  const struct json_node *ref = json_member (k->tape, node, "$ref");

  *said = false;
  if (hops == 0 || json_is (node, JSON_FALSE) || !walk_spend (k, 1))
    return false;
  view_add (&v, node, SHOW_EVERYTHING);
  if (type != NULL && (named_types (k, type) & TYPE_NULL) == 0)
    return false;
  if (view_has_values (k, &v)) {
    const struct json_node *n = NULL;
    while ((n = view_value (k, &v, n)) != NULL && n->type != JSON_NULL)
      continue;
    if (n == NULL)
      return false;
    *said = true;
  }
  *said = *said || type != NULL;
  for (size_t i = 0; i < sizeof unions / sizeof unions[0]; i++) {
    const struct json_node *branches = json_member (k->tape, node, unions[i]);
    if (!json_is (branches, JSON_ARRAY))
      continue;
    if (!branch_takes_null (k, branches, hops - 1))
      return false;
    *said = true;
  }
  if (ref == NULL)
    return true;
  bool there = false;
  bool good = node_takes_null (k, walk_resolve (k, ref), hops - 1, &there);
  *said = *said || there;
  return good;
}

bool
view_takes_null (struct walk *k, const struct view *v)
{
  bool any = false;

  for (unsigned i = 0; i < v->count; i++) {
    bool said;
    if (!node_takes_null (k, v->layers[i].node, NULL_HOPS, &said))
      return false;
    any = any || said;
  }
  return any;
}
