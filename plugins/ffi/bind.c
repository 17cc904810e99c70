/* What parameters have to do with each other: lengths, and pointers that go on to later calls. */
#include <string.h>

#include "../common/near.h"
#include "function_parts.h"

bool
param_is_asked (const struct param *param)
{
  return param->direction != DIRECTION_OUT && param->fixed == NULL && param->from.call < 0
         && !param->computed;
}

bool
param_is_told (const struct param *param)
{
  return param->direction != DIRECTION_IN && !param->hidden && !param->computed
         && param->form != FORM_POINTER && param->form != FORM_POINTER_OUT
         && param->form != FORM_NOTHING;
}

/* ---- lengths ---- */

static int
find (const struct c_call *call, const char *name)
{
  for (size_t i = 0; i < call->count; i++)
    if (strcmp (call->params[i].name, name) == 0)
      return (int) i;
  return -1;
}

static bool
no_such_parameter (struct reading *r, const char *key, const char *name)
{
  CLEANUP_TEXT struct text more = { 0 };
  struct near near = { .word = name };

  for (size_t i = 0; i < r->call->count; i++)
    near_offer (&near, r->call->params[i].name);
  near_say (&near, &more);
  return document_wrong (r->doc, key, "there is no parameter \"%s\"%s", name, text_get (&more));
}

static bool
is_integer_pointer (const struct param *param)
{
  return param->form == FORM_POINTEE && param->item->kind == C_INT && !param->type->is_const;
}

/* The parameter that a member names. */
static bool
named (struct reading *r, const struct value *value, const char *key, int *index)
{
  const char *name = NULL;

  *index = -1;
  if (!document_text (r->doc, value, key, &name))
    return false;
  if (name == NULL)
    return true;
  *index = find (r->call, name);
  return *index >= 0 || no_such_parameter (r, key, name);
}

/* Whose value is told by it is known before the call, or the caller has to give it. */
static bool
bind_length (struct reading *r, struct param *param, int index, int own)
{
  struct param *length = &r->call->params[index];
  const bool by_pointer = is_integer_pointer (length);

  if (!by_pointer && (length->form != FORM_VALUE || length->type->kind != C_INT))
    return document_wrong (r->doc, "length", "\"%s\" is no whole number, nor a pointer to one",
                           length->name);
  if (length->fixed != NULL || length->otherwise != NULL || length->from.call >= 0)
    return document_wrong (r->doc, "length", "\"%s\" has a value of its own", length->name);
  if (length->length_of >= 0 && param->size != 0)
    return document_wrong (r->doc, "size",
                           "it is as long as \"%s\", with which it shares its "
                           "length",
                           r->call->params[length->length_of].name);
  param->length = index;
  if (by_pointer) {
    param->filled = param->direction == DIRECTION_IN ? -1 : index;
    length->direction = DIRECTION_INOUT;
    if (param->size == 0 && param->direction == DIRECTION_OUT)
      param->size = param->max;
  }
  if (param->direction != DIRECTION_OUT || param->size != 0)
    length->computed = true;
  if (length->length_of < 0 || param->direction != DIRECTION_OUT)
    length->length_of = own;
  return true;
}

static bool
bind_filled (struct reading *r, const struct value *value, struct param *param)
{
  const char *name = NULL;
  int index;

  if (!document_text (r->doc, value, "filled", &name))
    return false;
  if (name == NULL)
    return true;
  if (param->direction == DIRECTION_IN)
    return document_wrong (r->doc, "filled", "only what the function writes is filled");
  index = find (r->call, name);
  if (index >= 0 && is_integer_pointer (&r->call->params[index])) {
    param->filled = index;
    return true;
  }
  if (index < 0 && strcmp (name, "returns") == 0 && r->call->returns.form == FORM_VALUE
      && r->call->returns.type->kind == C_INT) {
    param->filled_by_return = true;
    return true;
  }
  return document_wrong (r->doc, "filled",
                         "expected a parameter that is a pointer to a whole "
                         "number, or \"returns\" of a function that returns one");
}

static bool
bind_param (struct reading *r, const struct value *value, int own)
{
  struct param *param = &r->call->params[own];
  int length;

  if ((param->form != FORM_BYTES && param->form != FORM_LIST))
    return true;
  if (!named (r, value, "length", &length) || (length >= 0 && !bind_length (r, param, length, own)))
    return false;
  if (length < 0 && param->size == 0 && param->direction != DIRECTION_IN)
    return document_wrong (r->doc, "", "expected a \"size\" or a \"length\"");
  return bind_filled (r, value, param);
}

static bool
bind_returned (struct reading *r, const struct value *value)
{
  struct param *returns = &r->call->returns;
  const struct param *length;
  int index;

  if ((returns->form != FORM_BYTES && returns->form != FORM_LIST))
    return true;
  if (!named (r, value, "length", &index))
    return false;
  if (index < 0)
    return true;
  length = &r->call->params[index];
  if (!is_integer_pointer (length) && (length->form != FORM_VALUE || length->type->kind != C_INT))
    return document_wrong (r->doc, "length", "\"%s\" is no whole number, nor a pointer to one",
                           length->name);
  returns->length = index;
  return true;
}

static bool
passes (const struct param *param, bool out)
{
  return (param->direction == DIRECTION_OUT) == out;
}

/* Those that the caller gives first: what the function writes may be as long as they are. */
static bool
bind_all (struct reading *r, const struct value *params, bool out)
{
  for (size_t i = 0; i < r->call->count; i++) {
    struct place at;
    if (!passes (&r->call->params[i], out))
      continue;
    at = document_enter_item (r->doc, i);
    if (!bind_param (r, params->items[i], (int) i))
      return false;
    document_leave (r->doc, at);
  }
  return true;
}

static bool
check_directions (struct reading *r)
{
  CLEANUP_TEXT struct text text = { 0 };

  for (size_t i = 0; i < r->call->count; i++)
    if (r->call->params[i].undirected && !r->call->params[i].computed) {
      c_type_write (r->call->params[i].type, &text);
      (void) document_enter_item (r->doc, i);
      return document_wrong (r->doc, "",
                             "expected a \"direction\": the function may read what %s points at "
                             "(in), write it (out), or both (inout)",
                             text_get (&text));
    }
  return true;
}

bool
params_bind (struct reading *r, const struct value *params, const struct value *returns)
{
  struct place before = document_enter (r->doc, "params");

  if (params != NULL
      && (!bind_all (r, params, false) || !bind_all (r, params, true) || !check_directions (r)))
    return false;
  document_leave (r->doc, before);
  before = document_enter (r->doc, "returns");
  if (!bind_returned (r, returns))
    return false;
  document_leave (r->doc, before);
  return true;
}

/* ---- pointers that go on ---- */

const struct param *
source_param (const struct function *function, const struct source *source)
{
  const struct c_call *call = &function->calls[source->call];

  return source->param < 0 ? &call->returns : &call->params[source->param];
}

static bool
find_in (const struct c_call *call, int index, const char *name, struct source *source)
{
  int param = find (call, name);

  *source = (struct source){ index, param };
  if (param >= 0)
    return true;
  return call->returns.form != FORM_NOTHING && call->returns.name != NULL
         && strcmp (call->returns.name, name) == 0;
}

bool
source_find (const struct reading *r, const char *name, bool here, struct source *source)
{
  const struct function *function = r->function;

  if (here && find_in (r->call, (int) (r->call - function->calls), name, source))
    return true;
  for (size_t i = (size_t) (r->call - function->calls); i-- > 0;)
    if (find_in (&function->calls[i], (int) i, name, source))
      return true;
  *source = (struct source){ -1, -1 };
  return false;
}

/* ---- errors ---- */

static bool
read_message (struct reading *r, const struct value *value, struct failure *failure)
{
  const char *symbol = NULL, *with = NULL, *why;

  if (!document_text (r->doc, value, "message_symbol", &symbol)
      || !document_text (r->doc, value, "message_with", &with))
    return false;
  if (symbol == NULL)
    return with == NULL || document_wrong (r->doc, "message_with", "there is no message_symbol");
  if (!r->linker->find (r->linker->ctx, r->doc->pool, r->call->library, symbol, &failure->tell,
                        &why))
    return document_wrong (r->doc, "message_symbol", "%s", why);
  failure->with = r->call->returns.form == FORM_VALUE && r->call->returns.type->kind == C_INT
                    ? MESSAGE_WITH_VALUE
                    : MESSAGE_WITH_NONE;
  if (with == NULL || (strcmp (with, "returns") == 0 && failure->with == MESSAGE_WITH_VALUE))
    return true;
  failure->with = MESSAGE_WITH_NONE;
  if (strcmp (with, "nothing") == 0)
    return true;
  failure->with = MESSAGE_WITH_POINTER;
  return (source_find (r, with, true, &failure->with_pointer)
          && (source_param (r->function, &failure->with_pointer)->form == FORM_POINTER
              || source_param (r->function, &failure->with_pointer)->form == FORM_POINTER_OUT))
         || document_wrong (r->doc, "message_with",
                            "expected \"returns\" of a function that returns an int, \"nothing\", "
                            "or the name of a pointer");
}

/* Is what the function returns such that it can fail like this? */
static bool
check_when (struct reading *r, const struct failure *failure)
{
  const struct param *returns = &r->call->returns;
  const struct c_type *type = returns->form != FORM_NOTHING ? returns->type : NULL;
  const char *expected = NULL;

  if (failure->when == FAILS_NULL && (type == NULL || type->kind != C_POINTER))
    expected = "only a pointer that is returned can be null";
  else if (failure->when == FAILS_NEGATIVE
           && (type == NULL || !type->is_signed || type->kind == C_STRUCT))
    expected = "only a number with a sign can be negative";
  else if ((failure->when == FAILS_NONZERO || failure->when == FAILS_ZERO)
           && (type == NULL || !c_type_is_integer (type)))
    expected = "only a whole number that is returned can be so";
  else if (failure->when == FAILS_FALSE && (type == NULL || type->kind != C_BOOL))
    expected = "only a bool that is returned can be false";
  return expected == NULL || document_wrong (r->doc, "when", "%s", expected);
}

static bool
is_code (const char *code)
{
  const size_t len = strlen (code);

  return len != 0 && len <= 64 && strspn (code, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

bool
failure_read (struct reading *r, const struct value *value, struct failure *failure)
{
  static const char *const names[] = { "when",           "errno",        "code", "message",
                                       "message_symbol", "message_with", NULL };
  static const char *const whens[] = { "never", "negative", "nonzero", "zero",
                                       "null",  "false",    "errno",   NULL };

  *failure = (struct failure){ .code = "ffi_error", .with_pointer = { -1, -1 } };
  if (value == NULL)
    return true;
  if (!document_object (r->doc, value, names)
      || !document_choice (r->doc, value, "when", whens, &failure->when)
      || !document_bool (r->doc, value, "errno", &failure->use_errno)
      || !document_text (r->doc, value, "code", &failure->code)
      || !document_text (r->doc, value, "message", &failure->message) || !check_when (r, failure))
    return false;
  if (failure->when == FAILS_NEVER)
    return document_wrong (r->doc, "when", "expected when the function has failed");
  if (!is_code (failure->code))
    return document_wrong (r->doc, "code", "expected 1 to 64 of a-z0-9_");
  return read_message (r, value, failure);
}
