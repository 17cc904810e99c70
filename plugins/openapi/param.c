#include "param.h"

#include <string.h>
#include <strings.h>

enum { DEEP_MAX = 10 /* levels of a deepObject */ };

/* ---- reading ---- */

static const struct {
  const char *name;
  enum param_in in;
  enum param_style style; /* where none is said */
  unsigned styles;        /* bits of those it may have */
} places[] = {
  { "path", IN_PATH, STYLE_SIMPLE, 1 << STYLE_SIMPLE | 1 << STYLE_LABEL | 1 << STYLE_MATRIX },
  { "query", IN_QUERY, STYLE_FORM,
    1 << STYLE_FORM | 1 << STYLE_SPACE | 1 << STYLE_PIPE | 1 << STYLE_DEEP },
  { "header", IN_HEADER, STYLE_SIMPLE, 1 << STYLE_SIMPLE },
  { "cookie", IN_COOKIE, STYLE_FORM, 1 << STYLE_FORM },
};

static const char *const styles[] = { "simple",         "label",         "matrix",    "form",
                                      "spaceDelimited", "pipeDelimited", "deepObject" };

bool
param_style_read (const char *word, enum param_style *style)
{
  for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
    if (strcmp (styles[i], word) == 0) {
      *style = (enum param_style) i;
      return true;
    }
  return false;
}

static bool
read_place (struct param *param, const struct value *source, struct text *why)
{
  const char *in = value_cstring (value_get_z (source, "in"));
  const char *style = value_cstring (value_get_z (source, "style"));

  if (in == NULL) {
    text_addf (why, "Parameter %s is missing 'in' field", param->name);
    return false;
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (strcmp (places[i].name, in) != 0)
      continue;
    param->in = places[i].in;
    param->style = places[i].style;
    if (style == NULL
        || (param_style_read (style, &param->style) && (places[i].styles & 1U << param->style)))
      return true;
    text_addf (why, "the parameter %s has the style %.40s, which is none of %s parameters",
               param->name, style, in);
    return false;
  }
  text_addf (why, "the parameter %s is in %.40s, which is no place of parameters", param->name, in);
  return false;
}

bool
param_read (struct param *param, struct located source, struct values *pool, struct text *why)
{
  const struct value *explode = value_get_z (source.value, "explode");
  const char *name = value_cstring (value_get_z (source.value, "name"));

  *param = (struct param){ .source = source };
  if (name == NULL || name[0] == '\0') {
    text_add (why, "a parameter has no name");
    return false;
  }
  param->name = values_text (pool, name, strlen (name));
  if (!read_place (param, source.value, why))
    return false;
  if (value_get_z (source.value, "content") != NULL) {
    text_addf (why, "the parameter %s has \"content\", which is not supported", param->name);
    return false;
  }
  param->required = value_is (value_get_z (source.value, "required"), VALUE_TRUE);
  param->reserved = value_is (value_get_z (source.value, "allowReserved"), VALUE_TRUE);
  param->explode = explode != NULL ? explode->type == VALUE_TRUE : param->style == STYLE_FORM;
  param->schema = (struct located){ value_get_z (source.value, "schema"), source.file };
  return true;
}

/* ---- values ---- */

bool
param_plain (struct text *out, const struct value *value)
{
  switch (value->type) {
  case VALUE_TRUE:
  case VALUE_FALSE:
    text_add (out, value->type == VALUE_TRUE ? "true" : "false");
    return true;
  case VALUE_NUMBER:
  case VALUE_STRING:
    text_add_len (out, value->text, value->count);
    return true;
  case VALUE_NULL:
    return true;
  default:
    return false;
  }
}

/* How a value is written: what stands around its parts, and how these are encoded. */
struct writing {
  struct text *out;
  const struct param *param;
  enum percent how;
  bool raw; /* no encoding: a header */
};

static void
put (const struct writing *w, const char *text, size_t len)
{
  if (w->raw)
    text_add_len (w->out, text, len);
  else
    percent_encode (w->out, text, len, w->how);
}

static void
put_name (const struct writing *w)
{
  percent_encode (w->out, w->param->name, strlen (w->param->name), PERCENT_ALL);
}

static bool
put_plain (const struct writing *w, const struct value *value)
{
  CLEANUP_TEXT struct text plain = { 0 };

  if (!param_plain (&plain, value))
    return false;
  put (w, text_get (&plain), plain.len);
  return text_ok (&plain);
}

/* Items, or members as "name,value" or "name=value", with `between` them. */
static bool
put_parts (const struct writing *w, const struct value *value, const char *between,
           const char *equals)
{
  bool first = true;

  for (size_t i = 0; i < value->count; i++) {
    const bool member = value->type == VALUE_OBJECT;
    const struct value *part = member ? value->members[i].value : value->items[i];
    if (member && part->type == VALUE_NULL)
      continue;
    if (!first)
      text_add (w->out, between);
    first = false;
    if (member) {
      put (w, value->members[i].name, value->members[i].len);
      text_add (w->out, equals);
    }
    if (!put_plain (w, part))
      return false;
  }
  return true;
}

static bool
is_many (const struct value *value)
{
  return value->type == VALUE_ARRAY || value->type == VALUE_OBJECT;
}

static bool
refuse (const struct param *param, struct text *why)
{
  text_addf (why, "the parameter %s can't hold lists or objects within each other", param->name);
  return false;
}

/* ---- in paths ---- */

/* ";color=blue;color=black", ";R=100;G=200" */
static bool
put_matrix_exploded (const struct writing *w, const struct value *value)
{
  for (size_t i = 0; i < value->count; i++) {
    text_add (w->out, ";");
    if (value->type == VALUE_ARRAY)
      put_name (w);
    else
      put (w, value->members[i].name, value->members[i].len);
    text_add (w->out, "=");
    if (!put_plain (w, value->type == VALUE_ARRAY ? value->items[i] : value->members[i].value))
      return false;
  }
  return true;
}

static bool
put_matrix (const struct writing *w, const struct value *value)
{
  const bool empty =
    value->type == VALUE_NULL || (value->type == VALUE_STRING && value->count == 0);

  if (is_many (value) && w->param->explode)
    return put_matrix_exploded (w, value);
  text_add (w->out, ";");
  put_name (w);
  if (empty)
    return true;
  text_add (w->out, "=");
  return is_many (value) ? put_parts (w, value, ",", ",") : put_plain (w, value);
}

bool
param_path (struct text *out, const struct param *param, const struct value *value,
            struct text *why)
{
  const struct writing w = { out, param, PERCENT_ALL, false };
  const bool label = param->style == STYLE_LABEL;
  bool good;

  if (param->style == STYLE_MATRIX)
    good = put_matrix (&w, value);
  else {
    if (label)
      text_add (out, ".");
    good = is_many (value) ? put_parts (&w, value, label && param->explode ? "." : ",",
                                        param->explode ? "=" : ",")
                           : put_plain (&w, value);
  }
  return good || refuse (param, why);
}

/* ---- in queries ---- */

static void
begin_pair (const struct writing *w)
{
  if (w->out->len != 0)
    text_add (w->out, "&");
}

/* "name[a][0]=value", as deep as the value goes. */
static bool
put_deep (const struct writing *w, const struct value *value, struct text *name, unsigned depth)
{
  const size_t len = name->len;

  if (!is_many (value)) {
    if (value->type == VALUE_NULL)
      return true;
    begin_pair (w);
    percent_encode (w->out, text_get (name), name->len, PERCENT_ALL);
    text_add (w->out, "=");
    return put_plain (w, value);
  }
  if (depth == DEEP_MAX)
    return false;
  for (size_t i = 0; i < value->count; i++) {
    const bool member = value->type == VALUE_OBJECT;
    if (member)
      text_addf (name, "[%s]", value->members[i].name);
    else
      text_addf (name, "[%zu]", i);
    if (!put_deep (w, member ? value->members[i].value : value->items[i], name, depth + 1))
      return false;
    name->len = len;
    name->data[len] = '\0';
  }
  return true;
}

/* "color=blue&color=black", "R=100&G=200" */
static bool
put_exploded (const struct writing *w, const struct value *value)
{
  for (size_t i = 0; i < value->count; i++) {
    const bool member = value->type == VALUE_OBJECT;
    const struct value *part = member ? value->members[i].value : value->items[i];
    if (member && part->type == VALUE_NULL)
      continue;
    begin_pair (w);
    if (member)
      percent_encode (w->out, value->members[i].name, value->members[i].len, PERCENT_ALL);
    else
      put_name (w);
    text_add (w->out, "=");
    if (!put_plain (w, part))
      return false;
  }
  return true;
}

bool
param_query (struct text *out, const struct param *param, const struct value *value,
             struct text *why)
{
  const struct writing w = { out, param, param->reserved ? PERCENT_RESERVED : PERCENT_FORM, false };
  const char *between = param->style == STYLE_SPACE  ? "%20"
                        : param->style == STYLE_PIPE ? "%7C"
                                                     : ",";
  CLEANUP_TEXT struct text name = { 0 };
  bool good;

  if (param->style == STYLE_DEEP && is_many (value)) {
    text_add (&name, param->name);
    good = put_deep (&w, value, &name, 0);
  }
  else if (is_many (value) && param->explode)
    good = put_exploded (&w, value);
  else if (is_many (value) && value->count == 0)
    good = true;
  else {
    begin_pair (&w);
    put_name (&w);
    text_add (out, "=");
    good = is_many (value) ? put_parts (&w, value, between, between) : put_plain (&w, value);
  }
  return good || refuse (param, why);
}

/* ---- in headers and cookies ---- */

bool
param_header (struct text *out, const struct param *param, const struct value *value,
              struct text *why)
{
  const struct writing w = { out, param, PERCENT_ALL, true };

  if (!(is_many (value) ? put_parts (&w, value, ",", param->explode ? "=" : ",")
                        : put_plain (&w, value)))
    return refuse (param, why);
  for (size_t i = 0; i < out->len; i++)
    if (((unsigned char) out->data[i] < ' ' && out->data[i] != '\t')
        || (unsigned char) out->data[i] >= 0x7f) {
      text_addf (why, "the parameter %s is a header, which holds nothing but ASCII", param->name);
      return false;
    }
  return true;
}

bool
param_cookie (struct text *out, const struct param *param, const struct value *value,
              struct text *why)
{
  const struct writing w = { out, param, PERCENT_ALL, false };

  /* A list is one cookie, whatever "explode" says: two of a name are none to most readers. */
  if (out->len != 0)
    text_add (out, "; ");
  put_name (&w);
  text_add (out, "=");
  return (is_many (value) ? put_parts (&w, value, ",", ",") : put_plain (&w, value))
         || refuse (param, why);
}
