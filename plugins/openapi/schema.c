#include "schema.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 60 };

/* What becomes of a keyword. */
enum keyword_kind {
  AS_IT_IS,
  SCHEMA,  /* one */
  SCHEMAS, /* a list */
  NAMED    /* an object of them */
};

struct keyword {
  const char *name;
  enum keyword_kind kind;
  bool v31; /* known from 3.1 on */
};

static const struct keyword keywords[] = {
  { "title", AS_IT_IS, false },
  { "description", AS_IT_IS, false },
  { "default", AS_IT_IS, false },
  { "format", AS_IT_IS, false },
  { "pattern", AS_IT_IS, false },
  { "multipleOf", AS_IT_IS, false },
  { "minLength", AS_IT_IS, false },
  { "maxLength", AS_IT_IS, false },
  { "minItems", AS_IT_IS, false },
  { "maxItems", AS_IT_IS, false },
  { "uniqueItems", AS_IT_IS, false },
  { "minProperties", AS_IT_IS, false },
  { "maxProperties", AS_IT_IS, false },
  { "deprecated", AS_IT_IS, false },
  { "items", SCHEMA, false },
  { "not", SCHEMA, false },
  { "additionalProperties", SCHEMA, false },
  { "allOf", SCHEMAS, false },
  { "anyOf", SCHEMAS, false },
  { "oneOf", SCHEMAS, false },
  { "const", AS_IT_IS, true },
  { "examples", AS_IT_IS, true },
  { "minContains", AS_IT_IS, true },
  { "maxContains", AS_IT_IS, true },
  { "dependentRequired", AS_IT_IS, true },
  { "contentEncoding", AS_IT_IS, true },
  { "contentMediaType", AS_IT_IS, true },
  { "contentSchema", SCHEMA, true },
  { "if", SCHEMA, true },
  { "then", SCHEMA, true },
  { "else", SCHEMA, true },
  { "contains", SCHEMA, true },
  { "propertyNames", SCHEMA, true },
  { "unevaluatedItems", SCHEMA, true },
  { "unevaluatedProperties", SCHEMA, true },
  { "prefixItems", SCHEMAS, true },
  { "patternProperties", NAMED, true },
  { "dependentSchemas", NAMED, true },
};

/* A schema that is being written, and the one whose allOf it stands in. */
struct scope {
  struct located at;
  const struct scope *outer;
};

static const struct value *write_schema (struct schema_writing *w, struct located schema,
                                         const struct scope *outer);

static const struct value *
fail (struct schema_writing *w, const char *what)
{
  if (!w->failed && w->why->len == 0)
    text_add (w->why, what);
  w->failed = true;
  return NULL;
}

static const struct value *
with (struct schema_writing *w, const struct value *object, const char *name,
      const struct value *member)
{
  return value_with (w->pool, object, name, strlen (name), member);
}

/* ---- what references lead to ---- */

static bool
name_is_taken (const struct schema_writing *w, const char *name)
{
  for (size_t i = 0; i < w->defs_count; i++)
    if (strcmp (w->defs[i].name, name) == 0)
      return true;
  return false;
}

/* After the last step of the reference. */
static const char *
make_name (struct schema_writing *w, const char *ref)
{
  CLEANUP_TEXT struct text name = { 0 };
  const char *slash = strrchr (ref, '/');
  size_t len;

  for (const char *at = slash != NULL ? slash + 1 : ref; *at != '\0' && name.len < NAME_MAX_BYTES;
       at++) {
    const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')
                       || (*at >= '0' && *at <= '9') || *at == '_' || *at == '.' || *at == '-';
    text_add_len (&name, plain ? at : "_", 1);
  }
  if (name.len == 0)
    text_add (&name, "schema");
  len = name.len;
  for (unsigned n = 2; name_is_taken (w, text_get (&name)) && text_ok (&name); n++) {
    name.len = len;
    text_addf (&name, "_%u", n);
  }
  return values_text (w->pool, text_get (&name), name.len);
}

static const char *
def_name (struct schema_writing *w, struct located at, const char *ref)
{
  for (size_t i = 0; i < w->defs_count; i++)
    if (w->defs[i].at.value == at.value)
      return w->defs[i].name;
  if (w->defs_count == w->defs_room) {
    size_t room = w->defs_room != 0 ? 2 * w->defs_room : 16;
    struct schema_def *defs = realloc (w->defs, room * sizeof *defs);
    if (defs == NULL)
      return NULL;
    w->defs = defs;
    w->defs_room = room;
  }
  w->defs[w->defs_count] = (struct schema_def){ .at = at, .name = make_name (w, ref) };
  return w->defs[w->defs_count++].name;
}

/* It is written later, when nothing is under way, so that long chains need no deep stack. */
static const struct value *
write_ref (struct schema_writing *w, struct located schema, const char *ref)
{
  CLEANUP_TEXT struct text pointer = { 0 }, why = { 0 };
  struct located target = document_follow (w->document, ref, schema.file, &why);
  const char *name;

  if (target.value == NULL)
    return fail (w, text_get (&why));
  name = def_name (w, target, ref);
  if (name == NULL)
    return fail (w, "there is no memory");
  text_addf (&pointer, "#/$defs/%s", name);
  return with (w, &value_no_members, "$ref", value_string_z (w->pool, text_get (&pointer)));
}

/* ---- members that only the other side sends ---- */

bool
schema_is_hidden (struct document *document, struct located schema, bool request)
{
  const char *keyword = request ? "readOnly" : "writeOnly";
  CLEANUP_TEXT struct text why = { 0 };

  if (value_is (value_get_z (schema.value, keyword), VALUE_TRUE))
    return true;
  schema = document_deref (document, schema, &why);
  return value_is (value_get_z (schema.value, keyword), VALUE_TRUE);
}

static bool
is_hidden (struct schema_writing *w, struct located property)
{
  return schema_is_hidden (w->document, property, w->request);
}

/* Is this member hidden by the schema, or by one whose allOf it stands in? */
static bool
hides (struct schema_writing *w, const struct scope *scope, const struct value *name)
{
  for (; scope != NULL; scope = scope->outer) {
    const struct value *all = value_get_z (scope->at.value, "allOf");
    const struct value *property =
      value_get (value_get_z (scope->at.value, "properties"), name->text, name->count);
    if (property != NULL && is_hidden (w, (struct located){ property, scope->at.file }))
      return true;
    for (size_t i = 0; value_is (all, VALUE_ARRAY) && i < all->count; i++) {
      property = value_get (value_get_z (all->items[i], "properties"), name->text, name->count);
      if (property != NULL && is_hidden (w, (struct located){ property, scope->at.file }))
        return true;
    }
  }
  return false;
}

static const struct value *
write_properties (struct schema_writing *w, const struct scope *scope, const struct value *from,
                  const struct value *into)
{
  const struct value *properties = &value_no_members;

  for (size_t i = 0; i < from->count; i++) {
    const struct located property = { from->members[i].value, scope->at.file };
    const struct value *schema;
    if (is_hidden (w, property))
      continue;
    schema = write_schema (w, property, NULL);
    if (schema == NULL)
      return NULL;
    properties =
      value_with (w->pool, properties, from->members[i].name, from->members[i].len, schema);
  }
  return with (w, into, "properties", properties);
}

static const struct value *
write_required (struct schema_writing *w, const struct scope *scope, const struct value *from,
                const struct value *into)
{
  const struct value *required = &value_no_items;

  for (size_t i = 0; i < from->count; i++)
    if (value_is (from->items[i], VALUE_STRING) && !hides (w, scope, from->items[i]))
      required = value_append (w->pool, required, from->items[i]);
  return required->count != 0 ? with (w, into, "required", required) : into;
}

/* ---- what 3.0 has words of its own for ---- */

/* A limit, and whether it is itself excluded. */
static const struct value *
write_limit (struct schema_writing *w, const struct value *schema, const char *limit,
             const char *exclusive, const struct value *into)
{
  const struct value *number = value_get_z (schema, limit);
  const struct value *excluded = value_get_z (schema, exclusive);

  if (value_is (excluded, VALUE_TRUE) && number != NULL)
    return with (w, into, exclusive, number);
  if (value_is (excluded, VALUE_NUMBER))
    into = with (w, into, exclusive, excluded);
  return number != NULL ? with (w, into, limit, number) : into;
}

static const struct value *
write_example (struct schema_writing *w, const struct value *schema, const struct value *into)
{
  const struct value *example = value_get_z (schema, "example");

  if (example == NULL || value_get_z (into, "examples") != NULL)
    return into;
  return with (w, into, "examples", value_array (w->pool, &example, 1));
}

static bool
has_null (const struct value *list)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i]->type == VALUE_NULL)
      return true;
  return false;
}

/* "nullable" beside a type adds one; beside anything else it is another branch. */
static const struct value *
write_nullable (struct schema_writing *w, const struct value *schema, const struct value *into)
{
  const struct value *type = value_get_z (schema, "type"), *list = value_get_z (into, "enum");
  const struct value *null = value_string_z (w->pool, "null");

  if (w->document->v31 || !value_is (value_get_z (schema, "nullable"), VALUE_TRUE))
    return into;
  if (type == NULL && into->count != 0) {
    const struct value *branches[] = { into, with (w, &value_no_members, "type", null) };
    return with (w, &value_no_members, "anyOf", value_array (w->pool, branches, 2));
  }
  if (value_is (type, VALUE_STRING))
    into =
      with (w, into, "type", value_array (w->pool, (const struct value *const[]){ type, null }, 2));
  if (value_is (list, VALUE_ARRAY) && !has_null (list))
    into = with (w, into, "enum", value_append (w->pool, list, &value_null));
  return into;
}

/* ---- keywords ---- */

static const struct value *
write_list (struct schema_writing *w, const struct scope *scope, const struct value *from,
            bool all_of)
{
  const struct value *list = &value_no_items;

  for (size_t i = 0; value_is (from, VALUE_ARRAY) && i < from->count; i++) {
    const struct value *schema =
      write_schema (w, (struct located){ from->items[i], scope->at.file }, all_of ? scope : NULL);
    if (schema == NULL)
      return NULL;
    list = value_append (w->pool, list, schema);
  }
  return list;
}

static const struct value *
write_named (struct schema_writing *w, const struct scope *scope, const struct value *from)
{
  const struct value *named = &value_no_members;

  for (size_t i = 0; value_is (from, VALUE_OBJECT) && i < from->count; i++) {
    const struct value *schema =
      write_schema (w, (struct located){ from->members[i].value, scope->at.file }, NULL);
    if (schema == NULL)
      return NULL;
    named = value_with (w->pool, named, from->members[i].name, from->members[i].len, schema);
  }
  return named;
}

static const struct value *
write_keyword (struct schema_writing *w, const struct scope *scope, const struct keyword *keyword,
               const struct value *from)
{
  switch (keyword->kind) {
  case SCHEMA:
    return write_schema (w, (struct located){ from, scope->at.file }, NULL);
  case SCHEMAS:
    return write_list (w, scope, from, strcmp (keyword->name, "allOf") == 0);
  case NAMED:
    return write_named (w, scope, from);
  case AS_IT_IS:
    break;
  }
  return from;
}

static const struct value *
write_keywords (struct schema_writing *w, const struct scope *scope, const struct value *into)
{
  for (size_t i = 0; into != NULL && i < sizeof keywords / sizeof *keywords; i++) {
    const struct value *from = value_get_z (scope->at.value, keywords[i].name), *to;
    if (from == NULL || (keywords[i].v31 && !w->document->v31))
      continue;
    to = write_keyword (w, scope, &keywords[i], from);
    into = to != NULL ? with (w, into, keywords[i].name, to) : NULL;
  }
  return into;
}

/* A type and an enum are first, for whoever reads it. */
static const struct value *
write_members (struct schema_writing *w, const struct scope *scope, const struct value *into)
{
  const struct value *schema = scope->at.value;
  const struct value *type = value_get_z (schema, "type"), *list = value_get_z (schema, "enum");
  const struct value *properties = value_get_z (schema, "properties");
  const struct value *required = value_get_z (schema, "required");

  if (type != NULL)
    into = with (w, into, "type", type);
  if (list != NULL)
    into = with (w, into, "enum", list);
  into = write_keywords (w, scope, into);
  if (into != NULL && value_is (properties, VALUE_OBJECT))
    into = write_properties (w, scope, properties, into);
  if (into != NULL && value_is (required, VALUE_ARRAY))
    into = write_required (w, scope, required, into);
  if (into == NULL)
    return NULL;
  into = write_limit (w, schema, "minimum", "exclusiveMinimum", into);
  into = write_limit (w, schema, "maximum", "exclusiveMaximum", into);
  into = write_example (w, schema, into);
  return write_nullable (w, schema, into);
}

bool
schema_is_binary (const struct value *schema)
{
  const char *format = value_cstring (value_get_z (schema, "format"));

  if (format != NULL && strcmp (format, "binary") == 0)
    return true;
  return value_get_z (schema, "contentMediaType") != NULL
         && value_get_z (schema, "contentEncoding") == NULL
         && value_get_z (schema, "contentSchema") == NULL;
}

static const struct value *
write_file (struct schema_writing *w, const struct value *schema)
{
  static const char text[] = "{\"type\":\"object\",\"properties\":{"
                             "\"name\":{\"type\":\"string\",\"description\":\"Of the file.\"},"
                             "\"type\":{\"type\":\"string\",\"description\":\"Its media type.\"},"
                             "\"data\":{\"type\":\"string\",\"contentEncoding\":\"base64\","
                             "\"description\":\"Its bytes in base64.\"}},"
                             "\"required\":[\"data\"],\"additionalProperties\":false}";
  const struct value *file = value_parse (w->pool, text, sizeof text - 1);
  const struct value *description = value_get_z (schema, "description");

  if (file == NULL)
    return fail (w, "there is no memory");
  return description != NULL ? with (w, file, "description", description) : file;
}

static const struct value *
write_schema (struct schema_writing *w, struct located schema, const struct scope *outer)
{
  const struct scope scope = { schema, outer };
  const struct value *into = &value_no_members;
  const char *ref;

  if (w->failed || ++w->parts > SCHEMA_PARTS_MAX || !values_ok (w->pool))
    return fail (w, "its schema is too large");
  if (value_is (schema.value, VALUE_TRUE) || value_is (schema.value, VALUE_FALSE))
    return schema.value;
  if (!value_is (schema.value, VALUE_OBJECT))
    return fail (w, "a schema is no object");
  if (value_get_z (schema.value, "$dynamicRef") != NULL)
    return fail (w, "$dynamicRef is not supported");
  ref = value_cstring (value_get_z (schema.value, "$ref"));
  if (ref != NULL)
    into = write_ref (w, schema, ref);
  if (into == NULL || (ref != NULL && !w->document->v31)) /* 3.0 knows nothing beside it */
    return into;
  if (w->files && ref == NULL && schema_is_binary (schema.value))
    return write_file (w, schema.value);
  return write_members (w, &scope, into);
}

/* ---- for others ---- */

const struct value *
schema_write (struct schema_writing *w, struct located schema)
{
  return write_schema (w, schema, NULL);
}

const struct value *
schema_defs (struct schema_writing *w)
{
  struct value_member *defs;

  for (size_t i = 0; i < w->defs_count; i++) { /* which grows meanwhile */
    const struct value *schema =
      w->defs[i].schema != NULL ? w->defs[i].schema : write_schema (w, w->defs[i].at, NULL);
    if (schema == NULL)
      return NULL;
    w->defs[i].schema = schema;
  }
  defs = values_alloc (w->pool, w->defs_count * sizeof *defs + 1);
  if (defs == NULL)
    return fail (w, "there is no memory");
  for (size_t i = 0; i < w->defs_count; i++)
    defs[i] = (struct value_member){ .name = w->defs[i].name,
                                     .len = strlen (w->defs[i].name),
                                     .value = w->defs[i].schema };
  return value_object (w->pool, defs, w->defs_count);
}

void
schema_writing_free (struct schema_writing *w)
{
  free (w->defs);
  w->defs = NULL;
  w->defs_count = w->defs_room = 0;
}

/* `left`: how many schemas are looked at before it counts as too much. */
static unsigned
nesting (struct document *document, struct located schema, unsigned max, unsigned *left)
{
  CLEANUP_TEXT struct text why = { 0 };
  const struct value *properties;
  unsigned most = 0;

  schema = document_deref (document, schema, &why);
  properties = value_get_z (schema.value, "properties");
  if (!value_is (properties, VALUE_OBJECT))
    return 0;
  if (max == 0 || *left == 0)
    return max + 1;
  --*left;
  for (size_t i = 0; i < properties->count && most < max; i++) {
    const struct located member = { properties->members[i].value, schema.file };
    unsigned n = nesting (document, member, max - 1, left);
    most = n > most ? n : most;
  }
  return most + 1;
}

unsigned
schema_nesting (struct document *document, struct located schema, unsigned max)
{
  unsigned left = SCHEMA_PARTS_MAX;

  return nesting (document, schema, max, &left);
}
