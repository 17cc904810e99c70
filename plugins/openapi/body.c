#include "body.h"

#include <string.h>
#include <strings.h>

#include "param.h"
#include "schema.h"

void
payload_free (struct payload *payload)
{
  text_free (&payload->bytes);
  text_free (&payload->type);
}

/* ---- reading ---- */

/* Is a media type, without its parameters, this one? */
static bool
is_type (const char *type, const char *wanted)
{
  const size_t len = strcspn (type, "; \t");

  return len == strlen (wanted) && strncasecmp (type, wanted, len) == 0;
}

static bool
is_json_type (const char *type)
{
  const size_t len = strcspn (type, "; \t");

  return is_type (type, "application/json")
         || (len > 17 && strncasecmp (type, "application/", 12) == 0
             && strncasecmp (type + len - 5, "+json", 5) == 0);
}

static enum media
media_of (const char *type)
{
  if (is_json_type (type))
    return MEDIA_JSON;
  if (is_type (type, "application/x-www-form-urlencoded"))
    return MEDIA_FORM;
  if (is_type (type, "multipart/form-data"))
    return MEDIA_MULTIPART;
  return is_type (type, "text/plain") ? MEDIA_TEXT : MEDIA_NONE;
}

/* The one that is sent, of those a document offers: the first of these that it has. */
static const struct value_member *
choose (const struct value *content, enum media *media)
{
  static const enum media order[] = { MEDIA_JSON, MEDIA_FORM, MEDIA_MULTIPART, MEDIA_TEXT };

  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    for (size_t k = 0; value_is (content, VALUE_OBJECT) && k < content->count; k++)
      if (media_of (content->members[k].name) == order[i]) {
        *media = order[i];
        return &content->members[k];
      }
  return NULL;
}

static bool
is_form (const struct body *body)
{
  return body->media == MEDIA_FORM || body->media == MEDIA_MULTIPART;
}

bool
body_fits (const struct body *body, struct document *document, const char *operation,
           struct text *why)
{
  if (schema_nesting (document, body->schema, BODY_NESTING_MAX) <= BODY_NESTING_MAX)
    return true;
  text_addf (why, "Max level %d of traversing payload properties of `%s` operation is exceeded.",
             (int) BODY_NESTING_MAX, operation);
  return false;
}

bool
body_read (struct body *body, struct document *document, struct located source, struct values *pool,
           const char *operation, struct text *why)
{
  const struct value *content = value_get_z (source.value, "content");
  const char *description = value_cstring (value_get_z (source.value, "description"));
  const struct value_member *chosen = choose (content, &body->media);

  if (chosen == NULL) {
    text_addf (why, "Neither of the media types of %s is supported.", operation);
    return false;
  }
  body->type = body->media == MEDIA_MULTIPART ? "multipart/form-data"
                                              : values_text (pool, chosen->name, chosen->len);
  body->argument = "body";
  body->required = value_is (value_get_z (source.value, "required"), VALUE_TRUE);
  body->description = description;
  body->schema = (struct located){ value_get_z (chosen->value, "schema"), source.file };
  body->encoding = value_get_z (chosen->value, "encoding");
  return !is_form (body) || body_fits (body, document, operation, why);
}

struct located
body_field (const struct body *body, struct document *document, const char *name)
{
  CLEANUP_TEXT struct text why = { 0 };
  struct located schema = document_deref (document, body->schema, &why);
  const struct value *all = value_get_z (schema.value, "allOf");
  struct located field = { value_get_z (value_get_z (schema.value, "properties"), name),
                           schema.file };

  for (size_t i = 0; field.value == NULL && value_is (all, VALUE_ARRAY) && i < all->count; i++) {
    field = document_deref (document, (struct located){ all->items[i], schema.file }, &why);
    field.value = value_get_z (value_get_z (field.value, "properties"), name);
  }
  return field.value != NULL ? document_deref (document, field, &why) : field;
}

/* ---- what arguments say ---- */

/* The members that are arguments, as one object.  NULL: `why` names one that is missing. */
static const struct value *
collect (const struct body *body, const struct value *arguments, struct values *pool,
         struct text *why)
{
  const struct value *object = &value_no_members;

  for (size_t i = 0; i < body->members_count; i++) {
    const struct body_member *member = &body->members[i];
    const struct value *value = value_get_z (arguments, member->argument);
    if (value != NULL)
      object = value_with (pool, object, member->name, strlen (member->name), value);
    else if (member->required && body->required) {
      text_addf (why, "No argument is found for the '%s' payload property.", member->name);
      return NULL;
    }
  }
  return object;
}

static bool
has_objects (const struct value *list)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i]->type == VALUE_OBJECT || list->items[i]->type == VALUE_ARRAY)
      return true;
  return false;
}

/* As the document says, or as forms usually are: lists as the same field again, objects as JSON. */
static bool
write_field (struct text *out, const char *name, const struct value *value,
             const struct value *encoding, struct text *why)
{
  const char *style = value_cstring (value_get_z (encoding, "style"));
  const struct value *explode = value_get_z (encoding, "explode");
  struct param param = { .name = name, .style = STYLE_FORM, .explode = true };
  CLEANUP_TEXT struct text json = { 0 };

  if (style != NULL && !param_style_read (style, &param.style)) {
    text_addf (why, "the field %s has the unknown style %.40s", name, style);
    return false;
  }
  param.explode = explode != NULL ? explode->type == VALUE_TRUE : param.style == STYLE_FORM;
  param.reserved = value_is (value_get_z (encoding, "allowReserved"), VALUE_TRUE);
  if (style != NULL || explode != NULL
      || !(value->type == VALUE_OBJECT || (value->type == VALUE_ARRAY && has_objects (value))))
    return param_query (out, &param, value, why);
  value_write (&json, value);
  text_addf (out, "%s", out->len != 0 ? "&" : "");
  percent_encode (out, name, strlen (name), PERCENT_FORM);
  text_add (out, "=");
  percent_encode (out, text_get (&json), json.len, PERCENT_FORM);
  return text_ok (&json);
}

static bool
write_form (struct text *out, const struct body *body, const struct value *fields, struct text *why)
{
  for (size_t i = 0; i < fields->count; i++) {
    const char *name = fields->members[i].name;
    if (fields->members[i].value->type != VALUE_NULL
        && !write_field (out, name, fields->members[i].value, value_get_z (body->encoding, name),
                         why))
      return false;
  }
  return true;
}

static bool
write_value (struct payload *payload, const struct body *body, struct document *document,
             const struct value *value, struct text *why)
{
  switch (body->media) {
  case MEDIA_JSON:
    value_write (&payload->bytes, value);
    return true;
  case MEDIA_TEXT:
    if (value->type == VALUE_STRING || value->type == VALUE_NUMBER) {
      text_add_len (&payload->bytes, value->text, value->count);
      return true;
    }
    break;
  case MEDIA_FORM:
    if (value->type == VALUE_OBJECT)
      return write_form (&payload->bytes, body, value, why);
    break;
  default:
    if (value->type == VALUE_OBJECT)
      return multipart_write (payload, body, document, value, why);
  }
  text_addf (why, "the body has to be %s", body->media == MEDIA_TEXT ? "a text" : "an object");
  return false;
}

bool
body_write (struct payload *payload, const struct body *body, struct document *document,
            const struct value *arguments, struct values *pool, struct text *why)
{
  const struct value *value;

  if (body->media == MEDIA_NONE)
    return true;
  value = body->argument != NULL ? value_get_z (arguments, body->argument)
                                 : collect (body, arguments, pool, why);
  if (body->argument == NULL && value == NULL)
    return false;
  if (value == NULL && body->required) {
    text_addf (why, "No payload is provided by the argument '%s'.", body->argument);
    return false;
  }
  if (value == NULL || (body->argument == NULL && value->count == 0 && !body->required))
    return true;
  text_add (&payload->type, body->type);
  return write_value (payload, body, document, value, why);
}
