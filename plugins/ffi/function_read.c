#include <string.h>

#include "function_parts.h"

/* ---- one call ---- */

static bool
read_params (struct reading *r, const struct value *list)
{
  const struct place before = document_enter (r->doc, "params");
  struct c_call *call = r->call;

  if (list == NULL)
    return document_leave (r->doc, before), true;
  if (!value_is (list, VALUE_ARRAY) || list->count > C_PARAMS_MAX)
    return document_wrong (r->doc, "", "expected a list of at most %d parameters", C_PARAMS_MAX);
  call->params = values_alloc (r->doc->pool, (list->count + 1) * sizeof *call->params);
  if (call->params == NULL)
    return document_wrong (r->doc, "", "there is no memory");
  for (size_t i = 0; i < list->count; i++) {
    const struct place at = document_enter_item (r->doc, i);
    if (!param_read (r, list->items[i], &call->params[i]))
      return false;
    for (size_t j = 0; j < i; j++)
      if (strcmp (call->params[j].name, call->params[i].name) == 0)
        return document_wrong (r->doc, "name", "there is a parameter \"%s\" already",
                               call->params[i].name);
    call->count++;
    document_leave (r->doc, at);
  }
  document_leave (r->doc, before);
  return true;
}

static bool
read_returns (struct reading *r, const struct value *value)
{
  const struct place before = document_enter (r->doc, "returns");
  const bool good = returns_read (r, value, &r->call->returns);

  if (good)
    document_leave (r->doc, before);
  return good;
}

static bool
read_failure (struct reading *r, const struct value *value)
{
  const struct place before = document_enter (r->doc, "errors");
  const bool good = failure_read (r, value, &r->call->failure);

  if (good)
    document_leave (r->doc, before);
  /* A status that is always good when it is told says nothing. */
  if (good && (r->call->failure.when == FAILS_NONZERO || r->call->failure.when == FAILS_FALSE))
    r->call->returns.hidden = true;
  return good;
}

/* After "...", C passes nothing shorter than an int, and no float. */
static bool
check_variable (struct reading *r)
{
  for (size_t i = r->call->named; i < r->call->count; i++) {
    const struct c_type *type = r->call->params[i].type;
    const char *as = type->kind == C_FLOAT                                   ? "double"
                     : c_type_is_integer (type) && type->size < sizeof (int) ? "int"
                                                                             : NULL;
    if (as != NULL) {
      (void) document_enter (r->doc, "params");
      (void) document_enter_item (r->doc, i);
      return document_wrong (r->doc, "type", "after \"...\" C passes %s as %s", type->name, as);
    }
  }
  return true;
}

static bool
prepare (struct reading *r)
{
  struct c_call *call = r->call;
  ffi_type **types = values_alloc (r->doc->pool, (call->count + 1) * sizeof *types);
  ffi_type *returns = call->returns.type->ffi;
  ffi_status status;

  if (types == NULL)
    return document_wrong (r->doc, "", "there is no memory");
  for (size_t i = 0; i < call->count; i++)
    types[i] = call->params[i].type->ffi;
  if (call->variadic)
    status = ffi_prep_cif_var (&call->cif, FFI_DEFAULT_ABI, (unsigned) call->named,
                               (unsigned) call->count, returns, types);
  else
    status = ffi_prep_cif (&call->cif, FFI_DEFAULT_ABI, (unsigned) call->count, returns, types);
  return status == FFI_OK || document_wrong (r->doc, "", "libffi can't call such a function");
}

static bool
read_variadic (struct reading *r, const struct value *value)
{
  struct c_call *call = r->call;
  const struct value *named = value_get_z (value, "variadic");

  call->named = call->count;
  call->variadic = named != NULL && named->type != VALUE_NULL;
  if (!document_size (r->doc, value, "variadic", 1, C_PARAMS_MAX, &call->named))
    return false;
  if (call->named > call->count)
    return document_wrong (r->doc, "variadic",
                           "there are %zu parameters, fewer than stand before "
                           "\"...\"",
                           call->count);
  return check_variable (r);
}

/* `library` is the tool's, which a call need not repeat. */
static bool
read_call (struct reading *r, const struct value *value, const char *library, const char *symbol)
{
  struct c_call *call = r->call;
  const struct value *params = value_get_z (value, "params");
  const char *why;

  call->library = library;
  call->symbol = symbol;
  if (!document_text (r->doc, value, "library", &call->library)
      || !document_text (r->doc, value, "symbol", &call->symbol))
    return false;
  if (call->library == NULL)
    return document_wrong (r->doc, "library", "expected a library, as \"libm.so.6\"");
  if (call->symbol == NULL || !document_is_c_name (call->symbol))
    return document_wrong (r->doc, "symbol", "expected the function's name in C");
  if (!r->linker->find (r->linker->ctx, r->doc->pool, call->library, call->symbol, &call->function,
                        &why))
    return document_wrong (r->doc, strncmp (why, "the library", 11) == 0 ? "library" : "symbol",
                           "%s", why);
  return read_params (r, params) && read_returns (r, value_get_z (value, "returns"))
         && read_variadic (r, value) && params_bind (r, params, value_get_z (value, "returns"))
         && read_failure (r, value_get_z (value, "errors")) && prepare (r);
}

/* ---- a tool ---- */

static const char *const call_names[] = { "library", "symbol",   "params", "returns",
                                          "errors",  "variadic", NULL };
static const char *const names[] = { "name",     "title",       "description", "library",
                                     "symbol",   "params",      "returns",     "errors",
                                     "variadic", "calls",       "thread_safe", "max_time",
                                     "strict",   "annotations", "toolhost",    NULL };

static bool
read_calls (struct reading *r, const struct value *value, const char *library)
{
  const struct value *list = value_get_z (value, "calls");
  struct function *function = r->function;
  struct place before;

  for (size_t i = 1; call_names[i] != NULL; i++)
    if (value_get_z (value, call_names[i]) != NULL)
      return document_wrong (r->doc, call_names[i],
                             "where there are \"calls\", each of them has "
                             "its own");
  before = document_enter (r->doc, "calls");
  if (!value_is (list, VALUE_ARRAY) || list->count == 0 || list->count > CALLS_MAX)
    return document_wrong (r->doc, "", "expected a list of 1 to %d calls", CALLS_MAX);
  for (size_t i = 0; i < list->count; i++) {
    const struct place at = document_enter_item (r->doc, i);
    r->call = &function->calls[function->count++];
    if (!document_object (r->doc, list->items[i], call_names)
        || !read_call (r, list->items[i], library, NULL))
      return false;
    document_leave (r->doc, at);
  }
  document_leave (r->doc, before);
  return true;
}

static bool
is_tool_name (const char *name)
{
  const size_t len = strlen (name);

  return len != 0 && len <= 64
         && strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
              == len;
}

/* Of what the caller gives, and of what is told, each has a name of its own. */
static bool
check_twice (struct reading *r, bool (*counts) (const struct param *), const char *what)
{
  const struct function *function = r->function;
  const struct param *seen[CALLS_MAX * (C_PARAMS_MAX + 1)];
  size_t count = 0;

  for (size_t c = 0; c < function->count; c++)
    for (size_t p = 0; p <= function->calls[c].count; p++) {
      const struct c_call *call = &function->calls[c];
      const struct param *param = p < call->count ? &call->params[p] : &call->returns;
      if (!counts (param))
        continue;
      for (size_t i = 0; i < count; i++)
        if (strcmp (seen[i]->name, param->name) == 0)
          return document_wrong (r->doc, "", "%s \"%s\" is there twice", what, param->name);
      seen[count++] = param;
    }
  return true;
}

static bool
is_taken (const struct function *function, int call, int param)
{
  for (size_t c = (size_t) call; c < function->count; c++) {
    const struct c_call *later = &function->calls[c];
    if (later->failure.with == MESSAGE_WITH_POINTER && later->failure.with_pointer.call == call
        && later->failure.with_pointer.param == param)
      return true;
    for (size_t p = 0; p < later->count; p++)
      if (later->params[p].from.call == call && later->params[p].from.param == param)
        return true;
  }
  return false;
}

/* A pointer that nobody takes would only be lost. */
static bool
check_lost (struct reading *r)
{
  const struct function *function = r->function;

  for (size_t c = 0; c < function->count; c++)
    for (size_t p = 0; p <= function->calls[c].count; p++) {
      const struct c_call *call = &function->calls[c];
      const bool returned = p == call->count;
      const struct param *param = returned ? &call->returns : &call->params[p];
      if ((param->form != FORM_POINTER_OUT && !(returned && param->form == FORM_POINTER))
          || param->hidden || param->release != NULL
          || is_taken (function, (int) c, returned ? -1 : (int) p))
        continue;
      return document_wrong (r->doc, "",
                             "the pointer \"%s\" that %s gives goes nowhere: a later call takes it "
                             "with \"from\", \"free\" names what frees it, or \"hide\" drops it",
                             param->name, call->symbol);
    }
  return true;
}

static bool
read_rest (struct reading *r, const struct value *value)
{
  struct document *doc = r->doc;
  struct function *function = r->function;

  function->annotations = value_get_z (value, "annotations");
  function->extra = value_get_z (value, "toolhost");
  function->has_strict = value_get_z (value, "strict") != NULL;
  if (!document_bool (doc, value, "thread_safe", &function->thread_safe)
      || !document_bool (doc, value, "strict", &function->strict)
      || !document_size (doc, value, "max_time", 1, 86400000, &function->max_time_ms))
    return false;
  if (function->annotations != NULL && function->annotations->type != VALUE_OBJECT)
    return document_wrong (doc, "annotations", "expected an object");
  if (function->extra != NULL && function->extra->type != VALUE_OBJECT)
    return document_wrong (doc, "toolhost", "expected an object");
  return true;
}

static bool
read_head (struct reading *r, const struct value *value, const char **library)
{
  struct document *doc = r->doc;
  struct function *function = r->function;
  const char *symbol = NULL;

  if (!document_object (doc, value, names) || !document_text (doc, value, "name", &function->name)
      || !document_text (doc, value, "title", &function->title)
      || !document_text (doc, value, "description", &function->description)
      || !document_text (doc, value, "library", library)
      || !document_text (doc, value, "symbol", &symbol))
    return false;
  if (function->name == NULL)
    function->name = symbol;
  if (function->name == NULL || !is_tool_name (function->name))
    return document_wrong (doc, "name", "expected the name of a tool: 1 to 64 of A-Za-z0-9_-");
  return (function->description != NULL && function->description[0] != '\0')
         || document_wrong (doc, "description", "expected a description, by which a model chooses");
}

bool
function_read (struct document *doc, const struct value *value, const struct linker *linker,
               struct function *function)
{
  struct reading r = { .doc = doc, .linker = linker, .function = function };
  const struct value *calls = value_get_z (value, "calls");
  const char *library = NULL;
  bool good;

  *function = (struct function){ 0 };
  if (!read_head (&r, value, &library))
    return false;
  function->calls = values_alloc (
    doc->pool, (value_is (calls, VALUE_ARRAY) ? calls->count % (CALLS_MAX + 1) + 1 : 1)
                 * sizeof *function->calls);
  if (function->calls == NULL)
    return document_wrong (doc, "", "there is no memory");
  function->in_calls = calls != NULL;
  if (calls != NULL)
    good = read_calls (&r, value, library);
  else {
    r.call = &function->calls[function->count++];
    good = read_call (&r, value, library, function->name);
  }
  return good && read_rest (&r, value) && check_twice (&r, param_is_asked, "the argument")
         && check_twice (&r, param_is_told, "the result") && check_lost (&r);
}
