#include "manage/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"

const struct json_limits document_limits = {
  .depth = 32, .nodes = 20000, .members = 2000, .number_len = 64
};
const struct json_limits documents_limits = {
  .depth = 40, .nodes = 2000000, .members = 10000, .number_len = 64
};

bool
document_name (enum definition_kind kind, const char *name, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    const char c = name[i];
    const bool letter = c >= 'a' && c <= 'z';
    const bool dot =
      kind == DEFINITION_ENDPOINT && c == '.' && i != 0 && i + 1 < len && name[i - 1] != '.';
    if (!letter && !dot && (i == 0 || !((c >= '0' && c <= '9') || c == '_')))
      return false;
  }
  return len != 0 && len <= DOCUMENT_NAME_MAX;
}

static void
piece_free (struct piece *piece)
{
  free (piece->name);
  free (piece->body);
  free (piece);
}

void
compose_add (struct composed *c, enum definition_kind kind, const char *name, const char *body,
             size_t len, const char *from)
{
  struct piece *piece = xcalloc (1, sizeof *piece), *was = NULL;

  piece->name = xstrdup (name);
  piece->body = xstrndup (body, len);
  piece->len = len;
  piece->from = from;
  HASH_FIND_STR (c->by_name[kind], name, was);
  if (was != NULL) {
    if (c->replaced != NULL)
      c->replaced (c->ctx, kind, was, from);
    HASH_DEL (c->by_name[kind], was);
    piece_free (was);
    c->count--;
  }
  HASH_ADD_KEYPTR (hh, c->by_name[kind], piece->name, strlen (piece->name), piece);
  c->count++;
}

/* ---- texts ---- */

struct reading {
  struct composed *c;
  const char *from;
  struct json_tape tape;
  struct arena arena;
  struct error *err;
};

static void
reading_cleanup (struct reading *r)
{
  arena_free (&r->arena);
}

/* `at`: where it stands. */
static bool
add_document (struct reading *r, enum definition_kind kind, const struct json_node *node,
              const char *at)
{
  const struct json_node *name = json_member (&r->tape, node, "name");
  const char *text = json_cstring (&r->tape, name, &r->arena);
  const char *raw;
  size_t len;

  if (!json_is (node, JSON_OBJECT))
    return error_set (r->err, "%s: expected an object, the document of a %s", at,
                      definition_word (kind));
  if (text == NULL || !document_name (kind, text, strlen (text)))
    return error_set (r->err, "%s/name: expected 1 to %d of a-z, 0-9 and '_'%s, a letter first", at,
                      (int) DOCUMENT_NAME_MAX, kind == DEFINITION_ENDPOINT ? " and '.'" : "");
  raw = json_raw (&r->tape, node, &len);
  if (len > DOCUMENT_MAX)
    return error_set (r->err, "%s: it has %zu bytes, %d are the most", at, len, (int) DOCUMENT_MAX);
  compose_add (r->c, kind, text, raw, len, r->from);
  return true;
}

static bool
add_list (struct reading *r, enum definition_kind kind, const struct json_node *list,
          const char *at)
{
  size_t number = 0;

  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY))
    return error_set (r->err, "%s: expected an array of documents", at);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    char place[64];
    (void) snprintf (place, sizeof place, "%s/%zu", at, number++);
    if (!add_document (r, kind, n, place))
      return false;
  }
  return true;
}

static bool
add_group (struct reading *r, const struct json_node *root)
{
  static const char *const known[] = { "tools", "endpoints", "strict_templates", "$schema", NULL };
  const struct json_node *strict = json_member (&r->tape, root, "strict_templates");
  const struct json_node *name;

  for (name = json_first (root); name != json_end (root); name = json_next (json_next (name))) {
    const char *text = json_cstring (&r->tape, name, &r->arena);
    size_t i = 0;
    while (known[i] != NULL && !json_equals (&r->tape, name, known[i]))
      i++;
    if (known[i] == NULL)
      return error_set (r->err,
                        "/%.80s: expected \"tools\", \"endpoints\" and \"strict_templates\"",
                        text != NULL ? text : "");
  }
  if (strict != NULL && !json_is (strict, JSON_TRUE) && !json_is (strict, JSON_FALSE))
    return error_set (r->err, "/strict_templates: expected true or false");
  if (strict != NULL)
    r->c->strict = json_is (strict, JSON_TRUE);
  return add_list (r, DEFINITION_TOOL, json_member (&r->tape, root, "tools"), "/tools")
         && add_list (r, DEFINITION_ENDPOINT, json_member (&r->tape, root, "endpoints"),
                      "/endpoints");
}

bool
compose_add_text (struct composed *c, const char *text, size_t len, const char *from,
                  struct error *err)
{
  __attribute__ ((
    cleanup (reading_cleanup))) struct reading r = { .c = c, .from = from, .err = err };
  const struct json_node *root;

  if (!json_read (&r.tape, text, len, &documents_limits, &r.arena))
    return error_set (err, "byte %zu: %s", r.tape.offset, r.tape.problem);
  root = json_root (&r.tape);
  if (json_is (root, JSON_ARRAY))
    return add_list (&r, DEFINITION_TOOL, root, "");
  if (json_member (&r.tape, root, "name") != NULL)
    return add_document (&r, DEFINITION_TOOL, root, "");
  return json_is (root, JSON_OBJECT) ? add_group (&r, root)
                                     : error_set (err, "expected an object, or an array of them");
}

/* ---- what a tenant has made ---- */

void
compose_add_tenant (struct composed *c, const struct tenant_definitions *of, const char *from)
{
  for (int kind = 0; of != NULL && kind < DEFINITION_KINDS; kind++)
    for (const struct definition *d = of->by_name[kind]; d != NULL; d = d->hh.next)
      compose_add (c, (enum definition_kind) kind, d->name, d->body, d->body_len, from);
}

/* ---- writing ---- */

static void
put_pieces (struct json_writer *w, const struct composed *c, enum definition_kind kind,
            const char *without)
{
  jsonw_array (w);
  for (const struct piece *p = c->by_name[kind]; p != NULL; p = p->hh.next)
    if (without == NULL || strcmp (p->name, without) != 0)
      jsonw_raw (w, p->body, p->len);
  jsonw_end (w);
}

static int
by_name (const struct piece *a, const struct piece *b)
{
  return strcmp (a->name, b->name);
}

void
compose_put (struct composed *c, struct buf *out)
{
  struct json_writer w = { .out = out };

  HASH_SORT (c->by_name[DEFINITION_TOOL], by_name);
  HASH_SORT (c->by_name[DEFINITION_ENDPOINT], by_name);
  jsonw_object (&w);
  jsonw_name (&w, "tools");
  put_pieces (&w, c, DEFINITION_TOOL, NULL);
  jsonw_name (&w, "endpoints");
  put_pieces (&w, c, DEFINITION_ENDPOINT, NULL);
  jsonw_name_bool (&w, "strict_templates", c->strict);
  jsonw_end (&w);
}

void
compose_put_endpoints (const struct composed *c, const char *without, struct buf *out)
{
  struct json_writer w = { .out = out };

  put_pieces (&w, c, DEFINITION_ENDPOINT, without);
}

void
composed_free (struct composed *c)
{
  struct piece *piece, *next;

  for (int kind = 0; kind < DEFINITION_KINDS; kind++)
    HASH_ITER (hh, c->by_name[kind], piece, next)
    {
      HASH_DEL (c->by_name[kind], piece);
      piece_free (piece);
    }
  c->count = 0;
}
