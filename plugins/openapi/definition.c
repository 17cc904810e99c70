#include "definition.h"

#include <string.h>

#include "../common/utf8.h"
#include "schema.h"

enum {
  TITLE_MAX = 200,
  DESCRIPTION_MAX = 4000,
  OUTPUT_MAX = 32 * 1024, /* bytes: a larger outputSchema is left out */
  TAG_MAX = 32,
  TAGS_MAX = 16
};

static const char *
get_text (const struct value *object, const char *name)
{
  const char *text = value_cstring (value_get_z (object, name));

  return text != NULL ? text : "";
}

static bool
is_method (const struct operation *op, const char *method)
{
  return strcmp (op->method, method) == 0;
}

/* ---- words ---- */

static void
put_description (const struct operation *op, struct text *out)
{
  const struct value *source = op->source.value;
  const char *summary = get_text (source, "summary"), *more = get_text (source, "description");
  CLEANUP_TEXT struct text words = { 0 };

  if (op->description != NULL)
    text_add (&words, op->description);
  else {
    if (value_is (value_get_z (source, "deprecated"), VALUE_TRUE))
      text_add (&words, "Deprecated. ");
    text_add (&words, summary);
    if (more[0] != '\0' && strcmp (more, summary) != 0)
      text_addf (&words, "%s%s", summary[0] != '\0' ? "\n\n" : "", more);
    if (summary[0] == '\0' && more[0] == '\0')
      text_addf (&words, "%s %s", op->method, op->path);
  }
  json_name (out, "description");
  json_string_len (out, text_get (&words),
                   utf8_cut (text_get (&words), words.len, DESCRIPTION_MAX));
}

void
definition_summary (const struct operation *op, struct text *out, size_t max)
{
  const char *text =
    op->description != NULL ? op->description : get_text (op->source.value, "summary");
  CLEANUP_TEXT struct text line = { 0 };

  if (text[0] == '\0')
    text = get_text (op->source.value, "description");
  text_add_line (&line, text, strcspn (text, "\r\n"));
  text_add_len (out, text_get (&line), utf8_cut (text_get (&line), line.len, max));
}

static void
put_title (const struct operation *op, struct text *out)
{
  const char *summary = get_text (op->source.value, "summary");

  if (summary[0] == '\0')
    return;
  json_name (out, "title");
  json_string_len (out, summary, utf8_cut (summary, strlen (summary), TITLE_MAX));
}

/* As toolsets have them: lower case, other characters as '-'. */
static void
put_tag (struct text *out, const char *tag)
{
  char word[TAG_MAX + 1];
  size_t len = 0;

  for (; *tag != '\0' && len < TAG_MAX; tag++) {
    const char c = *tag >= 'A' && *tag <= 'Z' ? (char) (*tag - 'A' + 'a') : *tag;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || len != 0)
      word[len++] = plain || c == '_' ? c : '-';
  }
  if (len != 0)
    json_string_len (out, word, len);
}

static void
put_tags (const struct operation *op, struct text *out)
{
  const struct value *tags = value_get_z (op->source.value, "tags");

  json_name (out, "tags");
  json_open (out, '[');
  put_tag (out, op->service->name);
  for (size_t i = 0; value_is (tags, VALUE_ARRAY) && i < tags->count && i < TAGS_MAX - 1; i++)
    if (value_cstring (tags->items[i]) != NULL)
      put_tag (out, tags->items[i]->text);
  json_close (out, ']');
}

static void
put_annotations (const struct operation *op, struct text *out)
{
  const bool reads = is_method (op, "GET") || is_method (op, "HEAD") || is_method (op, "OPTIONS");

  json_name (out, "annotations");
  json_open (out, '{');
  json_name_bool (out, "readOnlyHint", reads);
  if (reads || is_method (op, "DELETE") || is_method (op, "PUT") || is_method (op, "PATCH"))
    json_name_bool (out, "destructiveHint", !reads);
  json_name_bool (out, "idempotentHint", operation_is_idempotent (op));
  json_name_bool (out, "openWorldHint", true);
  json_close (out, '}');
}

static void
put_own (const struct operation *op, struct text *out)
{
  json_name (out, "toolhost");
  json_open (out, '{');
  if (operation_is_idempotent (op))
    json_name_bool (out, "idempotent", true);
  put_tags (op, out);
  json_close (out, '}');
}

/* ---- arguments ---- */

/* An object schema that is put together. */
struct object_schema {
  struct schema_writing *w;
  const struct value *properties, *required;
};

static bool
add_property (struct object_schema *o, const char *name, const struct value *schema, bool required)
{
  struct values *pool = o->w->pool;

  if (schema == NULL)
    return false;
  o->properties = value_with (pool, o->properties, name, strlen (name), schema);
  if (required)
    o->required = value_append (pool, o->required, value_string_z (pool, name));
  return true;
}

/* What a parameter or body says of itself stands beside what its schema says. */
static const struct value *
described (struct schema_writing *w, const struct value *schema, const char *description)
{
  if (schema == NULL || schema->type != VALUE_OBJECT || description == NULL
      || description[0] == '\0')
    return schema;
  return value_with (w->pool, schema, "description", 11,
                     value_string (w->pool, description,
                                   utf8_cut (description, strlen (description), DESCRIPTION_MAX)));
}

static bool
add_params (struct object_schema *o, const struct operation *op)
{
  for (size_t i = 0; i < op->params_count; i++) {
    const struct param *param = &op->params[i];
    const struct value *schema =
      param->schema.value != NULL ? schema_write (o->w, param->schema) : &value_no_members;
    if (!add_property (o, param->argument,
                       described (o->w, schema, get_text (param->source.value, "description")),
                       param->required))
      return false;
  }
  return true;
}

/* The schema of a member of the body, which is an argument of its own. */
static struct located
member_schema (const struct operation *op, const char *name)
{
  CLEANUP_TEXT struct text why = { 0 };
  struct located schema = document_deref (&op->service->document, op->body.schema, &why);

  schema.value = value_get_z (value_get_z (schema.value, "properties"), name);
  return schema;
}

static bool
add_body (struct object_schema *o, const struct operation *op)
{
  const struct body *body = &op->body;
  const struct value *schema;

  if (body->media == MEDIA_NONE)
    return true;
  o->w->files = body->media == MEDIA_MULTIPART;
  for (size_t i = 0; body->argument == NULL && i < body->members_count; i++)
    if (!add_property (o, body->members[i].argument,
                       schema_write (o->w, member_schema (op, body->members[i].name)),
                       body->members[i].required && body->required))
      return false;
  if (body->argument == NULL)
    return true;
  schema = body->schema.value != NULL ? schema_write (o->w, body->schema) : &value_no_members;
  return add_property (o, body->argument, described (o->w, schema, body->description),
                       body->required);
}

static const struct value *
close_object (struct object_schema *o)
{
  struct values *pool = o->w->pool;
  const struct value *defs = schema_defs (o->w), *object;

  if (defs == NULL)
    return NULL;
  object = value_with (pool, &value_no_members, "type", 4, value_string_z (pool, "object"));
  object = value_with (pool, object, "properties", 10, o->properties);
  if (o->required->count != 0)
    object = value_with (pool, object, "required", 8, o->required);
  object = value_with (pool, object, "additionalProperties", 20, &value_false);
  return defs->count != 0 ? value_with (pool, object, "$defs", 5, defs) : object;
}

const struct value *
definition_input (const struct operation *op, struct values *pool, struct text *why)
{
  struct schema_writing w = {
    .document = &op->service->document, .pool = pool, .why = why, .request = true
  };
  struct object_schema o = { &w, &value_no_members, &value_no_items };
  const struct value *input = add_params (&o, op) && add_body (&o, op) ? close_object (&o) : NULL;

  schema_writing_free (&w);
  return values_ok (pool) ? input : NULL;
}

/* ---- answers ---- */

static bool
is_json (const char *type)
{
  const size_t len = strcspn (type, "; \t");

  return (len == 16 && memcmp (type, "application/json", 16) == 0)
         || (len > 5 && memcmp (type + len - 5, "+json", 5) == 0);
}

/* The schema of the JSON of a response. */
static struct located
json_schema (struct document *document, struct located response)
{
  CLEANUP_TEXT struct text why = { 0 };
  const struct value *content;

  response = document_deref (document, response, &why);
  content = value_get_z (response.value, "content");
  for (size_t i = 0; value_is (content, VALUE_OBJECT) && i < content->count; i++)
    if (is_json (content->members[i].name)) {
      response.value = value_get_z (content->members[i].value, "schema");
      return response;
    }
  response.value = NULL;
  return response;
}

/* Of the one response that stands for success; value NULL: there are none or several, and what
 * comes can't be told before. */
static struct located
success_schema (const struct operation *op)
{
  const struct value *responses = value_get_z (op->source.value, "responses");
  struct located found = { 0 };
  size_t count = 0;

  for (size_t i = 0; value_is (responses, VALUE_OBJECT) && i < responses->count; i++)
    if (responses->members[i].name[0] == '2') {
      found = json_schema (&op->service->document,
                           (struct located){ responses->members[i].value, op->source.file });
      count++;
    }
  return count == 1 ? found : (struct located){ 0 };
}

/* Nothing else than this type; "": it may be another. */
static const char *
type_of (struct document *document, struct located schema)
{
  CLEANUP_TEXT struct text why = { 0 };
  const struct value *all;
  const char *type;

  schema = document_deref (document, schema, &why);
  type = value_cstring (value_get_z (schema.value, "type"));
  all = value_get_z (schema.value, "allOf");
  if (value_is (value_get_z (schema.value, "nullable"), VALUE_TRUE)
      || value_is (value_get_z (schema.value, "type"), VALUE_ARRAY))
    return "";
  if (type != NULL)
    return type;
  if (value_get_z (schema.value, "properties") != NULL)
    return "object";
  if (value_is (all, VALUE_ARRAY) && all->count != 0)
    return get_text (
      document_deref (document, (struct located){ all->items[0], schema.file }, &why).value,
      "type");
  return "";
}

/* What is no object itself is the member "result" of one. */
static const struct value *
close_output (struct schema_writing *w, const struct value *schema, bool wrap)
{
  struct values *pool = w->pool;
  const struct value *defs = schema_defs (w), *object = schema;

  if (defs == NULL)
    return NULL;
  if (wrap) {
    const struct value *name = value_string_z (pool, "result");
    object = value_with (pool, &value_no_members, "properties", 10,
                         value_with (pool, &value_no_members, "result", 6, schema));
    object = value_with (pool, object, "required", 8, value_array (pool, &name, 1));
  }
  object = value_with (pool, object, "type", 4, value_string_z (pool, "object"));
  return defs->count != 0 ? value_with (pool, object, "$defs", 5, defs) : object;
}

/* NULL: nothing is promised of what comes. */
static const struct value *
write_output (const struct operation *op, struct values *pool)
{
  CLEANUP_TEXT struct text why = { 0 };
  struct schema_writing w = { .document = &op->service->document, .pool = pool, .why = &why };
  const struct located schema = success_schema (op);
  const struct value *output;
  const char *type;

  if (!op->service->output_schema || op->trim.pointer != NULL || op->trim.fields != NULL
      || schema.value == NULL || is_method (op, "HEAD"))
    return NULL;
  type = type_of (w.document, schema);
  if (type[0] == '\0')
    return NULL;
  output = schema_write (&w, schema);
  if (value_is (output, VALUE_OBJECT))
    output = close_output (&w, output, strcmp (type, "object") != 0);
  schema_writing_free (&w);
  return value_is (output, VALUE_OBJECT) && value_fits (output, OUTPUT_MAX) ? output : NULL;
}

/* ---- all of it ---- */

static bool
write_all (const struct operation *op, struct text *out, bool *declared, struct text *why)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *input = definition_input (op, &pool, why), *output;

  if (input == NULL)
    return false;
  output = write_output (op, &pool);
  *declared = output != NULL;
  json_open (out, '{');
  json_name_string (out, "name", op->name);
  put_title (op, out);
  put_description (op, out);
  value_write_member (out, "inputSchema", input);
  value_write_member (out, "outputSchema", output);
  put_annotations (op, out);
  put_own (op, out);
  json_close (out, '}');
  return text_ok (out) && values_ok (&pool);
}

bool
definition_make (struct operation *op, struct text *why)
{
  CLEANUP_TEXT struct text out = { 0 };

  if (!write_all (op, &out, &op->declared, why))
    return false;
  if (!op->service->search)
    op->definition = values_text (&op->service->pool, text_get (&out), out.len);
  else
    op->declared = false; /* whoever calls it by another tool has that one's outputSchema */
  return true;
}

bool
definition_write (const struct operation *op, struct text *out, struct text *why)
{
  bool declared;

  return write_all (op, out, &declared, why);
}
