/* Definitions: the schemas of what a tool takes and gives. */
#include <string.h>

#include "function.h"

enum { DEFINITION_MAX = 256 * 1024 };

/* ---- types ---- */

static void
integer_members (const struct c_type *type, struct text *out)
{
  const unsigned bits = 8 * (unsigned) type->size - (type->is_signed ? 1 : 0);
  const uint64_t most = bits >= 64 ? UINT64_MAX : ((uint64_t) 1 << bits) - 1;

  json_name_string (out, "type", "integer");
  json_name (out, "minimum");
  if (type->is_signed)
    json_int (out, -(int64_t) most - 1);
  else
    json_int (out, 0);
  json_name (out, "maximum");
  {
    CLEANUP_TEXT struct text digits = { 0 };
    text_addf (&digits, "%llu", (unsigned long long) most);
    json_raw (out, text_get (&digits));
  }
}

static void
constant_names (const struct c_type *type, struct text *out)
{
  json_name (out, "enum");
  json_open (out, '[');
  for (size_t i = 0; i < type->count; i++)
    json_string (out, type->constants[i].name);
  json_close (out, ']');
}

static void
enum_members (const struct c_type *type, bool output, struct text *out)
{
  if (!output) {
    json_name_string (out, "type", "string");
    constant_names (type, out);
    return;
  }
  json_name (out, "anyOf"); /* C lets it have any other number */
  json_open (out, '[');
  json_open (out, '{');
  constant_names (type, out);
  json_close (out, '}');
  json_raw (out, "{\"type\":\"integer\"}");
  json_close (out, ']');
}

static void type_members (const struct c_type *type, bool output, struct text *out);

static void
struct_members (const struct c_type *type, bool output, struct text *out)
{
  json_name_string (out, "type", "object");
  json_name (out, "properties");
  json_open (out, '{');
  for (size_t i = 0; i < type->count && out->len <= DEFINITION_MAX; i++) {
    json_name (out, type->members[i].name);
    json_open (out, '{');
    type_members (type->members[i].type, output, out);
    if (type->members[i].description != NULL)
      json_name_string (out, "description", type->members[i].description);
    json_close (out, '}');
  }
  json_close (out, '}');
  json_name (out, "required");
  json_open (out, '[');
  for (size_t i = 0; i < type->count && out->len <= DEFINITION_MAX; i++)
    json_string (out, type->members[i].name);
  json_close (out, ']');
  json_name_bool (out, "additionalProperties", false);
}

static void
array_members (const struct c_type *type, bool output, struct text *out)
{
  if (type->of->kind == C_CHAR) {
    json_name_string (out, "type", "string");
    json_name_int (out, "maxLength", (int64_t) type->count - (output ? 0 : 1));
    return;
  }
  json_name_string (out, "type", "array");
  json_name (out, "items");
  schema_of_type (type->of, output, out);
  json_name_int (out, "minItems", (int64_t) type->count);
  json_name_int (out, "maxItems", (int64_t) type->count);
}

static void
type_members (const struct c_type *type, bool output, struct text *out)
{
  switch (type->kind) {
  case C_BOOL:
    json_name_string (out, "type", "boolean");
    break;
  case C_CHAR:
    json_name_string (out, "type", "string");
    if (!output)
      json_name_int (out, "minLength", 1);
    json_name_int (out, "maxLength", 1);
    break;
  case C_INT:
    integer_members (type, out);
    break;
  case C_ENUM:
    enum_members (type, output, out);
    break;
  case C_STRUCT:
    struct_members (type, output, out);
    break;
  case C_ARRAY:
    array_members (type, output, out);
    break;
  case C_POINTER: /* in structs: a string */
    json_name (out, "type");
    json_raw (out, "[\"string\",\"null\"]");
    break;
  default:
    json_name_string (out, "type", "number");
  }
}

void
schema_of_type (const struct c_type *type, bool output, struct text *out)
{
  json_open (out, '{');
  type_members (type, output, out);
  json_close (out, '}');
}

/* ---- parameters ---- */

static void
list_members (const struct param *param, bool output, struct text *out)
{
  if (param->form == FORM_BYTES) {
    json_name_string (out, "type", "string");
    if (param->encoding == ENCODING_BASE64)
      json_name_string (out, "contentEncoding", "base64");
    else if (!output)
      json_name_int (out, "maxLength", (int64_t) param->max);
    return;
  }
  json_name_string (out, "type", "array");
  json_name (out, "items");
  schema_of_type (param->item, output, out);
  json_name_int (out, "maxItems", (int64_t) param->max);
}

static void
param_members (const struct param *param, bool output, struct text *out)
{
  switch (param->form) {
  case FORM_VALUE:
    type_members (param->type, output, out);
    break;
  case FORM_POINTEE:
    type_members (param->item, output, out);
    break;
  case FORM_TEXT:
  case FORM_TEXT_OUT:
    json_name_string (out, "type", "string");
    if (!output)
      json_name_int (out, "maxLength", (int64_t) param->max);
    break;
  default:
    list_members (param, output, out);
  }
}

/* A pointer that is given may be null, but where that is an error. */
static bool
may_be_null (const struct c_call *call, const struct param *param, bool output)
{
  if (!output || param->form == FORM_VALUE)
    return param->nullable;
  if (param == &call->returns)
    return call->failure.when != FAILS_NULL;
  return param->nullable || param->form == FORM_TEXT_OUT;
}

static void
write_param (const struct c_call *call, const struct param *param, bool output, struct text *out)
{
  json_name (out, param->name);
  json_open (out, '{');
  if (may_be_null (call, param, output)) {
    json_name (out, "anyOf");
    json_open (out, '[');
    json_open (out, '{');
    param_members (param, output, out);
    json_close (out, '}');
    json_raw (out, "{\"type\":\"null\"}");
    json_close (out, ']');
  }
  else
    param_members (param, output, out);
  if (param->description != NULL)
    json_name_string (out, "description", param->description);
  if (!output && param->otherwise != NULL)
    value_write_member (out, "default", param->otherwise);
  json_close (out, '}');
}

static bool
is_required (const struct param *param)
{
  return param_is_asked (param) && param->otherwise == NULL && !param->nullable;
}

/* All of the parameters that count; those that `needs` holds for are required. */
static void
write_object (const struct function *function, bool output, bool (*counts) (const struct param *),
              bool (*needs) (const struct param *), struct text *out)
{
  for (int names = 0; names < 2; names++) {
    json_name (out, names ? "required" : "properties");
    json_open (out, names ? '[' : '{');
    for (size_t c = 0; c < function->count; c++)
      for (size_t p = 0; p <= function->calls[c].count; p++) {
        const struct c_call *call = &function->calls[c];
        const struct param *param = p < call->count ? &call->params[p] : &call->returns;
        if (out->len > DEFINITION_MAX || !(names ? needs : counts) (param))
          continue;
        if (names)
          json_string (out, param->name);
        else
          write_param (call, param, output, out);
      }
    json_close (out, names ? ']' : '}');
  }
}

static void
write_schema (const struct function *function, bool output, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "type", "object");
  if (output)
    write_object (function, true, param_is_told, param_is_told, out);
  else
    write_object (function, false, param_is_asked, is_required, out);
  json_name_bool (out, "additionalProperties", false);
  json_close (out, '}');
}

/* ---- the definition ---- */

static void
write_own (const struct function *function, struct text *out)
{
  const struct value *extra = function->extra;

  if (extra == NULL && !function->has_strict)
    return;
  json_name (out, "toolhost");
  json_open (out, '{');
  if (function->has_strict)
    json_name_bool (out, "strict", function->strict);
  for (size_t i = 0; extra != NULL && i < extra->count; i++)
    if (!function->has_strict || strcmp (extra->members[i].name, "strict") != 0)
      value_write_member (out, extra->members[i].name, extra->members[i].value);
  json_close (out, '}');
}

bool
function_define (const struct function *function, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "name", function->name);
  if (function->title != NULL)
    json_name_string (out, "title", function->title);
  json_name_string (out, "description", function->description);
  json_name (out, "inputSchema");
  write_schema (function, false, out);
  json_name (out, "outputSchema");
  write_schema (function, true, out);
  if (function->annotations != NULL)
    value_write_member (out, "annotations", function->annotations);
  write_own (function, out);
  json_close (out, '}');
  return text_ok (out) && out->len <= DEFINITION_MAX;
}
