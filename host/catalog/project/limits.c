/* The figures of a schema as it would be sent: what a provider counts. */
#include <string.h>

#include "catalog/project/walk.h"

struct count {
  struct walk *k;
  struct json_tape tape; /* of the written schema */
  struct arena arena;
  uint64_t properties, text, enum_values;
  uint32_t depth, optional, unions;
};

/* Code points of a string as it stands between its quotes: an escape counts as what it is made of,
 * which is too many and never too few. */
static uint64_t
characters (const struct count *c, const struct json_node *string)
{
  uint64_t count = 0;

  for (uint32_t i = 0; i < string->len; i++)
    count += ((unsigned char) c->tape.text[string->start + i] & 0xc0) != 0x80;
  return count;
}

static void
count_enum (struct count *c, const struct json_node *list)
{
  const struct provider_limits *limits = &c->k->p->limits;
  uint64_t text = 0;

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (n->type == JSON_STRING)
      text += characters (c, n);
  c->enum_values += list->count;
  c->text += text;
  if (limits->long_enum_values != 0 && list->count > limits->long_enum_values
      && text > limits->long_enum_text)
    walk_loss (c->k, LOSS_REFUSED, "enum",
               "an enum of over %u values may have %u characters in all, got %u with %llu",
               limits->long_enum_values, limits->long_enum_text, list->count,
               (unsigned long long) text);
}

static bool
lists (const struct count *c, const struct json_node *list, const struct json_node *name)
{
  if (!json_is (list, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_same (&c->tape, n, &c->tape, name))
      return true;
  return false;
}

static void
count_names (struct count *c, const struct json_node *map)
{
  for (const struct json_node *n = json_first (map); n != json_end (map);
       n = json_next (json_next (n)))
    c->text += characters (c, n);
}

static void
count_properties (struct count *c, const struct json_node *schema, const struct json_node *map)
{
  const struct json_node *required = json_member (&c->tape, schema, "required");

  c->properties += map->count;
  count_names (c, map);
  for (const struct json_node *n = json_first (map); n != json_end (map);
       n = json_next (json_next (n)))
    c->optional += !lists (c, required, n);
}

/* ---- the first properties of the objects of a union ---- */

/* The first property's name and schema of a branch that is an object; NULL when it is none. */
static const struct json_node *
first_property (const struct count *c, const struct json_node *branch)
{
  static const char defs[] = "#/$defs/";
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *ref = json_member (&c->tape, branch, "$ref"), *properties;
  size_t len = 0;
  const char *text = ref != NULL ? json_string (&c->tape, ref, &arena, &len) : NULL;

  if (text != NULL && len >= sizeof defs - 1)
    branch = json_pointer (&c->tape, json_root (&c->tape), text + 1, len - 1);
  properties = json_member (&c->tape, branch, "properties");
  return json_is (properties, JSON_OBJECT) && properties->count != 0 ? json_first (properties)
                                                                     : NULL;
}

/* Do both say which one value the property has, and not the same? */
static bool
tell_apart (const struct count *c, const struct json_node *a, const struct json_node *b)
{
  static const char *const keywords[] = { "const", "enum" };

  for (size_t i = 0; i < 2; i++) {
    const struct json_node *x = json_member (&c->tape, json_next (a), keywords[i]);
    const struct json_node *y = json_member (&c->tape, json_next (b), keywords[i]);
    if (x != NULL && y != NULL)
      return !json_same (&c->tape, x, &c->tape, y);
  }
  return false;
}

static void
check_first_keys (struct count *c, const struct json_node *branches)
{
  for (const struct json_node *n = json_first (branches); n != json_end (branches);
       n = json_next (n)) {
    const struct json_node *a = first_property (c, n);
    for (const struct json_node *m = json_first (branches); a != NULL && m != n;
         m = json_next (m)) {
      const struct json_node *b = first_property (c, m);
      if (b == NULL || !json_same (&c->tape, a, &c->tape, b) || tell_apart (c, a, b))
        continue;
      walk_loss (c->k, LOSS_REFUSED, "anyOf",
                 "two of its objects have the same first property, and no const in it that tells "
                 "them apart");
      return;
    }
  }
}

/* ---- the walk ---- */

static void count_schema (struct count *c, const struct json_node *schema, uint32_t depth);

static void
count_below (struct count *c, const struct json_node *value, enum below below, uint32_t depth)
{
  bool named = value->type == JSON_OBJECT;

  if (below == BELOW_ONE && value->type == JSON_OBJECT)
    count_schema (c, value, depth);
  if ((below != BELOW_LIST || value->type != JSON_ARRAY)
      && (below != BELOW_MAP || value->type != JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
    if (named)
      n = json_next (n);
    count_schema (c, n, depth);
  }
}

static void
count_keyword (struct count *c, const struct json_node *schema, const struct json_node *name,
               uint32_t depth)
{
  const struct json_node *value = json_next (name);
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *text = json_string (&c->tape, name, &arena, &len);
  const struct fact *fact = keyword_fact (text, len);
  bool object = value->type == JSON_OBJECT, array = value->type == JSON_ARRAY;

  if (strcmp (fact->name, "properties") == 0 && object) {
    count_properties (c, schema, value);
    depth++;
  }
  else if (strcmp (fact->name, "$defs") == 0 && object)
    count_names (c, value);
  else if (json_equals (&c->tape, name, "enum") && array)
    count_enum (c, value);
  else if (json_equals (&c->tape, name, "const") && value->type == JSON_STRING)
    c->text += characters (c, value);
  else if (strcmp (fact->name, "anyOf") == 0 && array) {
    c->unions++;
    if (c->k->p->first_keys_differ)
      check_first_keys (c, value);
  }
  else if (json_equals (&c->tape, name, "type") && array)
    c->unions++;
  c->depth = depth > c->depth ? depth : c->depth;
  count_below (c, value, fact->below, depth);
}

static void
count_schema (struct count *c, const struct json_node *schema, uint32_t depth)
{
  if (!json_is (schema, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (schema); n != json_end (schema);
       n = json_next (json_next (n)))
    count_keyword (c, schema, n, depth);
}

static void
compare (struct walk *k, const char *keyword, const char *what, uint64_t got, uint32_t most)
{
  if (most != 0 && got > most)
    walk_loss (k, LOSS_REFUSED, keyword, "at most %u %s, got %llu", most, what,
               (unsigned long long) got);
}

void
walk_limits (struct walk *k, const char *schema, size_t len, struct project_figures *figures)
{
  static const struct json_limits big = {
    .depth = 128, .nodes = 1000000, .members = 100000, .number_len = 512
  };
  const struct provider_limits *limits = &k->p->limits;
  struct count c = { .k = k };

  k->pointer.len = k->base;
  if (json_read (&c.tape, schema, len, &big, &c.arena))
    count_schema (&c, json_root (&c.tape), 0);
  compare (k, "properties", "properties in all objects together", c.properties, limits->properties);
  compare (k, "properties", "levels of objects", c.depth, limits->depth);
  compare (k, "properties", "characters of names and enumerated values", c.text, limits->text);
  compare (k, "enum", "enumerated values", c.enum_values, limits->enum_values);
  compare (k, "required", "properties that may be left out", c.optional, limits->optional);
  compare (k, "anyOf", "unions", c.unions, limits->unions);
  *figures = (struct project_figures){ .optional = c.optional, .unions = c.unions };
  arena_free (&c.arena);
}
