/* Parameters and what functions return: which form they have. */
#include <stdlib.h>
#include <string.h>

#include "function_parts.h"

static const char *const directions[] = { "in", "out", "inout", NULL };
static const char *const encodings[] = { "text", "base64", "numbers", NULL };

static const char *const param_names[] = { "name",     "type",  "description", "direction",
                                           "encoding", "value", "default",     "nullable",
                                           "hide",     "max",   "size",        "length",
                                           "filled",   "from",  "free",        NULL };
static const char *const return_names[] = { "name",     "type", "description", "encoding",
                                            "nullable", "hide", "max",         "size",
                                            "length",   "free", NULL };

static bool
has (const struct value *value, const char *name)
{
  return value_get_z (value, name) != NULL;
}

/* ---- what every one has ---- */

static bool
read_free (struct reading *r, const struct value *value, struct param *param)
{
  const char *name = NULL, *why;

  if (!document_text (r->doc, value, "free", &name))
    return false;
  if (name == NULL)
    return true;
  if (strcmp (name, "free") == 0) { /* the one that goes with malloc */
    param->release = (c_function) free;
    return true;
  }
  return r->linker->find (r->linker->ctx, r->doc->pool, r->call->library, name, &param->release,
                          &why)
         || document_wrong (r->doc, "free", "%s", why);
}

static bool
read_common (struct reading *r, const struct value *value, struct param *param)
{
  struct document *doc = r->doc;
  int encoding = -1;

  *param = (struct param){ .length = -1, .filled = -1, .length_of = -1, .from = { -1, -1 } };
  if (!document_text (doc, value, "name", &param->name)
      || !document_text (doc, value, "description", &param->description)
      || !document_type (doc, value, "type", &param->type)
      || !document_choice (doc, value, "encoding", encodings, &encoding)
      || !document_bool (doc, value, "nullable", &param->nullable)
      || !document_bool (doc, value, "hide", &param->hidden)
      || !document_size (doc, value, "max", 1, BYTES_MAX, &param->max)
      || !document_size (doc, value, "size", 1, BYTES_MAX, &param->size))
    return false;
  param->encoding = encoding >= 0 ? (enum encoding) encoding : ENCODING_TEXT;
  return read_free (r, value, param);
}

/* ---- forms ---- */

/* The one form that a pointer with a length has. */
static bool
as_buffer (struct reading *r, const struct value *value, struct param *param)
{
  const bool bytes = c_type_is_byte (param->item);

  if (!bytes && param->item->size == 0)
    return document_wrong (r->doc, "type",
                           "what is pointed at has no size, and so can have no "
                           "length");
  if (!bytes && has (value, "encoding") && param->encoding != ENCODING_NUMBERS)
    return document_wrong (r->doc, "encoding", "only bytes can be a text or base64");
  if (!has (value, "encoding") && param->item->kind != C_CHAR)
    param->encoding = ENCODING_BASE64;
  param->form = bytes ? FORM_BYTES : FORM_LIST;
  if (bytes && param->encoding == ENCODING_NUMBERS) {
    param->form = FORM_LIST;
    if (param->item->kind != C_INT)
      param->item = c_type_basic ("uint8_t");
  }
  if (param->max == 0)
    param->max = param->form == FORM_BYTES ? BYTES_DEFAULT : ITEMS_DEFAULT;
  if (param->size > param->max)
    param->max = param->size;
  if (param->form == FORM_LIST && param->max > BYTES_MAX / param->item->size)
    return document_wrong (r->doc, has (value, "max") ? "max" : "size", "this is more than 16 MiB");
  return true;
}

/* Pointers within what is passed: only strings are understood. */
static const char *
not_tellable (const struct c_type *type)
{
  const char *why = NULL;

  if (type->kind == C_ARRAY)
    return not_tellable (type->of);
  if (type->kind == C_POINTER)
    return c_type_is_text (type) ? NULL : "a pointer that is no string";
  for (size_t i = 0; why == NULL && type->kind == C_STRUCT && i < type->count; i++)
    why = not_tellable (type->members[i].type);
  return why;
}

static bool
of_a_type (struct reading *r, struct param *param, const struct c_type *type)
{
  CLEANUP_TEXT struct text text = { 0 };
  const char *why = not_tellable (type);

  if (why == NULL)
    return true;
  c_type_write (param->type, &text);
  return document_wrong (r->doc, "type", "%s holds %s", text_get (&text), why);
}

static bool
by_value (struct reading *r, struct param *param)
{
  CLEANUP_TEXT struct text text = { 0 };

  c_type_write (param->type, &text);
  if (param->type->kind == C_VOID)
    return document_wrong (r->doc, "type", "a parameter can't be void");
  if (param->type->kind == C_OPAQUE)
    return document_wrong (r->doc, "type",
                           "%s has members that are not known; only a pointer to "
                           "it can be passed",
                           text_get (&text));
  if (param->type->ffi == NULL)
    return document_wrong (r->doc, "type", "%s can't be passed by value", text_get (&text));
  param->form = FORM_VALUE;
  return of_a_type (r, param, param->type);
}

static const char opaque_why[] = "what %s points at is not known: say which earlier result it is "
                                 "(\"from\"), or how many bytes it has (\"length\" or \"size\")";

/* A pointer to what is no pointer itself, without a length. */
static bool
one_pointee (struct reading *r, const struct value *value, struct param *param)
{
  CLEANUP_TEXT struct text text = { 0 };

  c_type_write (param->type, &text);
  if (param->item->kind == C_FUNCTION)
    return document_wrong (r->doc, "type", "functions can't be passed to functions");
  if (param->item->kind == C_VOID || param->item->kind == C_OPAQUE)
    return document_wrong (r->doc, "type", opaque_why, text_get (&text));
  if (param->item->kind == C_CHAR && param->direction != DIRECTION_IN)
    return document_wrong (r->doc, "",
                           "a buffer that the function writes to needs its \"size\", "
                           "or the parameter that has it as \"length\"");
  if (param->item->kind == C_CHAR) {
    param->form = FORM_TEXT;
    if (param->max == 0)
      param->max = BYTES_DEFAULT;
    return true;
  }
  /* It may be that it is the length of another one. */
  param->undirected = !param->type->is_const && !has (value, "direction");
  param->form = FORM_POINTEE;
  return of_a_type (r, param, param->item);
}

static bool
pointer_to_pointer (struct reading *r, const struct value *value, struct param *param)
{
  if (!has (value, "direction"))
    param->direction = DIRECTION_OUT;
  if (param->direction != DIRECTION_OUT)
    return document_wrong (r->doc, "direction", "a pointer to a pointer can only be out");
  if (param->max == 0)
    param->max = BYTES_DEFAULT;
  param->form = c_type_is_text (param->item) ? FORM_TEXT_OUT : FORM_POINTER_OUT;
  return true;
}

static bool
read_form (struct reading *r, const struct value *value, struct param *param)
{
  const struct c_type *type = param->type;

  if (type->kind == C_ARRAY) { /* as C passes it */
    param->item = type;
    param->type = c_type_pointer (r->doc->types, type, false);
    param->form = FORM_POINTEE;
    return (param->type != NULL && of_a_type (r, param, type))
           || document_wrong (r->doc, "type", "there is no memory");
  }
  if (type->kind != C_POINTER)
    return by_value (r, param);
  param->item = type->of;
  if (has (value, "from")) {
    param->form = FORM_POINTER;
    return true;
  }
  if (type->of->kind == C_POINTER)
    return pointer_to_pointer (r, value, param);
  if (has (value, "length") || has (value, "size"))
    return as_buffer (r, value, param);
  return one_pointee (r, value, param);
}

/* ---- parameters ---- */

static bool
read_from (struct reading *r, const struct value *value, struct param *param)
{
  const struct param *source;
  const char *name = NULL;

  if (!document_text (r->doc, value, "from", &name) || name == NULL)
    return r->doc->why == NULL;
  if (!source_find (r, name, false, &param->from))
    return document_wrong (r->doc, "from", "no earlier call gives \"%s\"", name);
  source = source_param (r->function, &param->from);
  if (param->form == FORM_POINTER) {
    if (source->form != FORM_POINTER && source->form != FORM_POINTER_OUT)
      return document_wrong (r->doc, "from", "\"%s\" is no pointer that is passed on", name);
  }
  else if (source->form != FORM_VALUE || source->type->ffi != param->type->ffi)
    return document_wrong (r->doc, "from", "\"%s\" has another type", name);
  return true;
}

/* Keys that say nothing of this form are mistakes. */
static bool
check_keys (struct reading *r, const struct value *value, const struct param *param)
{
  static const struct {
    const char *name;
    unsigned forms;
    const char *why;
  } keys[] = {
    { "encoding", 1U << FORM_BYTES | 1U << FORM_LIST, "only a buffer has an encoding" },
    { "length", 1U << FORM_BYTES | 1U << FORM_LIST, "only a pointer has a length" },
    { "size", 1U << FORM_BYTES | 1U << FORM_LIST, "only a pointer has a size" },
    { "filled", 1U << FORM_BYTES | 1U << FORM_LIST, "only a buffer is filled" },
    { "max", 1U << FORM_BYTES | 1U << FORM_LIST | 1U << FORM_TEXT | 1U << FORM_TEXT_OUT,
      "only texts, buffers and lists have a greatest length" },
    { "free",
      1U << FORM_TEXT_OUT | 1U << FORM_POINTER_OUT | 1U << FORM_TEXT | 1U << FORM_POINTER
        | 1U << FORM_BYTES | 1U << FORM_LIST | 1U << FORM_POINTEE,
      "only what a pointer points at can be freed" },
  };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (has (value, keys[i].name) && (keys[i].forms & 1U << param->form) == 0)
      return document_wrong (r->doc, keys[i].name, "%s", keys[i].why);
  return true;
}

static bool
check_param (struct reading *r, const struct value *value, struct param *param)
{
  const bool is_in = param->direction != DIRECTION_OUT;

  if (param->fixed != NULL && param->otherwise != NULL)
    return document_wrong (r->doc, "default", "it always has its \"value\"");
  if (!is_in && (param->fixed != NULL || param->otherwise != NULL))
    return document_wrong (r->doc, param->fixed != NULL ? "value" : "default",
                           "what the function writes has no value before");
  if (param->direction != DIRECTION_IN && param->form == FORM_VALUE)
    return document_wrong (r->doc, "direction", "only what a pointer points at can be written");
  if (param->nullable && (param->form == FORM_VALUE || !is_in))
    return document_wrong (r->doc, "nullable", "only a pointer that is in can be null");
  if (has (value, "free") && param->form != FORM_TEXT_OUT && param->form != FORM_POINTER_OUT)
    return document_wrong (r->doc, "free", "only what the function allocates is freed");
  if (has (value, "size") && is_in && param->direction != DIRECTION_INOUT)
    return document_wrong (r->doc, "size", "only what the function writes has a size");
  if (param->form == FORM_TEXT && param->direction != DIRECTION_IN)
    return document_wrong (r->doc, "direction", "a string is in");
  return check_keys (r, value, param);
}

bool
param_read (struct reading *r, const struct value *value, struct param *param)
{
  int direction = DIRECTION_IN;

  if (!document_object (r->doc, value, param_names) || !read_common (r, value, param)
      || !document_choice (r->doc, value, "direction", directions, &direction))
    return false;
  param->direction = (enum direction) direction;
  param->fixed = value_get_z (value, "value");
  param->otherwise = value_get_z (value, "default");
  if (param->name == NULL || !document_is_c_name (param->name))
    return document_wrong (r->doc, "name", "expected the parameter's name in C");
  if (param->type == NULL)
    return document_wrong (r->doc, "type", "expected the parameter's type, as \"double\"");
  return read_form (r, value, param) && check_param (r, value, param)
         && read_from (r, value, param);
}

/* ---- what is returned ---- */

static bool
returned_pointer (struct reading *r, const struct value *value, struct param *param)
{
  param->item = param->type->of;
  param->direction = DIRECTION_OUT;
  if (has (value, "length") || has (value, "size"))
    return as_buffer (r, value, param);
  if (param->item->kind == C_CHAR) {
    param->form = FORM_TEXT;
    param->max = param->max == 0 ? BYTES_DEFAULT : param->max;
    return true;
  }
  if (param->item->kind == C_VOID || param->item->kind == C_OPAQUE || param->item->kind == C_POINTER
      || param->item->kind == C_FUNCTION || not_tellable (param->item) != NULL) {
    param->form = FORM_POINTER;
    return true;
  }
  param->form = FORM_POINTEE;
  return true;
}

bool
returns_read (struct reading *r, const struct value *value, struct param *returns)
{
  const struct value *object = value;

  if (value == NULL || value->type == VALUE_STRING)
    object = value_with (r->doc->pool, &value_no_members, "type", 4,
                         value != NULL ? value : value_string_z (r->doc->pool, "void"));
  if (!document_object (r->doc, object, return_names) || !read_common (r, object, returns))
    return false;
  if (returns->type == NULL)
    return document_wrong (r->doc, "type", "expected the type that is returned, or \"void\"");
  if (returns->name == NULL)
    returns->name = "result";
  if (!document_is_c_name (returns->name))
    return document_wrong (r->doc, "name", "expected a name for the result");
  returns->direction = DIRECTION_OUT;
  if (returns->type->kind == C_VOID)
    returns->form = FORM_NOTHING;
  else if (returns->type->kind == C_POINTER ? !returned_pointer (r, object, returns)
                                            : !by_value (r, returns))
    return false;
  if (returns->nullable && returns->type->kind != C_POINTER)
    return document_wrong (r->doc, "nullable", "only a pointer can be null");
  return check_keys (r, object, returns);
}
