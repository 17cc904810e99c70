/* Arguments: what callers give, what documents say, and lengths that follow from it. */
#include <stdio.h>
#include <string.h>

#include "run.h"

static struct slot *
slots_new (struct run *run, const struct c_call *call)
{
  struct slot *slots = values_alloc (run->pool, (call->count + 1) * sizeof *slots);

  for (size_t i = 0; slots != NULL && i <= call->count; i++) {
    const struct c_type *type = i < call->count ? call->params[i].type : call->returns.type;
    const size_t least = sizeof (ffi_arg) > 16 ? sizeof (ffi_arg) : 16;
    slots[i].at = values_alloc (run->pool, type->size > least ? type->size : least);
    if (slots[i].at == NULL)
      return NULL;
  }
  return slots;
}

static void
point (struct slot *slot, void *target, size_t room)
{
  slot->target = target;
  slot->room = room;
  *(void **) slot->at = target;
}

/* ---- what has a value ---- */

static void
take_value (struct run *run, struct marshal *m, const struct param *param,
            const struct value *value, struct slot *slot)
{
  size_t size = 0;
  void *target;

  switch (param->form) {
  case FORM_VALUE:
    marshal_value (m, param->type, value, slot->at);
    return;
  case FORM_TEXT:
    target = marshal_text (m, value, param->max);
    size = value->count + 1;
    break;
  case FORM_POINTEE:
    size = param->item->size;
    target = guard_alloc (run->pool, size);
    if (target != NULL)
      marshal_value (m, param->item, value, target);
    break;
  default:
    target = marshal_list (m, param, value, param->size, &slot->count);
    size = (slot->count > param->size ? slot->count : param->size)
           * (param->form == FORM_BYTES ? 1 : param->item->size);
    slot->given = true;
  }
  if (target != NULL)
    point (slot, target, size);
}

static void
prepare_given (struct run *run, struct marshal *m, const struct param *param,
               const struct value *args, struct slot *slot)
{
  const struct value *value = param->fixed != NULL ? param->fixed : value_get_z (args, param->name);

  (void) snprintf (m->where, sizeof m->where, "/%s", param->name);
  if (value == NULL)
    value = param->otherwise;
  if (param->nullable && (value == NULL || value->type == VALUE_NULL))
    slot->given = true; /* NULL it is, and no elements */
  else if (value == NULL)
    marshal_wrong (m, "this argument is missing");
  else
    take_value (run, m, param, value, slot);
  m->where[0] = '\0';
}

/* ---- lengths ---- */

static bool
is_list (const struct param *param)
{
  return param->form == FORM_BYTES || param->form == FORM_LIST;
}

static void
put_length (const struct param *length, struct slot *slot, size_t count, struct run *run,
            struct marshal *m)
{
  CLEANUP_TEXT struct text digits = { 0 };
  const struct c_type *type = length->form == FORM_POINTEE ? length->item : length->type;
  void *at = slot->at;

  if (length->form == FORM_POINTEE) {
    at = guard_alloc (run->pool, type->size);
    if (at == NULL)
      return;
    point (slot, at, type->size);
  }
  text_addf (&digits, "%zu", count);
  marshal_value (m, type, value_number_text (run->pool, text_get (&digits), digits.len), at);
}

/* All that share a length are as long as each other. */
static void
compute_length (struct run *run, struct marshal *m, const struct c_call *call, size_t index,
                struct slot *slots)
{
  const struct param *first = NULL;
  size_t count = 0;

  for (size_t i = 0; i < call->count; i++) {
    const struct param *param = &call->params[i];
    const size_t own = slots[i].given ? slots[i].count : param->size;
    if (!is_list (param) || param->length != (int) index || (!slots[i].given && own == 0))
      continue;
    if (first == NULL || param->direction == DIRECTION_INOUT)
      count = param->direction == DIRECTION_INOUT && own < param->size
                  && call->params[index].form == FORM_POINTEE
                ? own
              : first == NULL ? own
                              : count;
    if (first != NULL && slots[i].given && own != count) {
      (void) snprintf (m->where, sizeof m->where, "/%s", param->name);
      marshal_wrong (m, "expected as many as in \"%s\", %zu, got %zu", first->name, count, own);
      m->where[0] = '\0';
    }
    first = first != NULL ? first : param;
  }
  put_length (&call->params[index], &slots[index], count, run, m);
}

/* What its length says, which the caller gave or which follows from another list. */
static void
prepare_out (struct run *run, struct marshal *m, const struct c_call *call, size_t index,
             struct slot *slots)
{
  const struct param *param = &call->params[index];
  const size_t item = param->form == FORM_BYTES ? 1 : param->item != NULL ? param->item->size : 0;
  size_t room = param->size;

  if (is_list (param)) {
    if (room == 0 && param->length >= 0) {
      const struct param *length = &call->params[param->length];
      const int64_t given = unmarshal_integer (length->type, slots[param->length].at);
      room = given > 0 ? (size_t) given : 0;
      if (given < 0 || room > param->max) {
        (void) snprintf (m->where, sizeof m->where, "/%s", length->name);
        marshal_wrong (m, "expected a length from 0 to %zu", param->max);
        m->where[0] = '\0';
        return;
      }
    }
    room *= item;
  }
  else if (param->form == FORM_POINTEE)
    room = param->item->size;
  else
    room = sizeof (void *);
  void *target = guard_alloc (run->pool, room);
  if (target != NULL)
    point (&slots[index], target, room);
}

static void
prepare_call (struct run *run, struct marshal *m, const struct c_call *call,
              const struct value *args, struct slot *slots)
{
  for (size_t i = 0; i < call->count; i++) {
    const struct param *param = &call->params[i];
    if (param_is_asked (param) || param->fixed != NULL)
      prepare_given (run, m, param, args, &slots[i]);
  }
  for (size_t i = 0; i < call->count; i++)
    if (call->params[i].computed)
      compute_length (run, m, call, i, slots);
  for (size_t i = 0; !m->wrong && i < call->count; i++)
    if (call->params[i].direction == DIRECTION_OUT && !call->params[i].computed)
      prepare_out (run, m, call, i, slots);
}

bool
run_prepare (struct run *run, struct marshal *m, const struct value *args)
{
  for (size_t c = 0; c < run->function->count; c++) {
    const struct c_call *call = &run->function->calls[c];
    run->slots[c] = slots_new (run, call);
    if (run->slots[c] == NULL)
      break;
    prepare_call (run, m, call, args, run->slots[c]);
  }
  return !m->wrong && values_ok (run->pool);
}
