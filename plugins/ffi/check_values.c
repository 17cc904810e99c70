/* "value" and "default" of parameters: what a caller could not give, a document can't either. */
#include "feature.h"
#include "marshal.h"

static void
tell (void *ctx, const char *pointer, const char *why)
{
  struct document *doc = ctx;

  (void) document_wrong (doc, pointer[0] == '/' ? pointer + 1 : "", "%s", why);
}

static void
check (struct document *doc, const struct param *param, const struct value *value)
{
  struct marshal m = { .pool = doc->pool, .tell = tell, .ctx = doc };
  const struct c_type *type = param->form == FORM_POINTEE ? param->item : param->type;
  size_t count;
  void *at;

  if (value->type == VALUE_NULL && param->nullable)
    return;
  switch (param->form) {
  case FORM_VALUE:
  case FORM_POINTEE:
    at = values_alloc (doc->pool, type->size > 16 ? type->size : 16);
    if (at != NULL)
      marshal_value (&m, type, value, at);
    break;
  case FORM_TEXT:
    (void) marshal_text (&m, value, param->max);
    break;
  default:
    (void) marshal_list (&m, param, value, param->size, &count);
  }
}

static bool
check_param (struct document *doc, const struct param *param)
{
  const struct place before = { 0 };
  struct place at = before;

  if (param->fixed != NULL) {
    at = document_enter (doc, "value");
    check (doc, param, param->fixed);
  }
  else if (param->otherwise != NULL) {
    at = document_enter (doc, "default");
    check (doc, param, param->otherwise);
  }
  else
    return true;
  document_leave (doc, at);
  return doc->why == NULL;
}

bool
function_check_values (struct document *doc, const struct function *function)
{
  for (size_t c = 0; c < function->count; c++) {
    struct place before = { 0 }, at;
    if (function->in_calls) {
      before = document_enter (doc, "calls");
      (void) document_enter_item (doc, c);
      (void) document_enter (doc, "params");
    }
    else
      before = document_enter (doc, "params");
    for (size_t p = 0; p < function->calls[c].count; p++) {
      at = document_enter_item (doc, p);
      if (!check_param (doc, &function->calls[c].params[p]))
        return false;
      document_leave (doc, at);
    }
    document_leave (doc, before);
  }
  return true;
}
