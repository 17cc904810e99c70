/* A prototype as a document: what C does not say is guessed from names and const, and told. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "header.h"

struct proposal {
  struct values *pool;
  const struct c_prototype *prototype;
  struct c_comment said;
  const char *names[C_PARAMS_MAX];
  int length_of[C_PARAMS_MAX]; /* the parameter whose length this one is, or -1 */
  const char *why, *note;
};

static const struct value *
with_text (struct values *pool, const struct value *object, const char *name, const char *text)
{
  return value_with (pool, object, name, strlen (name), value_string_z (pool, text));
}

static void
left_out (struct proposal *p, const char *why)
{
  p->why = p->why != NULL ? p->why : why;
}

static void
noted (struct proposal *p, const char *note)
{
  p->note = p->note != NULL ? p->note : note;
}

/* ---- types ---- */

static const struct c_type *
innermost (const struct c_type *type)
{
  while (type->kind == C_POINTER || type->kind == C_ARRAY)
    type = type->of;
  return type;
}

static bool
is_pointer_to_nothing (const struct c_type *type)
{
  return type->kind == C_POINTER && (type->of->kind == C_VOID || type->of->kind == C_OPAQUE);
}

static const struct value *
with_type (struct proposal *p, const struct value *object, const struct c_type *type)
{
  CLEANUP_TEXT struct text text = { 0 };
  const struct c_type *inner = innermost (type);

  if (inner->kind == C_FUNCTION)
    left_out (p, "it takes or gives a function");
  else if (inner->name == NULL || strstr (inner->name, "(unnamed)") != NULL)
    left_out (p, "it uses a type without a name");
  c_type_write (type, &text);
  return with_text (p->pool, object, "type", text_get (&text));
}

/* ---- lengths ---- */

/* Beside a text a number may be of anything ("num_results"). */
static bool
sounds_like_length (const char *name, bool of_text)
{
  static const char *const words[] = { "len", "size", "bytes", "count", "num" };

  for (size_t i = 0; i < sizeof words / sizeof *words - (of_text ? 2 : 0); i++)
    if (strcasestr (name, words[i]) != NULL)
      return true;
  return strcasecmp (name, "n") == 0 || strcmp (name, "sz") == 0;
}

static bool
takes_length (const struct c_type *type)
{
  return type->kind == C_POINTER && type->of->kind != C_POINTER && type->of->kind != C_OPAQUE
         && type->of->kind != C_FUNCTION && type->of->kind != C_STRUCT;
}

static bool
may_be_length (const struct proposal *p, size_t index, bool of_text)
{
  const struct c_type *type = p->prototype->params[index].type;
  const struct c_type *number = type->kind == C_POINTER ? type->of : type;

  return number->kind == C_INT && (type->kind != C_POINTER || !type->is_const)
         && (sounds_like_length (p->names[index], of_text)
             || (number->name != NULL && strcmp (number->name, "size_t") == 0));
}

/* Of "buf, len" and of "dest, destLen, source, sourceLen"; a length may stand before, too. */
static int
length_for (struct proposal *p, size_t index)
{
  if (!takes_length (p->prototype->params[index].type))
    return -1;
  if (index + 1 < p->prototype->count
      && may_be_length (p, index + 1, c_type_is_text (p->prototype->params[index].type))
      && p->length_of[index + 1] < 0)
    return (int) index + 1;
  return -1;
}

/* ---- parameters ---- */

static const struct c_comment_param *
said_of (const struct proposal *p, const char *name)
{
  for (size_t i = 0; i < p->said.count; i++)
    if (strcmp (p->said.params[i].name, name) == 0)
      return &p->said.params[i];
  return NULL;
}

static const struct value *
with_direction (struct proposal *p, const struct value *object, const struct c_type *type,
                const char *said)
{
  const char *direction = said != NULL ? said : type->is_const ? "in" : "out";

  if (type->kind != C_POINTER || type->of->kind == C_POINTER)
    return object;
  if (said == NULL && !type->is_const)
    noted (p, "a pointer that is not const is taken to be written to only");
  if (strcmp (direction, "in") == 0 && type->is_const)
    return object;
  return with_text (p->pool, object, "direction", direction);
}

static const struct value *
pointer_param (struct proposal *p, const struct value *object, size_t index, const char *said)
{
  const struct c_type *type = p->prototype->params[index].type;
  const int length = length_for (p, index);

  if (length >= 0) {
    p->length_of[length] = (int) index;
    object = with_text (p->pool, object, "length", p->names[length]);
    return with_direction (p, object, type, said);
  }
  if (is_pointer_to_nothing (type))
    left_out (p, "it takes a handle, or memory without a length: say what goes before it in "
                 "\"calls\", or give a \"length\"");
  else if (type->of->kind == C_POINTER) {
    if (!c_type_is_text (type->of))
      left_out (p, "it gives a handle: write what is done with it in \"calls\"");
    else
      noted (p, "who frees the string that it gives is not known");
  }
  else if (type->of->kind == C_CHAR && !type->is_const
           && (said == NULL || strcmp (said, "in") != 0))
    left_out (p, "it writes to a buffer whose length is not known");
  return with_direction (p, object, type, said);
}

static const struct value *
propose_param (struct proposal *p, size_t index)
{
  const struct c_param *param = &p->prototype->params[index];
  const struct c_comment_param *said = said_of (p, p->names[index]);
  const struct value *object = with_text (p->pool, &value_no_members, "name", p->names[index]);

  object = with_type (p, object, param->type);
  if (said != NULL && said->text[0] != '\0')
    object = with_text (p->pool, object, "description", said->text);
  if (param->type->kind == C_POINTER)
    return pointer_param (p, object, index, said != NULL ? said->direction : NULL);
  if (param->type->kind == C_OPAQUE)
    left_out (p, "it takes a struct whose members are not known");
  return object;
}

static void
name_params (struct proposal *p)
{
  char text[32];

  for (size_t i = 0; i < p->prototype->count; i++) {
    p->length_of[i] = -1;
    p->names[i] = p->prototype->params[i].name;
    for (size_t j = 0; p->names[i] != NULL && j < i; j++)
      if (strcmp (p->names[j], p->names[i]) == 0)
        left_out (p, "it has two parameters of the same name");
    if (p->names[i] != NULL)
      continue;
    (void) snprintf (text, sizeof text, "arg%zu", i + 1);
    p->names[i] = values_text (p->pool, text, strlen (text));
    noted (p, "its parameters have no names");
  }
}

static const struct value *
propose_params (struct proposal *p)
{
  const struct value *items[C_PARAMS_MAX];

  name_params (p);
  for (size_t i = 0; i < p->prototype->count; i++)
    items[i] = propose_param (p, i);
  return value_array (p->pool, items, p->prototype->count);
}

/* ---- the whole ---- */

static const struct value *
propose_returns (struct proposal *p)
{
  const struct c_type *type = p->prototype->returns;
  const struct value *object = with_type (p, &value_no_members, type);

  if (p->said.returns != NULL)
    object = with_text (p->pool, object, "description", p->said.returns);
  if (is_pointer_to_nothing (type) || (type->kind == C_POINTER && type->of->kind == C_POINTER))
    left_out (p, "it gives a handle: write what is done with it in \"calls\"");
  else if (type->kind == C_OPAQUE)
    left_out (p, "it gives a struct whose members are not known");
  else if (c_type_is_text (type) && !type->is_const)
    noted (p, "who frees the string that it gives is not known");
  return object;
}

const struct value *
header_propose (struct values *pool, const struct c_prototype *prototype, const char *library,
                const char **why, const char **note)
{
  struct proposal p = { .pool = pool, .prototype = prototype };
  const struct value *object = with_text (pool, &value_no_members, "name", prototype->name);
  char description[200];

  c_comment_read (pool, prototype->comment, prototype->comment_len, &p.said);
  if (p.said.description[0] == '\0') {
    noted (&p, "there is no comment above it, by which a model would know what it does");
    (void) snprintf (description, sizeof description, "Call the C function %.100s.",
                     prototype->name);
    p.said.description = description;
  }
  object = with_text (pool, object, "description", p.said.description);
  if (library != NULL)
    object = with_text (pool, object, "library", library);
  object = with_text (pool, object, "symbol", prototype->name);
  object = value_with (pool, object, "params", 6, propose_params (&p));
  object = value_with (pool, object, "returns", 7, propose_returns (&p));
  if (prototype->variadic)
    left_out (&p, "it takes a variable argument list: write a tool for each signature, with "
                  "\"variadic\"");
  *why = p.why;
  *note = p.note;
  return object;
}
