#include <string.h>

#include "schema/compile.h"

/* ---- references ---- */

static struct resource *
resource_of (struct compiler *c, struct reference *r, struct uri uri)
{
  struct resource *resource;

  if (uri.len == 0)
    return r->resource;
  uri = uri_resolve (r->resource->uri, uri, c->arena);
  resource = find_resource (c, uri);
  if (resource != NULL)
    return resource;
  if (documents_add (c->documents, uri))
    c->wants_document = true;
  else
    refuse (c, r->text,
            "the reference leads out of the schema, to a document that is not known (nothing is "
            "fetched from the network)");
  return NULL;
}

static struct dynamic *
new_dynamic (struct compiler *c, struct reference *r, struct rule *otherwise)
{
  struct dynamic *dynamic = arena_alloc (c->arena, sizeof *dynamic);

  *dynamic = (struct dynamic){ .otherwise = otherwise };
  r->from->rule.combination->dynamic = dynamic;
  return dynamic;
}

/* The reference leads to `node`, plainly. */
static bool
lead_to (struct compiler *c, struct reference *r, const struct json_node *node)
{
  struct draft *draft = compile_subschema (c, node, resource_around (c, node), 0);
  struct combination *from = r->from->rule.combination;

  if (draft == NULL)
    return false;
  add_edge (c, r->from, draft, EDGE_SAME, NULL);
  if (from->ref == NULL)
    from->ref = &draft->rule;
  else /* "$ref" and "$dynamicRef" side by side */
    (void) new_dynamic (c, r, &draft->rule);
  return true;
}

static bool
resolve (struct compiler *c, struct reference *r)
{
  const struct json_node *target;
  struct anchor *anchor = NULL;
  struct resource *resource;
  struct uri text, fragment;

  text.text = json_string (c->tape, r->text, c->arena, &text.len);
  resource = resource_of (c, r, uri_without_fragment (text));
  if (resource == NULL)
    return c->wants_document;
  fragment = uri_decoded (uri_fragment (text), c->arena);
  if (fragment.len == 0 || fragment.text[0] == '/')
    target = json_pointer (c->tape, resource->node, fragment.text, fragment.len);
  else {
    anchor = find_anchor (c, resource, fragment.text, fragment.len);
    target = anchor != NULL ? anchor->node : NULL;
  }
  if (target == NULL)
    return refuse (c, r->text, "the reference leads nowhere");
  if (r->kind == DYNAMIC_REFERENCE && anchor != NULL && anchor->dynamic)
    r->anchor = anchor;
  else if (r->kind == RECURSIVE_REFERENCE && resource->recursive)
    r->recursive = resource;
  else
    return lead_to (c, r, target);
  return true;
}

/* ---- references that depend on how they were reached ---- */

static bool
add_candidate (struct compiler *c, struct reference *r, struct dynamic *dynamic,
               struct resource *resource, const struct json_node *node)
{
  struct draft *draft = compile_subschema (c, node, resource, 0);

  if (draft == NULL)
    return false;
  add_edge (c, r->from, draft, EDGE_INSIDE, NULL);
  dynamic->resources[dynamic->count] = resource;
  dynamic->rules[dynamic->count++] = &draft->rule;
  return true;
}

static uint32_t
count_candidates (const struct compiler *c, const struct reference *r)
{
  uint32_t count = 0;

  for (const struct resource *o = c->resources; o != NULL; o = o->next)
    count += r->recursive != NULL && o->recursive;
  for (const struct anchor *a = c->anchors; a != NULL; a = a->next)
    count += r->anchor != NULL && a->dynamic
             && uri_same ((struct uri){ a->name, a->name_len },
                          (struct uri){ r->anchor->name, r->anchor->name_len });
  return count;
}

static bool
add_candidates (struct compiler *c, struct reference *r, struct dynamic *dynamic)
{
  for (struct resource *o = c->resources; o != NULL; o = o->next)
    if (r->recursive != NULL && o->recursive && !add_candidate (c, r, dynamic, o, o->node))
      return false;
  for (struct anchor *a = c->anchors; a != NULL; a = a->next)
    if (r->anchor != NULL && a->dynamic
        && uri_same ((struct uri){ a->name, a->name_len },
                     (struct uri){ r->anchor->name, r->anchor->name_len })
        && !add_candidate (c, r, dynamic, a->resource, a->node))
      return false;
  return true;
}

/* Once all anchors are known. */
static bool
resolve_dynamic (struct compiler *c, struct reference *r)
{
  struct resource *resource = r->recursive != NULL ? r->recursive : r->anchor->resource;
  const struct json_node *node = r->recursive != NULL ? resource->node : r->anchor->node;
  uint32_t count = count_candidates (c, r);
  struct dynamic *dynamic;
  struct draft *draft;

  if (count == 1)
    return lead_to (c, r, node);
  draft = compile_subschema (c, node, resource, 0);
  if (draft == NULL)
    return false;
  dynamic = new_dynamic (c, r, &draft->rule);
  dynamic->resources = arena_alloc (c->arena, count * sizeof (struct resource *));
  dynamic->rules = arena_alloc (c->arena, count * sizeof (struct rule *));
  c->dynamic = true;
  return add_candidates (c, r, dynamic);
}

/* ---- circles, chains and bombs ---- */

/* How many subschemas may look at one value, one because of the other, and all together. */
static bool
measure (struct compiler *c, struct draft *draft)
{
  if (draft->visit == VISIT_OPEN)
    return refuse (c, draft->rule.source, "references in a circle that never goes into the value");
  if (draft->visit == VISIT_DONE)
    return true;
  draft->visit = VISIT_OPEN;
  draft->chain = 1;
  draft->looks = 1;
  for (const struct edge *e = draft->edges; e != NULL; e = e->next) {
    if (e->kind != EDGE_SAME)
      continue;
    if (!measure (c, e->to))
      return false;
    draft->looks += e->to->looks;
    if (draft->looks > LOOKS_MAX)
      return refuse (c, draft->rule.source,
                     "too costly: more than %d subschemas would look at one value", LOOKS_MAX);
    if (e->to->chain >= draft->chain)
      draft->chain = (uint16_t) (e->to->chain + 1);
  }
  draft->visit = VISIT_DONE;
  return draft->chain <= CHAIN_MAX
         || refuse (c, draft->rule.source, "more than %d references and combinations in a row",
                    CHAIN_MAX);
}

/* ---- secrecy ---- */

/* What holds or describes a secret is one, up to a member's name. */
static bool
spread_secrecy (struct draft *drafts)
{
  bool changed = false;

  for (struct draft *d = drafts; d != NULL; d = d->next)
    for (const struct edge *e = d->edges; e != NULL; e = e->next)
      if (e->kind != EDGE_MEMBER && e->to->rule.secret && !d->rule.secret)
        changed = d->rule.secret = true;
  return changed;
}

static void
collect_secret_names (struct compiler *c)
{
  struct words *names = &c->schema->secret_names;
  uint32_t count = 0;

  for (const struct draft *d = c->drafts; d != NULL; d = d->next)
    for (const struct edge *e = d->edges; e != NULL; e = e->next)
      count += e->kind == EDGE_MEMBER && e->to->rule.secret;
  if (count == 0)
    return;
  words_init (names, count, c->arena);
  for (const struct draft *d = c->drafts; d != NULL; d = d->next)
    for (const struct edge *e = d->edges; e != NULL; e = e->next)
      if (e->kind == EDGE_MEMBER && e->to->rule.secret)
        (void) words_add (names, c->tape, e->name, c->arena);
  words_finish (names, c->arena);
}

/* ---- what makes checking quick ---- */

static bool
is_only_reference (const struct rule *rule)
{
  static const struct combination empty = { 0 };
  struct combination rest;

  if (rule->combination == NULL || rule->combination->ref == NULL || rule->types != TYPE_ANY
      || rule->enumeration != NULL || rule->constant != NULL || rule->number != NULL
      || rule->string != NULL || rule->array != NULL || rule->object != NULL)
    return false;
  rest = *rule->combination;
  rest.ref = NULL;
  return memcmp (&rest, &empty, sizeof rest) == 0;
}

/* Types whose values need more than a look at the type. */
static uint16_t
types_with_more (const struct rule *rule)
{
  if (rule->enumeration != NULL || rule->constant != NULL || rule->combination != NULL)
    return TYPE_ANY;
  return (
    uint16_t) ((rule->number != NULL ? TYPE_NUMBER : 0) | (rule->string != NULL ? TYPE_STRING : 0)
               | (rule->array != NULL ? TYPE_ARRAY : 0) | (rule->object != NULL ? TYPE_OBJECT : 0));
}

/* Of a rule that is about strings alone. */
static enum rule_kind
kind_of_text (struct rule *rule)
{
  const struct string_rules *string = rule->string;

  if (string->pattern != NULL || string->format != FORMAT_NONE)
    return RULE_TEXT;
  rule->min_length = string->min;
  rule->max_length = string->max;
  return RULE_LENGTH;
}

static enum rule_kind
kind_of_values (struct rule *rule)
{
  const struct values *values = rule->enumeration != NULL ? rule->enumeration : rule->constant;

  if (values->others_count != 0 || (rule->enumeration != NULL && rule->constant != NULL))
    return RULE_LEAF;
  rule->words = &values->strings;
  return RULE_WORD;
}

static enum rule_kind
kind_of (struct rule *rule)
{
  bool values = rule->enumeration != NULL || rule->constant != NULL;
  unsigned groups = (unsigned) values + (rule->number != NULL) + (rule->string != NULL)
                    + (rule->array != NULL) + (rule->object != NULL);

  if (rule->combination != NULL || rule->array != NULL)
    return RULE_NESTED;
  if (rule->object != NULL)
    return groups == 1 ? RULE_OBJECT : RULE_NESTED;
  if (groups != 1)
    return RULE_LEAF;
  if (rule->string != NULL)
    return kind_of_text (rule);
  if (rule->number != NULL)
    return rule->number->multiple.source == NULL ? RULE_RANGE : RULE_LEAF;
  return kind_of_values (rule);
}

/* Names that the schema knows meet its patterns here, once. */
static void
match_known_names (struct compiler *c, struct object_rules *object)
{
  int64_t budget = CHECK_COST_MAX;

  for (uint32_t i = 0; i < object->names.count; i++) {
    struct property *property = &object->properties[i];
    struct branches *found = &property->by_pattern;
    const struct word *name = &object->names.list[i];
    found->rules = arena_alloc (c->arena, object->patterns_count * sizeof (struct rule *));
    for (uint32_t p = 0; p < object->patterns_count; p++)
      if (regex_match (object->patterns[p].regex, name->text, name->len, &budget) == REGEX_MATCH)
        found->rules[found->count++] = object->patterns[p].rule;
    property->more = found->count != 0 || (property->rule == NULL && object->additional != NULL);
  }
}

static void
copy_into_property (struct property *property, const struct word *word)
{
  static const struct rule anything = { .types = TYPE_ANY };
  const struct rule *rule = property->rule != NULL ? property->rule : &anything;

  if (rule->alias != NULL)
    rule = rule->alias;
  property->text = word->text;
  property->len = word->len;
  property->check = rule;
  property->types = rule->types;
  property->types_more = rule->more;
  property->kind = rule->kind;
  property->min_length = rule->min_length;
  property->max_length = rule->max_length;
}

static void
copy_into_properties (struct object_rules *object)
{
  object->least = object->min > object->required_count ? object->min : object->required_count;
  if (object->properties == NULL)
    return;
  for (uint32_t i = 0; i < object->names.count; i++)
    copy_into_property (&object->properties[i], &object->names.list[i]);
  object->properties[object->names.count].len = UINT32_MAX;
}

static void
quicken (struct compiler *c)
{
  for (struct draft *d = c->drafts; d != NULL; d = d->next) {
    struct rule *rule = &d->rule;
    rule->more = types_with_more (rule);
    rule->kind = (uint8_t) kind_of (rule);
    if (c->dynamic)
      rule->resource = d->resource;
    else if (is_only_reference (rule))
      rule->alias = rule->combination->ref;
    if (rule->object != NULL)
      match_known_names (c, rule->object);
  }
  for (struct draft *d = c->drafts; d != NULL; d = d->next)
    while (d->rule.alias != NULL && d->rule.alias->alias != NULL)
      d->rule.alias = d->rule.alias->alias;
  for (struct draft *d = c->drafts; d != NULL; d = d->next) {
    if (d->rule.combination != NULL)
      add_choices (c, &d->rule);
    if (d->rule.object != NULL)
      copy_into_properties (d->rule.object);
  }
}

static bool
resolve_all (struct compiler *c)
{
  /* compiling a target may add references at the end */
  for (struct reference *r = c->references; r != NULL; r = r->next)
    if (!resolve (c, r))
      return false;
  if (c->wants_document)
    return true;
  for (struct reference *r = c->references; r != NULL; r = r->next)
    if ((r->anchor != NULL || r->recursive != NULL) && !resolve_dynamic (c, r))
      return false;
  return true;
}

bool
link_rules (struct compiler *c)
{
  if (!resolve_all (c))
    return false;
  if (c->wants_document)
    return true;
  for (struct draft *d = c->drafts; d != NULL; d = d->next)
    if (!measure (c, d))
      return false;
  while (spread_secrecy (c->drafts))
    continue;
  collect_secret_names (c);
  quicken (c);
  return true;
}
