#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__ ((format (printf, 3, 4))) static bool
failed (struct run *run, const char *code, const char *fmt, ...)
{
  CLEANUP_TEXT struct text line = { 0 };
  char text[sizeof run->why / 2];
  va_list list;

  if (run->code != NULL)
    return false;
  va_start (list, fmt);
  (void) vsnprintf (text, sizeof text, fmt, list);
  va_end (list);
  text_add_line (&line, text, strlen (text));
  (void) snprintf (run->why, sizeof run->why, "%s", text_get (&line));
  run->code = code;
  return false;
}

static struct slot *
source_slot (const struct run *run, const struct source *source)
{
  const struct c_call *call = &run->function->calls[source->call];

  return &run->slots[source->call][source->param < 0 ? (int) call->count : source->param];
}

/* ---- before ---- */

static void *
pointer_of (const struct run *run, const struct source *source)
{
  const struct c_call *call = &run->function->calls[source->call];
  const struct slot *slot = source_slot (run, source);

  if (source->param >= 0 && call->params[source->param].form == FORM_POINTER_OUT)
    return *(void **) slot->target;
  return *(void **) slot->at;
}

static bool
take_sources (struct run *run, const struct c_call *call, struct slot *slots)
{
  for (size_t i = 0; i < call->count; i++) {
    const struct param *param = &call->params[i];
    if (param->from.call < 0)
      continue;
    if (param->form == FORM_VALUE) {
      memcpy (slots[i].at, source_slot (run, &param->from)->at, param->type->size);
      continue;
    }
    *(void **) slots[i].at = pointer_of (run, &param->from);
    if (*(void **) slots[i].at == NULL)
      return failed (run, "ffi_error", "%s has given no pointer for \"%s\" of %s",
                     run->function->calls[param->from.call].symbol, param->name, call->symbol);
  }
  return true;
}

/* ---- after ---- */

/* Memory that was written beyond is not to be trusted any more, nor is this process. */
static void
check_guards (const struct c_call *call, const struct slot *slots)
{
  for (size_t i = 0; i < call->count; i++)
    if (slots[i].target != NULL && !guard_holds (slots[i].target, slots[i].room)) {
      (void) fprintf (stderr, "%s wrote beyond the %zu bytes of its parameter %s\n", call->symbol,
                      slots[i].room, call->params[i].name);
      abort ();
    }
}

static bool
has_failed (const struct c_call *call, const struct slot *returned, int error)
{
  const struct c_type *type = call->returns.type;
  const bool whole = c_type_is_integer (type);
  const int64_t number = whole ? unmarshal_integer (type, returned->at) : 0;

  switch (call->failure.when) {
  case FAILS_NEGATIVE:
    return whole                    ? number < 0
           : type->kind == C_FLOAT  ? *(float *) returned->at < 0
           : type->kind == C_DOUBLE ? *(double *) returned->at < 0
                                    : *(long double *) returned->at < 0;
  case FAILS_NONZERO:
    return number != 0;
  case FAILS_ZERO:
    return number == 0;
  case FAILS_FALSE:
    return *(const unsigned char *) returned->at == 0;
  case FAILS_NULL:
    return *(void **) returned->at == NULL;
  case FAILS_ERRNO:
    return error != 0;
  default:
    return false;
  }
}

/* What the library says of its failure, or NULL. */
static const char *
library_message (const struct run *run, const struct c_call *call, const struct slot *returned)
{
  const struct failure *failure = &call->failure;
  void *pointer;

  switch (failure->tell == NULL ? -1 : (int) failure->with) {
  case MESSAGE_WITH_VALUE:
    return ((const char *(*) (int) ) failure->tell) (
      (int) unmarshal_integer (call->returns.type, returned->at));
  case MESSAGE_WITH_POINTER:
    pointer = pointer_of (run, &failure->with_pointer);
    return pointer != NULL ? ((const char *(*) (void *) ) failure->tell) (pointer) : NULL;
  case MESSAGE_WITH_NONE:
    return ((const char *(*) (void) ) failure->tell) ();
  default:
    return NULL;
  }
}

static bool
tell_failure (struct run *run, const struct c_call *call, const struct slot *returned, int error)
{
  const struct failure *failure = &call->failure;
  const char *message = failure->message;
  char number[40] = "";
  const char *name;

  if (message == NULL)
    message = library_message (run, call, returned);
  if (c_type_is_integer (call->returns.type))
    (void) snprintf (number, sizeof number, "%lld",
                     (long long) unmarshal_integer (call->returns.type, returned->at));
  if (failure->use_errno || failure->when == FAILS_ERRNO) {
    name = strerrorname_np (error);
    return failed (run, failure->code, "%s failed: %s%s%s (%s, errno %d)", call->symbol,
                   message != NULL ? message : "", message != NULL ? ": " : "", strerror (error),
                   name != NULL ? name : "unknown", error);
  }
  if (message != NULL)
    return failed (run, failure->code, "%s failed: %.200s%s%s%s", call->symbol, message,
                   number[0] != '\0' ? " (" : "", number, number[0] != '\0' ? ")" : "");
  return failed (run, failure->code, "%s failed: it returned %s", call->symbol,
                 number[0] != '\0'             ? number
                 : failure->when == FAILS_NULL ? "NULL"
                                               : "a negative number");
}

/* ---- the result ---- */

static bool
not_told (struct run *run, const struct c_call *call, const struct unmarshal *u)
{
  return failed (run, "ffi_result", "what %s gave can't be told: %s: %s", call->symbol, u->where,
                 u->why);
}

/* How many elements there are now.  False: the function says what can't be. */
static bool
count_filled (struct run *run, const struct c_call *call, const struct param *param,
              const struct slot *slots, size_t *count)
{
  const struct slot *returned = &slots[call->count];
  const size_t room = *count;
  int64_t number;

  if (param->filled_by_return)
    number = unmarshal_integer (call->returns.type, returned->at);
  else if (param->filled >= 0)
    number = unmarshal_integer (call->params[param->filled].item, slots[param->filled].target);
  else
    return true;
  if (number < 0 || (uint64_t) number > room)
    return failed (run, "ffi_result",
                   "%s says that it has written %lld to \"%s\", which has room "
                   "for %zu",
                   call->symbol, (long long) number, param->name, room);
  *count = (size_t) number;
  return true;
}

static size_t
length_given (const struct c_call *call, const struct param *param, const struct slot *slots)
{
  const struct param *length;
  int64_t number;

  if (param->length < 0)
    return param->size;
  length = &call->params[param->length];
  number = length->form == FORM_POINTEE
             ? unmarshal_integer (length->item, slots[param->length].target)
             : unmarshal_integer (length->type, slots[param->length].at);
  return number < 0 ? SIZE_MAX : (size_t) number;
}

static bool
tell_list (struct run *run, const struct c_call *call, const struct param *param,
           const struct slot *slot, const struct slot *slots, struct unmarshal *u)
{
  const size_t item = param->form == FORM_BYTES ? 1 : param->item->size;
  const bool returned = param == &call->returns;
  const void *at = returned ? *(void **) slot->at : slot->target;
  size_t count = returned ? length_given (call, param, slots) : slot->room / item;

  if (at == NULL) {
    json_raw (u->out, "null");
    return true;
  }
  if (returned && count > param->max)
    return failed (run, "ffi_result", "%s gives more than %zu elements", call->symbol, param->max);
  if (!returned && param->direction == DIRECTION_INOUT && param->size == 0)
    count = slot->count;
  if (!returned && !count_filled (run, call, param, slots, &count))
    return false;
  return unmarshal_list (u, param, at, count) || not_told (run, call, u);
}

static bool
tell_pointed (struct run *run, const struct c_call *call, const struct param *param,
              const void *target, struct unmarshal *u)
{
  if (target == NULL) {
    json_raw (u->out, "null");
    return true;
  }
  if (param->form == FORM_POINTEE)
    return unmarshal_value (u, param->item, target) || not_told (run, call, u);
  return unmarshal_string (u, target, param->max) || not_told (run, call, u);
}

static bool
tell_param (struct run *run, const struct c_call *call, const struct param *param,
            const struct slot *slot, const struct slot *slots)
{
  const bool returned = param == &call->returns;
  struct unmarshal u = { .out = &run->out };

  (void) snprintf (u.where, sizeof u.where, "/%s", param->name);
  json_name (&run->out, param->name);
  run->told++;
  switch (param->form) {
  case FORM_VALUE:
    return unmarshal_value (&u, param->type, slot->at) || not_told (run, call, &u);
  case FORM_BYTES:
  case FORM_LIST:
    return tell_list (run, call, param, slot, slots, &u);
  case FORM_TEXT_OUT:
    return tell_pointed (run, call, param, *(void **) slot->target, &u);
  default:
    return tell_pointed (run, call, param, returned ? *(void **) slot->at : slot->target, &u);
  }
}

static bool
tell_call (struct run *run, const struct c_call *call, const struct slot *slots)
{
  if (param_is_told (&call->returns)
      && !tell_param (run, call, &call->returns, &slots[call->count], slots))
    return false;
  for (size_t i = 0; i < call->count; i++)
    if (param_is_told (&call->params[i])
        && !tell_param (run, call, &call->params[i], &slots[i], slots))
      return false;
  return true;
}

/* ---- calls ---- */

/* libffi gives a short integer as a whole register. */
static void
narrow (const struct c_type *type, void *at)
{
  const ffi_arg word = *(const ffi_arg *) at;

  if (!c_type_is_integer (type) || type->size >= sizeof word)
    return;
  if (type->size == 1)
    *(uint8_t *) at = (uint8_t) word;
  else if (type->size == 2)
    *(uint16_t *) at = (uint16_t) word;
  else
    *(uint32_t *) at = (uint32_t) word;
}

static bool
make_call (struct run *run, struct c_call *call, struct slot *slots)
{
  struct slot *returned = &slots[call->count];
  void *values[C_PARAMS_MAX + 1];
  int error;

  if (!take_sources (run, call, slots))
    return false;
  for (size_t i = 0; i < call->count; i++)
    values[i] = slots[i].at;
  run->called++;
  errno = 0;
  ffi_call (&call->cif, call->function, returned->at, values);
  error = errno;
  check_guards (call, slots);
  narrow (call->returns.type, returned->at);
  if (has_failed (call, returned, error))
    return tell_failure (run, call, returned, error);
  return tell_call (run, call, slots);
}

static void
release (const struct param *param, const struct slot *slot, bool returned)
{
  void *pointer = param->release == NULL ? NULL
                  : returned             ? *(void **) slot->at
                  : slot->target != NULL ? *(void **) slot->target
                                         : NULL;

  if (pointer != NULL)
    ((void (*) (void *)) param->release) (pointer);
}

/* What came last goes first; also what a call that failed has set. */
static void
release_all (struct run *run)
{
  while (run->called > 0) {
    const struct c_call *call = &run->function->calls[--run->called];
    const struct slot *slots = run->slots[run->called];
    release (&call->returns, &slots[call->count], true);
    for (size_t i = call->count; i-- > 0;)
      release (&call->params[i], &slots[i], false);
  }
}

bool
run_calls (struct run *run)
{
  bool good = true;

  json_open (&run->out, '{');
  for (size_t c = 0; good && c < run->function->count; c++)
    good = run->goes_on (run->ctx) ? make_call (run, &run->function->calls[c], run->slots[c])
                                   : failed (run, "cancelled", "the call was cancelled");
  json_close (&run->out, '}');
  release_all (run);
  if (good && !text_ok (&run->out))
    return failed (run, "out_of_memory", "there is no memory for the result");
  return good;
}

void
run_free (struct run *run)
{
  text_free (&run->out);
}
