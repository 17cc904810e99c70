/* multipart.c - the parts of a multipart form (RFC 7578): what body.h says. */
#include <stdio.h>
#include <string.h>

#include "../common/base64.h"
#include "body.h"
#include "param.h"
#include "schema.h"

/* The fields that are written, and all that is known of their form. */
struct form {
  struct text *out;
  const struct body *body;
  struct document *document;
  const char *boundary;
  struct text *why;
};

/* A name in a header, as browsers write it: quotes and line ends encoded. */
static void
add_quoted (struct text *out, const char *text)
{
  for (; *text != '\0'; text++)
    if (*text == '"' || (unsigned char) *text < ' ')
      text_addf (out, "%%%02X", (unsigned char) *text);
    else
      text_add_len (out, text, 1);
}

static void
begin_part (const struct form *form, const char *name, const char *file, const char *type)
{
  text_addf (form->out, "--%s\r\nContent-Disposition: form-data; name=\"", form->boundary);
  add_quoted (form->out, name);
  text_add (form->out, "\"");
  if (file != NULL) {
    text_add (form->out, "; filename=\"");
    add_quoted (form->out, file);
    text_add (form->out, "\"");
  }
  if (type != NULL)
    text_addf (form->out, "\r\nContent-Type: %s", type);
  text_add (form->out, "\r\n\r\n");
}

/* Printable, as a header has to be. */
static bool
is_media_type (const char *type)
{
  for (const char *at = type; *at != '\0'; at++)
    if (*at < ' ' || *at > '~')
      return false;
  return strchr (type, '/') != NULL;
}

static bool
write_file (const struct form *form, const char *name, const struct value *file)
{
  const struct value *data = value_get_z (file, "data");
  const char *type = value_cstring (value_get_z (file, "type"));
  const char *file_name = value_cstring (value_get_z (file, "name"));
  size_t wrong;

  if (!value_is (data, VALUE_STRING) || !base64_decode (NULL, data->text, data->count, &wrong)) {
    text_addf (form->why, "the file %s needs \"data\", its bytes in base64", name);
    return false;
  }
  if (type != NULL && !is_media_type (type)) {
    text_addf (form->why, "the type of the file %s is no media type", name);
    return false;
  }
  begin_part (form, name, file_name != NULL ? file_name : name,
              type != NULL ? type : "application/octet-stream");
  (void) base64_decode (form->out, data->text, data->count, &wrong);
  text_add (form->out, "\r\n");
  return true;
}

/* The one type an encoding names; NULL: none, or several, or a range. */
static const char *
declared_type (const struct form *form, const char *name)
{
  const char *type =
    value_cstring (value_get_z (value_get_z (form->body->encoding, name), "contentType"));

  return type != NULL && strpbrk (type, ",*") == NULL && is_media_type (type) ? type : NULL;
}

static bool
write_part (const struct form *form, const char *name, const struct value *value,
            const struct value *schema)
{
  const char *type = declared_type (form, name);

  if (schema_is_binary (schema) && value->type == VALUE_OBJECT)
    return write_file (form, name, value);
  if (value->type == VALUE_OBJECT || value->type == VALUE_ARRAY) {
    CLEANUP_TEXT struct text json = { 0 };
    value_write (&json, value);
    begin_part (form, name, NULL, type != NULL ? type : "application/json");
    text_add_len (form->out, text_get (&json), json.len);
  }
  else {
    begin_part (form, name, NULL, type);
    (void) param_plain (form->out, value);
  }
  text_add (form->out, "\r\n");
  return true;
}

/* A list is the same field again for each item. */
static bool
write_field (const struct form *form, const char *name, const struct value *value)
{
  CLEANUP_TEXT struct text why = { 0 };
  struct located schema = body_field (form->body, form->document, name);

  if (value->type == VALUE_NULL)
    return true;
  if (value->type != VALUE_ARRAY)
    return write_part (form, name, value, schema.value);
  schema = document_get (form->document, schema, "items", &why);
  for (size_t i = 0; i < value->count; i++)
    if (!write_part (form, name, value->items[i], schema.value))
      return false;
  return true;
}

static bool
write_with (const struct form *form, const struct value *fields)
{
  for (size_t i = 0; i < fields->count; i++)
    if (!write_field (form, fields->members[i].name, fields->members[i].value))
      return false;
  text_addf (form->out, "--%s--\r\n", form->boundary);
  return true;
}

/* How often the boundary stands there: more than was written, and it is also in a part. */
static size_t
count_of (const struct text *text, const char *boundary)
{
  const size_t len = strlen (boundary);
  const char *at = text_get (text), *end = at + text->len;
  size_t count = 0;

  while ((at = memmem (at, (size_t) (end - at), boundary, len)) != NULL) {
    count++;
    at += len;
  }
  return count;
}

static size_t
parts_of (const struct value *fields)
{
  size_t count = 1;

  for (size_t i = 0; i < fields->count; i++) {
    const struct value *value = fields->members[i].value;
    count += value->type == VALUE_ARRAY ? value->count : value->type != VALUE_NULL;
  }
  return count;
}

bool
multipart_write (struct payload *payload, const struct body *body, struct document *document,
                 const struct value *fields, struct text *why)
{
  char boundary[40];

  for (unsigned n = 0; n < 1000; n++) {
    const struct form form = { &payload->bytes, body, document, boundary, why };
    (void) snprintf (boundary, sizeof boundary, "toolhost-form-%u", n);
    text_clear (&payload->bytes);
    if (!write_with (&form, fields))
      return false;
    if (count_of (&payload->bytes, boundary) == parts_of (fields)) {
      text_addf (&payload->type, "; boundary=%s", boundary);
      return true;
    }
  }
  text_add (why, "its parts hold every boundary that was tried");
  return false;
}
