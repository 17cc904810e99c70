/* Structs and enums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_parser.h"

/* ---- tags ---- */

/* The type of a tag, which may be known later, or not at all. */
static struct c_type *
tagged (struct c_parser *p, enum c_space space, const char *keyword, const char *tag)
{
  struct c_type *type = tag != NULL ? c_types_find (p->types, space, tag) : NULL;
  char name[160];

  if (type != NULL)
    return type;
  (void) snprintf (name, sizeof name, "%s %s", keyword, tag != NULL ? tag : "(unnamed)");
  type = c_type_new (p->types, C_OPAQUE, name);
  if (type == NULL || (tag != NULL && !c_types_add (p->types, space, tag, type))) {
    (void) c_wrong (p, "too many types");
    return NULL;
  }
  return type;
}

static const char *
take_tag (struct c_parser *p)
{
  const char *tag = NULL;

  if (p->token.word == WORD_NAME && p->token.len < 128) {
    tag = c_keep (p, &p->token);
    c_advance (p);
  }
  return tag;
}

/* ---- structs ---- */

struct members {
  struct c_member list[C_MEMBERS_MAX];
  size_t count;
};

/* A struct with a member that can't be had is opaque: it can still be pointed at. */
static void
leave_out (struct c_parser *p, const char *why)
{
  if (p->leaves_out == NULL)
    p->leaves_out = why;
}

static bool
has_member (const struct members *members, const char *name)
{
  for (size_t i = 0; i < members->count; i++)
    if (strcmp (members->list[i].name, name) == 0)
      return true;
  return false;
}

static bool
member (struct c_parser *p, const struct c_specifiers *s, struct members *members)
{
  struct c_declarator d;

  if (!c_declarator (p, s, &d))
    return false;
  if (c_take (p, ":")) {
    int64_t bits;
    leave_out (p, "it has bit fields");
    return c_constant (p, &bits);
  }
  if (d.type->size == 0 || d.type->kind == C_FUNCTION)
    leave_out (p, "it has a member whose type is not known");
  else if (members->count == C_MEMBERS_MAX)
    leave_out (p, "it has more than 256 members");
  else if (d.name == NULL)
    leave_out (p, "it has a member without a name");
  else if (has_member (members, d.name))
    leave_out (p, "it has two members of the same name");
  else
    members->list[members->count++] = (struct c_member){ .name = d.name, .type = d.type };
  return true;
}

/* The declarations between the braces. */
static bool
read_members (struct c_parser *p, struct members *members)
{
  struct c_specifiers s;

  while (!c_take (p, "}")) {
    if (p->token.word == WORD_END)
      return c_wrong (p, "a struct is not closed");
    if (!c_specifiers (p, &s))
      return false;
    if (c_at (p, ";"))
      leave_out (p, "it has a member without a name");
    else
      do
        if (!member (p, &s, members))
          return false;
      while (c_take (p, ","));
    if (!c_expect (p, ";"))
      return false;
  }
  return true;
}

static bool
has_flexible_end (const struct c_parser *p, const struct c_lex *from)
{
  struct c_lex lex = *from;
  struct c_token before = { 0 }, token;

  for (token = c_lex_next (&lex); token.word != WORD_END && token.at < p->token.at;
       token = c_lex_next (&lex)) {
    if (c_token_is (&token, "]") && c_token_is (&before, "["))
      return true;
    before = token;
  }
  return false;
}

static bool
complete (struct c_parser *p, struct c_type *type, const struct members *members)
{
  struct c_member *list = values_alloc (p->types->pool, (members->count + 1) * sizeof *list);
  const char *why;

  if (list == NULL)
    return c_wrong (p, "there is no memory");
  memcpy (list, members->list, members->count * sizeof *list);
  if (!c_type_complete (p->types, type, list, members->count, &why))
    leave_out (p, why);
  return true;
}

static bool
read_body (struct c_parser *p, struct c_type *type, struct members *members)
{
  const struct c_lex from = p->lex;
  bool good;

  c_advance (p);
  good = read_members (p, members);
  if (good && has_flexible_end (p, &from))
    leave_out (p, "it has an array without a length");
  good = good && c_skip_attributes (p);
  if (good && p->leaves_out == NULL && type->kind == C_OPAQUE)
    good = complete (p, type, members);
  return good;
}

/* What stands in braces; types inside are read with the same parser. */
static bool
body (struct c_parser *p, struct c_type *type)
{
  const char *const outer = p->leaves_out;
  struct members *members;
  bool good;

  if (p->depth >= C_DEPTH_MAX)
    return c_wrong (p, "structs within structs, too deep");
  members = calloc (1, sizeof *members);
  if (members == NULL)
    return c_wrong (p, "there is no memory");
  p->leaves_out = NULL;
  p->depth++;
  good = read_body (p, type, members);
  p->depth--;
  free (members);
  if (outer != NULL)
    p->leaves_out = outer;
  return good;
}

bool
c_struct (struct c_parser *p, bool is_union, const struct c_type **type)
{
  const char *tag;
  struct c_type *found;

  if (!c_skip_attributes (p))
    return false;
  tag = take_tag (p);
  if (tag == NULL && !c_at (p, "{"))
    return c_wrong (p, "a name was expected after struct");
  found = tagged (p, C_STRUCT_TAG, is_union ? "union" : "struct", tag);
  *type = found;
  if (found == NULL || !c_at (p, "{"))
    return found != NULL;
  if (is_union) {
    leave_out (p, "it is a union");
    return c_skip_brackets (p);
  }
  return body (p, found);
}

/* ---- enums ---- */

struct constants {
  struct c_constant *list;
  size_t count, room;
};

static bool
grow (struct c_parser *p, struct constants *constants)
{
  const size_t room = constants->room == 0 ? 16 : 2 * constants->room;
  struct c_constant *list;

  if (constants->count < constants->room)
    return true;
  if (constants->count >= C_CONSTANTS_MAX)
    return c_wrong (p, "an enum of more than %d constants", C_CONSTANTS_MAX);
  list = values_alloc (p->types->pool, room * sizeof *list);
  if (list == NULL)
    return c_wrong (p, "there is no memory");
  if (constants->count != 0)
    memcpy (list, constants->list, constants->count * sizeof *list);
  constants->list = list;
  constants->room = room;
  return true;
}

static bool
one_constant (struct c_parser *p, struct constants *constants, int64_t *next)
{
  struct c_constant *constant;

  if (p->token.word != WORD_NAME)
    return c_wrong (p, "the name of a constant was expected");
  if (!grow (p, constants))
    return false;
  constant = &constants->list[constants->count];
  constant->name = c_keep (p, &p->token);
  for (size_t i = 0; i < constants->count; i++)
    if (strcmp (constants->list[i].name, constant->name) == 0)
      return c_wrong (p, "there are two constants %s", constant->name);
  c_advance (p);
  if (!c_skip_attributes (p) || (c_take (p, "=") && !c_constant (p, next)))
    return false;
  constant->value = *next;
  constants->count++;
  p->constants = constants->list; /* the next one may be made of it */
  p->constants_count = constants->count;
  return !__builtin_add_overflow (*next, 1, next) || c_at (p, "}")
         || c_wrong (p, "a constant that does not fit 64 bits");
}

static bool
enum_body (struct c_parser *p, struct c_type *type)
{
  struct constants constants = { 0 };
  int64_t next = 0;

  c_advance (p);
  while (!c_at (p, "}")) {
    if (!one_constant (p, &constants, &next))
      return false;
    if (!c_take (p, ","))
      break;
  }
  if (!c_expect (p, "}") || !c_skip_attributes (p))
    return false;
  if (constants.count == 0)
    return c_wrong (p, "an enum without constants");
  if (type->kind == C_OPAQUE)
    c_type_constants (type, constants.list, constants.count);
  return true;
}

bool
c_enum (struct c_parser *p, const struct c_type **type)
{
  const char *tag;
  struct c_type *found;

  if (!c_skip_attributes (p))
    return false;
  tag = take_tag (p);
  if (tag == NULL && !c_at (p, "{"))
    return c_wrong (p, "a name was expected after enum");
  found = tagged (p, C_ENUM_TAG, "enum", tag);
  *type = found;
  if (found == NULL)
    return false;
  if (c_at (p, "{"))
    return enum_body (p, found);
  return found->kind == C_ENUM || c_wrong (p, "there is no %s", found->name);
}
