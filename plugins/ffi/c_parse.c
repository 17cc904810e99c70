#include "c_parse.h"

#include <string.h>

#include "c_parser.h"

/* ---- one type ---- */

const struct c_type *
c_type_read (struct c_types *types, const char *text, const char **why)
{
  struct c_parser p = { .types = types,
                        .lex = { .at = text, .end = text + strlen (text), .line = 1 },
                        .suggests = true };
  struct c_macros none = { .pool = types->pool };
  struct c_specifiers s;
  struct c_declarator d;

  p.macros = &none;
  c_advance (&p);
  if (c_specifiers (&p, &s) && c_declarator (&p, &s, &d)) {
    if (p.token.word != WORD_END || d.name != NULL)
      (void) c_wrong (&p, "a type alone was expected");
    else if (p.leaves_out != NULL)
      (void) c_wrong (&p, "this struct can't be used: %s", p.leaves_out);
  }
  *why = p.why;
  return p.why == NULL ? d.type : NULL;
}

/* ---- a header ---- */

static void
leave_out (struct c_header *header, struct c_parser *p, unsigned line, const char *name,
           const char *why)
{
  struct c_left_out *left;

  if (header->left_out_count == C_PROTOTYPES_MAX)
    return;
  left = values_alloc (p->types->pool, sizeof *left);
  if (left == NULL)
    return;
  *left = (struct c_left_out){ NULL, line, name, why };
  *header->last_left_out = left;
  header->last_left_out = &left->next;
  header->left_out_count++;
}

static void
add_prototype (struct c_header *header, struct c_parser *p, const struct c_declarator *d,
               const struct c_token *first)
{
  struct c_prototype *prototype;

  for (prototype = header->prototypes; prototype != NULL; prototype = prototype->next)
    if (strcmp (prototype->name, d->name) == 0)
      return; /* declared once more */
  if (header->count == C_PROTOTYPES_MAX) {
    leave_out (header, p, first->line, d->name, "the header has more than 10,000 functions");
    return;
  }
  prototype = values_alloc (p->types->pool, sizeof *prototype);
  if (prototype == NULL)
    return;
  *prototype = (struct c_prototype){ .name = d->name,
                                     .returns = d->returns,
                                     .params = d->params,
                                     .count = d->count,
                                     .variadic = d->variadic,
                                     .line = first->line,
                                     .foreign = first->foreign,
                                     .comment = first->comment,
                                     .comment_len = first->comment_len };
  *header->last_prototype = prototype;
  header->last_prototype = &prototype->next;
  header->count++;
}

/* A typedef names the type; one without a tag is known by this name from now on. */
static bool
add_typedef (struct c_parser *p, const struct c_declarator *d)
{
  struct c_type *type;

  if (d->name == NULL)
    return c_wrong (p, "a typedef without a name");
  if (c_types_find (p->types, C_TYPEDEF, d->name) != NULL)
    return true;
  type = c_type_new (p->types, d->type->kind, NULL);
  if (type == NULL)
    return c_wrong (p, "there is no memory");
  if (d->type->kind == C_OPAQUE || d->type->kind == C_STRUCT || d->type->kind == C_ENUM) {
    type = (struct c_type *) d->type; /* may become complete later */
    if (type->name == NULL || strstr (type->name, "(unnamed)") != NULL)
      type->name = d->name;
  }
  else
    *type = *d->type;
  return c_types_add (p->types, C_TYPEDEF, d->name, type) || c_wrong (p, "too many types");
}

static bool
declarators (struct c_header *header, struct c_parser *p, const struct c_specifiers *s,
             const struct c_token *first)
{
  struct c_declarator d;

  do {
    if (!c_declarator (p, s, &d))
      return false;
    if (s->is_typedef) {
      if (!add_typedef (p, &d))
        return false;
    }
    else if (d.is_function && d.name != NULL) {
      if (c_at (p, "{")) {
        leave_out (header, p, first->line, d.name,
                   "it has its body here, and need be in no library");
        return c_skip_brackets (p);
      }
      add_prototype (header, p, &d, first);
    }
    else if (d.name != NULL)
      leave_out (header, p, first->line, d.name, "it is no function");
    if (c_take (p, "=")) /* a variable with a value */
      while (!c_at (p, ";") && !c_at (p, ",") && p->token.word != WORD_END)
        if (c_at (p, "{") ? !c_skip_brackets (p) : (c_advance (p), false))
          return false;
  } while (c_take (p, ","));
  return c_expect (p, ";");
}

static bool
declaration (struct c_header *header, struct c_parser *p)
{
  const struct c_token first = p->token;
  struct c_specifiers s;

  p->leaves_out = NULL;
  if (c_take (p, ";"))
    return true;
  if (c_at (p, "_Static_assert") || c_at (p, "static_assert")) {
    c_advance (p);
    return c_at (p, "(") && c_skip_brackets (p) && c_expect (p, ";");
  }
  if (!c_specifiers (p, &s))
    return false;
  if (p->leaves_out != NULL)
    leave_out (header, p, first.line, s.type->name, p->leaves_out);
  if (c_take (p, ";"))
    return true;
  return declarators (header, p, &s, &first);
}

/* extern "C" { … } */
static bool
take_linkage (struct c_parser *p)
{
  struct c_parser ahead = *p;

  if (!c_take (&ahead, "extern") || ahead.token.word != WORD_TEXT)
    return false;
  c_advance (&ahead);
  (void) c_take (&ahead, "{");
  *p = ahead;
  return true;
}

/* The name that a declaration which was not understood is about, as far as one can see: what stands
 * before the first bracket, "name (…)", or before a macro with one, "name OF ((…))". */
static const char *
guess_name (struct c_parser *p, struct c_lex lex, const struct c_token *first)
{
  struct c_token name = { 0 }, before = *first, token;

  for (int i = 0; i < 64; i++, before = token) {
    token = c_lex_next (&lex);
    if (token.word == WORD_END || c_token_is (&token, ";") || c_token_is (&token, "{"))
      return NULL;
    if (c_token_is (&token, "("))
      break;
    name = before;
  }
  if (before.word != WORD_NAME)
    return NULL;
  for (size_t i = 0; i < before.len; i++)
    if (before.at[i] >= 'a' && before.at[i] <= 'z')
      return c_keep (p, &before);
  return c_keep (p, name.word == WORD_NAME ? &name : &before);
}

/* From the beginning of a declaration to the one after it. */
static void
recover (struct c_parser *p)
{
  while (p->token.word != WORD_END) {
    if (c_take (p, ";"))
      return;
    if (c_at (p, "{")) {
      p->why = NULL;
      (void) c_skip_brackets (p);
      while (c_at (p, "__attribute__"))
        if (!c_skip_attributes (p))
          break;
      if (p->token.word == WORD_NAME && !c_at (p, "typedef") && !c_at (p, "extern"))
        continue; /* } name; */
      (void) c_take (p, ";");
      return;
    }
    if (c_at (p, "(") || c_at (p, "["))
      (void) c_skip_brackets (p);
    else
      c_advance (p);
  }
}

void
c_header_read (struct c_header *header, const char *text, size_t len)
{
  struct c_parser p = { .types = header->types,
                        .macros = &header->macros,
                        .lex = { .at = text, .end = text + len, .line = 1, .fresh = true } };

  header->macros.pool = header->types->pool;
  p.lex.macros = &header->macros;
  if (header->last_prototype == NULL) {
    header->last_prototype = &header->prototypes;
    header->last_left_out = &header->left_out;
  }
  c_advance (&p);
  while (p.token.word != WORD_END) {
    const struct c_parser from = p;
    if (take_linkage (&p) || c_take (&p, "}"))
      continue;
    if (declaration (header, &p))
      continue;
    if (!from.token.foreign)
      leave_out (header, &p, from.token.line, guess_name (&p, from.lex, &from.token),
                 p.why != NULL ? p.why : "it is not understood");
    p = from;
    recover (&p);
    p.why = NULL;
  }
}
