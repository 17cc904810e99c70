#include <string.h>

#include "schema/compile.h"

/* ---- names of subschemas ---- */

static void
add_anchor (struct compiler *c, const struct json_node *node, const struct json_node *resource,
            const char *name, size_t len)
{
  struct anchor *anchor = arena_alloc (c->arena, sizeof *anchor);

  *anchor = (struct anchor){
    .node = node, .resource = resource, .name = name, .name_len = len, .next = c->anchors
  };
  c->anchors = anchor;
}

static const struct anchor *
find_anchor (const struct compiler *c, const struct json_node *resource, const char *name,
             size_t len)
{
  for (const struct anchor *a = c->anchors; a != NULL; a = a->next)
    if (a->resource == resource && a->name_len == len && memcmp (a->name, name, len) == 0)
      return a;
  return NULL;
}

static bool
note_anchor (struct compiler *c, const struct json_node *node, const struct json_node *resource,
             const char *keyword)
{
  const struct json_node *value = json_member (c->tape, node, keyword);
  const char *name;
  size_t len;

  if (value == NULL)
    return true;
  name = json_string (c->tape, value, c->arena, &len);
  if (name == NULL || len == 0)
    return refuse (c, value, "expected a name");
  if (find_anchor (c, resource, name, len) != NULL)
    return refuse (c, value, "this anchor is there twice");
  add_anchor (c, node, resource, name, len);
  return true;
}

static void
add_resource (struct compiler *c, const struct json_node *node, const char *id, size_t len)
{
  struct resource *resource = arena_alloc (c->arena, sizeof *resource);

  *resource = (struct resource){ .node = node, .id = id, .id_len = len, .next = c->resources };
  c->resources = resource;
}

static const struct json_node *
note_id (struct compiler *c, const struct json_node *node, const struct json_node *resource,
         const struct json_node *value)
{
  size_t len;
  const char *id = json_string (c->tape, value, c->arena, &len);
  const char *fragment;

  if (id == NULL) {
    refuse (c, value, "expected a URI");
    return NULL;
  }
  if (len != 0 && id[len - 1] == '#')
    len--;
  fragment = memchr (id, '#', len);
  if (fragment == id && c->dialect != DRAFT_2020) {
    add_anchor (c, node, resource, id + 1, len - 1);
    return resource;
  }
  if (fragment != NULL) {
    refuse (c, value, "a fragment in $id is not supported");
    return NULL;
  }
  add_resource (c, node, id, len);
  return node;
}

const struct json_node *
note_identity (struct compiler *c, const struct json_node *node, const struct json_node *resource)
{
  const struct json_node *id = json_member (c->tape, node, "$id");
  bool alone = c->dialect != DRAFT_2020 && json_member (c->tape, node, "$ref") != NULL;

  if (id != NULL && !alone)
    resource = note_id (c, node, resource, id);
  if (resource == NULL || c->dialect != DRAFT_2020)
    return resource;
  if (!note_anchor (c, node, resource, "$anchor")
      || !note_anchor (c, node, resource, "$dynamicAnchor"))
    return NULL;
  return resource;
}

/* ---- references ---- */

static bool
has_scheme (const char *uri, size_t len)
{
  const char *colon = memchr (uri, ':', len);

  return colon != NULL && memchr (uri, '/', (size_t) (colon - uri)) == NULL;
}

/* The resource a reference names before its '#', NULL when it is not in this schema.  Relative
 * references would have to be resolved against each other; only whole ones are compared. */
static const struct json_node *
find_resource (const struct compiler *c, const struct reference *r, const char *uri, size_t len)
{
  if (len == 0)
    return r->resource;
  if (!has_scheme (uri, len))
    return NULL;
  for (const struct resource *known = c->resources; known != NULL; known = known->next)
    if (known->id_len == len && memcmp (known->id, uri, len) == 0)
      return known->node;
  return NULL;
}

static int
hex_digit (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "%25" is "%" in the fragment of a URI. */
static char *
percent_decoded (struct arena *arena, const char *text, size_t len, size_t *out_len)
{
  char *out = arena_alloc (arena, len);
  size_t n = 0;

  for (size_t i = 0; i < len; i++) {
    int high = i + 2 < len && text[i] == '%' ? hex_digit (text[i + 1]) : -1;
    int low = high >= 0 ? hex_digit (text[i + 2]) : -1;
    if (low >= 0) {
      out[n++] = (char) (high * 16 + low);
      i += 2;
    }
    else
      out[n++] = text[i];
  }
  *out_len = n;
  return out;
}

static const struct json_node *
find_target (struct compiler *c, const struct json_node *resource, const char *fragment, size_t len)
{
  const struct anchor *anchor;

  fragment = percent_decoded (c->arena, fragment, len, &len);
  if (len == 0 || fragment[0] == '/')
    return json_pointer (c->tape, resource, fragment, len);
  anchor = find_anchor (c, resource, fragment, len);
  return anchor != NULL ? anchor->node : NULL;
}

static bool
resolve (struct compiler *c, struct reference *r)
{
  size_t len;
  const char *text = json_string (c->tape, r->text, c->arena, &len);
  const char *hash = memchr (text, '#', len);
  size_t uri_len = hash != NULL ? (size_t) (hash - text) : len;
  const struct json_node *resource = find_resource (c, r, text, uri_len);
  const struct json_node *target = resource;
  struct draft *draft;

  if (resource == NULL)
    return refuse (c, r->text, "the reference leads out of the schema, which is not supported");
  if (hash != NULL)
    target = find_target (c, resource, hash + 1, len - uri_len - 1);
  if (target == NULL)
    return refuse (c, r->text, "the reference leads nowhere");
  draft = compile_subschema (c, target, resource, 0);
  if (draft == NULL)
    return false;
  r->from->rule.combination->ref = &draft->rule;
  add_edge (c, r->from, draft, EDGE_SAME, NULL);
  return true;
}

/* ---- circles and chains ---- */

/* How many subschemas may look at one value, one because of the other, from here on. */
static bool
measure_chain (struct compiler *c, struct draft *draft)
{
  if (draft->visit == VISIT_OPEN)
    return refuse (c, draft->rule.source, "references in a circle that never goes into the value");
  if (draft->visit == VISIT_DONE)
    return true;
  draft->visit = VISIT_OPEN;
  draft->chain = 1;
  for (const struct edge *e = draft->edges; e != NULL; e = e->next) {
    if (e->kind != EDGE_SAME)
      continue;
    if (!measure_chain (c, e->to))
      return false;
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
}

bool
link_rules (struct compiler *c)
{
  /* compiling a target may add references at the end */
  for (struct reference *r = c->references; r != NULL; r = r->next)
    if (!resolve (c, r))
      return false;
  for (struct draft *d = c->drafts; d != NULL; d = d->next)
    if (!measure_chain (c, d))
      return false;
  while (spread_secrecy (c->drafts))
    continue;
  collect_secret_names (c);
  return true;
}
