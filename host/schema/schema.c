#include "schema/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/compile.h"
#include "schema/explain/line.h"
#include "schema/explain/place.h"

enum { POINTER_ROOM = 240 /* of an error's text */ };

bool
refuse (struct compiler *c, const struct json_node *node, const char *fmt, ...)
{
  const struct json_node *name;
  uint32_t index;
  const struct json_node *document = place_step (json_root (c->tape), node, &name, &index);
  struct line line = { .len = 0 };
  va_list args;
  char why[256];

  if (index != 0)
    line_add_text (&line, c->documents->list[index - 1]->uri.text,
                   c->documents->list[index - 1]->uri.len, LINE_PIECE);
  line_add_pointer (&line, c->tape, document, node);
  va_start (args, fmt);
  (void) vsnprintf (why, sizeof why, fmt, args);
  va_end (args);
  while (line.len > POINTER_ROOM || (line.text[line.len] & 0xc0) == 0x80)
    line.len--;
  if (line.len != 0)
    line_add (&line, ": ");
  /* with words of the schema in it, whose author may be anybody */
  line_add_text (&line, why, strlen (why), sizeof why);
  return error_set (c->err, "%s", line.text);
}

/* ---- the text that is compiled ---- */

/* The schema and the documents it refers to, as one JSON array, so that one tape holds all. */
static bool
read_documents (struct compiler *c, const char *text, size_t len)
{
  static const struct json_limits none = {
    .depth = UINT32_MAX, .nodes = UINT32_MAX, .members = UINT32_MAX, .number_len = UINT32_MAX
  };
  CLEANUP_BUF struct buf all = { 0 };
  struct json_tape *tape = &c->schema->tape;

  buf_putc (&all, '[');
  buf_append (&all, text, len);
  for (size_t i = 0; i < c->documents->count; i++) {
    buf_putc (&all, ',');
    buf_append (&all, c->documents->list[i]->text, c->documents->list[i]->len);
  }
  buf_putc (&all, ']');
  text = arena_strndup (c->arena, all.data, all.len);
  return json_read (tape, text, all.len, &none, c->arena)
         || error_set (c->err, "%s", tape->problem);
}

static bool
add_document_resources (struct compiler *c)
{
  enum schema_dialect draft = c->options->dialect != 0 ? c->options->dialect : SCHEMA_2020_12;
  const struct json_node *node = json_first (json_root (c->tape));
  struct dialect usual = dialect_of_draft (draft);
  struct resource *main = add_document_resource (c, node, (struct uri){ 0 }, &usual);

  if (main == NULL)
    return false;
  for (size_t i = 0; i < c->documents->count; i++) {
    node = json_next (node);
    if (add_document_resource (c, node, c->documents->list[i]->uri, &main->dialect) == NULL)
      return false;
  }
  return true;
}

/* ---- the whole ---- */

static bool
compile_documents (struct compiler *c)
{
  const struct json_node *root = json_root (c->tape);

  if (!add_document_resources (c))
    return false;
  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (n))
    if (compile_subschema (c, n, resource_around (c, n), 0) == NULL)
      return false;
  if (!link_rules (c))
    return false;
  c->schema->root = &c->by_node[1]->rule;
  return true;
}

/* One try with the documents known so far; *again is set when it wants one more. */
static struct schema *
compile (const char *text, size_t len, const struct schema_options *options,
         struct documents *documents, bool *again, struct error *err)
{
  struct schema *schema = xcalloc (1, sizeof *schema);
  struct compiler c = { .schema = schema,
                        .tape = &schema->tape,
                        .arena = &schema->arena,
                        .options = options,
                        .documents = documents,
                        .err = err };
  bool good = read_documents (&c, text, len);

  if (good) {
    c.by_node = xcalloc (schema->tape.count, sizeof *c.by_node);
    c.references_end = &c.references;
    good = compile_documents (&c);
    free (c.by_node);
  }
  *again = c.wants_document;
  if (good && !*again)
    return schema;
  schema_free (schema);
  return NULL;
}

struct schema *
schema_compile (const struct json_tape *tape, const struct json_node *node,
                const struct schema_options *options, struct error *err)
{
  static const struct schema_options usual = { 0 };
  struct documents documents = { 0 };
  struct schema *schema;
  bool again;
  size_t len;
  const char *text = json_raw (tape, node, &len);

  if (options == NULL)
    options = &usual;
  documents.registry = options->registry;
  do
    schema = compile (text, len, options, &documents, &again, err);
  while (again);
  return schema;
}

void
schema_free (struct schema *schema)
{
  if (schema == NULL)
    return;
  for (struct regex *regex = schema->patterns, *next; regex != NULL; regex = next) {
    next = regex->next;
    regex_free (regex);
  }
  arena_free (&schema->arena);
  free (schema);
}
