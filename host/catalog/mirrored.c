#include "catalog/mirrored.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_write.h"

enum { MIRRORED_MAX = 32, NAME_MAX_LEN = 128 };

/* Where the walk is. */
struct place {
  struct mirrored_list *list;
  const struct json_tape *tape;
  struct arena *arena;
  struct buf schema;   /* pointer into the schema */
  struct buf argument; /* pointer of the argument */
  struct error *err;
};

static bool walk (struct place *p, const struct json_node *schema, bool is_argument,
                  bool through_properties);

static bool
wrong (struct place *p, const char *what)
{
  return error_set (p->err, "%s: x-mcp-header: %s", buf_cstr (&p->schema), what);
}

/* RFC 9110, section 5.6.2. */
static bool
is_token (const char *text, size_t len)
{
  static const char chars[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  for (size_t i = 0; i < len; i++)
    if (text[i] == '\0' || strchr (chars, text[i]) == NULL)
      return false;
  return len != 0 && len <= NAME_MAX_LEN;
}

static char *
header_of (const char *name, size_t len)
{
  static const char prefix[] = "mcp-param-";
  const size_t prefix_len = sizeof prefix - 1;
  char *header = xcalloc (1, prefix_len + len + 1);

  memcpy (header, prefix, prefix_len);
  for (size_t i = 0; i < len; i++)
    header[prefix_len + i] =
      (char) (name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
  return header;
}

static bool
has (const struct mirrored_list *list, const char *header)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp (list->list[i].header, header) == 0)
      return true;
  return false;
}

static bool
add (struct place *p, const struct json_node *schema, const struct json_node *value)
{
  static const char *const types[] = { "string", "integer", "boolean" };
  const struct json_node *type = json_member (p->tape, schema, "type");
  struct mirrored_list *list = p->list;
  struct mirrored one;
  size_t len;
  const char *name = json_string (p->tape, value, p->arena, &len);
  size_t i = 0;

  if (name == NULL || !is_token (name, len))
    return wrong (p, "expected a name that can stand in a header");
  while (i < 3 && !json_equals (p->tape, type, types[i]))
    i++;
  if (i == 3)
    return wrong (p, "expected \"type\" beside it to be \"string\", \"integer\" or \"boolean\"");
  one = (struct mirrored){ header_of (name, len), xstrdup (buf_cstr (&p->argument)) };
  if (has (list, one.header) || list->count == MIRRORED_MAX) {
    free (one.header);
    free (one.pointer);
    return wrong (p, list->count == MIRRORED_MAX ? "there are more than 32"
                                                 : "there is another of this name");
  }
  list->list = xrealloc (list->list, (list->count + 1) * sizeof *list->list);
  list->list[list->count++] = one;
  return true;
}

/* The members of a map of schemas; with `properties` they are arguments. */
static bool
walk_map (struct place *p, const struct json_node *map, bool properties)
{
  for (const struct json_node *n = json_first (map); n != json_end (map); n = json_next (n)) {
    size_t name_len;
    const char *name = json_string (p->tape, n, p->arena, &name_len);
    size_t schema = json_pointer_add (&p->schema, name, name_len);
    size_t argument = json_pointer_add (&p->argument, name, name_len);
    n = json_next (n);
    if (!walk (p, n, properties, properties))
      return false;
    p->schema.len = schema;
    p->argument.len = argument;
  }
  return true;
}

static bool
walk_list (struct place *p, const struct json_node *list)
{
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (!walk (p, n, false, false))
      return false;
  return true;
}

static bool
is_any (const struct json_tape *tape, const struct json_node *name, const char *const *names)
{
  while (*names != NULL && !json_equals (tape, name, *names))
    names++;
  return *names != NULL;
}

static bool
walk_keyword (struct place *p, const struct json_node *schema, const struct json_node *name,
              bool is_argument, bool through_properties)
{
  static const char *const maps[] = { "$defs", "definitions", "patternProperties",
                                      "dependentSchemas", NULL };
  static const char *const data[] = { "const", "enum", "default", "examples", NULL };
  const struct json_node *value = json_next (name);

  if (json_equals (p->tape, name, "x-mcp-header"))
    return is_argument ? add (p, schema, value)
                       : wrong (p, "it can't stand here: only at an argument that is reached "
                                   "through \"properties\" alone");
  if (is_any (p->tape, name, data))
    return true;
  if (json_equals (p->tape, name, "properties") && json_is (value, JSON_OBJECT))
    return walk_map (p, value, through_properties);
  if (is_any (p->tape, name, maps) && json_is (value, JSON_OBJECT))
    return walk_map (p, value, false);
  if (json_is (value, JSON_ARRAY))
    return walk_list (p, value);
  return walk (p, value, false, false);
}

/* `is_argument`: this schema is of an argument; `through_properties`: its properties are, too. */
static bool
walk (struct place *p, const struct json_node *schema, bool is_argument, bool through_properties)
{
  if (!json_is (schema, JSON_OBJECT))
    return true;
  for (const struct json_node *n = json_first (schema); n != json_end (schema);
       n = json_next (json_next (n))) {
    size_t len;
    const char *name = json_string (p->tape, n, p->arena, &len);
    size_t before = json_pointer_add (&p->schema, name, len);
    if (json_equals (p->tape, n, "x-mcp-header"))
      p->schema.len = before; /* the sentence names the schema it stands in */
    if (!walk_keyword (p, schema, n, is_argument, through_properties))
      return false;
    p->schema.len = before;
  }
  return true;
}

bool
mirrored_read (struct mirrored_list *list, const struct json_tape *tape,
               const struct json_node *schema, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct place p = { .list = list, .tape = tape, .arena = &arena, .err = err };
  bool good = walk (&p, schema, false, true);

  buf_free (&p.schema);
  buf_free (&p.argument);
  return good;
}

void
mirrored_free (struct mirrored_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    free (list->list[i].header);
    free (list->list[i].pointer);
  }
  free (list->list);
  *list = (struct mirrored_list){ .list = NULL };
}
