#include "c_type.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* ---- what everybody knows ---- */

#define INTEGER(c_name, c, ffi_name)                                                               \
  {                                                                                                \
    .kind = C_INT, .name = c_name, .size = sizeof (c), .align = _Alignof(c),                       \
    .is_signed = (c) -1 < (c) 1, .ffi = &ffi_name                                                  \
  }
#define REAL(c_kind, c_name, c, ffi_name)                                                          \
  {                                                                                                \
    .kind = c_kind, .name = c_name, .size = sizeof (c), .align = _Alignof(c), .is_signed = true,   \
    .ffi = &ffi_name                                                                               \
  }

const struct c_type c_void = { .kind = C_VOID, .name = "void", .ffi = &ffi_type_void };
const struct c_type c_bool = {
  .kind = C_BOOL, .name = "bool", .size = 1, .align = 1, .ffi = &ffi_type_uint8
};
const struct c_type c_char = { .kind = C_CHAR,
                               .name = "char",
                               .size = 1,
                               .align = 1,
                               .is_signed = CHAR_MIN < 0,
                               .ffi = CHAR_MIN < 0 ? &ffi_type_schar : &ffi_type_uchar };
const struct c_type c_double = REAL (C_DOUBLE, "double", double, ffi_type_double);

static const struct c_type numbers[] = {
  INTEGER ("signed char", signed char, ffi_type_schar),
  INTEGER ("unsigned char", unsigned char, ffi_type_uchar),
  INTEGER ("short", short, ffi_type_sshort),
  INTEGER ("unsigned short", unsigned short, ffi_type_ushort),
  INTEGER ("int", int, ffi_type_sint),
  INTEGER ("unsigned int", unsigned int, ffi_type_uint),
  INTEGER ("long", long, ffi_type_slong),
  INTEGER ("unsigned long", unsigned long, ffi_type_ulong),
  INTEGER ("long long", long long, ffi_type_sint64),
  INTEGER ("unsigned long long", unsigned long long, ffi_type_uint64),
  REAL (C_FLOAT, "float", float, ffi_type_float),
  REAL (C_LONG_DOUBLE, "long double", long double, ffi_type_longdouble),
  INTEGER ("int8_t", int8_t, ffi_type_sint8),
  INTEGER ("uint8_t", uint8_t, ffi_type_uint8),
  INTEGER ("int16_t", int16_t, ffi_type_sint16),
  INTEGER ("uint16_t", uint16_t, ffi_type_uint16),
  INTEGER ("int32_t", int32_t, ffi_type_sint32),
  INTEGER ("uint32_t", uint32_t, ffi_type_uint32),
  INTEGER ("int64_t", int64_t, ffi_type_sint64),
  INTEGER ("uint64_t", uint64_t, ffi_type_uint64),
  INTEGER ("size_t", size_t, ffi_type_ulong),
  INTEGER ("ssize_t", long, ffi_type_slong),
  INTEGER ("ptrdiff_t", ptrdiff_t, ffi_type_slong),
  INTEGER ("intptr_t", intptr_t, ffi_type_slong),
  INTEGER ("uintptr_t", uintptr_t, ffi_type_ulong),
  INTEGER ("intmax_t", intmax_t, ffi_type_sint64),
  INTEGER ("uintmax_t", uintmax_t, ffi_type_uint64),
};
static const struct c_type *const others[] = { &c_void, &c_bool, &c_char, &c_double };

_Static_assert(sizeof (long) == sizeof (size_t) && sizeof (long) == sizeof (void *),
               "libffi's names for these are by their length");

const struct c_type *
c_type_basic (const char *name)
{
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp (others[i]->name, name) == 0)
      return others[i];
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp (numbers[i].name, name) == 0)
      return &numbers[i];
  return strcmp (name, "_Bool") == 0 ? &c_bool : NULL;
}

void
c_type_basic_names (void (*offer) (void *ctx, const char *name), void *ctx)
{
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    offer (ctx, others[i]->name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    offer (ctx, numbers[i].name);
}

/* ---- names ---- */

struct c_type *
c_types_find (const struct c_types *types, enum c_space space, const char *name)
{
  for (const struct c_name *n = types->names; n != NULL; n = n->next)
    if (n->space == space && strcmp (n->name, name) == 0)
      return n->type;
  return NULL;
}

bool
c_types_add (struct c_types *types, enum c_space space, const char *name, struct c_type *type)
{
  struct c_name *n = NULL;

  if (types->count < C_TYPES_MAX)
    n = values_alloc (types->pool, sizeof *n);
  if (n == NULL)
    return false;
  *n = (struct c_name){ NULL, space, values_text (types->pool, name, strlen (name)), type };
  if (types->last == NULL)
    types->last = &types->names;
  *types->last = n;
  types->last = &n->next;
  types->count++;
  return true;
}

/* ---- new types ---- */

struct c_type *
c_type_new (struct c_types *types, enum c_kind kind, const char *name)
{
  struct c_type *type = values_alloc (types->pool, sizeof *type);

  if (type == NULL)
    return NULL;
  *type = (struct c_type){ .kind = kind };
  if (name != NULL)
    type->name = values_text (types->pool, name, strlen (name));
  return type;
}

const struct c_type *
c_type_pointer (struct c_types *types, const struct c_type *to, bool is_const)
{
  struct c_type *type = c_type_new (types, C_POINTER, NULL);

  if (type == NULL)
    return NULL;
  type->size = sizeof (void *);
  type->align = _Alignof(void *);
  type->is_const = is_const;
  type->of = to;
  type->ffi = &ffi_type_pointer;
  return type;
}

const struct c_type *
c_type_array (struct c_types *types, const struct c_type *of, size_t count, const char **why)
{
  struct c_type *type;

  *why = of->size == 0              ? "an array of what has no size"
         : count == 0               ? "an array of no elements"
         : count > C_ARRAY_MAX      ? "an array of more than 65,536 elements"
         : of->depth >= C_DEPTH_MAX ? "an array of what is nested too deeply"
                                    : NULL;
  if (*why == NULL && count > C_STRUCT_MAX / of->size)
    *why = "an array of more than a mebibyte";
  if (*why != NULL)
    return NULL;
  *why = "there is no memory";
  type = c_type_new (types, C_ARRAY, NULL);
  if (type == NULL)
    return NULL;
  type->of = of;
  type->count = count;
  type->size = of->size * count;
  type->align = of->align;
  type->depth = of->depth + 1;
  return type;
}

/* libffi has no arrays: their elements stand one after the other. */
static size_t
count_elements (const struct c_type *type)
{
  size_t count;

  if (type->kind != C_ARRAY)
    return 1;
  count = count_elements (type->of);
  return count > C_BY_VALUE_MAX ? count : count * type->count;
}

static ffi_type **
put_elements (ffi_type **at, const struct c_type *type)
{
  if (type->kind == C_ARRAY)
    for (size_t i = 0; i < type->count; i++)
      at = put_elements (at, type->of);
  else
    *at++ = type->ffi;
  return at;
}

static bool
has_ffi (const struct c_type *type)
{
  return type->kind == C_ARRAY ? has_ffi (type->of) : type->ffi != NULL;
}

/* What can't be passed by value has none. */
static void
make_ffi (struct c_types *types, struct c_type *type)
{
  size_t count = 0;
  ffi_type *ffi, **end;

  for (size_t i = 0; i < type->count && count <= C_BY_VALUE_MAX; i++)
    count +=
      has_ffi (type->members[i].type) ? count_elements (type->members[i].type) : C_BY_VALUE_MAX + 1;
  if (count > C_BY_VALUE_MAX)
    return;
  ffi = values_alloc (types->pool, sizeof *ffi);
  if (ffi == NULL)
    return;
  ffi->type = FFI_TYPE_STRUCT;
  ffi->elements = end = values_alloc (types->pool, (count + 1) * sizeof *ffi->elements);
  if (end == NULL)
    return;
  for (size_t i = 0; i < type->count; i++)
    end = put_elements (end, type->members[i].type);
  if (ffi_get_struct_offsets (FFI_DEFAULT_ABI, ffi, NULL) == FFI_OK && ffi->size == type->size
      && ffi->alignment == type->align)
    type->ffi = ffi;
}

bool
c_type_complete (struct c_types *types, struct c_type *type, struct c_member *members, size_t count,
                 const char **why)
{
  size_t at = 0, align = 1;

  type->depth = 1;
  *why = count == 0 ? "a struct without members" : NULL;
  for (size_t i = 0; *why == NULL && i < count; i++) {
    const struct c_type *member = members[i].type;
    if (member->size == 0)
      *why = "a member that has no size";
    else if (member->depth >= C_DEPTH_MAX)
      *why = "a member that is nested too deeply";
    else {
      at = (at + member->align - 1) / member->align * member->align;
      members[i].offset = at;
      at += member->size;
      align = member->align > align ? member->align : align;
      type->depth = member->depth >= type->depth ? member->depth + 1 : type->depth;
      if (at > C_STRUCT_MAX)
        *why = "a struct of more than a mebibyte";
    }
  }
  if (*why != NULL)
    return false;
  type->kind = C_STRUCT;
  type->members = members;
  type->count = count;
  type->align = align;
  type->size = (at + align - 1) / align * align;
  make_ffi (types, type);
  return true;
}

/* As gcc and clang choose it: unsigned int, int where a constant is negative, longer where needed.
 */
void
c_type_constants (struct c_type *type, const struct c_constant *constants, size_t count)
{
  int64_t least = 0, most = 0;
  const struct c_type *as;

  for (size_t i = 0; i < count; i++) {
    least = constants[i].value < least ? constants[i].value : least;
    most = constants[i].value > most ? constants[i].value : most;
  }
  if (least < 0)
    as = c_type_basic (least < INT_MIN || most > INT_MAX ? "long" : "int");
  else
    as = c_type_basic (most > UINT_MAX ? "unsigned long" : "unsigned int");
  type->kind = C_ENUM;
  type->size = as->size;
  type->align = as->align;
  type->is_signed = as->is_signed;
  type->ffi = as->ffi;
  type->constants = constants;
  type->count = count;
}

/* ---- questions ---- */

bool
c_type_is_integer (const struct c_type *type)
{
  return type->kind == C_INT || type->kind == C_BOOL || type->kind == C_CHAR
         || type->kind == C_ENUM;
}

bool
c_type_is_byte (const struct c_type *type)
{
  return type->kind == C_VOID || type->kind == C_CHAR || (type->kind == C_INT && type->size == 1);
}

bool
c_type_is_text (const struct c_type *type)
{
  return type->kind == C_POINTER && type->of->kind == C_CHAR;
}

void
c_type_write (const struct c_type *type, struct text *out)
{
  if (type->kind == C_POINTER) {
    if (type->is_const)
      text_add (out, "const ");
    c_type_write (type->of, out);
    text_add (out, type->of->kind == C_POINTER ? "*" : " *");
  }
  else if (type->kind == C_ARRAY) {
    c_type_write (type->of, out);
    text_addf (out, " [%zu]", type->count);
  }
  else
    text_add (out, type->name != NULL ? type->name : "an unnamed type");
}
