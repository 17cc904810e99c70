#include "schema/compile.h"

enum { BEFORE_2019 = SCHEMA_DRAFT_07 | SCHEMA_DRAFT_06 | SCHEMA_DRAFT_04 };

/* ---- resources ---- */

static struct resource *
add_resource (struct compiler *c, const struct json_node *node, struct uri uri,
              const struct dialect *usual)
{
  struct resource *resource = arena_alloc (c->arena, sizeof *resource);
  const struct json_node *dialect = json_member (c->tape, node, "$schema");
  struct error why = { 0 };

  *resource =
    (struct resource){ .node = node, .uri = uri, .dialect = *usual, .next = c->resources };
  if (dialect != NULL && !dialect_read (&resource->dialect, c->tape, dialect, c->documents, &why)) {
    refuse (c, dialect, "%s", why.text);
    return NULL;
  }
  c->resources = resource;
  return resource;
}

struct resource *
add_document_resource (struct compiler *c, const struct json_node *node, struct uri uri,
                       const struct dialect *usual)
{
  struct resource *resource = add_resource (c, node, uri, usual);

  if (resource != NULL)
    resource->retrieved = uri;
  return resource;
}

struct resource *
find_resource (const struct compiler *c, struct uri uri)
{
  for (struct resource *r = c->resources; r != NULL; r = r->next)
    if (uri_same (r->uri, uri) || (r->retrieved.len != 0 && uri_same (r->retrieved, uri)))
      return r;
  return NULL;
}

struct resource *
resource_around (const struct compiler *c, const struct json_node *node)
{
  struct resource *inner = NULL;

  for (struct resource *r = c->resources; r != NULL; r = r->next)
    if (r->node <= node && node < json_end (r->node) && (inner == NULL || inner->node <= r->node))
      inner = r;
  return inner;
}

/* ---- anchors ---- */

struct anchor *
find_anchor (const struct compiler *c, struct resource *resource, const char *name, size_t len)
{
  for (struct anchor *a = c->anchors; a != NULL; a = a->next)
    if (a->resource == resource && a->name_len == len && memcmp (a->name, name, len) == 0)
      return a;
  return NULL;
}

static bool
add_anchor (struct compiler *c, const struct json_node *node, struct resource *resource,
            struct uri name, bool dynamic)
{
  struct anchor *anchor;
  struct anchor *known = find_anchor (c, resource, name.text, name.len);

  if (known != NULL && known->node == node) {
    known->dynamic |= dynamic;
    return true;
  }
  if (known != NULL)
    return refuse (c, node, "the anchor \"%.*s\" is there twice", (int) name.len, name.text);
  anchor = arena_alloc (c->arena, sizeof *anchor);
  *anchor = (struct anchor){ .node = node,
                             .resource = resource,
                             .name = name.text,
                             .name_len = name.len,
                             .dynamic = dynamic,
                             .next = c->anchors };
  c->anchors = anchor;
  return true;
}

static bool
note_anchor (struct compiler *c, const struct json_node *node, struct resource *resource,
             const char *keyword, bool dynamic)
{
  const struct json_node *value = json_member (c->tape, node, keyword);
  struct uri name;

  if (value == NULL)
    return true;
  name.text = json_string (c->tape, value, c->arena, &name.len);
  if (name.text == NULL || name.len == 0)
    return refuse (c, value, "expected a name");
  return add_anchor (c, node, resource, name, dynamic);
}

/* ---- "$id" ---- */

/* The root of a document keeps its resource, which gets the URI that "$id" says. */
static struct resource *
rename_or_add (struct compiler *c, const struct json_node *node, struct resource *around,
               struct uri id)
{
  struct uri uri = uri_resolve (around->uri, id, c->arena);

  if (around->node == node) {
    around->uri = uri;
    return around;
  }
  return add_resource (c, node, uri, &around->dialect);
}

static struct resource *
note_id (struct compiler *c, const struct json_node *node, struct resource *around,
         const struct json_node *value)
{
  bool old = (around->dialect.draft & BEFORE_2019) != 0;
  struct uri id, fragment;

  id.text = json_string (c->tape, value, c->arena, &id.len);
  if (id.text == NULL) {
    refuse (c, value, "expected a URI");
    return NULL;
  }
  fragment = uri_fragment (id);
  id = uri_without_fragment (id);
  if (fragment.len != 0 && !old) {
    refuse (c, value, "a fragment in $id is not allowed; $anchor names a place");
    return NULL;
  }
  if (id.len != 0)
    around = rename_or_add (c, node, around, id);
  /* before there was "$anchor" */
  if (around != NULL && fragment.len != 0 && fragment.text[0] != '/'
      && !add_anchor (c, node, around, fragment, false))
    return NULL;
  return around;
}

static bool
note_recursive_anchor (struct compiler *c, const struct json_node *node, struct resource *resource)
{
  const struct json_node *value = json_member (c->tape, node, "$recursiveAnchor");

  if (json_is (value, JSON_TRUE) && resource->node == node)
    resource->recursive = true;
  return true;
}

struct resource *
note_identity (struct compiler *c, const struct json_node *node, struct resource *around)
{
  enum schema_dialect draft = around->dialect.draft;
  const struct json_node *id = json_member (c->tape, node, draft == SCHEMA_DRAFT_04 ? "id" : "$id");

  if ((draft & BEFORE_2019) != 0 && json_member (c->tape, node, "$ref") != NULL)
    return around;
  /* what draft-04 calls "id" is also a likely name of something else */
  if (id != NULL && (draft != SCHEMA_DRAFT_04 || id->type == JSON_STRING))
    around = note_id (c, node, around, id);
  if (around == NULL)
    return NULL;
  draft = around->dialect.draft;
  if ((draft & BEFORE_2019) != 0)
    return around;
  if (!note_anchor (c, node, around, "$anchor", false)
      || (draft == SCHEMA_2020_12 && !note_anchor (c, node, around, "$dynamicAnchor", true))
      || (draft == SCHEMA_2019_09 && !note_recursive_anchor (c, node, around)))
    return NULL;
  return around;
}
