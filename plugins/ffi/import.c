/* What a whole header comes to. */
#include <fnmatch.h>
#include <string.h>

#include "header.h"

enum { IMPORTED_TYPES_MAX = 1000 };

struct importing {
  struct values *pool;
  struct text *out;
  const struct c_type *types[IMPORTED_TYPES_MAX]; /* that are written already */
  size_t count;
};

/* ---- types that are used ---- */

static const char *
key_of (const struct c_type *type)
{
  const char *name = type->name != NULL ? type->name : "";
  const char *blank = strchr (name, ' ');

  return blank != NULL ? blank + 1 : name;
}

static void
write_members (const struct c_type *type, struct text *out)
{
  json_name (out, "struct");
  json_open (out, '[');
  for (size_t i = 0; i < type->count; i++) {
    CLEANUP_TEXT struct text text = { 0 };
    json_open (out, '{');
    json_name_string (out, "name", type->members[i].name);
    c_type_write (type->members[i].type, &text);
    json_name_string (out, "type", text_get (&text));
    json_close (out, '}');
  }
  json_close (out, ']');
}

static void
write_constants (const struct c_type *type, struct text *out)
{
  json_name (out, "enum");
  json_open (out, '{');
  for (size_t i = 0; i < type->count; i++)
    json_name_int (out, type->constants[i].name, type->constants[i].value);
  json_close (out, '}');
}

/* What it is made of comes first: a document names nothing before it is there. */
static void
write_type (struct importing *in, const struct c_type *type)
{
  while (type->kind == C_POINTER || type->kind == C_ARRAY)
    type = type->of;
  if (type->kind != C_STRUCT && type->kind != C_ENUM)
    return;
  for (size_t i = 0; i < in->count; i++)
    if (in->types[i] == type || strcmp (key_of (in->types[i]), key_of (type)) == 0)
      return;
  if (in->count == IMPORTED_TYPES_MAX)
    return;
  in->types[in->count++] = type;
  for (size_t i = 0; type->kind == C_STRUCT && i < type->count; i++)
    write_type (in, type->members[i].type);
  json_name (in->out, key_of (type));
  json_open (in->out, '{');
  if (type->kind == C_STRUCT)
    write_members (type, in->out);
  else
    write_constants (type, in->out);
  json_close (in->out, '}');
}

static void
write_types (struct importing *in, const struct c_prototype *prototype)
{
  write_type (in, prototype->returns);
  for (size_t i = 0; i < prototype->count; i++)
    write_type (in, prototype->params[i].type);
}

/* ---- functions ---- */

static bool
is_wanted (const struct c_prototype *prototype, const char *pattern)
{
  return pattern == NULL ? !prototype->foreign : fnmatch (pattern, prototype->name, 0) == 0;
}

static void
write_about (struct text *out, unsigned line, const char *name, const char *key, const char *text)
{
  json_open (out, '{');
  json_name_int (out, "line", line);
  if (name != NULL)
    json_name_string (out, "name", name);
  json_name_string (out, key, text);
  json_close (out, '}');
}

static void
write_notes (const struct c_header *header, struct values *pool, const char *library,
             const char *pattern, struct text *out)
{
  const char *why, *note;

  json_name (out, "notes");
  json_open (out, '[');
  for (const struct c_prototype *p = header->prototypes; p != NULL; p = p->next) {
    if (!is_wanted (p, pattern))
      continue;
    (void) header_propose (pool, p, library, &why, &note);
    if (why == NULL && note != NULL)
      write_about (out, p->line, p->name, "note", note);
  }
  json_close (out, ']');
}

static void
write_left_out (const struct c_header *header, struct values *pool, const char *library,
                const char *pattern, struct text *out)
{
  const char *why, *note;

  json_name (out, "left_out");
  json_open (out, '[');
  for (const struct c_left_out *l = header->left_out; l != NULL; l = l->next)
    if (pattern == NULL || l->name == NULL || fnmatch (pattern, l->name, 0) == 0)
      write_about (out, l->line, l->name, "why", l->why);
  for (const struct c_prototype *p = header->prototypes; p != NULL; p = p->next) {
    if (!is_wanted (p, pattern))
      continue;
    (void) header_propose (pool, p, library, &why, &note);
    if (why != NULL)
      write_about (out, p->line, p->name, "why", why);
  }
  json_close (out, ']');
}

void
header_import (struct values *pool, const char *text, size_t len, const char *library,
               const char *pattern, struct text *out)
{
  struct c_types types = { .pool = pool };
  struct c_header header = { .types = &types };
  struct importing in = { .pool = pool, .out = out };
  CLEANUP_TEXT struct text functions = { 0 };
  const char *why, *note;

  c_header_read (&header, text, len);
  json_open (out, '{');
  json_name (out, "types");
  json_open (out, '{');
  json_open (&functions, '[');
  for (const struct c_prototype *p = header.prototypes; p != NULL; p = p->next) {
    const struct value *proposed;
    if (!is_wanted (p, pattern))
      continue;
    proposed = header_propose (pool, p, library, &why, &note);
    if (why != NULL)
      continue;
    write_types (&in, p);
    value_write (&functions, proposed);
  }
  json_close (&functions, ']');
  json_close (out, '}');
  json_name (out, "functions");
  json_raw (out, text_get (&functions));
  out->failed = out->failed || functions.failed;
  write_notes (&header, pool, library, pattern, out);
  write_left_out (&header, pool, library, pattern, out);
  json_close (out, '}');
}
